import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'

import { createApp, defineController, defineModule, notFound, reply, sse } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import { createClient, ProblemError } from 'octavo/client'
import type { ClientOptions, EventStream, ReceivedEvent, RouteMap } from 'octavo/client'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

/** The ids that connections came back with. */
const ids: (string | undefined)[] = []
let closed = 0

const feed = defineController({
  name: 'FeedController',
  routes: [
    {
      method: 'GET',
      path: '/numbers',
      name: 'numbers',
      response: { 200: z.string(), 204: z.undefined(), 404: z.object({ lost: z.boolean() }) },
      handler: (_input, { request }) => {
        const from = Number(request.header('last-event-id') ?? 0)
        ids.push(request.header('last-event-id'))
        if (from >= 4) return reply(204, undefined)
        return sse(
          [1, 2].map((step) => ({ id: String(from + step), event: 'number', data: { n: from + step } })),
          { retry: 1 },
        )
      },
    },
    {
      method: 'GET',
      path: '/open',
      name: 'open',
      handler: () =>
        sse(async function* ({ signal }) {
          try {
            yield { data: 'first' }
            await new Promise((resolve) => {
              signal.addEventListener('abort', resolve, { once: true })
            })
          } finally {
            closed++
          }
        }),
    },
    {
      method: 'POST',
      path: '/once',
      name: 'once',
      input: { body: z.object({ prompt: z.string() }) },
      handler: ({ body }) => {
        ids.push(body.prompt)
        return sse(body.prompt.split(' ').map((data) => ({ data })))
      },
    },
    {
      method: 'GET',
      path: '/names',
      name: 'names',
      handler: () =>
        sse(({ lastEventId }) => {
          ids.push(lastEventId)
          return [{ id: 'ä→😀', data: 'ä→😀' }]
        }),
    },
    { method: 'GET', path: '/lost', name: 'lost', handler: () => reply(200, 'no events') },
    {
      method: 'GET',
      path: '/declared',
      name: 'declared',
      response: { 200: z.string(), 404: z.object({ lost: z.boolean() }) },
      handler: () => reply(404, { lost: true }),
    },
    {
      method: 'GET',
      path: '/thrown',
      name: 'thrown',
      handler: () => {
        throw notFound('No such feed')
      },
    },
  ],
})
const app = createApp(defineModule({ controllers: [feed] }), { logger: false })
const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
after(() => app.close())

type Feed = typeof app

const routes: RouteMap = await Reflect.get(app.fetch, Symbol.for('octavo.route-map'))(undefined, 'localhost')

const WAYS: readonly (readonly [title: string, options: () => ClientOptions])[] = [
  ['a socket', () => ({ baseUrl, routes })],
  ['createDispatcher(app)', () => ({ dispatcher: createDispatcher(app) })],
  ['app.fetch', () => ({ fetch: app.fetch })],
]

beforeEach(() => {
  ids.length = 0
  closed = 0
})

/** All events of a stream that ends. */
async function all<D>(events: EventStream<D>): Promise<readonly ReceivedEvent<D>[]> {
  const found: ReceivedEvent<D>[] = []
  for await (const event of events) found.push(event)
  return found
}

