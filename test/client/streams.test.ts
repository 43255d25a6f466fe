import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, reply, sse, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { createClient, ProblemError } from 'octavo/client'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

import { countSplit, inPieces } from '../support/walked.ts'

const Car = model('Car', { id: z.string(), built: z.date() })
const ids = defineVersionChange({
  version: '2',
  title: 'Ids are text',
  change: [
    reshape({
      of: Car,
      fields: { id: { was: z.number(), up: String, down: Number }, built: { was: 'made' } },
    }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [ids] })
const car = { id: '7', built: new Date(0) }
const AT = '1970-01-01T00:00:00.000Z'
let closed = 0

const feed = defineController({
  name: 'FeedController',
  routes: [
    {
      method: 'GET',
      name: 'watch',
      input: { query: { fail: z.boolean().optional() } },
      events: { car: Car, gone: z.string(), ping: z.undefined(), message: z.number() },
      response: { 204: z.undefined(), 404: z.object({ lost: z.boolean() }) },
      handler: ({ query }, { request }) => {
        if (query.fail === true) return reply(404, { lost: true })
        if (request.header('last-event-id') === '5') return reply(204, undefined)
        return sse(
          function* watch() {
            yield { event: 'car', id: '1', data: car }
            yield { event: 'gone', id: '2', data: '42' }
            yield { event: 'ping', id: '3' }
            yield { comment: 'note' }
            yield { id: '5', data: 8 }
          },
          { retry: 1 },
        )
      },
    },
    {
      method: 'GET',
      path: '/all',
      name: 'all',
      items: Car,
      handler: async function* all() {
        try {
          for (let at = 0; at < 3; at++) yield car
        } finally {
          closed++
        }
      },
    },
    { method: 'GET', path: '/texts', name: 'texts', items: z.string(), handler: () => ['a\nb', 'é'] },
    { method: 'GET', path: '/one', name: 'one', response: Car, handler: () => car },
  ],
})
const app = createApp(defineModule({ controllers: [feed] }), {
  versioning: { scheme: VersioningSchemes.URL, history },
  logger: false,
})
const newest = createClient<typeof app, '2'>({ fetch: app.fetch, version: '2' })
const oldest = newest.at('1')

describe('a client of declared events', () => {
  it('gets them by name, with their data', async () => {
    const found: unknown[] = []
    for await (const event of newest.feed.watch()) {
      found.push([event.event, event.id, event.data])
      if (event.event === 'car') {
        expectTypeOf(event.data).toEqualTypeOf<{ id: string; built: string }>()
        assert.equal(event.data.built, AT)
      }
      if (event.event === 'gone') expectTypeOf(event.data).toEqualTypeOf<string>()
      if (event.event === 'message') expectTypeOf(event.data).toEqualTypeOf<number>()
      expectTypeOf(event.event).toEqualTypeOf<'car' | 'gone' | 'ping' | 'message'>()
    }
    assert.deepEqual(found, [
      ['car', '1', { id: '7', built: AT }],
      ['gone', '2', '42'],
      ['ping', '3', undefined],
      ['message', '5', 8],
    ])
  })

  it('gets them as they were in an older version', async () => {
    for await (const event of oldest.feed.watch({ reconnect: 0 })) {
      if (event.event !== 'car') continue
      expectTypeOf(event.data).toEqualTypeOf<{ id: number; made: string }>()
      assert.deepEqual(event.data, { id: 7, made: AT })
    }
  })

  it('gets the head of the answer first when the call is awaited', async () => {
    const answer = await newest.feed.watch({ reconnect: { limit: 0 } })
    assert.ok(answer.status === 200)
    assert.equal(answer.headers.get('content-type'), 'text/event-stream')
    const { value } = await answer.data.next()
    assert.equal(value?.event, 'car')
    await answer.data.return()
    assert.deepEqual(await answer.data.next(), { done: true, value: undefined })
  })

  it('gets declared errors as answers, and as errors of the loop', async () => {
    const answer = await newest.feed.watch({ query: { fail: true } })
    assert.ok(answer.status === 404)
    expectTypeOf(answer.data).toEqualTypeOf<{ lost: boolean }>()
    assert.deepEqual(answer.data, { lost: true })
    await assert.rejects(async () => {
      for await (const event of newest.feed.watch({ query: { fail: true } })) assert.fail(event.event)
    }, ProblemError)
  })

  it('gets their text with as: events', async () => {
    const { data } = await newest.feed.watch({ as: 'events', reconnect: 0 })
    assert.ok(Symbol.asyncIterator in data)
    const { value } = await data.next()
    assert.equal(value?.data, `{"id":"7","built":"${AT}"}`)
    await data.return()
  })

  it('passes over names that it does not know, and says when data is no JSON', async () => {
    const body = 'event: new\ndata: 1\n\ndata: 2\n\ndata: no\n\n'
    const fetch = async (): Promise<Response> =>
      new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const routes = {
      version: '2',
      routes: { 'feed.watch': { method: 'GET', path: '/v2/feed', events: { message: 'json' } } },
    } as const
    const client = createClient<typeof app, '2'>({ baseUrl: 'http://localhost', version: '2', fetch, routes })
    const found: unknown[] = []
    await assert.rejects(async () => {
      for await (const { data } of client.feed.watch()) found.push(data)
    }, SyntaxError)
    assert.deepEqual(found, [2])
  })
})

describe('a client of declared items', () => {
  it('gets them one by one', async () => {
    const found: unknown[] = []
    for await (const item of newest.feed.all()) {
      expectTypeOf(item).toEqualTypeOf<{ id: string; built: string }>()
      found.push(item)
    }
    assert.deepEqual(
      found,
      Array.from({ length: 3 }, () => ({ id: '7', built: AT })),
    )
    const texts: string[] = []
    for await (const text of newest.feed.texts()) texts.push(text)
    assert.deepEqual(texts, ['a\nb', 'é'])
  })

  it('gets them as they were in an older version', async () => {
    const { data } = await oldest.feed.all()
    const { value } = await data.next()
    expectTypeOf(value).toEqualTypeOf<{ id: number; made: string } | undefined>()
    assert.deepEqual(value, { id: 7, made: AT })
  })

  it('closes the connection when it leaves the loop', async () => {
    closed = 0
    for await (const item of newest.feed.all()) {
      assert.equal(item.id, '7')
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(closed, 1)
  })

  it('ends with the signal of the call', async () => {
    const abort = new AbortController()
    const { data } = await newest.feed.all({ signal: abort.signal })
    abort.abort(new Error('enough'))
    await assert.rejects(data.next(), new Error('enough'))
    assert.deepEqual(await data.next(), { done: true, value: undefined })
  })

  it('looks at each chunk of a long item once', async () => {
    const text = JSON.stringify('x'.repeat(400_000))
    const body = inPieces(`${text}\n"1"\n"2"\n"3"`, 256)
    const routes = {
      version: '2',
      routes: { 'feed.texts': { method: 'GET', path: '/v2/feed/texts', items: true } },
    }
    const client = createClient<typeof app, '2'>({
      baseUrl: 'http://localhost',
      version: '2',
      fetch: async () => new Response(body),
      routes,
    })
    const found: string[] = []
    const count = await countSplit(async () => {
      const { data } = await client.feed.texts()
      for await (const item of data) found.push(item)
    })
    assert.deepEqual(
      found.map(({ length }) => length),
      [400_000, 1, 1, 1],
    )
    assert.ok(count < 1_000_000, `${count} characters`)
  })

  it('reads lines however they are cut', async () => {
    const bytes = new TextEncoder().encode('"é"\n\n"b"\r\n"c"')
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    const routes = {
      version: '2',
      routes: { 'feed.texts': { method: 'GET', path: '/v2/feed/texts', items: true } },
    }
    const client = createClient<typeof app, '2'>({
      baseUrl: 'http://localhost',
      version: '2',
      fetch: async () => new Response(body),
      routes,
    })
    const texts: string[] = []
    for await (const text of client.feed.texts()) texts.push(text)
    assert.deepEqual(texts, ['é', 'b', 'c'])
  })
})

describe('a client of a route without a stream', () => {
  it('cannot iterate a call', async () => {
    const call = newest.feed.one()
    expectTypeOf(call).not.toExtend<AsyncIterable<unknown>>()
    const calls: AsyncIterable<unknown> = Object(call)
    await assert.rejects(async () => {
      for await (const item of calls) assert.fail(String(item))
    }, /feed\.one: the route declares no events and no items/)
  })

  it('cannot ask it to reconnect', async () => {
    await assert.rejects(newest.feed.one({ reconnect: 1 }), /feed\.one: reconnect is for events/)
  })
})
