import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'

import { createApp, defineController, defineModule, HttpError } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import { createClient, ProblemError } from 'octavo/client'
import type { ClientOptions, OutgoingRequest, RouteMap } from 'octavo/client'
import { Agent } from 'undici'
import { z } from 'zod'

/** How the next requests are answered before one is answered well: a status, and what `Retry-After` says. */
const failures: (readonly [status: number, retryAfter?: string])[] = []
/** The bodies that arrived, try by try. */
const bodies: string[] = []

function note(body: string): string {
  bodies.push(body)
  const [status, retryAfter] = failures.shift() ?? []
  if (status !== undefined)
    throw new HttpError(
      status,
      'Not now',
      retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } },
    )
  return body
}

const shaky = defineController({
  name: 'ShakyController',
  routes: [
    { method: 'GET', path: '/get', name: 'get', handler: () => note('got') },
    {
      method: 'PUT',
      path: '/put',
      name: 'put',
      input: { body: z.object({ a: z.number() }) },
      handler: ({ body }) => note(JSON.stringify(body)),
    },
    {
      method: 'PUT',
      path: '/upload',
      name: 'upload',
      input: { form: ['title'], files: { file: z.file() } },
      handler: async ({ form, files }) => note(`${form.title} ${await files.file.text()}`),
    },
    {
      method: 'PUT',
      path: '/bytes',
      name: 'bytes',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => note(new TextDecoder().decode(body)),
    },
    { method: 'POST', path: '/post', name: 'post', handler: () => note('posted') },
    {
      method: 'QUERY',
      path: '/query',
      name: 'query',
      input: { body: z.object({ a: z.number() }) },
      handler: ({ body }) => note(JSON.stringify(body)),
    },
    {
      method: 'GET',
      path: '/token',
      name: 'token',
      input: { headers: { authorization: z.string().optional() }, query: { page: z.string().optional() } },
      handler: ({ headers, query }) => note(`${headers.authorization ?? 'none'} ${query.page ?? 'none'}`),
    },
  ],
})
const app = createApp(defineModule({ controllers: [shaky] }), { logger: false })
const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
after(() => app.close())

type Shaky = typeof app

const routes: RouteMap = await Reflect.get(app.fetch, Symbol.for('octavo.route-map'))(undefined, 'localhost')
const fast = { limit: 3, minDelay: 1 }

const WAYS: readonly (readonly [title: string, options: () => ClientOptions])[] = [
  ['a socket', () => ({ baseUrl, routes })],
  ['a socket and an Agent', () => ({ baseUrl, routes, dispatcher: new Agent() })],
  ['createDispatcher(app)', () => ({ dispatcher: createDispatcher(app) })],
  ['app.fetch', () => ({ fetch: app.fetch })],
]

beforeEach(() => {
  failures.length = 0
  bodies.length = 0
})

function isStatus(status: number): (error: unknown) => boolean {
  return (error) => error instanceof ProblemError && error.status === status
}

