import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import {
  Dispatcher,
  fetch as undiciFetch,
  FormData as UndiciFormData,
  getGlobalDispatcher,
  interceptors,
  request,
  setGlobalDispatcher,
} from 'undici'

import { redirect, text } from 'octavo'
import { createDispatcher } from 'octavo/undici'

import { serve } from '../support/serve.ts'
import {
  abortedSoon,
  CHUNK,
  CHUNKS,
  createBrokenApp,
  createSlowApp,
  createUpload,
  eventually,
} from './adapters-support.ts'

const ORIGIN = 'http://cars.internal'

let failures = 0
const echo = serve([
  {
    method: ['GET', 'POST', 'PUT'],
    path: '/echo',
    handler: async (_input, { request: { method, url, host, protocol, headers, ...rest } }) => {
      void rest
      return { method, url, host, protocol, headers }
    },
  },
  {
    method: 'POST',
    path: '/body',
    handler: async (_input, { request: seen }) =>
      text(`${seen.header('content-type')}: ${await seen.text()}`),
  },
  {
    method: 'GET',
    path: '/sometimes',
    handler: () => (failures++ % 2 === 0 ? new Response('busy', { status: 503 }) : 'ready'),
  },
])

interface Echoed {
  readonly method: string
  readonly url: string
  readonly host: string
  readonly protocol: string
  readonly headers: Readonly<Record<string, string>>
}

async function echoed(
  options: Omit<Dispatcher.RequestOptions, 'path' | 'method'> & { readonly path?: string },
) {
  const { body } = await createDispatcher(echo).request({
    origin: ORIGIN,
    path: '/echo',
    method: 'GET',
    ...options,
  })
  return (await body.json()) as Echoed
}

/** What a handler of either shape is told. */
function createHandler(
  isModern: boolean,
  told: string[],
  take: (controller: Flow) => void = () => undefined,
) {
  let flow: Flow | undefined
  return isModern
    ? {
        onRequestStart: (controller: Dispatcher.DispatchController) => {
          told.push('start')
          flow = controller
        },
        onResponseStart: (controller: Flow, status: number) => {
          told.push(`head ${status}`)
          take(controller)
        },
        onResponseData: (controller: Flow, chunk: Buffer) => {
          told.push(`data ${chunk.length}`)
          take(controller)
        },
        onResponseEnd: () => void told.push('end'),
        onResponseError: (_controller: unknown, error: Error) => void told.push(`error ${error.message}`),
        flow: () => flow,
      }
    : {
        onConnect: (abort: (error?: Error) => void) => {
          told.push('start')
          flow = { abort, pause: () => undefined, resume: () => undefined }
        },
        onHeaders: (status: number, _headers: Buffer[], resume: () => void) => {
          told.push(`head ${status}`)
          let isPaused = false
          const abort = flow?.abort ?? (() => undefined)
          flow = { abort, pause: () => (isPaused = true), resume }
          take(flow)
          return !isPaused
        },
        onData: (chunk: Buffer) => {
          told.push(`data ${chunk.length}`)
          let isPaused = false
          if (flow !== undefined) take({ ...flow, pause: () => (isPaused = true) })
          return !isPaused
        },
        onComplete: () => void told.push('end'),
        onError: (error: Error) => void told.push(`error ${error.message}`),
        flow: () => flow,
      }
}

interface Flow {
  readonly abort: (reason: Error) => void
  readonly pause: () => unknown
  readonly resume: () => void
}

