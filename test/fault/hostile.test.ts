import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'

import { defineController, defineErrorHandler, HttpError, reply } from 'octavo'
import type { App, AppOptions, Logger } from 'octavo'
import { createMetrics } from 'octavo/metrics'
import { createDispatcher } from 'octavo/undici'
import { Registry } from 'prom-client'
import { request as undiciRequest } from 'undici'

import { LOOPBACK, open, readUntil, send } from '../node/support.ts'
import { serve } from '../support/serve.ts'

const fail = (): never => {
  throw new Error('secret')
}

/** The names of all traps of a proxy. */
const TRAPS = Object.getOwnPropertyNames(Reflect)

/** A proxy that throws whatever somebody does with it. */
function hostileProxy(target: object = {}): object {
  return new Proxy(target, Object.fromEntries(TRAPS.map((name) => [name, fail])))
}

/** A proxy that was revoked. */
function revokedProxy(target: object = {}): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

/** Proxies of which one trap throws. */
function trapsOf(make: () => object, names = TRAPS): Record<string, () => unknown> {
  return Object.fromEntries(
    names.map((name) => [`a proxy whose ${name} throws`, () => new Proxy(make(), { [name]: fail })]),
  )
}

/** An object with members that throw when they are read. */
function withGetters(target: object, ...names: readonly PropertyKey[]): object {
  for (const name of names)
    Object.defineProperty(target, name, { get: fail, enumerable: true, configurable: true })
  return target
}

type Settle = (value: unknown) => void

function withThen(run: (resolve: Settle, reject: Settle) => void): object {
  // oxlint-disable-next-line unicorn/no-thenable
  return { then: run }
}

function detached(): Uint8Array {
  const bytes = new Uint8Array(1_000)
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(bytes.buffer, [bytes.buffer])
  port1.close()
  port2.close()
  return bytes
}

async function* chunks(...all: readonly unknown[]): AsyncGenerator<never> {
  for (const chunk of all) yield chunk as never
}

/** What handlers return. Each is answered with 500. */
const RESULTS: Readonly<Record<string, () => unknown>> = {
  ...trapsOf(() => ({ a: 1 }), ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf']),
  'a proxy that throws': () => hostileProxy(),
  'a proxy of a list that throws': () => hostileProxy([]),
  'a proxy of bytes that throws': () => hostileProxy(new Uint8Array(3)),
  'a revoked proxy': () => revokedProxy(),
  'a proxy in a result': () => ({ a: [hostileProxy()] }),
  'a revoked proxy in a result': () => ({ a: [revokedProxy()] }),
  'a getter': () => withGetters({}, 'a'),
  'a toJSON that throws': () => ({ toJSON: fail }),
  'a toJSON that throws a proxy': () => ({
    toJSON: () => {
      // oxlint-disable-next-line typescript/only-throw-error
      throw hostileProxy()
    },
  }),
  'a getter of toJSON': () => withGetters({}, 'toJSON'),
  'a then that throws': () => withThen(fail),
  'a getter of then': () => withGetters({}, 'then'),
  'a then that gives a proxy': () => withThen((resolve) => resolve(hostileProxy())),
  'a then that rejects with a proxy': () => withThen((_resolve, reject) => reject(revokedProxy())),
  'detached bytes': () => detached(),
  'detached bytes in a reply': () => reply(200, detached()),
  'a stream of detached bytes': () => chunks(detached()),
  'a getter of the iterator': () => withGetters({}, Symbol.asyncIterator),
  'an iterator that is a proxy': () => ({ [Symbol.asyncIterator]: () => hostileProxy() }),
  'an iterator without next': () => ({ [Symbol.asyncIterator]: () => ({}) }),
  'an iterator whose next gives a proxy': () => ({
    [Symbol.asyncIterator]: () => ({ next: () => revokedProxy(), return: fail }),
  }),
  'an iterator whose next and return throw': () => ({
    [Symbol.asyncIterator]: () => ({ next: fail, return: fail }),
  }),
  'an iterator with a getter of return': () => ({
    [Symbol.asyncIterator]: () => withGetters({ next: fail }, 'return'),
  }),
  'a stream of proxies': () => chunks(hostileProxy()),
  'a stream of numbers': () => chunks(1),
  'a stream that throws a proxy': () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(hostileProxy()), return: fail }),
  }),
  'a stream of Node that was destroyed': () => {
    const stream = new Readable({ read: () => undefined })
    stream.destroy(new Error('secret'))
    return stream
  },
  'a stream of the web that is locked': () => {
    const stream = new ReadableStream()
    stream.getReader()
    return stream
  },
  'a Response that was read': () => {
    const response = new Response('a')
    void response.text()
    return response
  },
  'a Response that is a proxy': () => hostileProxy(new Response('a')),
  'headers that are a proxy': () => reply(200, 1, { headers: hostileProxy() as never }),
  'headers that cannot be sent': () => reply(200, 1, { headers: { a: '\n' } }),
  'headers of symbols': () => reply(200, 1, { headers: { a: Symbol('secret') as never } }),
  'headers of proxies': () =>
    reply(200, 1, { headers: { a: hostileProxy() as never, b: revokedProxy() as never } }),
  'headers of lists of proxies': () => reply(200, 1, { headers: { a: [hostileProxy()] as never } }),
  'cookies that are a proxy': () => reply(200, 1, { cookies: hostileProxy() as never }),
  'a status that is a symbol': () => reply(Symbol('secret') as never, 1),
  'a status that is a bigint': () => reply(200n as never, 1),
  'a symbol': () => Symbol('secret'),
  'a bigint': () => 1n,
  'a cycle': () => {
    const cycle: Record<string, unknown> = {}
    cycle['cycle'] = cycle
    return cycle
  },
}

