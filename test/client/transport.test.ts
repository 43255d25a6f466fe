import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'

import { createApp, defineController, defineModule, stream } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import { createClient } from 'octavo/client'
import type { ClientOptions } from 'octavo/client'
import { Agent } from 'undici'
import { z } from 'zod'

const aborted: string[] = []
const waiting: string[] = []

const controller = defineController({
  name: 'ShakyController',
  routes: [
    { method: 'GET', path: '/get', name: 'get', handler: () => 'done' },
    {
      method: 'GET',
      path: '/wait',
      name: 'wait',
      handler: (_input, { signal }) =>
        new Promise((resolve) => {
          waiting.push('wait')
          signal.addEventListener('abort', () => resolve(aborted.push('wait')), { once: true })
        }),
    },
    {
      method: 'GET',
      path: '/wrong',
      name: 'wrong',
      handler: () => {
        throw new Error('wrong')
      },
    },
    {
      method: 'GET',
      path: '/endless',
      name: 'endless',
      handler: () =>
        stream(
          (async function* () {
            for (let n = 0; n < 1000; n++) {
              yield 'more'
              await new Promise((resolve) => setTimeout(resolve, 5))
            }
          })(),
        ),
    },
    {
      method: 'GET',
      path: '/token',
      name: 'token',
      input: { headers: { authorization: z.string().optional() } },
      handler: ({ headers }) => headers.authorization ?? 'none',
    },
  ],
})
const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
after(() => app.close())

type Shaky = typeof app

const ROUTES = { fetch: app.fetch }
/** The routes of the application, for clients that reach it by other ways. */
const routes = await Reflect.get(ROUTES.fetch, Symbol.for('octavo.route-map'))(undefined, 'localhost')

const WAYS: readonly (readonly [title: string, options: () => ClientOptions])[] = [
  ['a socket', () => ({ baseUrl, routes })],
  ['a socket and an Agent', () => ({ baseUrl, routes, dispatcher: new Agent() })],
  ['createDispatcher(app)', () => ({ dispatcher: createDispatcher(app) })],
]

describe('a signal that many calls share', () => {
  it('has one listener for all of them, of which Node does not warn', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const client = createClient<typeof app>({ fetch: app.fetch })
    const abort = new AbortController()
    await Promise.all(Array.from({ length: 30 }, () => client.shaky.get({ signal: abort.signal })))
    process.off('warning', onWarning)
    assert.deepEqual(warnings, [])
    const late = client.shaky.get({ signal: abort.signal })
    abort.abort()
    await assert.rejects(late, { name: 'AbortError' })
  })

  for (const [title, options] of [['app.fetch', () => ({ fetch: app.fetch })], ...WAYS] as const) {
    it(`has no listener when they are over, over ${title}`, async () => {
      const client = createClient<Shaky>({ ...options(), timeout: 5000, retry: 0 })
      const { signal } = new AbortController()
      await client.shaky.get({ signal })
      await assert.rejects(client.shaky.wrong({ signal }), { status: 500 })
      await until(() => getEventListeners(signal, 'abort').length === 0)
    })

    it(`aborts a body that is read after the deadline was met, over ${title}`, async () => {
      const client = createClient<Shaky>({ ...options(), timeout: 5000 })
      const abort = new AbortController()
      const { data } = await client.shaky.endless({ signal: abort.signal, as: 'stream' })
      const reader = data.getReader()
      await reader.read()
      abort.abort(new Error('enough'))
      await assert.rejects(async () => {
        for (let n = 0; n < 100; n++) await reader.read()
      })
    })
  }
})