describe('events', () => {
  for (const [title, options] of WAYS) {
    it(`go on after the last one on a new connection until the answer is 204, over ${title}`, async () => {
      const client = createClient<Feed>(options())
      const result = await client.feed.numbers({ as: 'events', reconnect: { minDelay: 0 } })
      if (!result.ok) assert.fail('it is declared for 404')
      expectTypeOf(result.data).toEqualTypeOf<EventStream>()
      assert.equal(result.status, 200)
      assert.deepEqual(
        await all(result.data),
        [1, 2, 3, 4].map((n) => ({ event: 'number', data: `{"n":${n}}`, id: String(n) })),
      )
      assert.deepEqual(ids, [undefined, '2', '4'])
    })

    it(`end when the loop is left, and the server hears of it, over ${title}`, async () => {
      const client = createClient<Feed>(options())
      const { data } = await client.feed.open({ as: 'events' })
      for await (const { data: text } of data) {
        assert.equal(text, 'first')
        break
      }
      await until(() => closed === 1)
      assert.deepEqual(await data.next(), { done: true, value: undefined })
    })

    it(`end at once when they are closed while one is awaited, over ${title}`, async () => {
      const client = createClient<Feed>(options())
      const { data } = await client.feed.open({ as: 'events' })
      await data.next()
      const waiting = data.next()
      assert.deepEqual(await data.return(), { done: true, value: undefined })
      assert.deepEqual(await waiting, { done: true, value: undefined })
      await until(() => closed === 1)
    })

    it(`close their connection also if none was read, over ${title}`, async () => {
      const client = createClient<Feed>(options())
      const { data } = await client.feed.open({ as: 'events' })
      await data.return()
      assert.deepEqual(await data.next(), { done: true, value: undefined })
      await until(() => closed === 1 || title !== 'a socket')
    })

    it(`reject with the reason of the signal, over ${title}`, async () => {
      const client = createClient<Feed>({ ...options(), timeout: 800 })
      const abort = new AbortController()
      const reason = new Error('enough')
      const { data } = await client.feed.open({ as: 'events', signal: abort.signal })
      await data.next()
      const waiting = data.next()
      // the timeout is for the head alone
      setTimeout(() => abort.abort(reason), 1_000)
      await assert.rejects(waiting, reason)
      await until(() => closed === 1)
    })

    it(`of a method that may not be repeated come once, over ${title}`, async () => {
      const client = createClient<Feed>(options())
      const { data } = await client.feed.once({ body: { prompt: 'a b' }, as: 'events' })
      assert.deepEqual(
        (await all(data)).map((event) => event.data),
        ['a', 'b'],
      )
      assert.deepEqual(ids, ['a b'])
    })

    it(`have ids of any text, over ${title}`, async () => {
      const client = createClient<Feed>(options())
      const { data } = await client.feed.names({ as: 'events', reconnect: { minDelay: 0 } })
      const [first, second] = [await data.next(), await data.next()]
      await data.return()
      assert.deepEqual([first.value?.data, second.value?.id], ['ä→😀', 'ä→😀'])
      assert.deepEqual(ids, [undefined, 'ä→😀'])
    })
  }

  it('are read as JSON, with a type of your own', async () => {
    const client = createClient<Feed>({ fetch: app.fetch })
    const result = await client.feed.numbers({ as: 'events', reconnect: 0 })
    if (!result.ok) assert.fail('it is declared for 404')
    const numbers = result.data.json<{ n: number }>()
    expectTypeOf(numbers).toEqualTypeOf<EventStream<{ n: number }>>()
    assert.deepEqual(
      (await all(numbers)).map((event) => event.data.n),
      [1, 2],
    )
  })

  it('that are no JSON reject where JSON is read, and their connection is closed', async () => {
    const client = createClient<Feed>({ fetch: app.fetch })
    const { data } = await client.feed.open({ as: 'events' })
    await assert.rejects(data.json().next(), SyntaxError)
    await until(() => closed === 1)
  })

  it('are declared errors where the route answers with one', async () => {
    const client = createClient<Feed>({ fetch: app.fetch })
    const result = await client.feed.declared({ as: 'events' })
    assert.deepEqual(result.data, { lost: true })
  })

  it('are asked for once without reconnecting', async () => {
    const client = createClient<Feed>({ fetch: app.fetch })
    const { data } = await client.feed.names({ as: 'events', reconnect: 0 })
    assert.equal((await all(data)).length, 1)
    assert.deepEqual(ids, [undefined])
  })

  it('ask for their content type, unless the call asks for another', async () => {
    const accepted: (string | null)[] = []
    const client = createClient<Feed>({
      fetch: app.fetch,
      onRequest: ({ headers }) => void accepted.push(headers.get('accept')),
    })
    const { data } = await client.feed.names({ as: 'events', reconnect: 0 })
    await data.return()
    await client.feed.declared()
    assert.deepEqual(accepted, ['text/event-stream', null])
  })
})

