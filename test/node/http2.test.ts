import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController, HttpRequest, HttpResponse, reply } from 'octavo'
import type { AppOptions } from 'octavo'
import { z } from 'zod'

import { TEST_TLS } from '../support/tls.ts'
import { createGate, createTestApp, LOOPBACK, open } from './support.ts'

let gate = createGate()
let produced = 0
let cancelled = 0
let signals: AbortSignal[] = []
const CHUNK = new Uint8Array(65_536)

async function* endless() {
  try {
    for (produced = 0; ; produced += CHUNK.length) yield CHUNK
  } finally {
    cancelled++
    gate.open()
  }
}

const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', handler: () => 'home' },
    { method: 'GET', path: '/nothing', handler: () => undefined },
    { method: 'GET', path: '/bytes', handler: () => new Uint8Array([0, 255, 10]) },
    { method: 'GET', path: '/endless', handler: () => endless() },
    {
      method: 'GET',
      path: '/short',
      handler: () =>
        reply(
          200,
          (async function* short() {
            yield 'abc'
          })(),
          { headers: { 'content-length': '5' } },
        ),
    },
    {
      method: 'GET',
      path: '/fail',
      handler: async function* fail() {
        yield 'start'
        throw new Error('halfway')
      },
    },
    {
      method: 'GET',
      path: '/headers',
      input: { inject: { response: HttpResponse } },
      handler: ({ inject: { response } }) => {
        response.headers.set('connection', 'close')
        response.headers.set('keep-alive', 'timeout=1')
        response.headers.set('x-name', 'café')
        response.headers.append('x-list', 'a')
        response.headers.append('x-list', 'b')
        response.headers.set('x-blank', ' \ta b\t ')
        response.cookies.set('a', '1')
        response.cookies.set('b', '2')
        return 1
      },
    },
    {
      method: 'GET',
      path: '/see',
      input: { inject: { request: HttpRequest } },
      handler: ({ inject: { request } }) => ({
        headers: request.headers,
        host: request.host,
        lines: [request.headerLines('cookie'), request.headerLines('host'), request.headerLines('x-a')],
        url: request.url,
        protocol: request.protocol,
        ip: request.ip,
      }),
    },
    {
      method: 'GET',
      path: '/slow',
      input: { inject: { request: HttpRequest } },
      handler: async ({ inject: { request } }) => {
        signals.push(request.signal)
        gate.enter()
        await gate.opened
        return 'slow'
      },
    },
    {
      method: 'POST',
      path: '/size',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => body.length,
    },
    { method: 'POST', path: '/unread', handler: () => 'unread' },
    { method: 'POST', path: '/nothing', handler: () => undefined },
  ],
})

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** What the stream was reset with; 0 is no error. */
  readonly code: number
}

const sessions = new Set<ClientHttp2Session>()
after(() => {
  for (const session of sessions) session.destroy()
})

function openSession(url: string, options: object = {}): ClientHttp2Session {
  const session = connect(url, { ca: TEST_TLS.cert, ...options })
  session.on('error', () => undefined)
  sessions.add(session)
  return session
}

function read(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve) => {
    let head: Readonly<Record<string, unknown>> = {}
    let text = ''
    stream.on('response', (headers) => (head = headers))
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    stream.on('error', () => undefined)
    stream.on('close', () => {
      const { ':status': status, date: _, ...headers } = head
      resolve({
        status: typeof status === 'number' ? status : undefined,
        headers,
        text,
        code: stream.rstCode ?? -1,
      })
    })
  })
}

function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: Uint8Array): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined })
  const answer = read(stream)
  if (body !== undefined) stream.end(body)
  return answer
}

const codeOf = ({ text }: Answer): unknown => JSON.parse(text).code

async function serve(options: AppOptions = {}, tls = true) {
  const app = createTestApp(controller, options)
  const url = await app.listen({ ...LOOPBACK, http2: true, ...(tls ? { tls: TEST_TLS } : {}) })
  return { app, url, session: openSession(url) }
}

const POST = { ':method': 'POST', ':path': '/size' }
const CALM = 11