describe('a request of undici', () => {
  const cases = [
    ['has the host of its origin', { origin: 'http://Cars.internal:81' }, { host: 'cars.internal:81' }],
    ['has the protocol of its origin', { origin: new URL('https://cars.internal') }, { protocol: 'https' }],
    ['may have a host of its own', { headers: { Host: 'own.example' } }, { host: 'own.example' }],
    ['may have a query beside its path', { query: { a: [1, 'é'], b: '' } }, { url: '/echo?a=1&a=%C3%A9&b=' }],
  ] as const
  for (const [title, options, expected] of cases) {
    it(title, async () => {
      const seen = await echoed(options)
      assert.deepEqual({ ...seen, ...expected }, seen)
    })
  }

  it('keeps a path without a slash out of its host', async () => {
    for (const [path, url] of [
      ['echo', '/echo'],
      ['?q=1', '/?q=1'],
      ['@evil/echo', '/@evil/echo'],
      [':80/echo', '/:80/echo'],
    ]) {
      const { body, statusCode } = await createDispatcher(echo).request({
        origin: ORIGIN,
        path,
        method: 'GET',
      } as never)
      const seen = statusCode === 200 ? ((await body.json()) as Echoed).url : await body.text()
      assert.ok(statusCode === 404 || seen === url, `${path}: ${statusCode} ${seen}`)
    }
    assert.equal((await echoed({ path: 'echo' })).host, 'cars.internal')
  })

  it('has no host that would begin a path', async () => {
    for (const host of ['a/b', 'a?b', 'a#b', 'a\\b', 'a@b', 'a b', 'a,b']) {
      const { statusCode, body } = await createDispatcher(echo).request({
        origin: ORIGIN,
        path: '/echo',
        method: 'GET',
        headers: { host },
      })
      assert.equal(statusCode, 400, `${host}: ${await body.text()}`)
    }
  })

  const shapes: readonly (readonly [string, Dispatcher.RequestOptions['headers']])[] = [
    ['a record', { 'X-A': ['1', '2'], 'x-b': 'é' }],
    ['a flat list', ['X-A', '1', 'x-a', '2', 'x-b', 'é']],
    [
      'a map',
      new Map<string, string | string[]>([
        ['X-A', ['1', '2']],
        ['x-b', 'é'],
      ]),
    ],
    [
      'web headers',
      new Headers([
        ['X-A', '1'],
        ['x-a', '2'],
        ['x-b', 'é'],
      ]) as never,
    ],
  ]
  for (const [title, headers] of shapes) {
    it(`may have its headers as ${title}`, async () => {
      const seen = await echoed({ headers: headers ?? null })
      assert.equal(seen.headers['x-a'], '1, 2')
      assert.equal(seen.headers['x-b'], 'é')
    })
  }

  it('needs no origin', async () => {
    const { body } = await createDispatcher(echo).request({ path: '/echo', method: 'GET' } as never)
    assert.equal(((await body.json()) as Echoed).host, 'localhost')
  })

  const impossible = [
    ['a header that cannot be sent', { headers: { 'x-a': 'b\r\nx-c: d' } }, /header x-a/],
    ['a path that cannot be sent', { path: '/é' }, /path has a character/],
    ['a query in the path and beside it', { path: '/echo?a=1', query: { b: 2 } }, /not both/],
    ['an upgrade', { upgrade: 'websocket' }, /upgrades/],
    ['a body that is none', { method: 'POST', body: 7 }, /a number cannot be sent/],
    ['an origin that is none', { origin: 'cars' }, /Invalid URL/],
  ] as const
  for (const [title, options, expected] of impossible) {
    it(`rejects for ${title}`, async () => {
      await assert.rejects(echoed(options as never), expected)
    })
  }
})

describe('the body of a request of undici', () => {
  const form = new FormData()
  form.set('a', 'é')
  const own = new UndiciFormData()
  own.set('a', 'é')
  const bodies: readonly (readonly [string, unknown, RegExp])[] = [
    ['text', 'aé', /^undefined: aé$/],
    ['bytes', new Uint8Array([97, 98]), /^undefined: ab$/],
    ['a view', new DataView(new Uint8Array([97, 98]).buffer), /^undefined: ab$/],
    ['a buffer', new Uint8Array([97, 98]).buffer, /^undefined: ab$/],
    ['a stream', Readable.from(['a', 'é']), /^undefined: aé$/],
    ['an iterable', [Buffer.from('a'), Buffer.from('b')], /^undefined: ab$/],
    ['a blob', new Blob(['ab'], { type: 'text/plain' }), /^text\/plain: ab$/],
    ['search parameters', new URLSearchParams({ a: 'b' }), /^application\/x-www-form-urlencoded.*: a=b$/],
    ['a form', form, /^multipart\/form-data; boundary=[^]*name="a"[^]*é/],
    ['a form of undici', own, /^multipart\/form-data; boundary=[^]*name="a"[^]*é/],
    ['nothing', null, /^undefined: $/],
  ]
  for (const [title, body, expected] of bodies) {
    it(`may be ${title}`, async () => {
      const options = { origin: ORIGIN, path: '/body', method: 'POST', body } as Dispatcher.RequestOptions
      const response = await createDispatcher(echo).request(options)
      assert.match(await response.body.text(), expected)
    })
  }

  it('is cancelled when nobody reads it', async () => {
    const { app } = createSlowApp()
    const { upload, source } = createUpload(1000)
    const dispatcher = createDispatcher(app)
    const body = Readable.from(source())
    const response = await request(`${ORIGIN}/ignored`, { method: 'POST', body, dispatcher })
    assert.equal(response.statusCode, 200)
    await response.body.dump()
    await eventually(() => upload.stopped === 1, 'the source is told')
    assert.ok(upload.taken < 20, `${upload.taken} chunks were taken`)
  })

  it('that fails rejects with its error, and aborts the request', async () => {
    const { app, happenings } = createSlowApp()
    const { source } = createUpload(2, new Error('disk'))
    const body = Readable.from(source())
    await assert.rejects(
      request(`${ORIGIN}/size`, { method: 'POST', body, dispatcher: createDispatcher(app) }),
      /disk/,
    )
    await eventually(() => happenings.ended === 1, 'the request ends')
    assert.match(String(happenings.reason), /disk/)
  })
})

