import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineErrorHandler, HttpError, notFound, reply, text } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { rateLimit } from 'octavo/middleware'
import type { ErrorHandler } from 'octavo'
import { z } from 'zod'

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

describe('the headers of an error that a handler answers', () => {
  const headersOf = async (
    handle: Parameters<typeof defineErrorHandler<typeof HttpError>>[0]['handle'],
    headers: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const app = appOf(
      () => {
        throw new HttpError(429, 'x', { headers })
      },
      { route: { errorHandlers: [defineErrorHandler({ match: HttpError, handle })] } },
    )
    const { headers: sent } = await app.inject('/car')
    return {
      'retry-after': sent['retry-after'],
      'content-type': sent['content-type'],
      'set-cookie': sent['set-cookie'],
    }
  }
  const JSON_TYPE = 'application/json'
  const cases: readonly (readonly [
    string,
    Parameters<typeof defineErrorHandler<typeof HttpError>>[0]['handle'],
    Readonly<Record<string, unknown>>,
  ])[] = [
    ['are kept beside a value', () => 'a', { 'retry-after': '7', 'content-type': JSON_TYPE }],
    ['are kept beside a reply', () => reply(429, 'a'), { 'retry-after': '7', 'content-type': JSON_TYPE }],
    [
      'are kept under another status',
      () => reply(503, 'a'),
      { 'retry-after': '7', 'content-type': JSON_TYPE },
    ],
    [
      'are kept beside text',
      () => text('a'),
      { 'retry-after': '7', 'content-type': 'text/plain; charset=utf-8' },
    ],
    [
      'are kept beside a Response',
      () => new Response('a', { headers: { 'content-type': 'text/css' } }),
      { 'retry-after': '7', 'content-type': 'text/css' },
    ],
    [
      'are replaced by those of a reply',
      () => reply(429, 'a', { headers: { 'Retry-After': '1' } }),
      { 'retry-after': '1', 'content-type': JSON_TYPE },
    ],
    [
      'are replaced by those that the handler sets',
      (_error, { response }) => {
        response.headers.set('Retry-After', '1')
        return 'a'
      },
      { 'retry-after': '1', 'content-type': JSON_TYPE },
    ],
    [
      'are seen and deleted by the handler',
      (_error, { response }) => {
        assert.equal(response.headers.get('retry-after'), '7')
        response.headers.delete('retry-after')
        return 'a'
      },
      { 'retry-after': undefined, 'content-type': JSON_TYPE },
    ],
    [
      'can be given to reply, all of them',
      (error) => reply(error.status, 'a', { headers: error.headers }),
      { 'retry-after': '7', 'content-type': 'text/x-error' },
    ],
    [
      'can be given to another error',
      (error) => {
        throw new HttpError(503, 'y', { headers: error.headers })
      },
      { 'retry-after': '7', 'content-type': 'application/problem+json' },
    ],
    [
      'are not kept by another error',
      () => {
        throw new HttpError(503, 'y')
      },
      { 'retry-after': undefined, 'content-type': 'application/problem+json' },
    ],
  ]
  for (const [what, handle, expected] of cases) {
    it(what, async () => {
      const sent = await headersOf(handle, {
        'Retry-After': '7',
        'Content-Type': 'text/x-error',
        'Content-Length': '1',
      })
      assert.deepEqual(sent, { 'set-cookie': undefined, ...expected })
    })
  }

  it('are kept by the handler that answers after one that passed on', async () => {
    const { headers } = await appOf(
      () => {
        throw new HttpError(429, 'x', { headers: { 'retry-after': '7' } })
      },
      { route: { errorHandlers: [answers(429, undefined), answers(HttpError, 'a')] } },
    ).inject('/car')
    assert.equal(headers['retry-after'], '7')
  })

  it('are kept where Octavo or a middleware makes the error: 401, 405, 429', async () => {
    const app = appOf(() => 'car', {
      route: { guards: [bearerAuth({ verify: () => true })] },
      app: { errorHandlers: [answers(401, 'a'), answers(405, 'b')] },
    })
    const denied = await app.inject('/car')
    assert.deepEqual([denied.json(), denied.headers['www-authenticate']], ['a', 'Bearer realm="api"'])
    const method = await app.inject({ method: 'PUT', url: '/car' })
    assert.deepEqual([method.json(), method.headers['allow']], ['b', 'GET, HEAD, OPTIONS'])
    const limited = appOf(() => 'car', {
      route: { middleware: [rateLimit({ limit: 1, window: 60 })] },
      app: { errorHandlers: [answers(429, 'c')] },
    })
    await limited.inject('/car')
    const refused = await limited.inject('/car')
    assert.equal(refused.json(), 'c')
    assert.match(String(refused.headers['retry-after']), /^\d+$/)
  })
})

describe('the responses of an error handler', () => {
  class OutOfStock extends Error {}
  const handlerOf = (data: unknown): ErrorHandler =>
    defineErrorHandler({
      match: OutOfStock,
      response: { 409: z.object({ article: z.int() }), 503: z.string() },
      handle: () => reply(409, data as { article: number }),
    })

  const answerOf = (handler: ErrorHandler) =>
    appOf(
      () => {
        throw new OutOfStock()
      },
      { route: { errorHandlers: [handler] } },
    ).inject('/car')

  it('parse its results, before those of the route', async () => {
    const { statusCode, body } = await answerOf(handlerOf({ article: 7, secret: 1 }))
    assert.deepEqual([statusCode, body], [409, '{"article":7}'])
  })

  it('refuse a result that does not fit', async () => {
    const { statusCode, body } = await answerOf(handlerOf({ article: 'seven' }))
    assert.deepEqual([statusCode, JSON.parse(body).code], [500, 'response_invalid'])
  })

  it('are typed', () => {
    defineErrorHandler({
      match: OutOfStock,
      response: { 409: z.object({ article: z.int() }) },
      // @ts-expect-error an article is a number
      handle: () => reply(409, { article: 'seven' }),
    })
    defineErrorHandler({
      match: OutOfStock,
      response: { 409: z.string() },
      // @ts-expect-error 410 is not declared
      handle: () => reply(410, 'gone'),
    })
  })

  it('are schemas by statuses of errors', () => {
    for (const response of [z.string(), { 409: 'text' }, { 200: z.string() }, 7])
      assert.throws(
        () => defineErrorHandler({ match: OutOfStock, response: response as never, handle: () => undefined }),
        /invalid_response/,
        JSON.stringify(response),
      )
  })
})