describe('HTTP/2', () => {
  const logged: object[] = []
  const ignore = (): void => undefined
  const logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (details: object) => void logged.push(details),
  }
  let served: Awaited<ReturnType<typeof serve>>
  before(async () => {
    served = await serve({ logger })
  })
  after(() => served.app.close())

  it('is chosen by ALPN, beside HTTP/1.1 on the same port', async () => {
    assert.match(served.url, /^https:\/\/127\.0\.0\.1:\d+$/)
    const { status, headers, text } = await ask(served.session, { ':path': '/' })
    assert.deepEqual([status, headers['content-length'], text], [200, '6', '"home"'])
    const request = httpsRequest(served.url, { ca: TEST_TLS.cert, agent: false }).end()
    const [response] = await once(request, 'response')
    assert.deepEqual([response.statusCode, response.httpVersion], [200, '1.1'])
    response.resume()
  })

  it('has no pseudo-headers for handlers; the authority is the host, and cookies are one header', async () => {
    const { text } = await ask(served.session, {
      ':path': '/see?q=1',
      cookie: ['a=1', 'b=2'],
      'x-a': ['1', '2'],
    })
    const { host } = new URL(served.url)
    assert.deepEqual(JSON.parse(text), {
      headers: { host, cookie: 'a=1; b=2', 'x-a': '1, 2' },
      host,
      lines: [['a=1; b=2'], [host], ['1', '2']],
      url: '/see?q=1',
      protocol: 'https',
      ip: '127.0.0.1',
    })
  })

  it('sends no headers of a connection, and several cookies', async () => {
    const { headers } = await ask(served.session, { ':path': '/headers' })
    assert.deepEqual(
      [
        headers['connection'],
        headers['keep-alive'],
        headers['x-list'],
        headers['set-cookie'],
        headers['x-name'],
        headers['x-blank'],
      ],
      [undefined, undefined, 'a, b', ['a=1', 'b=2'], 'café', 'a b'],
    )
  })

  it('answers HEAD and 204 without body', async () => {
    const head = await ask(served.session, { ':method': 'HEAD', ':path': '/' })
    const nothing = await ask(served.session, { ':path': '/nothing' })
    assert.deepEqual(
      [head.status, head.headers['content-length'], head.text, nothing.status, nothing.text],
      [200, '6', '', 204, ''],
    )
  })

  const refused = [
    ['an unknown path', { ':path': '/unknown' }, 404, 'route_not_found'],
    ['another method', { ':method': 'PUT', ':path': '/' }, 405, 'method_not_allowed'],
    ['a long target', { ':path': `/${'a'.repeat(8192)}` }, 414, 'url_too_long'],
    ['long headers', { ':path': '/', 'x-a': 'a'.repeat(16_384) }, 431, 'headers_too_large'],
    ['an unknown expectation', { ':path': '/', expect: 'a-miracle' }, 417, 'expectation_failed'],
    ['a fragment', { ':path': '/#a' }, 400, 'malformed_target'],
    [
      'a Host that differs',
      { ':path': '/', ':authority': 'a.test', host: 'b.test' },
      400,
      'malformed_request',
    ],
  ] as const
  for (const [title, headers, status, code] of refused) {
    it(`${title}: ${status} ${code}, and the connection goes on`, async () => {
      const answer = await ask(served.session, headers)
      assert.deepEqual([answer.status, codeOf(answer), answer.code], [status, code, 0])
      assert.equal((await ask(served.session, { ':path': '/' })).status, 200)
    })
  }

  it('a tunnel is refused', async () => {
    const answer = await read(served.session.request({ ':method': 'CONNECT', ':authority': 'a.test:80' }))
    assert.deepEqual([answer.status, codeOf(answer)], [400, 'malformed_target'])
  })

  const reset = [
    ['headers far over the limit', { ':path': '/', 'x-a': 'a'.repeat(50_000), 'x-b': 'a'.repeat(60_000) }],
    ['a thousand header lines', { ':path': '/', 'x-a': Array.from({ length: 1_000 }, () => '') }],
    ['an asterisk as target', { ':path': '*' }],
    ['an authority that is no host', { ':path': '/', ':authority': 'a/b' }],
    ['a control character', { ':path': '/\x01' }],
  ] as const
  for (const [title, headers] of reset) {
    it(`${title}: reset before it is a request, and others go on`, async () => {
      const answer = await ask(openSession(served.url), headers)
      assert.equal(answer.status, undefined)
      assert.notEqual(answer.code, 0)
      assert.equal((await ask(served.session, { ':path': '/' })).status, 200)
    })
  }

  it('reads bodies, and ignores what follows them', async () => {
    const stream = served.session.request(POST, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-trailer': '1' }))
    const answer = read(stream)
    stream.end(Buffer.alloc(300_000))
    assert.deepEqual([(await answer).status, (await answer).text], [200, '300000'])
  })

  for (const [title, headers] of [
    ['a declared body', { ...POST, 'content-length': 3_000_000 }],
    ['a body', POST],
  ] as const) {
    it(`${title} over the limit: 413 while it is sent, the stream ends without error and the connection goes on`, async () => {
      const session = openSession(served.url)
      const answer = await ask(session, headers, Buffer.alloc(3_000_000))
      assert.deepEqual([answer.status, codeOf(answer), answer.code], [413, 'body_too_large', 0])
      assert.equal((await ask(session, { ':path': '/' })).status, 200)
    })
  }

  it('a body that nobody reads does not keep the answer', async () => {
    for (const [path, expected] of [
      ['/unread', 200],
      ['/nothing', 204],
    ] as const) {
      const headers = { ...POST, ':path': path }
      const large = await ask(openSession(served.url), headers, Buffer.alloc(3_000_000))
      const small = await ask(served.session, headers, Buffer.alloc(3))
      assert.deepEqual([large.status, large.code, small.status, small.code], [expected, 0, expected, 0])
    }
  })

  it('tells a client to go on that asks first', async () => {
    const stream = served.session.request({ ...POST, expect: '100-continue' })
    const answer = read(stream)
    await once(stream, 'continue')
    stream.end('abc')
    assert.equal((await answer).text, '3')
  })

  it('writes no faster than the client reads, and stops when it resets the stream', async () => {
    gate = createGate()
    const cancelledBefore = cancelled
    const stream = served.session.request({ ':path': '/endless' })
    await once(stream, 'response')
    await sleep(50)
    const held = produced
    await sleep(50)
    assert.equal(produced, held)
    assert.ok(held < 2_000_000, `${held} bytes`)
    stream.close(8)
    await gate.opened
    assert.equal(cancelled, cancelledBefore + 1)
  })

  it('aborts the signal of a request whose stream is reset', async () => {
    gate = createGate()
    signals = []
    const stream = served.session.request({ ':path': '/slow' })
    stream.on('error', () => undefined)
    await gate.entered
    const [signal] = signals
    assert.ok(signal !== undefined && !signal.aborted, 'not aborted yet')
    stream.close(8)
    await once(signal, 'abort')
    gate.open()
    assert.equal((await ask(served.session, { ':path': '/' })).status, 200)
  })

  for (const path of ['/fail', '/short']) {
    it(`a stream that fails is reset and logged: ${path}`, async () => {
      logged.length = 0
      const { status, code } = await ask(served.session, { ':path': path })
      assert.deepEqual([status, code, logged.length], [200, 2, 1])
    })
  }

  it('a client that resets its streams at once is sent away', async () => {
    gate = createGate()
    const session = openSession(served.url)
    const closed = new Promise<void>((resolve) => void session.once('close', resolve))
    await once(session, 'connect')
    for (let round = 0; round < 40 && !session.destroyed; round++) {
      const streams = Array.from({ length: 90 }, () => session.request({ ':path': '/slow' }))
      for (const stream of streams) stream.on('error', () => undefined)
      await sleep(3)
      for (const stream of streams) stream.close(8)
      await sleep(3)
    }
    const isSentAway = await Promise.race([closed.then(() => true), sleep(2_000, false)])
    gate.open()
    assert.equal(isSentAway, true)
    assert.equal((await ask(openSession(served.url), { ':path': '/' })).status, 200)
  })

  it('more than 100 streams wait', async () => {
    await ask(served.session, { ':path': '/' })
    assert.equal(served.session.remoteSettings.maxConcurrentStreams, 100)
  })

  it('requests that were reset count while they run', async () => {
    gate = createGate()
    const session = openSession(served.url)
    await ask(session, { ':path': '/' })
    for (let count = 0; count < 200; count++) {
      const stream = session.request({ ':path': '/slow' })
      stream.on('error', () => undefined)
      setImmediate(() => stream.close(8))
      if (count % 50 === 49) await sleep(20)
    }
    await sleep(20)
    assert.equal((await ask(session, { ':path': '/slow' })).code, CALM)
    gate.open()
    await sleep(5)
    assert.equal((await ask(session, { ':path': '/' })).status, 200)
  })
})

