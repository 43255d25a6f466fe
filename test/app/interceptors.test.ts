import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineInterceptor, reply } from 'octavo'
import type { ExecutionContext } from 'octavo'

import { appOf } from './around-support.ts'

type Next = () => unknown

describe('an interceptor', () => {
  const cases: readonly (readonly [
    string,
    () => unknown,
    (context: ExecutionContext, next: Next) => unknown,
    number,
    string,
  ])[] = [
    ['replaces the value', () => 1, async (_context, next) => ({ data: await next() }), 200, '{"data":1}'],
    ['passes a value on', async () => 1, (_context, next) => next(), 200, '1'],
    ['skips the handler', () => assert.fail(), () => 'kept', 200, '"kept"'],
    [
      'catches what the handler throws',
      async () => assert.fail(),
      async (_context, next) => {
        try {
          return await next()
        } catch {
          return reply(202, 'caught')
        }
      },
      202,
      '"caught"',
    ],
    [
      'sees that nothing was returned',
      () => undefined,
      async (_context, next) => String(await next()),
      200,
      '"undefined"',
    ],
    ['passes nothing on', () => undefined, (_context, next) => next(), 204, ''],
    [
      'passes a Response on',
      () => new Response('web', { status: 201 }),
      (_context, next) => next(),
      201,
      'web',
    ],
    ['passes a reply on', () => reply(203, 1), (_context, next) => next(), 203, '1'],
  ]
  for (const [what, handler, intercept, status, body] of cases) {
    it(what, async () => {
      const interceptor = defineInterceptor({ name: 'Test', intercept })
      const response = await appOf(handler, { route: { interceptors: [interceptor] } }).inject('/car')
      assert.equal(response.statusCode, status)
      assert.equal(response.body, body)
    })
  }

  it('may call next() again', async () => {
    let calls = 0
    const retry = defineInterceptor({
      name: 'Retry',
      intercept: async (_context, next) => {
        try {
          return await next()
        } catch {
          return next()
        }
      },
    })
    const handler = (): number => {
      calls += 1
      assert.equal(calls, 2)
      return calls
    }
    const response = await appOf(handler, { route: { interceptors: [retry] } }).inject('/car')
    assert.equal(response.json(), 2)
  })
})