describe('an answer without events', () => {
  const client = createClient<Feed>({ fetch: app.fetch })

  it('rejects the call', async () => {
    await assert.rejects(client.feed.lost({ as: 'events' }), {
      name: 'TypeError',
      message: 'feed.lost: the answer has no events: its status is 200 and its content type application/json',
    })
  })

  it('rejects with the problem of the application', async () => {
    await assert.rejects(
      client.feed.thrown({ as: 'events' }),
      (error) => error instanceof ProblemError && error.detail === 'No such feed',
    )
  })

  it('is not what reconnect is for', async () => {
    await assert.rejects(client.feed.lost({ reconnect: 2 }), {
      message: "feed.lost: reconnect is for events; write as: 'events' beside it",
    })
    for (const reconnect of [-1, { limit: 'a' }, { methods: ['GET'] }]) {
      await assert.rejects(client.feed.lost({ as: 'events', reconnect: reconnect as number }), {
        message: 'feed.lost: reconnect is not a number of tries, or { limit, minDelay, maxDelay }',
      })
    }
  })
})

/** What each connection is answered with, in order. */
const answers: ((response: ServerResponse) => void)[] = []
const seen: (string | undefined)[] = []
const server = createServer((request, response) => {
  seen.push(request.headers['last-event-id'] as string | undefined)
  const answer = answers.shift()
  if (answer === undefined) response.writeHead(204).end()
  else answer(response)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const { port } = server.address() as AddressInfo

/** Answers with pieces, each in a chunk of its own, and ends well or badly. */
function send(
  pieces: readonly (string | Uint8Array)[],
  isBroken = false,
): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const later = (index: number): void => {
      const piece = pieces[index]
      if (piece !== undefined) response.write(piece, () => setTimeout(later, 5, index + 1))
      else if (isBroken) response.destroy()
      else response.end()
    }
    later(0)
  }
}

const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end()