for (const [name, isModern] of [
  ['onRequestStart', true],
  ['onConnect', false],
] as const) {
  describe(`a handler with ${name}`, () => {
    it('is told start, head, data and end', async () => {
      const { app } = createSlowApp()
      await app.ready()
      const told: string[] = []
      createDispatcher(app).dispatch(
        { origin: ORIGIN, path: '/short', method: 'GET' },
        createHandler(isModern, told),
      )
      await eventually(() => told.includes('end'), 'the end')
      assert.deepEqual(told, ['start', 'head 200', 'data 13', 'end'])
    })

    it('that pauses is told nothing until it resumes', async () => {
      const { app, happenings } = createSlowApp()
      const told: string[] = []
      const handler = createHandler(isModern, told, (flow) => flow.pause())
      createDispatcher(app).dispatch({ origin: ORIGIN, path: '/long', method: 'GET' }, handler)
      await eventually(() => told.length === 2, 'the head')
      await new Promise((resolve) => setTimeout(resolve, 5))
      assert.deepEqual(told, ['start', 'head 200'])
      handler.flow()?.resume()
      await eventually(() => told.length === 3, 'a chunk')
      await new Promise((resolve) => setTimeout(resolve, 5))
      assert.deepEqual(told, ['start', 'head 200', `data ${CHUNK.length}`])
      assert.ok(happenings.produced <= 2, `${happenings.produced} chunks were produced`)
      handler.flow()?.abort(new Error('enough'))
      assert.equal(told.at(-1), 'error enough')
      await eventually(() => happenings.ended === 1, 'the request ends')
    })

    it('that pauses before a short body gets it when it resumes', async () => {
      const { app } = createSlowApp()
      const told: string[] = []
      const handler = createHandler(isModern, told, (flow) => flow.pause())
      createDispatcher(app).dispatch({ origin: ORIGIN, path: '/short', method: 'GET' }, handler)
      await eventually(() => told.length === 2, 'the head')
      handler.flow()?.resume()
      await eventually(() => told.includes('end'), 'the end')
      assert.deepEqual(told, ['start', 'head 200', 'data 13', 'end'])
    })

    it('that throws gets its error', async () => {
      const { app, happenings } = createSlowApp()
      const told: string[] = []
      const handler = createHandler(isModern, told, () => {
        throw new Error('mine')
      })
      createDispatcher(app).dispatch({ origin: ORIGIN, path: '/long', method: 'GET' }, handler)
      await eventually(() => happenings.ended === 1, 'the request ends')
      assert.deepEqual(told, ['start', 'head 200', 'error mine'])
    })

    it('may abort before there is an answer', async () => {
      const { app, happenings } = createSlowApp()
      await app.ready()
      const told: string[] = []
      const handler = createHandler(isModern, told)
      createDispatcher(app).dispatch({ origin: ORIGIN, path: '/never', method: 'GET' }, handler)
      handler.flow()?.abort(new Error('enough'))
      assert.deepEqual(told, ['start', 'error enough'])
      await eventually(() => happenings.ended === 1, 'the request ends')
      assert.match(String(happenings.reason), /enough/)
    })

    it('may abort before the request begins', async () => {
      const { app, happenings } = createSlowApp()
      const told: string[] = []
      const handler = createHandler(isModern, told)
      const start = handler.onRequestStart ?? handler.onConnect
      const aborting = {
        ...handler,
        [name]: (first: never) => {
          start?.(first)
          handler.flow()?.abort(new Error('enough'))
        },
      }
      createDispatcher(app).dispatch({ origin: ORIGIN, path: '/long', method: 'GET' }, aborting)
      await app.close()
      assert.deepEqual(told, ['start', 'error enough'])
      assert.equal(happenings.produced, 0)
    })

    const failing = [
      ['the application cannot start', async () => createBrokenApp(), 'error Broken'],
      [
        'the application is closed',
        async () => {
          const { app } = createSlowApp()
          await app.close()
          return app
        },
        'error The application is closed',
      ],
    ] as const
    for (const [title, make, expected] of failing) {
      it(`is told that ${title}`, async () => {
        const told: string[] = []
        const app = await make()
        createDispatcher(app).dispatch(
          { origin: ORIGIN, path: '/', method: 'GET' },
          createHandler(isModern, told),
        )
        await eventually(() => told.length === 2, 'the error')
        assert.ok(told[1]?.startsWith(expected), String(told[1]))
      })
    }
  })
}