describe('a call that takes too long', () => {
  const LATE: readonly (readonly [title: string, options: () => ClientOptions])[] = [
    ...WAYS,
    ['app.fetch', () => ({ fetch: app.fetch })],
  ]
  for (const [title, options] of LATE) {
    it(`is aborted by its signal, and the handler hears of it, over ${title}`, async () => {
      const client = createClient<Shaky>(options())
      const before = aborted.length
      const reason = new Error('enough')
      const abort = new AbortController()
      const begun = waiting.length
      const call = assert.rejects(client.shaky.wait({ signal: abort.signal }), reason)
      await until(() => waiting.length > begun)
      abort.abort(reason)
      await call
      await until(() => aborted.length > before)
    })

    it(`is aborted by the timeout of the client, over ${title}`, async () => {
      const client = createClient<Shaky>({ ...options(), timeout: 200 })
      const before = aborted.length
      const { signal } = new AbortController()
      await assert.rejects(client.shaky.wait(), {
        name: 'TimeoutError',
        message: 'There was no answer within 200 ms',
      })
      await assert.rejects(client.shaky.wait({ signal }), { name: 'TimeoutError' })
      await until(() => aborted.length > before + 1)
    })

    it(`is not begun when it was aborted before, over ${title}`, async () => {
      const client = createClient<Shaky>(options())
      const reason = new Error('too late')
      await assert.rejects(client.shaky.get({ signal: AbortSignal.abort(reason) }), reason)
    })
  }

  it('does not end the process when what it waited for fails later', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
    const client = createClient<Shaky>({ baseUrl, fetch })
    await assert.rejects(client.shaky.get({ signal: AbortSignal.abort() }), { name: 'AbortError' })
    const late = createClient<Shaky>({
      baseUrl,
      fetch: () =>
        new Promise((_resolve, reject) => {
          setTimeout(() => reject(new TypeError('fetch failed')), 20)
        }),
    })
    await assert.rejects(late.shaky.get({ signal: AbortSignal.timeout(5) }), { name: 'TimeoutError' })
    await new Promise((resolve) => {
      setTimeout(resolve, 40)
    })
  })

  it('is given up while the routes are still asked for', async () => {
    const fetch = (): Promise<Response> => new Promise(() => undefined)
    const client = createClient<Shaky>({ baseUrl, fetch })
    await assert.rejects(client.shaky.get({ signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' })
  })
})

describe('the headers of every request', () => {
  const cases: readonly (readonly [title: string, headers: ClientOptions['headers']])[] = [
    ['a record', { Authorization: 'Bearer a', 'x-none': undefined }],
    ['pairs', [['authorization', 'Bearer a']]],
    ['Headers', new Headers({ authorization: 'Bearer a' })],
    ['a function', () => ({ authorization: 'Bearer a' })],
    ['a function that gives a promise', () => Promise.resolve({ authorization: 'Bearer a' })],
  ]
  for (const [title, headers] of cases) {
    it(`are ${title}`, async () => {
      const client = createClient<Shaky>({ fetch: app.fetch, ...(headers === undefined ? {} : { headers }) })
      assert.equal((await client.shaky.token()).data, 'Bearer a')
      assert.equal((await client.shaky.token({ headers: { authorization: 'own' } })).data, 'own')
    })
  }

  it('are asked for at each call, and what they throw is thrown', async () => {
    let count = 0
    const client = createClient<Shaky>({
      fetch: app.fetch,
      headers: () => {
        count++
        if (count === 3) throw new Error('no token')
        return { authorization: `Bearer ${count}` }
      },
    })
    assert.equal((await client.shaky.token()).data, 'Bearer 1')
    assert.equal((await client.shaky.token()).data, 'Bearer 2')
    await assert.rejects(client.shaky.token(), /no token/)
  })
})

describe('a header that cannot be sent', () => {
  it('is refused by its name, and its value is not told', async () => {
    const authorization = 'Bearer secret\nmore'
    const common = createClient<Shaky>({ baseUrl: 'http://localhost', routes, headers: { authorization } })
    const message = 'The header "authorization" cannot be sent: its name or its value is none of HTTP'
    await assert.rejects(common.shaky.get(), { name: 'TypeError', message })
  })
})

describe('a network that fails', () => {
  it('rejects with what fetch throws', async () => {
    const server = createServer((request: IncomingMessage) => request.socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const client = createClient<Shaky>({ baseUrl: `http://127.0.0.1:${port}`, routes })
    await assert.rejects(client.shaky.get(), { name: 'TypeError', message: 'fetch failed' })
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('options that cannot be used', () => {
  const cases: readonly (readonly [options: object, message: RegExp])[] = [
    [{}, /^createClient: give a baseUrl, where the application answers$/],
    [{ baseUrl: 'api' }, /^createClient: baseUrl is not a URL: api$/],
    [{ baseUrl: 7 }, /^createClient: baseUrl is not a URL$/],
    [{ baseUrl: 'http//me:secret@api' }, /^createClient: baseUrl is not a URL: …@api$/],
    [
      { baseUrl: 'https://me:secret@api.example.com' },
      /^createClient: baseUrl has a user or a password; send them in headers\.authorization$/,
    ],
    [
      { baseURL: 'http://localhost' },
      /^createClient: there is no option baseURL; there are baseUrl, version/,
    ],
    [{ baseUrl, version: 2 }, /^createClient: version is not a version, such as '2'$/],
    [{ baseUrl, timeout: 0 }, /^createClient: timeout is not a number of milliseconds$/],
    [
      { baseUrl, retry: -1 },
      /^createClient: retry is not a number of retries, or \{ limit, methods, statuses, minDelay, maxDelay \}$/,
    ],
    [{ baseUrl, retry: { limit: 1.5 } }, /^createClient: retry is not a number of retries/],
    [{ baseUrl, retry: { maxRetries: 3 } }, /^createClient: retry is not a number of retries/],
    [{ baseUrl, retry: { methods: 'GET' } }, /^createClient: retry is not a number of retries/],
    [{ baseUrl, onRequest: {} }, /^createClient: onRequest is not a function$/],
    [{ baseUrl, onResponse: 7 }, /^createClient: onResponse is not a function$/],
    [{ baseUrl, dispatcher: {} }, /^createClient: dispatcher is not a dispatcher of undici$/],
    [{ baseUrl, credentials: 'all' }, /^createClient: credentials is not 'omit'/],
    [{ baseUrl, routes: 7 }, /^createClient: routes is not a route map/],
    [{ fetch: app.fetch, dispatcher: new Agent() }, /^createClient: give dispatcher or fetch, not both$/],
    [
      { baseUrl, routes: { routes: { a: { method: 'GET', path: 'a' } } } },
      /^createClient: the option routes is not a route map/,
    ],
  ]
  for (const [options, message] of cases) {
    it(`throw: ${message.source}`, () => {
      assert.throws(() => createClient<Shaky>(options), { name: 'TypeError', message })
    })
  }
})

/** Waits for something that happens on the other side of a socket. */
async function until(happened: () => boolean): Promise<void> {
  for (let waited = 0; !happened(); waited += 5) {
    assert.ok(waited < 60_000, 'it did not happen')
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}
