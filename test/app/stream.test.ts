import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineErrorHandler,
  defineInterceptor,
  defineModule,
  HttpError,
  notFound,
  reply,
  stream,
} from 'octavo'
import type { AppOptions, Logger, Middleware } from 'octavo'

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const slowly: Middleware = async (_context, next) => {
  const response = await next()
  await wait(20)
  return response
}
const slow = defineInterceptor({
  name: 'Slow',
  intercept: async (_context, next) => {
    const result = await next()
    await wait(20)
    return result
  },
})

/** An application whose only handler gives a result. */
function serve(handler: () => unknown, options: AppOptions = {}) {
  return createApp(
    defineModule({ controllers: [defineController({ prefix: '/', routes: [{ method: 'GET', handler }] })] }),
    { logger: false, ...options },
  )
}

async function* parts() {
  yield 'a'
  await Promise.resolve()
  yield Buffer.from('é')
  yield new Uint8Array([33])
}

const raise = (error: Error): void => {
  throw error
}

describe('stream', () => {
  for (const [title, make] of [
    ['an async generator', () => stream(parts())],
    ['a Node stream', () => stream(Readable.from(parts()))],
    ['a web stream', () => stream(new Response('aé!').body ?? parts())],
    ['a blob', () => stream(new Blob(['aé!']).stream())],
    ['a list', () => stream(['a', Buffer.from('é!')])],
    ['a generator', () => stream(['a', 'é', '!'].values())],
    ['a set', () => stream(new Set(['a', 'é!']))],
    ['an async generator without stream()', () => parts()],
    ['a web response', () => new Response(new Blob(['aé!']).stream())],
  ] as const) {
    it(`sends ${title}`, async () => {
      assert.equal((await serve(make).inject('/')).body, 'aé!')
    })
  }

  it('has the type, status, headers and cookies that it is given', async () => {
    const plain = await serve(() => stream([])).inject('/')
    assert.deepEqual([plain.statusCode, plain.headers], [200, { 'content-type': 'application/octet-stream' }])
    const options = { status: 203, type: 'text/csv', headers: { 'X-Own': 'yes' }, cookies: { a: 'b' } }
    const own = await serve(() => stream(['x'], options)).inject('/')
    assert.deepEqual(
      [own.statusCode, own.headers],
      [203, { 'content-type': 'text/csv', 'x-own': 'yes', 'set-cookie': ['a=b'] }],
    )
  })

  for (const source of ['text', new Uint8Array(1), 7, null, undefined, {}])
    it(`throws for ${JSON.stringify(source)}`, () => {
      assert.throws(() => Reflect.apply(stream, undefined, [source]), TypeError)
    })

  for (const chunk of [{ a: 1 }, 7, [1], new ArrayBuffer(1)])
    it(`is a 500 when its first chunk is ${JSON.stringify(chunk)}, neither text nor bytes`, async () => {
      const chunks = [chunk]
      const response = await serve(() => Reflect.apply(stream, undefined, [chunks])).inject('/')
      assert.equal(response.statusCode, 500)
    })

  it('can be read once', async () => {
    const once = new Blob(['x']).stream()
    const app = serve(() => stream(once))
    assert.equal((await app.inject('/')).body, 'x')
    assert.equal((await app.inject('/')).statusCode, 500)
  })
})

describe('a stream that fails before its first chunk', () => {
  const refuse = async function* refuse(): AsyncGenerator<string> {
    await wait(1)
    raise(notFound('No such car'))
    yield ''
  }
  const destroyed = () => {
    const source = new PassThrough()
    setImmediate(() => source.destroy(notFound('No such car')))
    return source
  }
  const errored = () =>
    new ReadableStream<Uint8Array>({ start: (controller) => controller.error(notFound('No such car')) })

  for (const [title, make] of [
    ['an async generator', () => stream(refuse())],
    ['a bare async generator', refuse],
    ['a Node stream', () => stream(destroyed())],
    ['a web stream', () => stream(errored())],
    ['a web response', () => new Response(errored())],
  ] as const) {
    it(`is answered as any other error: ${title}`, async () => {
      const response = await serve(make).inject('/')
      assert.deepEqual(
        [response.statusCode, response.headers['content-type'], Object(response.json()).detail],
        [404, 'application/problem+json', 'No such car'],
      )
    })
  }

  it('reaches error handlers', async () => {
    const Teapot = defineErrorHandler({
      match: HttpError,
      handle: () => new Response('tea', { status: 418 }),
    })
    const response = await serve(refuse, { errorHandlers: [Teapot] }).inject('/')
    assert.deepEqual([response.statusCode, response.body], [418, 'tea'])
  })

  it('is logged once when nobody expected it, with a 500 that tells nothing', async () => {
    const logged: unknown[] = []
    const ignore = (): void => undefined
    const error: Logger['error'] = (details) => void logged.push(Reflect.get(details, 'err'))
    const secret = new Error('secret')
    const response = await serve(
      async function* fail() {
        raise(secret)
        yield ''
      },
      { logger: { debug: ignore, info: ignore, warn: ignore, error } },
    ).inject('/')
    assert.equal(response.statusCode, 500)
    assert.doesNotMatch(response.body, /secret/)
    assert.deepEqual(logged, [secret])
  })
})

