import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createApp, defineController, defineGuard, defineModule, HttpRequest, reply } from 'octavo'
import type { App, Limits } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { CHUNK, createUpload, eventually } from './adapters-support.ts'

const BASE = 'http://cars.example'
const BODY_LIMIT = 100_000

/** What Deno passes besides a request: its members are inherited. */
class DenoInfo {
  get remoteAddr(): { readonly hostname: string } {
    return { hostname: '203.0.113.7' }
  }
}

/** The server of Bun, which knows the addresses of the requests that it has received, and of no others. */
class BunServer {
  readonly received = new Set<Request>()
  requestIP(request: Request): { readonly address: string } | null {
    return this.received.has(request) ? { address: '203.0.113.8' } : null
  }
}

const DENO = new DenoInfo()

interface Seen {
  handled: number
  signal: AbortSignal | undefined
  beside: Promise<unknown> | undefined
}

function createCarsApp(limits: Limits = { headers: 1000 }): {
  readonly app: App
  readonly seen: Seen
} {
  const seen: Seen = { handled: 0, signal: undefined, beside: undefined }
  const inject = { request: HttpRequest }
  const app = serve(
    [
      { method: ['GET', 'HEAD'], path: '/short', handler: () => ({ done: true }) },
      { method: 'GET', path: '/header', handler: (_input, { request }) => request.header('x-car') ?? 'none' },
      {
        method: 'GET',
        path: '/all',
        handler: (_input, { request }) =>
          Object.entries(request.headers).toSorted(([a], [b]) => a.localeCompare(b)),
      },
      { method: 'GET', path: '/lines', handler: (_input, { request }) => request.headerLines('x-car') },
      {
        method: 'GET',
        path: '/text',
        handler: () => reply(200, 'a car', { headers: { 'content-type': 'text/plain' } }),
      },
      {
        method: 'GET',
        path: '/cookies',
        handler: () => reply(200, {}, { cookies: { a: '1', b: '2' }, headers: { 'x-more': 'yes' } }),
      },
      {
        method: 'GET',
        path: '/seen',
        input: { inject },
        handler: ({ inject: { request } }) => [request.protocol, request.host, request.url, request.ip],
      },
      {
        method: 'GET',
        path: '/waits',
        handler: async (_input, context) => {
          await sleep(5)
          seen.signal = context.signal
          return { aborted: context.signal.aborted }
        },
      },
      {
        method: 'POST',
        path: '/json',
        input: { body: z.object({ name: z.string() }) },
        handler: ({ body }) => {
          seen.handled++
          return body
        },
      },
      {
        method: 'GET',
        path: '/query',
        input: { query: z.object({ b: z.string().optional() }) },
        handler: ({ query }) => query,
      },
      {
        method: 'POST',
        path: '/again',
        input: { body: z.object({ name: z.string() }) },
        handler: async ({ body }, { request }) => {
          const bytes = await request.bytes()
          return { ...body, size: bytes.length, isBuffer: Buffer.isBuffer(bytes), text: await request.text() }
        },
      },
      {
        method: 'POST',
        path: '/beside',
        // reads the body while the route does
        guards: [
          defineGuard({
            name: 'Beside',
            canActivate: ({ request, state }) => {
              queueMicrotask(() => {
                const read = request.bytes().then(String, ({ code }: { readonly code?: string }) => code)
                state['text'] = read
                seen.beside = read
              })
              return true
            },
          }),
        ],
        input: { body: z.object({ name: z.string() }) },
        // waits for who reads it beside the route
        handler: async (_input, { state }) => ({ text: await state['text'] }),
      },
      {
        method: 'POST',
        path: '/size',
        handler: async (_input, { request }) => ({ size: (await request.bytes()).length }),
      },
      { method: 'POST', path: '/unread', handler: () => ({ unread: true }) },
    ],
    { bodyLimit: BODY_LIMIT, limits },
  )
  return { app, seen }
}

function post(
  path: string,
  body: AsyncIterable<Uint8Array> | string,
  headers: Record<string, string>,
): Request {
  const stream =
    typeof body === 'string' ? body : (Readable.toWeb(Readable.from(body)) as ReadableStream<Uint8Array>)
  return new Request(BASE + path, { method: 'POST', body: stream, duplex: 'half', headers })
}