describe('undici and Node', () => {
  const fetches = [
    ['undici.fetch', (url: string, init: object) => undiciFetch(url, init) as unknown as Promise<Response>],
    ['the fetch of Node', (url: string, init: object) => fetch(url, init)],
  ] as const
  for (const [name, send] of fetches) {
    it(`stream with ${name}, no faster than they read`, async () => {
      const { app, happenings } = createSlowApp()
      const response = await send(`${ORIGIN}/long`, { dispatcher: createDispatcher(app) })
      const reader = response.body?.getReader()
      await reader?.read()
      await new Promise((resolve) => setTimeout(resolve, 5))
      assert.ok(happenings.produced < 16, `${happenings.produced} chunks were produced`)
      let size = CHUNK.length
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
        size += part.value.length
      assert.equal(size, CHUNKS * CHUNK.length)
      assert.equal(happenings.ended, 1)
    })

    it(`cancel with ${name}`, async () => {
      const { app, happenings } = createSlowApp()
      const response = await send(`${ORIGIN}/long`, { dispatcher: createDispatcher(app) })
      await response.body?.cancel()
      await eventually(() => happenings.ended === 1, 'the request ends')
      assert.equal(happenings.stopped, 1)
      assert.ok(happenings.reason !== undefined, 'the signal was aborted')
    })

    it(`abort with ${name}`, async () => {
      const { app, happenings } = createSlowApp()
      const signal = abortedSoon(new Error('enough'))
      await assert.rejects(send(`${ORIGIN}/never`, { dispatcher: createDispatcher(app), signal }), /enough/)
      await eventually(() => happenings.ended === 1, 'the request ends')
    })

    it(`tell with ${name} that a stream broke off`, async () => {
      const { app } = createSlowApp()
      const response = await send(`${ORIGIN}/broken`, { dispatcher: createDispatcher(app) })
      await assert.rejects(response.arrayBuffer())
    })

    it(`send streams with ${name}`, async () => {
      const { app } = createSlowApp()
      const { source } = createUpload(10)
      const response = await send(`${ORIGIN}/size`, {
        method: 'POST',
        body: Readable.toWeb(Readable.from(source())),
        duplex: 'half',
        dispatcher: createDispatcher(app),
      })
      assert.deepEqual(await response.json(), { size: 10 * CHUNK.length })
    })
  }

  it('have stream and pipeline', async () => {
    const { app } = createSlowApp()
    const dispatcher = createDispatcher(app)
    let size = 0
    const count = () =>
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          size += chunk.length
          setImmediate(done)
        },
      })
    await dispatcher.stream({ origin: ORIGIN, path: '/long', method: 'GET' }, count)
    assert.equal(size, CHUNKS * CHUNK.length)
    size = 0
    const duplex = dispatcher.pipeline({ origin: ORIGIN, path: '/size', method: 'POST' }, ({ body }) => body)
    await pipeline(Readable.from([CHUNK, CHUNK]), duplex, count())
    assert.equal(size, '{"size":32768}'.length)
  })

  it('may have it as their global dispatcher', async () => {
    const before = getGlobalDispatcher()
    setGlobalDispatcher(createDispatcher(echo))
    try {
      const { body } = await request(`${ORIGIN}/echo`)
      assert.equal(((await body.json()) as Echoed).method, 'GET')
      const response = await fetch(`${ORIGIN}/echo`, { method: 'PUT' })
      assert.equal(((await response.json()) as Echoed).method, 'PUT')
    } finally {
      setGlobalDispatcher(before)
    }
  })

  it('may put interceptors before it', async () => {
    const retrying = createDispatcher(echo).compose(interceptors.retry({ minTimeout: 1, statusCodes: [503] }))
    const response = await request(`${ORIGIN}/sometimes`, { dispatcher: retrying })
    assert.equal(response.statusCode, 200)
    assert.equal(await response.body.json(), 'ready')
    assert.equal(failures, 2)
  })

  it('may follow redirects to a path with a query by an interceptor', async () => {
    const app = serve([
      { method: 'GET', path: '/old', handler: () => redirect('/new?a=1') },
      { method: 'GET', path: '/new', handler: (_input, { request: { url } }) => url },
    ])
    const following = createDispatcher(app).compose(interceptors.redirect({ maxRedirections: 1 }))
    const { body } = await request(`${ORIGIN}/old`, { dispatcher: following })
    assert.equal(await body.json(), '/new?a=1')
  })

  it('may limit a body by an interceptor that has an abort of its own', async () => {
    const app = serve([{ method: 'GET', path: '/', handler: () => text('x'.repeat(10)) }])
    const dumping = createDispatcher(app).compose(interceptors.dump({ maxSize: 5 }))
    await assert.rejects(request(ORIGIN, { dispatcher: dumping }), /larger than maxSize/)
  })
})