describe('a connection', () => {
  const client = createClient<Feed>({ baseUrl: `http://127.0.0.1:${port}`, routes })
  const fast = { limit: 3, minDelay: 1 }
  beforeEach(() => {
    answers.length = 0
    seen.length = 0
  })

  it('that breaks off in an event goes on after the last whole one', async () => {
    answers.push(send(['id: 1\ndata: a\n\nid: 2\ndata: b'], true), send(['id: 2\ndata: b\n\n']))
    const { data } = await client.feed.open({ as: 'events', reconnect: fast })
    assert.deepEqual(await all(data), [
      { event: 'message', data: 'a', id: '1' },
      { event: 'message', data: 'b', id: '2' },
    ])
    assert.deepEqual(seen, [undefined, '1', '2'])
  })

  it('keeps the id of the one before', async () => {
    answers.push(send(['id: 1\ndata: a\n\n']), send(['data: b\n\n']))
    const { data } = await client.feed.open({ as: 'events', reconnect: fast })
    assert.deepEqual(
      (await all(data)).map(({ id }) => id),
      ['1', '1'],
    )
    assert.deepEqual(seen, [undefined, '1', '1'])
  })

  it('may begin with a byte order mark, and cut characters', async () => {
    const bytes = new TextEncoder().encode('\uFEFFdata: 😀\n\n')
    answers.push(send([bytes.slice(0, 2), bytes.slice(2, 11), bytes.slice(11)]))
    const { data } = await client.feed.open({ as: 'events', reconnect: 0 })
    assert.deepEqual(
      (await all(data)).map((event) => event.data),
      ['😀'],
    )
  })

  it('is tried again after statuses that pass, as long as Retry-After asks', async (t) => {
    answers.push(
      send(['data: a\n\n']),
      refuse(503, { 'retry-after': '2' }),
      refuse(429),
      send(['data: b\n\n']),
    )
    const { data } = await client.feed.open({ as: 'events', reconnect: { ...fast, maxDelay: 5000 } })
    await data.next()
    const waits = watchTimers(t)
    assert.equal((await data.next()).value?.data, 'b')
    assert.ok(waits.includes(2000), String(waits))
    await data.return()
    assert.equal(seen.length, 4)
  })

  it('comes back when the server says', async (t) => {
    answers.push(send(['retry: 4000\ndata: a\n\n']), send(['data: b\n\n']))
    const { data } = await client.feed.open({ as: 'events', reconnect: { maxDelay: 1 } })
    await data.next()
    const waits = watchTimers(t)
    assert.equal((await data.next()).value?.data, 'b')
    assert.ok(waits.includes(4000), String(waits))
    await data.return()
  })

  it('rejects with another status', async () => {
    answers.push(send(['data: a\n\n']), refuse(404))
    const { data } = await client.feed.open({ as: 'events', reconnect: fast })
    await data.next()
    await assert.rejects(data.next(), (error) => error instanceof ProblemError && error.status === 404)
    assert.deepEqual(await data.next(), { done: true, value: undefined })
  })

  it('rejects with another content type', async () => {
    answers.push(send(['data: a\n\n']), refuse(200, { 'content-type': 'text/html' }))
    const { data } = await client.feed.open({ as: 'events', reconnect: fast })
    await data.next()
    await assert.rejects(data.next(), {
      message: 'feed.open: the answer has no events: its status is 200 and its content type text/html',
    })
  })

  it('rejects with the last failure after so many in a row', async () => {
    const fail = (response: ServerResponse): void => void response.destroy()
    answers.push(send(['data: a\n\n']), fail, fail, send([': here\n']), fail, fail, fail, fail)
    const { data } = await client.feed.open({ as: 'events', reconnect: fast })
    await data.next()
    await assert.rejects(data.next(), { name: 'TypeError', message: 'fetch failed' })
    assert.equal(seen.length, 7)
  })

  it('that breaks off rejects if it may not be opened again', async () => {
    answers.push(send(['data: a\n\n'], true))
    const { data } = await client.feed.once({ body: { prompt: '' }, as: 'events' })
    await data.next()
    await assert.rejects(data.next(), { name: 'TypeError' })
  })

  it('is given up by the signal while it waits to be opened again', async () => {
    answers.push(send(['data: a\n\n']))
    const abort = new AbortController()
    const { data } = await client.feed.open({
      as: 'events',
      reconnect: { minDelay: 20_000 },
      signal: abort.signal,
    })
    await data.next()
    const waiting = data.next()
    setTimeout(() => abort.abort(), 20)
    await assert.rejects(waiting, { name: 'AbortError' })
    assert.equal(seen.length, 1)
  })

  it('has fresh headers, and hooks of its own', async () => {
    let token = 0
    const requests: string[] = []
    const asking = createClient<Feed>({
      baseUrl: `http://127.0.0.1:${port}`,
      routes,
      headers: () => ({ authorization: `Bearer ${++token}` }),
      onRequest: ({ headers }) =>
        void requests.push(`${headers.get('authorization')} ${headers.get('last-event-id')}`),
    })
    answers.push(send(['id: 1\ndata: a\n\n']), send(['id: 2\ndata: b\n\n']))
    const { data } = await asking.feed.open({ as: 'events', reconnect: fast })
    await all(data)
    assert.deepEqual(requests, ['Bearer 1 null', 'Bearer 2 1', 'Bearer 3 2'])
  })
})

/** The waits that are asked for, none of which takes longer than a moment. */
function watchTimers(t: {
  mock: { method: (target: object, name: string, implementation: unknown) => void }
}): number[] {
  const waits: number[] = []
  const set = globalThis.setTimeout
  t.mock.method(
    globalThis,
    'setTimeout',
    (run: (...args: unknown[]) => void, ms: number, ...args: unknown[]) => {
      waits.push(ms)
      return set(run, Math.min(ms, 5), ...args)
    },
  )
  return waits
}

/** Waits for something that happens on the other side of a socket. */
async function until(happened: () => boolean): Promise<void> {
  for (let waited = 0; !happened(); waited += 5) {
    assert.ok(waited < 60_000, 'it did not happen')
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}
