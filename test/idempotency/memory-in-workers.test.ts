import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'
import { idempotency } from 'octavo/idempotency'

/** What is logged as warnings while three requests with keys are answered. */
async function warningsOf(isWorker: boolean): Promise<readonly string[]> {
  const warnings: string[] = []
  const order = defineController({
    name: 'order',
    interceptors: [idempotency()],
    routes: [{ method: 'POST', handler: () => 1 }],
  })
  const ignore = (): void => undefined
  const warn = (_details: object, message: string): void => void warnings.push(message)
  const logger = { debug: ignore, info: ignore, warn, error: ignore }
  const app = createApp(defineModule({ controllers: [order] }), { logger })
  Object.assign(cluster, { isWorker })
  try {
    for (const key of ['0123456789abcdef-1', '0123456789abcdef-1', '0123456789abcdef-2']) {
      const headers = { 'idempotency-key': key }
      const { statusCode } = await app.inject({ method: 'POST', url: '/order', headers })
      assert.equal(statusCode, 200)
    }
  } finally {
    Object.assign(cluster, { isWorker: false })
    await app.close()
  }
  return warnings
}

describe('keys in memory', () => {
  it('are a warning in each worker, once', async () => {
    const [warning, ...more] = await warningsOf(true)
    assert.match(String(warning), /^Each worker keeps its own idempotency keys/)
    assert.deepEqual(more, [])
  })

  it('are none in a process of its own', async () => {
    assert.deepEqual(await warningsOf(false), [])
  })
})
