import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, reply, sse, text } from 'octavo'
import type { AppOptions, Logger, ServerSentEvent } from 'octavo'
import { z } from 'zod'

const Car = z.object({ id: z.number(), built: z.date().optional() })

/** An application with one route, and what it logs of failures. */
function serve(route: object, options: AppOptions = {}) {
  const reasons: string[] = []
  const error = (details: object): void => {
    const { err } = Object(details)
    reasons.push(err?.cause?.message ?? err?.message)
  }
  const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error }
  const controller = Reflect.apply(defineController, undefined, [
    { prefix: '/', routes: [{ method: 'GET', name: 'watch', ...route }] },
  ])
  const app = createApp(defineModule({ controllers: [controller] }), { logger, ...options })
  return { app, reasons }
}

const events = (schema: unknown, sent: readonly unknown[], route: object = {}) =>
  serve({ events: schema, handler: () => Reflect.apply(sse, undefined, [sent]), ...route })

const items = (schema: unknown, handler: () => unknown, route: object = {}) =>
  serve({ items: schema, handler, ...route })

const toDate = z.codec(z.number(), z.date(), {
  decode: (ms) => new Date(ms),
  encode: (date) => date.getTime(),
})

describe('declared events', () => {
  const cases: readonly (readonly [title: string, schema: unknown, sent: ServerSentEvent, text: string])[] = [
    [
      'without what is not declared',
      { car: Car },
      { event: 'car', data: { id: 7, secret: 1 } },
      'event: car\ndata: {"id":7}\n\n',
    ],
    [
      'with dates as text',
      { car: Car },
      { event: 'car', data: { id: 7, built: new Date(0) } },
      'event: car\ndata: {"id":7,"built":"1970-01-01T00:00:00.000Z"}\n\n',
    ],
    ['without a name', Car, { data: { id: 7, secret: 1 } }, 'data: {"id":7}\n\n'],
    [
      'with the name of those without',
      Car,
      { event: 'message', data: { id: 7 } },
      'event: message\ndata: {"id":7}\n\n',
    ],
    ['without a name beside others', { car: Car, message: z.number() }, { data: 8 }, 'data: 8\n\n'],
    [
      'as text that is nothing else',
      { gone: z.string() },
      { event: 'gone', data: 'a\nb' },
      'event: gone\ndata: a\ndata: b\n\n',
    ],
    [
      'as one of several texts',
      { gone: z.enum(['a', 'b']).optional() },
      { event: 'gone', data: 'a' },
      'event: gone\ndata: a\n\n',
    ],
    [
      'as JSON when it may be more than text',
      z.union([z.string(), z.number()]),
      { data: 'a' },
      'data: "a"\n\n',
    ],
    ['as JSON when it may be null', z.string().nullable(), { data: null }, 'data: null\n\n'],
    ['after a transform', z.number().transform((n) => `${n} km`), { data: 7 }, 'data: "7 km"\n\n'],
    [
      'after a transform that takes time',
      z.number().transform(async (n) => n + 1),
      { data: 7 },
      'data: 8\n\n',
    ],
    [
      'after a codec',
      z.object({ at: toDate }),
      { data: { at: 0 } },
      'data: {"at":"1970-01-01T00:00:00.000Z"}\n\n',
    ],
    ['without data', { ping: z.undefined() }, { event: 'ping' }, 'event: ping\ndata:\n\n'],
    [
      'with id and retry',
      { car: Car },
      { event: 'car', id: '7', retry: 5, data: { id: 7 } },
      'event: car\nid: 7\nretry: 5\ndata: {"id":7}\n\n',
    ],
    ['that nobody hears', { car: Car }, { comment: 'note' }, ': note\n\n'],
    ['that only have an id', { car: Car }, { id: '8' }, 'id: 8\n\n'],
  ]
  for (const [title, schema, sent, expected] of cases)
    it(`are sent ${title}`, async () => {
      const { app, reasons } = events(schema, [sent])
      const { statusCode, headers, body } = await app.inject('/')
      assert.deepEqual([statusCode, body, reasons], [200, expected, []])
      assert.equal(headers['content-type'], 'text/event-stream')
    })

  const refused: readonly (readonly [title: string, schema: unknown, sent: unknown, reason: string])[] = [
    [
      'data that does not fit',
      { car: Car },
      { event: 'car', data: { id: 'secret' } },
      'watch: GET / sent an event "car" that its events do not allow: id: Invalid input: expected number, received string',
    ],
    [
      'an unknown name',
      { car: Car },
      { event: 'lorry', data: { id: 7 } },
      'watch: GET / sent an event "lorry", which its events do not declare',
    ],
    [
      'an event without a name beside names',
      { car: Car },
      { data: { id: 7 } },
      'watch: GET / sent an event "message", which its events do not declare',
    ],
    [
      'a name without names',
      Car,
      { event: 'car', data: { id: 7 } },
      'watch: GET / sent an event "car", which its events do not declare',
    ],
    [
      'data that is missing',
      { car: Car },
      { event: 'car' },
      'watch: GET / sent an event "car" that its events do not allow: : Invalid input: expected object, received undefined',
    ],
  ]
  for (const [title, schema, sent, reason] of refused) {
    it(`are refused before the head is sent: ${title}`, async () => {
      const { app, reasons } = events(schema, [sent])
      const response = await app.inject('/')
      assert.deepEqual([response.statusCode, JSON.parse(response.body).code], [500, 'response_invalid'])
      assert.doesNotMatch(response.body, /secret|lorry/)
      assert.deepEqual(reasons, [reason])
    })
    it(`end the stream later: ${title}`, async () => {
      const { app, reasons } = events(schema, [{ comment: 'first' }, sent])
      await assert.rejects(app.inject('/'), { code: 'response_invalid' })
      assert.equal(reasons[0], reason)
    })
  }

  it('tell the source that nobody reads it when one is refused', async () => {
    let ended = 0
    const { app } = serve({
      events: Car,
      handler: () =>
        sse(function* source() {
          try {
            for (;;) yield { data: 'none' }
          } finally {
            ended++
          }
        }),
    })
    assert.equal((await app.inject('/')).statusCode, 500)
    assert.equal(ended, 1)
  })

  it('are sent as they are without checks', async () => {
    const sent = [{ event: 'lorry', data: { id: 'x', secret: 1 } }]
    const { app } = events({ car: Car }, sent, { validateResponses: false })
    assert.equal((await app.inject('/')).body, 'event: lorry\ndata: {"id":"x","secret":1}\n\n')
  })

  it('refuse what is not declared with strict checks', async () => {
    const { app, reasons } = events({ car: Car }, [{ event: 'car', data: { id: 7, secret: 1 } }], {
      validateResponses: 'strict',
    })
    assert.equal((await app.inject('/')).statusCode, 500)
    assert.deepEqual(reasons, [
      'watch: GET / sent an event "car" with secret, which its events do not declare',
    ])
  })

  const others: readonly (readonly [string, () => unknown, string])[] = [
    ['data', () => ({ id: 7 }), 'an object with id'],
    ['text', () => text('no'), 'a string of 2 characters'],
    ['a response of the platform', () => Response.json({ id: 7 }), 'an instance of Response'],
    ['bytes', () => new Uint8Array(2), 'an instance of Uint8Array'],
    ['a stream', () => Readable.from(['x']), 'an instance of Readable'],
  ]
  for (const [title, handler, what] of others)
    it(`are what a handler returns, not ${title}`, async () => {
      const { app, reasons } = serve({ events: Car, handler })
      const response = await app.inject('/')
      assert.deepEqual([response.statusCode, JSON.parse(response.body).code], [500, 'response_invalid'])
      assert.deepEqual(reasons, [`watch: GET / returned ${what}, and it declares events: return sse(…)`])
    })

  it('leave other statuses to the response', async () => {
    const response = { 404: z.object({ detail: z.string() }) }
    const { app } = serve({ events: Car, response, handler: () => reply(404, { detail: 'none', secret: 1 }) })
    const { statusCode, body } = await app.inject('/')
    assert.deepEqual([statusCode, body], [404, '{"detail":"none"}'])
  })

  it('end for good when nothing is returned', async () => {
    const { app } = serve({ events: Car, handler: () => undefined })
    assert.equal((await app.inject('/')).statusCode, 204)
  })
})

