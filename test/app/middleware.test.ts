import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { notFound, redirect, reply, text } from 'octavo'
import type { FinishedResponse, Middleware } from 'octavo'

import { appOf, collectErrors } from './around-support.ts'

const withBody =
  (body: FinishedResponse['body']): Middleware =>
  async (_context, next) => ({ ...(await next()), body })

async function* chunks(): AsyncGenerator<string> {
  yield 'a'
  yield 'b'
}

/** A body that tells when nobody reads it any more. */
function watched(): { readonly body: ReadableStream; readonly cancelled: () => boolean } {
  let told = false
  const body = new ReadableStream({
    cancel: () => {
      told = true
    },
  })
  return { body, cancelled: () => told }
}

describe('a middleware', () => {
  const bodies: readonly (readonly [string, FinishedResponse['body'], string, string | undefined])[] = [
    ['text', 'äö', 'äö', '4'],
    ['bytes', new Uint8Array([97, 98]), 'ab', '2'],
    ['null', null, '', '0'],
    ['a stream', chunks(), 'ab', undefined],
  ]
  for (const [kind, body, sent, length] of bodies) {
    it(`gives a body that is ${kind} its own length`, async () => {
      const response = await appOf(() => text('before'), { route: { middleware: [withBody(body)] } }).inject(
        '/car',
      )
      assert.equal(response.body, sent)
      assert.equal(response.headers['content-length'], length)
    })
  }

  const results: readonly (readonly [string, Middleware, number, string])[] = [
    ['data', async () => ({ a: 1 }), 200, '{"a":1}'],
    ['reply', async () => reply(202, 'x'), 202, '"x"'],
    ['a web Response', async () => new Response('web', { status: 201 }), 201, 'web'],
    [
      'a copy with another status',
      async (_context, next) => ({ ...(await next()), status: 203 }),
      203,
      '"car"',
    ],
    ['nothing after next()', async (_context, next) => void (await next()), 200, '"car"'],
    ['nothing without next()', () => undefined, 204, ''],
    [
      'a status set after next()',
      async (context, next) => {
        const response = await next()
        context.response.status = 206
        return response
      },
      206,
      '"car"',
    ],
  ]
  for (const [what, middleware, status, body] of results) {
    for (const place of ['app', 'route'] as const) {
      it(`of the ${place} may answer with ${what}`, async () => {
        const response = await appOf(() => 'car', { [place]: { middleware: [middleware] } }).inject('/car')
        assert.equal(response.statusCode, status)
        assert.equal(response.body, body)
      })
    }
  }

  const failures: readonly (readonly [string, Middleware])[] = [
    [
      'calls next() twice',
      async (_context, next) => {
        await next()
        return next()
      },
    ],
    [
      'throws before next()',
      () => {
        throw new Error('before')
      },
    ],
    [
      'throws after next()',
      async (_context, next) => {
        await next()
        throw new Error('after')
      },
    ],
  ]
  for (const [what, middleware] of failures) {
    it(`that ${what} is a logged 500`, async () => {
      const { logger, errors } = collectErrors()
      const app = appOf(() => 'car', { app: { logger }, route: { middleware: [middleware] } })
      assert.equal((await app.inject('/car')).statusCode, 500)
      assert.equal(errors.length, 1)
    })
  }

  const drops: readonly (readonly [string, Middleware])[] = [
    [
      'throws',
      async (_context, next) => {
        await next()
        throw notFound('gone')
      },
    ],
    [
      'answers with text',
      async (_context, next) => {
        await next()
        return text('x')
      },
    ],
    ['answers without a body', async (_context, next) => ({ ...(await next()), status: 204 })],
  ]
  for (const [what, middleware] of drops) {
    it(`that ${what} cancels the stream it received`, async () => {
      const { body, cancelled } = watched()
      await appOf(() => new Response(body), { route: { middleware: [middleware] } }).inject('/car')
      assert.ok(cancelled())
    })
  }

  it('sees problem documents, and its headers are sent with them', async () => {
    const seen: unknown[] = []
    const middleware: Middleware = async (context, next) => {
      context.response.headers.set('x-before', '1')
      const response = await next()
      context.response.headers.set('x-after', '2')
      context.response.headers.set('content-type', 'application/x-problem')
      seen.push(response.status)
    }
    const app = appOf(
      (_input, { response }) => {
        response.headers.set('x-failed', '3')
        throw notFound('none')
      },
      { route: { middleware: [middleware] } },
    )
    const { headers } = await app.inject('/car')
    assert.deepEqual(seen, [404])
    assert.deepEqual(
      ['x-before', 'x-after', 'x-failed', 'content-type'].map((name) => headers[name]),
      ['1', '2', undefined, 'application/x-problem'],
    )
  })

  it('may keep a response without getting what later requests add to it', async () => {
    let kept: FinishedResponse | undefined
    const cookie: Middleware = async (context, next) => {
      const response = await next()
      context.response.cookies.set('who', context.request.header('x-who') ?? '')
      return response
    }
    const cache: Middleware = async (_context, next) => (kept ??= await next())
    const app = appOf(() => 'car', { app: { middleware: [cookie, cache] } })
    for (const who of ['ann', 'bob']) {
      const { cookies } = await app.inject({ url: '/car', headers: { 'x-who': who } })
      assert.deepEqual(
        cookies.map(({ value }) => value),
        [who],
      )
    }
  })

  it('sees redirects, and the head alone is sent for HEAD', async () => {
    const statuses: number[] = []
    const watch: Middleware = async (_context, next) => {
      const response = await next()
      statuses.push(response.status)
      return response
    }
    await appOf(() => redirect('/x'), { app: { middleware: [watch] } }).inject('/car')
    const head = await appOf(() => 'car', { app: { middleware: [watch] } }).inject({
      method: 'HEAD',
      url: '/car',
    })
    assert.deepEqual(statuses, [302, 200])
    assert.equal(head.body, '')
    assert.equal(head.headers['content-length'], '5')
  })
})