describe('HTTP/2 in the clear', () => {
  it('is for clients that know beforehand, and for them alone', async (test) => {
    const { app, url, session } = await serve({}, false)
    test.after(() => app.close())
    assert.match(url, /^http:/)
    const { text } = await ask(session, { ':path': '/see' })
    assert.equal(JSON.parse(text).protocol, 'http')
    const other = await open(url)
    other.on('error', () => undefined).resume()
    other.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
    await once(other, 'close')
  })
})

describe('time limits of HTTP/2', () => {
  it('a session that asks nothing, or no more, is ended', async (test) => {
    const { app, url, session } = await serve({ timeouts: { headers: 150, idle: 100 } })
    test.after(() => app.close())
    const silent = openSession(url)
    await ask(session, { ':path': '/' })
    await Promise.all([once(session, 'close'), once(silent, 'close')])
  })

  it('a session with a request under way stays', async (test) => {
    gate = createGate()
    // long enough for the request to come on a busy machine
    const { app, session } = await serve({ timeouts: { headers: 400, idle: 400 } })
    test.after(() => app.close())
    const answer = ask(session, { ':path': '/slow' })
    await sleep(900)
    gate.open()
    assert.equal((await answer).text, '"slow"')
  })

  it('a body that does not come: 408, and the connection goes on', async (test) => {
    const { app, session } = await serve({ timeouts: { request: 100 } })
    test.after(() => app.close())
    const stream = session.request(POST)
    stream.write('a')
    const answer = await read(stream)
    assert.deepEqual([answer.status, codeOf(answer)], [408, 'request_timeout'])
    assert.equal((await ask(session, { ':path': '/' })).status, 200)
  })
})