/** What handlers throw. Each is answered with 500. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  ...trapsOf(() => new Error('secret')),
  'a proxy that throws': () => hostileProxy(new Error('secret')),
  'a proxy of a function that throws': () => hostileProxy(fail),
  'a revoked proxy': () => revokedProxy(new Error('secret')),
  'a proxy of an HttpError that throws': () => hostileProxy(new HttpError(404)),
  'an error with getters': () =>
    withGetters(new Error('secret'), 'message', 'stack', 'name', 'cause', 'code'),
  'an error with a proxy as its cause': () => new Error('secret', { cause: hostileProxy() }),
  'an error with a proxy as its message': () =>
    Object.assign(new Error('secret'), { message: revokedProxy() }),
  'an HttpError with getters': () =>
    withGetters(new HttpError(404), 'status', 'headers', 'members', 'detail', 'title', 'code'),
  'an HttpError with a getter of its status': () => withGetters(new HttpError(404), 'status'),
  'an HttpError with a getter of its headers': () => withGetters(new HttpError(404), 'headers'),
  'an HttpError with headers that are a proxy': () =>
    new HttpError(404, 'a', { headers: hostileProxy() as never }),
  'an HttpError with members that are proxies': () => new HttpError(404, 'a', { a: hostileProxy() }),
  'an HttpError whose toJSON throws': () => new HttpError(404, 'a', { a: { toJSON: fail } }),
  'an error whose constructor throws': () =>
    withGetters(new Error('secret'), 'constructor', 'toString', Symbol.toPrimitive),
  'an error with a hostile inspector': () =>
    Object.assign(new Error('secret'), { [Symbol.for('nodejs.util.inspect.custom')]: fail, toJSON: fail }),
  nothing: () => undefined,
  'a symbol': () => Symbol('secret'),
}

const KINDS = {
  results: RESULTS,
  'results late': RESULTS,
  'results of error handlers': RESULTS,
  thrown: THROWN,
  'thrown late': THROWN,
}

/** The routes of an application, one for each way in which a value comes about. */
function createHostileApp(options: AppOptions = {}): App {
  const valueOf = (values: Readonly<Record<string, () => unknown>>, name: string): unknown =>
    values[decodeURIComponent(name)]?.()
  return serve(
    [
      { method: 'GET', path: '/results/{name}', handler: ({ params }) => valueOf(RESULTS, params.name) },
      {
        method: 'GET',
        path: '/results late/{name}',
        handler: async ({ params }) => {
          await setImmediate()
          return valueOf(RESULTS, params.name)
        },
      },
      {
        method: 'GET',
        path: '/results of error handlers/{name}',
        errorHandlers: [
          defineErrorHandler({
            match: 404,
            handle: (_error, { request }) => valueOf(RESULTS, request.path.split('/').at(-1) ?? ''),
          }),
        ],
        handler: () => {
          throw new HttpError(404)
        },
      },
      {
        method: 'GET',
        path: '/thrown/{name}',
        handler: ({ params }) => {
          throw valueOf(THROWN, params.name)
        },
      },
      {
        method: 'GET',
        path: '/thrown late/{name}',
        handler: async ({ params }) => {
          await setImmediate()
          throw valueOf(THROWN, params.name)
        },
      },
      {
        method: 'GET',
        path: '/handled/{name}',
        errorHandlers: [
          defineErrorHandler({ match: Error, handle: () => undefined }),
          defineErrorHandler({ match: 500, handle: () => undefined }),
        ],
        handler: ({ params }) => {
          throw valueOf(THROWN, params.name)
        },
      },
      {
        method: 'GET',
        path: '/broken/{name}',
        handler: async function* broken({ params }) {
          yield 'start'
          throw valueOf(THROWN, params.name)
        },
      },
      { method: 'GET', path: '/canary', handler: () => 'alive' },
    ],
    options,
  )
}