async function codeOf(response: Response): Promise<readonly [number, unknown]> {
  const { code } = (await response.json()) as { readonly code?: string }
  return [response.status, code]
}

/** A request that notes what is read of it. */
function watched(request: Request): { readonly request: Request; readonly read: string[] } {
  const read: string[] = []
  const proxy = new Proxy(request, {
    get: (target, name) => {
      read.push(String(name))
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { request: proxy, read }
}

describe('a request that a server passes', () => {
  it('is answered without a promise if nothing takes time', async () => {
    const { app } = createCarsApp()
    await app.ready()
    const response = app.fetch(new Request(`${BASE}/short`), DENO)
    assert.ok(response instanceof Response)
    assert.deepEqual(await response.json(), { done: true })
    assert.ok(app.fetch(new Request(`${BASE}/waits`), DENO) instanceof Promise)
  })

  it('is answered with a promise before the application is ready, and when data is passed besides it', async () => {
    const { app } = createCarsApp()
    const first = app.fetch(new Request(`${BASE}/short`), DENO)
    assert.ok(first instanceof Promise)
    assert.equal((await first).status, 200)
    for (const info of [undefined, {}, { remoteAddress: '203.0.113.7' }, { remoteAddr: { hostname: 'a' } }]) {
      const answer = app.fetch(new Request(`${BASE}/short`), info)
      assert.ok(answer instanceof Promise)
      assert.equal((await answer).status, 200)
    }
  })

  it('is read no further than its route asks', async () => {
    const { app } = createCarsApp()
    await app.ready()
    const { request, read } = watched(new Request(`${BASE}/short`))
    assert.equal((await app.fetch(request, DENO)).status, 200)
    assert.deepEqual(read, ['url', 'method'])
  })

  it('has its body read in one call, and no signal', async () => {
    const { app } = createCarsApp()
    await app.ready()
    const text = '{"name":"Ford"}'
    const { request, read } = watched(
      post('/json', text, { 'content-type': 'application/json', 'content-length': '15' }),
    )
    assert.deepEqual(await (await app.fetch(request, DENO)).json(), { name: 'Ford' })
    assert.deepEqual(read, ['url', 'method', 'headers', 'bodyUsed', 'arrayBuffer'])
  })

  const addresses = [
    ['http://a/seen', ['http', 'a', '/seen', '203.0.113.7']],
    ['http://a/seen?b=1#c', ['http', 'a', '/seen?b=1', '203.0.113.7']],
    ['http://ab/seen', ['http', 'ab', '/seen', '203.0.113.7']],
    ['http://a:8080/seen', ['http', 'a:8080', '/seen', '203.0.113.7']],
    ['https://a:8080/seen', ['https', 'a:8080', '/seen', '203.0.113.7']],
    ['http://a:8080/seen', ['http', 'a:8080', '/seen', '203.0.113.7']],
  ] as const
  it('tells its URL, also after one of another origin', async () => {
    const { app } = createCarsApp()
    for (const [url, expected] of addresses)
      assert.deepEqual(await (await app.fetch(new Request(url), DENO)).json(), expected)
  })

  it('has a query without the fragment of its URL', async () => {
    const { app } = createCarsApp()
    const queries = [
      ['/query?b=1#c', { b: '1' }],
      ['/query?b=1%23c#c', { b: '1#c' }],
      ['/query#c?b=1', {}],
      ['/query?#b=1', {}],
    ] as const
    for (const [path, expected] of queries)
      assert.deepEqual(await (await app.fetch(new Request(BASE + path), DENO)).json(), expected)
  })

  it('keeps its body for a handler that asks for it again', async () => {
    const { app } = createCarsApp()
    const body = '{"name":"Ford"}'
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const answers = [
      await app.fetch(post('/again', body, headers), DENO),
      await app.fetch(post('/again', body, headers)),
    ]
    for (const answer of answers)
      assert.deepEqual(await answer.json(), { name: 'Ford', size: 15, isBuffer: true, text: body })
  })

  it('gives its body to who asks while it is read, before the handler runs', async () => {
    const { app, seen } = createCarsApp()
    await app.ready()
    const ask = (body: string): Promise<Response> | Response => {
      const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
      return app.fetch(post('/beside', body, headers), DENO)
    }
    assert.deepEqual(await (await ask('{"name":"Ford"}')).json(), { text: '{"name":"Ford"}' })
    // what is wrong with the value is no matter of its bytes
    assert.equal((await ask('{"name":1}')).status, 422)
    assert.equal(await seen.beside, '{"name":1}')
    assert.equal((await ask('nothing')).status, 400)
    assert.equal(await seen.beside, 'nothing')
    const long = JSON.stringify({ name: 'x'.repeat(BODY_LIMIT) })
    assert.deepEqual(await codeOf(await ask(long)), [413, 'body_too_large'])
    assert.equal(await seen.beside, 'body_too_large')
  })

  it('is told of an address by the server of Bun', async () => {
    const { app } = createCarsApp()
    const request = new Request(`${BASE}/seen`)
    const server = new BunServer()
    server.received.add(request)
    assert.equal(((await (await app.fetch(request, server)).json()) as readonly string[])[3], '203.0.113.8')
  })

  it('has its headers, of which several lines are one', async () => {
    const { app } = createCarsApp()
    const headers = new Headers([
      ['x-car', 'a'],
      ['X-Car', 'b'],
    ])
    const ask = (path: string): Promise<Response> | Response =>
      app.fetch(new Request(BASE + path, { headers }), DENO)
    assert.equal(await (await ask('/header')).json(), 'a, b')
    assert.deepEqual(await (await ask('/lines')).json(), ['a, b'])
  })

  it('tells a handler of an abort that comes before its signal is asked for', async () => {
    const { app } = createCarsApp()
    await app.ready()
    const abort = new AbortController()
    const answer = app.fetch(new Request(`${BASE}/waits`, { signal: abort.signal }), DENO)
    abort.abort(new Error('enough'))
    assert.deepEqual(await (await answer).json(), { aborted: true })
  })

  it('tells a handler of an abort that comes after its signal is asked for', async () => {
    const { app, seen } = createCarsApp()
    const abort = new AbortController()
    const response = await app.fetch(new Request(`${BASE}/waits`, { signal: abort.signal }), DENO)
    assert.deepEqual(await response.json(), { aborted: false })
    abort.abort(new Error('enough'))
    assert.equal(seen.signal?.aborted, true)
  })

  it('is refused when the application is closed', async () => {
    const { app } = createCarsApp()
    await app.close()
    await assert.rejects(
      async () => app.fetch(new Request(`${BASE}/short`), DENO),
      /The application is closed/,
    )
  })
})

describe('the headers of a request that a server passes', () => {
  const headers = { 'x-car': 'a'.repeat(1000) }

  it('are a 431 if they are too long and something reads them', async () => {
    const { app } = createCarsApp()
    const response = await app.fetch(new Request(`${BASE}/header`, { headers }), DENO)
    assert.deepEqual(await codeOf(response), [431, 'headers_too_large'])
  })

  it('are not measured for a GET that does not read them', async () => {
    const { app } = createCarsApp()
    assert.equal((await app.fetch(new Request(`${BASE}/short`, { headers }), DENO)).status, 200)
  })

  it('are measured before a request that may change something', async () => {
    const { app, seen } = createCarsApp()
    const request = post('/json', '{"name":"Ford"}', { ...headers, 'content-length': '15' })
    assert.deepEqual(await codeOf(await app.fetch(request, DENO)), [431, 'headers_too_large'])
    assert.equal(seen.handled, 0)
  })

  it('are the same and as long where the server of Bun lists them', async () => {
    const { app } = createCarsApp()
    const ask = async (
      given: [string, string][],
      path = '/all',
    ): Promise<readonly [number, unknown, boolean]> => {
      const request = new Request(BASE + path, { headers: given })
      let isListed = false
      const toJSON = (): object => {
        isListed = true
        const lines = request.headers.getSetCookie()
        return { ...Object.fromEntries(request.headers), ...(lines.length > 0 && { 'set-cookie': lines }) }
      }
      if (path === '/all') Object.assign(request.headers, { toJSON })
      const server = new BunServer()
      server.received.add(request)
      const response = await app.fetch(request, server)
      return [response.status, await response.json(), isListed]
    }
    const lines: [string, string][] = [
      ['x-car', 'a'],
      ['X-Car', 'b'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['__proto__', 'c'],
      ['constructor', 'd'],
      ['host', 'of.another'],
    ]
    const [status, listed, isListed] = await ask(lines)
    assert.deepEqual([status, isListed], [200, true])
    assert.deepEqual(listed, (await ask(lines, '/all?'))[1])
    const name = 'x-car'
    const most = 1000 - ('host'.length + 'cars.example'.length + 4 + name.length + 4)
    assert.equal((await ask([[name, 'a'.repeat(most)]]))[0], 200)
    assert.equal((await ask([[name, 'a'.repeat(most + 1)]]))[0], 431)
    assert.equal((await ask([[name, 'a'.repeat(most)]], '/all?'))[0], 200)
    assert.equal((await ask([[name, 'a'.repeat(most + 1)]], '/all?'))[0], 431)
  })

  /** Posts JSON, and returns the names of the headers that were read one by one, with whether all were listed. */
  async function postOnBun(
    limits: Limits,
    given: Record<string, string>,
  ): Promise<readonly [number, unknown, readonly string[]]> {
    const { app, seen } = createCarsApp(limits)
    const request = post('/json', '{"name":"Ford"}', {
      'content-length': '15',
      'content-type': 'application/json',
      ...given,
    })
    const { headers: own } = request
    const read: string[] = []
    Object.assign(own, {
      get: (name: string) => {
        read.push(name)
        return Headers.prototype.get.call(own, name)
      },
      toJSON: () => {
        read.push('all')
        return Object.fromEntries(own)
      },
    })
    const [status] = await codeOf(await app.fetch(request, new BunServer()))
    return [status, seen.handled, read]
  }

  it('are read one by one on Bun, which has refused longer ones', async () => {
    const read = ['content-type', 'content-encoding', 'content-length']
    const [status, handled, names] = await postOnBun({}, {})
    assert.deepEqual([status, handled, names.toSorted()], [200, 1, read.toSorted()])
  })

  it('are measured on Bun too if the limit is lower than that of its server', async () => {
    assert.deepEqual(await postOnBun({ headers: 1000 }, headers), [431, 0, ['all']])
    assert.deepEqual(await postOnBun({ headers: 16_383 }, {}), [200, 1, ['all']])
  })

  it('are the same one by one as in a list', async () => {
    const names = ['x-car', 'X-Car', 'host', 'Host', 'constructor', '__proto__', 'not a name', 'absent', '']
    const route = defineController({
      prefix: '/',
      routes: [
        {
          method: 'GET',
          handler: (_input, { request }) => names.map((name) => request.header(name) ?? 'none'),
        },
      ],
    })
    const module = defineModule({ controllers: [route] })
    const answers = await Promise.all(
      [16_384, 1000].map(async (most) => {
        const app = createApp(module, { limits: { headers: most }, logger: false })
        const request = new Request(BASE, {
          headers: [
            ['x-car', 'a'],
            ['x-car', 'b'],
            ['host', 'of.another'],
          ],
        })
        return (await app.fetch(request, new BunServer())).json()
      }),
    )
    const absent = ['none', 'none', 'none', 'none', 'none']
    assert.deepEqual(answers[0], ['a, b', 'a, b', 'cars.example', 'cars.example', ...absent])
    assert.deepEqual(answers[1], answers[0])
  })

  it('do not matter for a URL that is too long', async () => {
    const { app } = createCarsApp()
    const response = await app.fetch(new Request(`${BASE}/short?${'a'.repeat(20_000)}`), DENO)
    assert.equal(response.status, 414)
  })
})

describe('the body of a request that a server passes', () => {
  const lengths = [
    ['as long as it says', 2, '32768', [200, undefined]],
    ['longer than it says', 2, '10', [400, 'malformed_request']],
    ['shorter than it says', 2, '60000', [400, 'malformed_request']],
    ['too long by what it says', 2, '2000000', [413, 'body_too_large']],
    ['without a length', 2, undefined, [200, undefined]],
    ['without a length, and too long', 1000, undefined, [413, 'body_too_large']],
    ['without a number for its length', 2, 'many', [200, undefined]],
  ] as const
  for (const [title, chunks, length, expected] of lengths) {
    it(`that is ${title} is a ${expected[0]}`, async () => {
      const { app } = createCarsApp()
      const { upload, source } = createUpload(chunks)
      const request = post('/size', source(), length === undefined ? {} : { 'content-length': length })
      assert.deepEqual(await codeOf(await app.fetch(request, DENO)), expected)
      assert.ok(upload.taken < 20, `${upload.taken} chunks were taken`)
    })
  }

  it('is read as it comes if it is chunked as well, for then its length does not count', async () => {
    const { app } = createCarsApp()
    const { upload, source } = createUpload(1000)
    const request = post('/size', source(), { 'content-length': '10', 'transfer-encoding': 'chunked' })
    assert.deepEqual(await codeOf(await app.fetch(request, DENO)), [400, 'malformed_request'])
    await eventually(() => upload.stopped === 1, 'the source is told')
    assert.ok(upload.taken < 20, `${upload.taken} chunks were taken`)
  })

  it('is as long as the server of Bun says, which asks for no address', async () => {
    const { app } = createCarsApp()
    const { source } = createUpload(2)
    const made = post('/size', source(), { 'content-length': '10' })
    const server = { __proto__: { requestIP: () => assert.fail('the address was asked for') } }
    assert.deepEqual(await codeOf(await app.fetch(made, server)), [400, 'malformed_request'])
  })

  it('that fails is a 400', async () => {
    const { app } = createCarsApp()
    const { source } = createUpload(2, new Error('gone'))
    const request = post('/size', source(), { 'content-length': String(2 * CHUNK.length) })
    assert.deepEqual(await codeOf(await app.fetch(request, DENO)), [400, 'malformed_request'])
  })

  it('that somebody else has read is a 500', async () => {
    const { app } = createCarsApp()
    const request = post('/size', 'abc', { 'content-length': '3' })
    await request.text()
    assert.equal((await app.fetch(request, DENO)).status, 500)
  })

  it('may be empty, or not there', async () => {
    const { app } = createCarsApp()
    for (const headers of [{}, { 'content-length': '0' }]) {
      const request = new Request(`${BASE}/size`, { method: 'POST', headers })
      assert.deepEqual(await (await app.fetch(request, DENO)).json(), { size: 0 })
    }
  })

  it('is left to the server if nothing reads it', async () => {
    const { app } = createCarsApp()
    const { request, read } = watched(post('/unread', 'abc', { 'content-length': '3' }))
    assert.deepEqual(await (await app.fetch(request, DENO)).json(), { unread: true })
    assert.deepEqual(read, ['url', 'method', 'headers'])
  })
})

describe('the response to a request that a server passes', () => {
  async function headOf(
    path: string,
    method = 'GET',
  ): Promise<readonly [number, string, Record<string, string>]> {
    const { app } = createCarsApp()
    const response = await app.fetch(new Request(BASE + path, { method }), DENO)
    return [response.status, await response.text(), Object.fromEntries(response.headers)]
  }

  const heads = [
    [
      'leaves counting its bytes to the server',
      '/short',
      'GET',
      [200, '{"done":true}', { 'content-type': 'application/json' }],
    ],
    [
      'says how long it would be for HEAD',
      '/short',
      'HEAD',
      [200, '', { 'content-type': 'application/json', 'content-length': '13' }],
    ],
    ['keeps another content type', '/text', 'GET', [200, 'a car', { 'content-type': 'text/plain' }]],
  ] as const
  for (const [title, path, method, expected] of heads) {
    it(title, async () => assert.deepEqual(await headOf(path, method), expected))
  }

  it('has a line for each cookie', async () => {
    const { app } = createCarsApp()
    const response = await app.fetch(new Request(`${BASE}/cookies`), DENO)
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
    assert.equal(response.headers.get('x-more'), 'yes')
  })
})