describe('a client of HTTP/2 that never ends its side of the connection', () => {
  const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
  const openHalf = async (url: string): Promise<Socket> => {
    const socket = connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined).resume()
    socket.write(PREFACE)
    await once(socket, 'connect')
    return socket
  }

  it('does not keep the application from closing', async () => {
    const app = createTestApp(controller, { timeouts: { grace: 100 } })
    const socket = await openHalf(await app.listen({ ...LOOPBACK, http2: true }))
    await sleep(20)
    await app.close()
    socket.destroy()
  })

  it('loses it when it is idle', async () => {
    const app = createTestApp(controller, { timeouts: { headers: 40, idle: 40 } })
    const socket = await openHalf(await app.listen({ ...LOOPBACK, http2: true }))
    await once(socket, 'end')
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    // a connection that is gone resets what still comes
    const knock = setInterval(() => socket.write(Buffer.alloc(9)), 20)
    await gone
    clearInterval(knock)
    await app.close()
  })
})

describe('closing HTTP/2', () => {
  it('says so, finishes what is under way, and takes nothing new', async () => {
    gate = createGate()
    const { app, url, session } = await serve()
    const idle = openSession(url)
    await ask(idle, { ':path': '/' })
    const answer = ask(session, { ':path': '/slow' })
    await gate.entered
    const [goaway, gone] = [once(session, 'goaway'), once(idle, 'close')]
    const closed = app.close()
    await Promise.all([goaway, gone])
    gate.open()
    assert.deepEqual([(await answer).status, (await answer).text], [200, '"slow"'])
    await closed
  })

  it('breaks off what takes longer than the grace time', async () => {
    gate = createGate()
    const { app, session } = await serve({ timeouts: { grace: 50 } })
    const answer = ask(session, { ':path': '/slow' })
    await gate.entered
    await app.close()
    assert.equal((await answer).status, undefined)
    gate.open()
  })

  it('does not wait for connections that say nothing', async () => {
    const { app, url } = await serve({ timeouts: { grace: 300_000 } }, false)
    const socket = connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1' })
    socket.on('error', () => undefined).resume()
    await once(socket, 'connect')
    const start = performance.now()
    await app.close()
    assert.ok(performance.now() - start < 60_000, 'closes at once')
  })
})