interface Answer {
  readonly status: number
  readonly body: string
}

type Ask = (path: string) => Promise<Answer>

interface Adapter {
  readonly ask: Ask
  readonly close: () => Promise<unknown>
}

async function overSocket(url: string, path: string): Promise<Answer> {
  const { status, bytes } = await send(url, { path })
  return { status, body: bytes.toString() }
}

const ADAPTERS: Readonly<Record<string, (app: App) => Promise<Adapter>>> = {
  HTTP: async (app) => {
    const url = await app.listen(LOOPBACK)
    return { ask: (path) => overSocket(url, path), close: () => app.close() }
  },
  'HTTP/2': async (app) => {
    const session = connectHttp2(await app.listen({ ...LOOPBACK, http2: true }))
    session.on('error', () => undefined)
    return {
      ask: (path) =>
        new Promise((resolve, reject) => {
          const stream = session.request({ ':path': path })
          let [status, body] = [0, '']
          stream.on('response', (headers) => (status = headers[':status'] ?? 0))
          stream.setEncoding('utf8').on('data', (text: string) => (body += text))
          stream.on('error', reject).on('close', () => resolve({ status, body }))
        }),
      close: () => {
        session.destroy()
        return app.close()
      },
    }
  },
  inject: async (app) => ({
    ask: async (path) => {
      const { statusCode: status, body } = await app.inject(path)
      return { status, body }
    },
    close: () => app.close(),
  }),
  'inject with stream': async (app) => ({
    ask: async (url) => {
      const { statusCode: status, stream } = await app.inject({ url, stream: true })
      let body = ''
      for await (const chunk of stream) body += chunk
      return { status, body }
    },
    close: () => app.close(),
  }),
  fetch: async (app) => ({
    ask: async (path) => {
      const response = await app.fetch(new Request(`http://a.test${path}`))
      return { status: response.status, body: await response.text() }
    },
    close: () => app.close(),
  }),
  undici: async (app) => {
    const dispatcher = createDispatcher(app)
    return {
      ask: async (path) => {
        const { statusCode: status, body } = await undiciRequest(`http://a.test${path}`, { dispatcher })
        return { status, body: await body.text() }
      },
      close: () => app.close(),
    }
  },
}

// it looks at what was thrown, too
createMetrics({ registry: new Registry(), processMetrics: false })

/** What would end a process. */
const crashes: unknown[] = []
const note = (error: unknown): void => void crashes.push(error)
before(() => void process.on('uncaughtException', note).on('unhandledRejection', note))
after(() => void process.off('uncaughtException', note).off('unhandledRejection', note))

async function assertAlive(): Promise<void> {
  await delay(5)
  assert.deepEqual(crashes.splice(0), [], 'the process would have ended')
}

/** An answer, unless it takes too long. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  const answered = new AbortController()
  const late = delay(20_000, undefined, { ref: false, signal: answered.signal })
  const failed = late.then(() => assert.fail('there is no answer'))
  return Promise.race([answer, failed]).finally(() => answered.abort())
}

/** In the place of an answer that broke off. What it broke off with may be hostile. */
const toAnswer = (): Answer => ({ status: 0, body: 'broken off' })

const hostileLogger: Logger = { debug: fail, info: fail, warn: fail, error: fail }
const LOGGERS: Readonly<Record<string, Logger | false>> = {
  'no logger': false,
  'a logger that throws': hostileLogger,
  'a logger whose child throws': Object.assign({ child: fail }, hostileLogger),
  'a logger that rejects': Object.fromEntries(
    ['debug', 'info', 'warn', 'error'].map((level) => [level, () => Promise.reject(new Error('secret'))]),
  ) as unknown as Logger,
}

