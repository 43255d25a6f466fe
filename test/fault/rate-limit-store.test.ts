import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { createApp, defineController, defineModule } from 'octavo'
import { rateLimit } from 'octavo/middleware'
import { createMemoryStore } from 'octavo/stores'
import type { App } from 'octavo'

type Mode = 'well' | 'rejects' | 'hangs' | 'hangs, then rejects' | 'gives nonsense'

const STORE_TIMEOUT = 250
const LOAD = 40

/** A memory with the faults of other stores. */
function createFaultyStore() {
  let mode: Mode = 'well'
  const memory = createMemoryStore()
  const increment: (typeof memory)['increment'] = async (...args) => {
    if (mode === 'rejects') throw new Error('The store is away')
    if (mode === 'hangs') return new Promise(() => undefined)
    if (mode === 'hangs, then rejects') {
      await delay(STORE_TIMEOUT * 2)
      throw new Error('The store gave up')
    }
    // what JavaScript could return
    if (mode === 'gives nonsense') return undefined as never
    return memory.increment(...args)
  }
  return {
    store: { ...memory, increment },
    become: (next: Mode) => {
      mode = next
    },
  }
}

function createLimitedApp(onStoreError: 'allow' | 'refuse') {
  const { store, become } = createFaultyStore()
  const controller = defineController({
    prefix: '/',
    routes: [
      {
        method: 'GET',
        path: '/limited',
        middleware: [
          rateLimit({ limit: 1_000, window: 60, store, storeTimeout: STORE_TIMEOUT, onStoreError }),
        ],
        handler: () => 'limited',
      },
      { method: 'GET', path: '/plain', handler: () => 'plain' },
    ],
  })
  const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
  return { app, become }
}

const statuses = async (app: App, path: string): Promise<ReadonlySet<number>> => {
  const answers = await Promise.all(Array.from({ length: LOAD }, () => app.inject(path)))
  return new Set(answers.map(({ statusCode }) => statusCode))
}

describe('the store of a rate limit', () => {
  for (const [onStoreError, expected] of [
    ['allow', 200],
    ['refuse', 503],
  ] as const) {
    for (const mode of ['rejects', 'hangs', 'hangs, then rejects', 'gives nonsense'] as const) {
      it(`that ${mode} under load makes limited routes answer ${expected} in time, and no other`, async () => {
        const { app, become } = createLimitedApp(onStoreError)
        assert.deepEqual(await statuses(app, '/limited'), new Set([200]))
        become(mode)
        const start = performance.now()
        const [limited, plain] = await Promise.all([statuses(app, '/limited'), statuses(app, '/plain')])
        const took = performance.now() - start
        assert.deepEqual([limited, plain], [new Set([expected]), new Set([200])])
        // if they waited for each other, they would take this long
        assert.ok(took < LOAD * STORE_TIMEOUT, `the answers took ${took} ms`)
        become('well')
        // one request at a time tries a store again that gave no answer
        for (let tries = 0; (await app.inject('/limited')).statusCode !== 200 && tries < 1000; tries++)
          await delay(20)
        assert.deepEqual(await statuses(app, '/limited'), new Set([200]))
        await app.close()
      })
    }
  }
})