describe('declared items', () => {
  const car = { id: 7, built: new Date(0), secret: 1 }
  const line = '{"id":7,"built":"1970-01-01T00:00:00.000Z"}\n'
  const sources: readonly (readonly [string, () => unknown])[] = [
    ['a list', () => [car, car]],
    ['a promise of a list', async () => [car, car]],
    ['a set', () => new Set([car, { ...car }])],
    [
      'a generator',
      function* cars() {
        yield car
        yield car
      },
    ],
    [
      'an async generator',
      async function* cars() {
        yield car
        yield car
      },
    ],
    ['a stream of objects', () => Readable.from([car, car])],
    ['a web stream', () => new Blob([]).stream().constructor && ReadableStream.from([car, car])],
    ['a reply', () => reply(200, [car, car])],
  ]
  for (const [title, handler] of sources)
    it(`are one line of JSON each: ${title}`, async () => {
      const { app, reasons } = items(Car, handler)
      const { statusCode, headers, body } = await app.inject('/')
      assert.deepEqual([statusCode, body, reasons], [200, line + line, []])
      assert.equal(headers['content-type'], 'application/x-ndjson')
    })

  it('may be none, values that are no objects, and many', async () => {
    assert.equal((await items(Car, () => []).app.inject('/')).body, '')
    assert.equal((await items(z.string(), () => ['a\nb']).app.inject('/')).body, '"a\\nb"\n')
    const many = Array.from({ length: 5000 }, (_, id) => ({ id }))
    const { body } = await items(Car, () => many).app.inject('/')
    assert.deepEqual(
      body
        .trimEnd()
        .split('\n')
        .map((each) => JSON.parse(each)),
      many,
    )
  })

  it('keep the type that a reply has', async () => {
    const handler = (): unknown => reply(200, [car], { headers: { 'Content-Type': 'application/jsonl' } })
    assert.equal((await items(Car, handler).app.inject('/')).headers['content-type'], 'application/jsonl')
  })

  it('are refused with the reason in the log', async () => {
    const { app, reasons } = items(Car, () => [{ id: 'secret' }])
    const response = await app.inject('/')
    assert.deepEqual([response.statusCode, JSON.parse(response.body).code], [500, 'response_invalid'])
    assert.doesNotMatch(response.body, /secret/)
    assert.deepEqual(reasons, [
      'watch: GET / sent an item that its items do not allow: id: Invalid input: expected number, received string',
    ])
  })

  it('end the stream when one is refused later, and tell the source', async () => {
    let ended = 0
    const { app, reasons } = items(Car, async function* cars() {
      try {
        yield car
        for (;;) yield { id: 'x' }
      } finally {
        ended++
      }
    })
    await assert.rejects(app.inject('/'), { code: 'response_invalid' })
    assert.match(reasons[0] ?? '', /sent an item that its items do not allow/)
    assert.equal(ended, 1)
  })

  for (const [title, handler, what] of [
    ['text', () => 'no', 'a string'],
    ['an object', () => car, 'an object with id'],
    ['bytes', () => new Uint8Array(2), 'an instance of Uint8Array'],
    ['events', () => sse([]), 'an object'],
    ['null', () => null, 'null'],
  ] as const)
    it(`are an iterable, not ${title}`, async () => {
      const { app, reasons } = items(Car, handler)
      assert.equal((await app.inject('/')).statusCode, 500)
      assert.equal(reasons.length, 1)
      assert.match(
        reasons[0] ?? '',
        new RegExp(`returned ${what}.*and it declares items: return an iterable of items`),
      )
    })

  it('are not asked for by HEAD, and the source is told', async () => {
    let asked = 0
    const source = {
      [Symbol.asyncIterator]: () => source,
      next: async () => ({ done: ++asked > 0, value: undefined }),
      return: async () => ({ done: true, value: undefined }),
    }
    const { app } = items(Car, () => source)
    const { statusCode, headers } = await app.inject({ method: 'HEAD', url: '/' })
    assert.deepEqual([statusCode, headers['content-type'], asked], [200, 'application/x-ndjson', 0])
  })

  it('are sent as they are without checks', async () => {
    const { app } = items(Car, () => [{ id: 'x', secret: 1 }], { validateResponses: false })
    assert.equal((await app.inject('/')).body, '{"id":"x","secret":1}\n')
  })
})

