import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineErrorHandler, HttpError, notFound } from 'octavo'
import type { ErrorHandler } from 'octavo'

import { appOf, collectErrors, pause } from './around-support.ts'

class Broken extends Error {}
class VeryBroken extends Broken {}
class NoError {
  readonly reason = 'none'
}

const answers = (match: Parameters<typeof defineErrorHandler>[0]['match'], value: unknown): ErrorHandler =>
  defineErrorHandler({ match, handle: () => value })

describe('an error handler', () => {
  const cases: readonly (readonly [
    string,
    unknown,
    readonly ErrorHandler[],
    readonly ErrorHandler[],
    number,
    unknown,
  ])[] = [
    ['matches a class', new Broken(), [answers(Broken, 'a')], [], 500, 'a'],
    ['matches subclasses', new VeryBroken(), [answers(Broken, 'a')], [], 500, 'a'],
    ['matches what is no Error', new NoError(), [answers(NoError, 'a')], [], 500, 'a'],
    ['matches a status, which a plain value keeps', notFound('x'), [answers(404, 'a')], [], 404, 'a'],
    ['matches unknown errors as 500', 'text', [answers(500, 'a')], [], 500, 'a'],
    [
      'of the route is asked before that of the application',
      new Broken(),
      [answers(Broken, 'a')],
      [answers(Broken, 'b')],
      500,
      'a',
    ],
    [
      'passes on with undefined',
      new Broken(),
      [answers(Broken, undefined)],
      [answers(Broken, 'b')],
      500,
      'b',
    ],
    ['of the application is asked for errors of routes', new Broken(), [], [answers(Broken, 'b')], 500, 'b'],
    [
      'that throws leaves the new error to the outer ones',
      new Broken(),
      [
        defineErrorHandler({
          match: Broken,
          handle: async () => {
            await pause()
            throw new HttpError(409)
          },
        }),
      ],
      [answers(Broken, 'b'), answers(409, 'c')],
      409,
      'c',
    ],
  ]
  for (const [what, error, own, last, status, body] of cases) {
    it(what, async () => {
      const app = appOf(
        () => {
          // oxlint-disable-next-line typescript/only-throw-error -- handlers may throw anything
          throw error
        },
        { route: { errorHandlers: own }, app: { errorHandlers: last } },
      )
      const response = await app.inject('/car')
      assert.deepEqual([response.statusCode, response.json()], [status, body])
    })
  }

  it('of the application alone is asked for paths and methods that do not exist', async () => {
    const app = appOf(() => 'car', {
      route: { errorHandlers: [answers(404, 'route'), answers(405, 'route')] },
      app: { errorHandlers: [answers(404, 'app'), answers(405, 'app')] },
    })
    assert.equal((await app.inject('/unknown')).json(), 'app')
    assert.equal((await app.inject({ method: 'PUT', url: '/car' })).json(), 'app')
  })

  it('for 500 leaves unknown errors logged, once, with the id of the request', async () => {
    const { logger, errors } = collectErrors()
    const ids: string[] = []
    const keep = defineErrorHandler({
      match: 500,
      handle: (_error, { requestId }) => void ids.push(requestId),
    })
    const app = appOf(() => assert.fail(), {
      route: { errorHandlers: [keep] },
      app: { logger, errorHandlers: [keep] },
    })
    const body = (await app.inject('/car')).json()
    assert.ok(typeof body === 'object' && body !== null && 'requestId' in body)
    assert.deepEqual(ids, [body.requestId, body.requestId])
    assert.deepEqual(
      errors.map((details) => 'requestId' in details && details.requestId),
      [body.requestId],
    )
  })

  it('sends the headers that it sets, not those of handlers that failed or passed on', async () => {
    const passes = defineErrorHandler({
      match: Broken,
      handle: (_error, { response }) => response.headers.set('x-passed', '1'),
    })
    const ends = defineErrorHandler({
      match: Broken,
      handle: (_error, { response }) => {
        response.headers.set('x-ends', '1')
        return 'a'
      },
    })
    const app = appOf(
      (_input, { response }) => {
        response.headers.set('x-failed', '1')
        throw new Broken()
      },
      { route: { errorHandlers: [passes, ends] } },
    )
    const { headers } = await app.inject('/car')
    assert.deepEqual(
      [headers['x-failed'], headers['x-passed'], headers['x-ends']],
      [undefined, undefined, '1'],
    )
  })
})
