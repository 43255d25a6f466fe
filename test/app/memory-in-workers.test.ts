import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { describe, it } from 'node:test'

import { defineController } from 'octavo'
import type { AppOptions } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { rateLimit } from 'octavo/middleware'
import { createWebhookSecret, signWebhook, verifyWebhook } from 'octavo/webhooks'

import { serve } from '../support/serve.ts'

const secret = createWebhookSecret()

interface Case {
  readonly state: string
  readonly toOptions: () => AppOptions
  readonly toHeaders: (id: string) => Readonly<Record<string, string>>
  /** What each worker logs, once. */
  readonly warnings: readonly RegExp[]
}

const CASES: readonly Case[] = [
  {
    state: 'idempotency keys',
    toOptions: () => ({ interceptors: [idempotency()] }),
    toHeaders: (id) => ({ 'idempotency-key': `0123456789abcdef-${id}` }),
    warnings: [/^Each worker keeps its own idempotency keys in memory/],
  },
  {
    state: 'counts of rate limits',
    toOptions: () => ({
      middleware: [rateLimit({ name: 'burst', limit: 10, window: 1 })],
      guards: [rateLimit({ name: 'day', limit: 100, window: 86_400 })],
    }),
    toHeaders: () => ({}),
    warnings: [
      /^Each worker counts the rate limit "burst" in its own memory, so clients can exceed it: give createApp a store$/,
      /^Each worker counts the rate limit "day" in its own memory/,
    ],
  },
  {
    state: 'allowed webhooks',
    toOptions: () => ({ guards: [verifyWebhook({ secrets: secret, replays: true })] }),
    toHeaders: (id) => {
      const timestamp = Math.floor(Date.now() / 1000)
      return {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signWebhook({ id, timestamp, body: '{}', secrets: secret }),
      }
    },
    warnings: [/^Each worker remembers the requests of webhooks in its own memory/],
  },
]

const order = defineController({ name: 'order', routes: [{ method: 'POST', handler: () => 1 }] })

/** What is logged as warnings while three requests are answered. */
async function warningsOf({ toOptions, toHeaders }: Case, isWorker: boolean): Promise<readonly string[]> {
  const warnings: string[] = []
  const ignore = (): void => undefined
  const warn = (_details: object, message: string): void => void warnings.push(message)
  const logger = { debug: ignore, info: ignore, warn, error: ignore }
  const app = serve(order, { ...toOptions(), logger })
  Object.assign(cluster, { isWorker })
  try {
    for (const id of ['1', '2', '3']) {
      const request = { method: 'POST', url: '/order', body: '{}', headers: toHeaders(id) } as const
      const { statusCode } = await app.inject(request)
      assert.equal(statusCode, 200)
    }
  } finally {
    Object.assign(cluster, { isWorker: false })
    await app.close()
  }
  return warnings
}

for (const row of CASES) {
  describe(`${row.state} in memory`, () => {
    it('are a warning in each worker, once', async () => {
      const warnings = await warningsOf(row, true)
      assert.equal(warnings.length, row.warnings.length)
      row.warnings.forEach((warning, index) => assert.match(String(warnings[index]), warning))
    })

    it('are no warning in a process of its own', async () => {
      assert.deepEqual(await warningsOf(row, false), [])
    })
  })
}