describe('a declaration that cannot be used', () => {
  const handler = (): unknown => []
  const cases: readonly (readonly [string, object, string])[] = [
    ['events and items', { events: Car, items: Car }, 'a route has both events and items'],
    ['no schema of items', { items: { car: Car } }, 'items is an object with car'],
    ['no schema of events', { events: 'car' }, 'events is a string of 3 characters'],
    ['no event', { events: {} }, 'events is empty'],
    ['an event without a schema', { events: { car: 7 } }, 'events.car is 7'],
    ['an event with a name of two lines', { events: { 'a\nb': Car } }, 'events names "a\\nb"'],
    [
      'a response of the same status',
      { events: Car, response: { 200: Car } },
      'response declares 200, which is the status of events',
    ],
    [
      'a response without a status',
      { items: Car, response: Car },
      'response declares 200, which is the status of items',
    ],
    ['another status', { items: Car, status: 201 }, 'status is 201 beside items'],
  ]
  for (const [title, route, message] of cases)
    it(`is reported at the start: ${title}`, () => {
      assert.throws(
        () => serve({ handler, ...route }),
        (error: Error & { readonly errors: readonly object[] }) => {
          const [problem, ...rest] = error.errors
          const { code, where, message: found, fix } = Object(problem)
          assert.deepEqual([code, found, rest], ['invalid_stream', message, []])
          assert.match(where, /^watch: GET \//)
          assert.match(fix, /\w/)
          return true
        },
      )
    })
})