describe('a stream that nobody reads', () => {
  /** A source that tells when it ends. */
  function watched() {
    const told = { begun: false, ended: false }
    const source = (async function* endless() {
      told.begun = true
      try {
        for (;;) yield 'x'
      } finally {
        told.ended = true
      }
    })()
    return { told, source }
  }

  it('is not begun for HEAD', async () => {
    const { told, source } = watched()
    const response = await serve(() => stream(source)).inject({ method: 'HEAD', url: '/' })
    assert.deepEqual([response.statusCode, told.begun], [200, false])
    assert.deepEqual(await source.next(), { done: true, value: undefined })
  })

  for (const status of [204, 205, 304]) {
    it(`ends under ${status}, which has no body`, async () => {
      const node = new PassThrough()
      const { source } = watched()
      for (const one of [node, source])
        assert.equal((await serve(() => stream(one, { status })).inject('/')).statusCode, status)
      assert.equal(node.destroyed, true)
      assert.deepEqual(await source.next(), { done: true, value: undefined })
    })
  }

  it('ends when its status is none', async () => {
    const node = new PassThrough()
    assert.equal((await serve(() => stream(node, { status: 99 })).inject('/')).statusCode, 500)
    assert.equal(node.destroyed, true)
  })

  // an error of a stream that nobody listens to would end the process, and fail the test
  const unread: readonly (readonly [string, (node: Readable) => unknown, 'GET' | 'HEAD', number, object?])[] =
    [
      ['a stream for HEAD', (node) => node, 'HEAD', 200],
      ['stream() for HEAD', (node) => stream(node), 'HEAD', 200],
      ['a stream under 204', (node) => stream(node, { status: 204 }), 'GET', 204],
      ['a stream under a status that is none', (node) => reply(999, node), 'GET', 500],
      ['a stream that a slow middleware keeps', (node) => node, 'HEAD', 200, { middleware: [slowly] }],
      ['a stream that a slow interceptor keeps', (node) => node, 'GET', 500, { interceptors: [slow] }],
      [
        'a stream() that a slow interceptor keeps',
        async (node) => stream(node),
        'GET',
        500,
        { interceptors: [slow] },
      ],
    ]
  for (const [title, handle, method, status, options] of unread) {
    it(`leaves the process alone when it fails unread: ${title}`, async () => {
      const closed: Promise<unknown>[] = []
      const handler = (): unknown => {
        const node = createReadStream('/nowhere/nothing')
        closed.push(new Promise<void>((resolve) => node.once('close', () => resolve())))
        return handle(node)
      }
      const response = await serve(handler, options).inject({ method, url: '/' })
      await Promise.all(closed)
      assert.equal(response.statusCode, status)
    })
  }

  it('ends when a header cannot be sent', async () => {
    const { told, source } = watched()
    const response = await serve(() => stream(source, { headers: { 'x-a': 'a\nb' } })).inject('/')
    assert.deepEqual([response.statusCode, told], [500, { begun: true, ended: true }])
  })

  it('ends when a middleware puts another stream in its place', async () => {
    const node = new PassThrough()
    const { told, source } = watched()
    for (const one of [node, source]) {
      const app = serve(() => stream(one), {
        middleware: [async (_context, next) => ({ ...(await next()), body: new Blob(['other']).stream() })],
      })
      assert.equal((await app.inject('/')).body, 'other')
    }
    assert.deepEqual([node.destroyed, told], [true, { begun: true, ended: true }])
  })

  it('ends when a middleware answers something else', async () => {
    const { told, source } = watched()
    const app = serve(() => stream(source), {
      middleware: [async (_context, next) => ({ ...(await next()), body: 'other' })],
    })
    assert.equal((await app.inject('/')).body, 'other')
    assert.deepEqual(told, { begun: true, ended: true })
  })
})
