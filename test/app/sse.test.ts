import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, notFound, sse } from 'octavo'
import type { EventRequest, ServerSentEvent, SseOptions } from 'octavo'

/** An application that answers with events. */
function serve(source: Parameters<typeof sse>[0], options?: SseOptions) {
  const route = { method: 'GET', handler: () => sse(source, options) } as const
  return createApp(defineModule({ controllers: [defineController({ prefix: '/', routes: [route] })] }), {
    logger: false,
  })
}

async function textOf(source: Parameters<typeof sse>[0], options?: SseOptions): Promise<string> {
  return (await serve(source, options).inject('/')).body
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('the text of an event', () => {
  const cases: readonly (readonly [ServerSentEvent, string])[] = [
    [{ data: 'text' }, 'data: text\n\n'],
    [{ data: '' }, 'data: \n\n'],
    [{ data: ' blank' }, 'data:  blank\n\n'],
    [{ data: 'a\nb\r\nc\rd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
    [{ data: 'end\n' }, 'data: end\ndata: \n\n'],
    [{ data: '\n\nevent: x' }, 'data: \ndata: \ndata: event: x\n\n'],
    [{ data: 'é🚗\u2028' }, 'data: é🚗\u2028\n\n'],
    [{ data: { a: 'x\ny', b: [1, null] } }, 'data: {"a":"x\\ny","b":[1,null]}\n\n'],
    [{ data: 7 }, 'data: 7\n\n'],
    [{ data: null }, 'data: null\n\n'],
    [{ data: false }, 'data: false\n\n'],
    [{ data: new Date(0) }, 'data: "1970-01-01T00:00:00.000Z"\n\n'],
    [{ event: 'car', id: '7', retry: 500, data: 'x' }, 'event: car\nid: 7\nretry: 500\ndata: x\n\n'],
    // without a line of data, clients drop an event
    [{ event: 'ping' }, 'event: ping\ndata:\n\n'],
    [{ id: '8' }, 'id: 8\n\n'],
    [{ id: '', data: 'x' }, 'id: \ndata: x\n\n'],
    [{ retry: 0 }, 'retry: 0\n\n'],
    [{ comment: 'note' }, ': note\n\n'],
    [{ comment: 'a\rdata: b' }, ': a\n: data: b\n\n'],
  ]
  for (const [event, text] of cases)
    it(`is ${JSON.stringify(text)} for ${JSON.stringify(event)}`, async () =>
      assert.equal(await textOf([event]), text))

  for (const [title, event] of [
    ['a line feed in its name', { event: 'a\nb', data: 1 }],
    ['a carriage return in its name', { event: 'a\rdata: x', data: 1 }],
    ['NUL in its name', { event: 'a\0', data: 1 }],
    ['a line feed in its id', { id: '1\n2', data: 1 }],
    ['a carriage return in its id', { id: '1\r2', data: 1 }],
    ['NUL in its id', { id: '1\0', data: 1 }],
    ['a number as id', { id: 7, data: 1 }],
    ['half a millisecond', { retry: 0.5 }],
    ['a negative time', { retry: -1 }],
    ['data that JSON cannot hold', { data: () => 1 }],
    ['a bigint', { data: 1n }],
    ['unknown members', { name: 'x' }],
    ['no members', {}],
    ['text', 'text'],
    ['null', null],
  ] as const) {
    it(`is a 500 with ${title}, when it is the first`, async () => {
      const source = [event]
      const response = await Reflect.apply(serve, undefined, [source]).inject('/')
      assert.equal(response.statusCode, 500)
    })
  }

  it('breaks the stream off when it cannot be written and is not the first', async () => {
    await assert.rejects(textOf([{ data: 1 }, { id: '\n' }]), TypeError)
  })
})

describe('sse', () => {
  it('says what it takes when it is given something else', async () => {
    const messages: unknown[] = []
    const note = (details: object): void => {
      messages.push('err' in details && details.err instanceof Error && details.err.message)
    }
    const handler = (): unknown => Reflect.apply(sse, undefined, [7])
    const feed = defineController({ prefix: '/', routes: [{ method: 'GET', handler }] })
    const logger = { debug: () => {}, info: () => {}, warn: note, error: note }
    const response = await createApp(defineModule({ controllers: [feed] }), { logger }).inject('/')
    assert.equal(response.statusCode, 500)
    assert.deepEqual(messages, [
      'sse: the source is neither an iterable of events nor a function that returns one',
    ])
  })

  it('says what it is, and that nobody should keep or change it', async () => {
    const { statusCode, headers } = await serve([]).inject('/')
    assert.deepEqual(
      [statusCode, headers],
      [
        200,
        {
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache, no-transform',
          'x-accel-buffering': 'no',
        },
      ],
    )
  })

  it('carries a status, headers and cookies', async () => {
    const options = { status: 203, headers: { 'X-Own': 'yes' }, cookies: { seen: 'yes' } }
    const { statusCode, headers } = await serve([], options).inject('/')
    assert.deepEqual([statusCode, headers['x-own'], headers['set-cookie']], [203, 'yes', ['seen=yes']])
  })

  it('takes iterables and functions of them, whether or not they take time', async () => {
    const events = [{ data: 1 }, { data: 2 }]
    const expected = 'data: 1\n\ndata: 2\n\n'
    async function* later() {
      await wait(1)
      yield* events
    }
    const sources = [
      events,
      new Set(events),
      events.values(),
      later(),
      later,
      () => events,
      async () => events,
      async () => later(),
    ]
    for (const source of sources) assert.equal(await textOf(source), expected)
  })

  it('says when to come back before anything else', async () => {
    assert.equal(await textOf([{ data: 1 }], { retry: 250 }), 'retry: 250\n\ndata: 1\n\n')
  })

  it('tells the source which event was the last', async () => {
    const app = serve(({ lastEventId }) => [{ data: lastEventId ?? 'none' }])
    for (const [id, expected] of [
      ['7', '7'],
      ['\u00e9', 'é'],
      // UTF-8, byte by byte, as node:http reads it
      [Buffer.from('é').toString('latin1'), 'é'],
    ] as const) {
      const { body } = await app.inject({ url: '/', headers: { 'last-event-id': id } })
      assert.equal(body, `data: ${expected}\n\n`)
    }
    assert.equal((await app.inject('/')).body, 'data: none\n\n')
  })

  it('answers an error before the first event as any other', async () => {
    const missing = () => {
      throw notFound('No such car')
    }
    async function* late() {
      await wait(1)
      missing()
      yield { data: 1 }
    }
    for (const source of [missing, async () => missing(), late, late()]) {
      const response = await serve(source).inject('/')
      assert.deepEqual(
        [response.statusCode, response.headers['content-type']],
        [404, 'application/problem+json'],
      )
    }
  })

  it('rejects times that are none', () => {
    for (const options of [{ heartbeat: -1 }, { heartbeat: 0.5 }, { heartbeat: 2 ** 31 }, { retry: -1 }])
      assert.throws(() => sse([], options), RangeError)
  })

  it('sends heartbeats while the source is silent, and loses no event to them', async () => {
    async function* slow() {
      for (const data of [1, 2]) {
        await wait(35)
        yield { data }
      }
    }
    const text = await textOf(slow, { heartbeat: 10, retry: 1 })
    assert.match(text, /^retry: 1\n\n(?::\n\n)+data: 1\n\n(?::\n\n)+data: 2\n\n$/)
  })

  it('sends none when the source speaks, nor where heartbeat is 0', async () => {
    async function* slow() {
      await wait(20)
      yield { data: 1 }
    }
    assert.equal(await textOf(slow, { heartbeat: 0 }), 'data: 1\n\n')
    assert.equal(await textOf(slow, { heartbeat: 1_000 }), 'data: 1\n\n')
  })

  it('asks for an event only when the last was taken', async () => {
    let asked = 0
    const source: AsyncIterableIterator<ServerSentEvent> = {
      [Symbol.asyncIterator]: () => source,
      next: async () => {
        asked++
        await wait(15)
        assert.equal(asked, 1)
        return { done: true, value: undefined }
      },
    }
    await textOf(source, { heartbeat: 2 })
    assert.equal(asked, 1)
  })

  it('answers HEAD without asking for an event, and tells the source', async () => {
    let signal: AbortSignal | undefined
    let asked = 0
    const app = serve((request) => {
      signal = request.signal
      return {
        [Symbol.iterator]: () => ({
          next: () => {
            asked++
            return { done: true, value: undefined }
          },
        }),
      }
    })
    const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/' })
    assert.deepEqual([statusCode, headers['content-type'], body], [200, 'text/event-stream', ''])
    assert.deepEqual([asked, signal?.aborted], [0, true])
  })

  it('ends the source when inject is given up', async () => {
    let ended = ''
    const source = async function* endless({ signal }: EventRequest) {
      try {
        yield { data: 1 }
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      } finally {
        ended = signal.aborted ? 'aborted' : 'not aborted'
      }
    }
    const abort = new AbortController()
    const injected = serve(source).inject({ url: '/', signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 5)
    await assert.rejects(injected, new Error('enough'))
    await wait(1)
    assert.equal(ended, 'aborted')
  })

  it('ends the source when a middleware drops it', async () => {
    let ended = 0
    const source = async function* endless() {
      try {
        for (;;) yield { data: 1 }
      } finally {
        ended++
      }
    }
    const route = { method: 'GET', handler: () => sse(source) } as const
    for (const body of ['other', new Blob(['other']).stream()]) {
      const app = createApp(
        defineModule({ controllers: [defineController({ prefix: '/', routes: [route] })] }),
        { logger: false, middleware: [async (_context, next) => ({ ...(await next()), body })] },
      )
      assert.equal((await app.inject('/')).body, 'other')
    }
    assert.equal(ended, 2)
  })

  it('aborts the signal of a source that fails', async () => {
    let signal: AbortSignal | undefined
    const failing = (request: EventRequest) => {
      signal = request.signal
      throw new Error('no')
    }
    assert.equal((await serve(failing).inject('/')).statusCode, 500)
    assert.equal(signal?.aborted, true)
  })
})