describe('the end of a dispatcher', () => {
  it('waits for what is under way, and refuses what comes then', async () => {
    const { app, happenings } = createSlowApp()
    const dispatcher = createDispatcher(app)
    const { body } = await request(`${ORIGIN}/long`, { dispatcher })
    const order: string[] = []
    const closed = dispatcher.close().then(() => order.push('closed'))
    await assert.rejects(request(`${ORIGIN}/short`, { dispatcher }), { name: 'ClientClosedError' })
    await body.dump({ limit: 10_000_000 }).then(() => order.push('read'))
    await closed
    assert.deepEqual(order.toSorted(), ['closed', 'read'])
    assert.equal(happenings.ended, 1)
    assert.equal((await app.inject('/short')).statusCode, 200)
  })

  it('may abort what is under way', async () => {
    const { app, happenings } = createSlowApp()
    const dispatcher = createDispatcher(app)
    const rejected = assert.rejects(request(`${ORIGIN}/never`, { dispatcher }), /too late/)
    await app.ready()
    await dispatcher.destroy(new Error('too late'))
    await rejected
    await assert.rejects(request(`${ORIGIN}/short`, { dispatcher }), { name: 'ClientDestroyedError' })
    await eventually(() => happenings.ended === 1 || happenings.reason === undefined, 'the request ends')
  })

  it('calls back, where that is wanted', async () => {
    const dispatcher = createDispatcher(createSlowApp().app)
    await new Promise<void>((resolve) => dispatcher.close(resolve))
    await new Promise<void>((resolve) => dispatcher.destroy(resolve))
    await new Promise<void>((resolve) => dispatcher.destroy(null, resolve))
  })

  it('may be asked for through interceptors', async () => {
    const { app } = createSlowApp()
    const composed = createDispatcher(app).compose(interceptors.dump())
    await composed.close()
    await assert.rejects(request(`${ORIGIN}/short`, { dispatcher: composed }), { name: 'ClientClosedError' })
    await composed.destroy()
  })

  it('is not the end of the application', async () => {
    const { app } = createSlowApp()
    await createDispatcher(app).destroy()
    const { statusCode, body } = await request(`${ORIGIN}/short`, { dispatcher: createDispatcher(app) })
    await body.dump()
    assert.equal(statusCode, 200)
  })
})

describe('a dispatcher', () => {
  it('is one of undici', () => {
    assert.ok(createDispatcher(echo) instanceof Dispatcher, 'it extends the class')
  })

  it('keeps requests that no socket keeps from being collected', async () => {
    const { app } = createSlowApp()
    setFlagsFromString('--expose_gc')
    const collect = runInNewContext('gc') as () => void
    const timer = setInterval(collect, 1)
    const answers = Array.from({ length: 20 }, async () => {
      const response = await fetch(`${ORIGIN}/long`, { dispatcher: createDispatcher(app) })
      return (await response.arrayBuffer()).byteLength
    })
    const sizes = await Promise.all(answers)
    clearInterval(timer)
    assert.deepEqual(new Set(sizes), new Set([CHUNKS * CHUNK.length]))
  })
})
