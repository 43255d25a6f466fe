import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, DefinitionError } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import type { IdempotencyOptions } from 'octavo/idempotency'
import { createMemoryStore } from 'octavo/stores'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

/** A release whose ids are those of the schema. */
function release(options: IdempotencyOptions, id: z.ZodType, own: unknown) {
  let runs = 0
  let isStuck = false
  const orders = defineController({
    prefix: '/orders',
    interceptors: [idempotency(options)],
    routes: [
      {
        method: 'POST',
        input: { body: z.object({ car: z.string() }) },
        response: z.object({ id }),
        handler: async () => {
          runs++
          if (isStuck) await new Promise(() => undefined)
          return { id: own }
        },
      },
    ],
  })
  const app = serve(orders)
  return {
    runs: () => runs,
    stick: () => (isStuck = true),
    post: async () => {
      const headers = { 'idempotency-key': '"8e03978e-40d5-43dd-bc93"' }
      const response = await app.inject({ method: 'POST', url: '/orders', headers, body: { car: 'A4' } })
      const { code, id: found }: Record<string, unknown> = Object(response.json())
      return [response.statusCode, code ?? found]
    },
  }
}

const old = (options: IdempotencyOptions) => release({ shape: '2', ...options }, z.number(), 7)
const next = (options: IdempotencyOptions) => release({ shape: '3', ...options }, z.string(), 'order_7')

describe('a key in two releases with different shapes', () => {
  it('is a 409 in the other one, because its result does not fit there', async () => {
    const store = createMemoryStore()
    const [first, second] = [old({ store }), next({ store })]
    assert.deepEqual(await first.post(), [200, 7])
    assert.deepEqual(await second.post(), [409, 'idempotent_response_lost'])
    assert.deepEqual(await first.post(), [200, 7])
    assert.deepEqual([first.runs(), second.runs()], [1, 0])
  })

  it("runs the handler in the other one with afterLease: 'run'", async () => {
    const store = createMemoryStore()
    const [first, second] = [old({ store }), next({ store, afterLease: 'run' })]
    assert.deepEqual(await first.post(), [200, 7])
    assert.deepEqual(await second.post(), [200, 'order_7'])
    assert.deepEqual(await first.post(), [200, 7])
    assert.deepEqual([first.runs(), second.runs()], [1, 1])
  })

  it('is in use in the other one until its lease ends', async (test) => {
    test.mock.timers.enable({ apis: ['Date'] })
    const store = createMemoryStore()
    const [first, second] = [old({ store }), next({ store, afterLease: 'run' })]
    first.stick()
    void first.post()
    while (first.runs() === 0) await new Promise(setImmediate)
    assert.deepEqual(await second.post(), [409, 'idempotency_key_in_use'])
    test.mock.timers.tick(60_001)
    const later = [next({ store, afterLease: 'run' }), next({ store })] as const
    assert.deepEqual(await later[0].post(), [200, 'order_7'])
    assert.deepEqual(await later[1].post(), [409, 'idempotent_outcome_unknown'])
  })

  it('was kept before the shape had a name', async () => {
    const store = createMemoryStore()
    const [first, second] = [release({ store }, z.number(), 7), old({ store })]
    assert.deepEqual(await first.post(), [200, 7])
    assert.deepEqual(await second.post(), [409, 'idempotent_response_lost'])
  })

  it('refuses a shape that is no name', () => {
    for (const shape of ['', 'a:b', 'x'.repeat(101)])
      assert.throws(
        () => idempotency({ shape }),
        (error) => error instanceof DefinitionError && /shape/.test(error.message),
      )
  })
})