describe('retries', () => {
  for (const [title, options] of WAYS) {
    it(`follow each status that may pass, over ${title}`, async () => {
      failures.push([408], [429], [502], [503], [504])
      const client = createClient<Shaky>({ ...options(), retry: { limit: 5, minDelay: 1 } })
      assert.equal((await client.shaky.get()).data, 'got')
      assert.equal(bodies.length, 6)
    })

    it(`send the body again, over ${title}`, async () => {
      failures.push([503], [503])
      const client = createClient<Shaky>({ ...options(), retry: fast })
      assert.equal((await client.shaky.put({ body: { a: 1 } })).data, '{"a":1}')
      assert.deepEqual(bodies, ['{"a":1}', '{"a":1}', '{"a":1}'])
    })

    it(`send a QUERY again, which changes nothing, over ${title}`, async () => {
      failures.push([503])
      const client = createClient<Shaky>({ ...options(), retry: fast })
      assert.equal((await client.shaky.query({ body: { a: 1 } })).data, '{"a":1}')
      assert.deepEqual(bodies, ['{"a":1}', '{"a":1}'])
    })

    it(`send files again, over ${title}`, async () => {
      failures.push([503])
      const client = createClient<Shaky>({ ...options(), retry: fast })
      const file = new File(['wheel'], 'a.txt')
      assert.equal((await client.shaky.upload({ form: { title: 'A' }, files: { file } })).data, 'A wheel')
      assert.deepEqual(bodies, ['A wheel', 'A wheel'])
    })

    it(`end with the last answer, over ${title}`, async () => {
      failures.push([503], [503], [429], [503])
      const client = createClient<Shaky>({ ...options(), retry: { limit: 2, minDelay: 1 } })
      await assert.rejects(client.shaky.get(), isStatus(429))
      assert.equal(bodies.length, 3)
    })

    it(`are not for methods that change something each time, over ${title}`, async () => {
      failures.push([503])
      const client = createClient<Shaky>({ ...options(), retry: fast })
      await assert.rejects(client.shaky.post(), isStatus(503))
      assert.equal(bodies.length, 1)
    })

    it(`are not for streams, which can be sent once, over ${title}`, async () => {
      failures.push([503])
      const client = createClient<Shaky>({ ...options(), retry: fast })
      const body = new Blob(['abc']).stream()
      await assert.rejects(client.shaky.bytes({ body }), isStatus(503))
      assert.equal(bodies.length, 1)
      assert.equal((await client.shaky.bytes({ body: new Blob(['abc']) })).data, 'abc')
    })
  }

  it('are for further methods and other statuses if the option says so', async () => {
    const client = createClient<Shaky>({
      fetch: app.fetch,
      retry: { ...fast, methods: ['POST'], statuses: [500] },
    })
    failures.push([500])
    assert.equal((await client.shaky.post()).data, 'posted')
    failures.push([503])
    await assert.rejects(client.shaky.post(), isStatus(503))
    failures.push([500])
    await assert.rejects(client.shaky.get(), isStatus(500))
  })

  it('are two if an object does not say how many, and none by themselves', async () => {
    failures.push([503], [503], [503])
    await assert.rejects(
      createClient<Shaky>({ fetch: app.fetch, retry: { minDelay: 1 } }).shaky.get(),
      isStatus(503),
    )
    assert.equal(bodies.length, 3)
    failures.push([503])
    await assert.rejects(createClient<Shaky>({ fetch: app.fetch }).shaky.get(), isStatus(503))
    assert.equal(bodies.length, 4)
  })

  it('do not follow an error that no further try mends', async () => {
    failures.push([500])
    await assert.rejects(createClient<Shaky>({ fetch: app.fetch, retry: fast }).shaky.get(), isStatus(500))
    assert.equal(bodies.length, 1)
  })

  it('wait at random, up to a limit that doubles each time', async (t) => {
    const waits = watchTimers(t)
    const random = t.mock.method(Math, 'random', () => 1)
    failures.push([503], [503], [503], [503])
    const retry = { limit: 4, minDelay: 8, maxDelay: 40 }
    const client = createClient<Shaky>({ fetch: app.fetch, retry })
    assert.equal((await client.shaky.get()).data, 'got')
    assert.deepEqual(waits, [16, 32, 40, 40])
    waits.length = 0
    random.mock.mockImplementation(() => 0)
    failures.push([503], [503], [503], [503])
    await client.shaky.get()
    assert.deepEqual(waits, [8, 8, 8, 8])
  })

  it('wait as long as Retry-After asks, in seconds or until a date', async (t) => {
    const waits = watchTimers(t)
    const retry = { limit: 3, minDelay: 1, maxDelay: 5000 }
    const client = createClient<Shaky>({ fetch: app.fetch, retry })
    failures.push([503, '1'])
    await client.shaky.get()
    failures.push([429, new Date(Date.now() + 2000).toUTCString()])
    await client.shaky.get()
    failures.push([503, new Date(0).toUTCString()])
    await client.shaky.get()
    failures.push([503, 'soon'])
    await client.shaky.get()
    const [seconds = 0, date = 0, past, unknown = 9] = waits
    assert.equal(seconds, 1000)
    assert.ok(date > 0 && date <= 2000, String(date))
    assert.equal(past, 0)
    assert.ok(unknown <= 2, String(unknown))
  })

  it('are given up if Retry-After asks for more than the longest wait', async () => {
    failures.push([503, '3600'])
    const client = createClient<Shaky>({ fetch: app.fetch, retry: 3 })
    await assert.rejects(client.shaky.get(), isStatus(503))
    assert.equal(bodies.length, 1)
  })

  it('follow a network that fails, and end with its error', async () => {
    let connections = 0
    const server = createServer((request) => {
      connections++
      request.socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const client = createClient<Shaky>({ baseUrl: `http://127.0.0.1:${port}`, routes, retry: fast })
    await assert.rejects(client.shaky.get(), { name: 'TypeError', message: 'fetch failed' })
    assert.equal(connections, 4)
    await assert.rejects(client.shaky.post(), { name: 'TypeError', message: 'fetch failed' })
    assert.equal(connections, 5)
    await new Promise((resolve) => server.close(resolve))
  })

  it('do not follow an error of a given fetch that is none of the network', async () => {
    let calls = 0
    const fetch = (): Promise<Response> => {
      calls++
      return Promise.reject(new RangeError('no'))
    }
    const client = createClient<Shaky>({ baseUrl, routes, fetch, retry: fast })
    await assert.rejects(client.shaky.get(), RangeError)
    assert.equal(calls, 1)
  })

  it('end with the signal and with the timeout, also while they wait', async () => {
    const retry = { limit: 3, minDelay: 20_000 }
    failures.push([503], [503])
    const reason = new Error('enough')
    const abort = new AbortController()
    const client = createClient<Shaky>({
      fetch: app.fetch,
      retry,
      onResponse: () => void setTimeout(() => abort.abort(reason), 5),
    })
    await assert.rejects(client.shaky.get({ signal: abort.signal }), reason)
    const late = createClient<Shaky>({ fetch: app.fetch, retry, timeout: 30 })
    await assert.rejects(late.shaky.get(), { name: 'TimeoutError' })
    assert.equal(bodies.length, 2)
  })

  it('are for the route map as well', async () => {
    let tries = 0
    const client = createClient<Shaky>({
      baseUrl: 'http://a.test',
      retry: fast,
      fetch: async (url: string) => {
        if (!url.endsWith('/client.json')) return Response.json('got')
        return ++tries < 3 ? new Response(null, { status: 503 }) : Response.json(routes)
      },
    })
    assert.equal((await client.shaky.get()).data, 'got')
    assert.equal(tries, 3)
  })
})

describe('hooks', () => {
  for (const [title, options] of WAYS) {
    it(`run before and after each try, in order, over ${title}`, async () => {
      const seen: string[] = []
      failures.push([503], [503])
      const client = createClient<Shaky>({
        ...options(),
        retry: fast,
        onRequest: async ({ route, attempt, method, url }) => {
          await Promise.resolve()
          seen.push(`request ${attempt} ${route} ${method} ${url.pathname}`)
        },
        onResponse: async ({ status }, { attempt }) => {
          await Promise.resolve()
          seen.push(`response ${attempt} ${status}`)
        },
      })
      await client.shaky.get()
      assert.deepEqual(seen, [
        'request 1 shaky.get GET /shaky/get',
        'response 1 503',
        'request 2 shaky.get GET /shaky/get',
        'response 2 503',
        'request 3 shaky.get GET /shaky/get',
        'response 3 200',
      ])
    })

    it(`may change headers and URL, of each try from the start, over ${title}`, async () => {
      failures.push([503])
      let token = 0
      const client = createClient<Shaky>({
        ...options(),
        retry: fast,
        headers: { authorization: 'old' },
        onRequest: ({ headers, url }) => {
          assert.equal(headers.get('authorization'), 'old')
          headers.set('authorization', `Bearer ${++token}`)
          url.searchParams.append('page', String(token))
        },
      })
      assert.equal((await client.shaky.token()).data, 'Bearer 2 2')
    })
  }

  it('see the body as it is sent', async () => {
    const seen: unknown[] = []
    const onRequest = ({ body }: OutgoingRequest): void => void seen.push(body)
    const client = createClient<Shaky>({ fetch: app.fetch, onRequest })
    await client.shaky.put({ body: { a: 1 } })
    await client.shaky.get()
    assert.deepEqual(seen, ['{"a":1}', undefined])
  })

  it('may read a copy of the answer', async () => {
    let text = ''
    const client = createClient<Shaky>({
      fetch: app.fetch,
      onResponse: async (response) => {
        text = await response.clone().text()
      },
    })
    assert.equal((await client.shaky.get()).data, 'got')
    assert.equal(text, '"got"')
  })

  it('reject the call with what they throw, and nothing is sent again', async () => {
    const error = new TypeError('no token')
    const failing = (): never => {
      throw error
    }
    const before = createClient<Shaky>({ fetch: app.fetch, retry: fast, onRequest: failing })
    await assert.rejects(before.shaky.get(), error)
    assert.equal(bodies.length, 0)
    const later = createClient<Shaky>({ fetch: app.fetch, retry: fast, onResponse: async () => failing() })
    failures.push([503])
    await assert.rejects(later.shaky.get(), error)
    assert.equal(bodies.length, 1)
  })

  it('that take too long are given up, and nothing is sent afterwards', async () => {
    let go: (() => void) | undefined
    const onRequest = (): Promise<void> =>
      new Promise((resolve) => {
        go = resolve
      })
    const client = createClient<Shaky>({ fetch: app.fetch, onRequest, timeout: 20 })
    await assert.rejects(client.shaky.get(), { name: 'TimeoutError' })
    go?.()
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
    assert.equal(bodies.length, 0)
  })

  it('see the request for the route map, but not one to another origin', async () => {
    const seen: (string | undefined)[] = []
    const fetch = async (url: string): Promise<Response> =>
      Response.json(url.endsWith('.json') ? routes : 'got')
    const onRequest = ({ route }: OutgoingRequest): void => void seen.push(route)
    await createClient<Shaky>({ baseUrl: 'http://a.test', fetch, onRequest }).shaky.get()
    assert.deepEqual(seen, [undefined, 'shaky.get'])
    seen.length = 0
    const elsewhere = createClient<Shaky>({
      baseUrl: 'http://a.test',
      routes: 'http://b.test/client.json',
      fetch,
      onRequest,
    })
    await elsewhere.shaky.get()
    assert.deepEqual(seen, ['shaky.get'])
  })
})

/** The waits that are asked for, none of which takes longer than a moment. */
function watchTimers(t: {
  mock: { method: (target: object, name: string, implementation: unknown) => void }
}): number[] {
  const waits: number[] = []
  const set = globalThis.setTimeout
  t.mock.method(globalThis, 'setTimeout', (run: () => void, milliseconds: number) => {
    waits.push(milliseconds)
    return set(run, 0)
  })
  return waits
}