for (const [name, enter] of Object.entries(ADAPTERS)) {
  describe(`hostile values over ${name}`, () => {
    // an adapter sees nothing of loggers, nor of how a value came about
    const isFirst = name === 'inject'
    const loggers = Object.entries(LOGGERS).filter(([title]) => isFirst || title === 'a logger that throws')
    for (const [title, logger] of loggers) {
      describe(`with ${title}`, () => {
        let adapter: Adapter
        before(async () => (adapter = await enter(createHostileApp({ logger }))))
        after(() => adapter.close())
        const isUsual = title === 'a logger that throws'
        const kinds =
          isFirst && isUsual ? { ...KINDS, handled: THROWN } : { results: RESULTS, thrown: THROWN }
        for (const [kind, values] of Object.entries(kinds)) {
          it(`${kind} are answered with 500, and nothing ends the process`, async () => {
            const answers = Object.keys(values).map(async (value) => {
              const path = `/${encodeURIComponent(kind)}/${encodeURIComponent(value)}`
              const { status, body } = await soon(adapter.ask(path)).catch(toAnswer)
              return status === 500 && !body.includes('secret') ? [] : [`${value}: ${status} ${body}`]
            })
            assert.deepEqual((await Promise.all(answers)).flat(), [])
            assert.equal((await adapter.ask('/canary')).body, '"alive"')
            await assertAlive()
          })
        }
        it('a stream that throws breaks off, and nothing ends the process', async () => {
          const values = Object.keys(THROWN).map(encodeURIComponent)
          await Promise.all(values.map((value) => soon(adapter.ask(`/broken/${value}`).catch(toAnswer))))
          assert.equal((await adapter.ask('/canary')).body, '"alive"')
          await assertAlive()
        })
      })
    }
  })
}

/** Iterators of streams whose end throws. */
const ENDINGS: Readonly<Record<string, object>> = {
  throws: { return: fail },
  rejects: { return: () => Promise.reject(new Error('secret')) },
  'cannot be read': withGetters({}, 'return'),
  'is a proxy': { return: hostileProxy() },
  'gives a proxy': { return: () => hostileProxy() },
}

describe('a stream whose return', () => {
  const controller = defineController({
    prefix: '/',
    routes: [
      {
        method: 'GET',
        path: '/{name}',
        handler: ({ params }) => {
          const next = async (): Promise<object> => {
            await delay(1)
            return { value: new Uint8Array(1_000) }
          }
          const iterator = Object.defineProperties(
            { next },
            Object.getOwnPropertyDescriptors(ENDINGS[decodeURIComponent(params.name)] ?? {}),
          )
          return { [Symbol.asyncIterator]: () => iterator }
        },
      },
    ],
  })
  for (const ending of Object.keys(ENDINGS)) {
    const path = `/${encodeURIComponent(ending)}`
    it(`${ending} does not end the process when the client leaves`, async (test) => {
      const app = serve(controller)
      test.after(() => app.close())
      const socket = await open(await app.listen(LOOPBACK))
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`)
      await readUntil(socket, /200 OK/)
      socket.destroy()
      const { stream } = await app.inject({ url: path, stream: true })
      stream.once('error', () => undefined).destroy()
      const { body } = await app.fetch(new Request(`http://a.test${path}`))
      await body?.cancel()
      const { statusCode } = await app.inject({ method: 'HEAD', url: path })
      assert.equal(statusCode, 200)
      await delay(20)
      await assertAlive()
    })
  }
})

it('bytes that are transferred after the result was made break off or fail, and nothing ends the process', async (test) => {
  const controller = defineController({
    prefix: '/',
    middleware: [
      async (_context, next) => {
        const response = await next()
        if (response.body instanceof Uint8Array)
          structuredClone(response.body, { transfer: [response.body.buffer as ArrayBuffer] })
        return response
      },
    ],
    routes: [{ method: 'GET', path: '/late', handler: () => new Uint8Array(50_000) }],
  })
  for (const [name, enter] of Object.entries(ADAPTERS)) {
    const adapter = await enter(serve(controller))
    test.after(() => adapter.close())
    const { status } = await soon(adapter.ask('/late').catch(() => ({ status: 0 })))
    assert.ok(status === 500 || status === 0, `${name}: ${status}`)
  }
  await assertAlive()
})
