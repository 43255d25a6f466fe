import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { Channels, defineController, HttpRequest, reply } from 'octavo'
import type { ListenEnd } from 'octavo'
import { z } from 'zod'

import { createTestApp, ENGINES, exchange, open, parse, PLACE, readAll, readUntil } from './support.ts'

/** What ran, in order. */
const ran: string[] = []

const controller = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      path: '/',
      handler: () => {
        ran.push('home')
        return { hello: 'world' }
      },
    },
    { method: 'GET', path: '/later', handler: async () => delay(2, { later: true }) },
    { method: 'GET', path: '/text', handler: () => reply(200, 'grüße ☃') },
    { method: 'GET', path: '/nothing', handler: () => reply(204) },
    {
      method: 'GET',
      path: '/closing',
      handler: () => reply(200, 'last', { headers: { connection: 'close' } }),
    },
    { method: 'GET', path: '/reset', handler: () => reply(205) },
    { method: 'GET', path: '/failing', handler: () => Promise.reject(new Error('secret')) },
    {
      method: 'GET',
      path: '/length',
      handler: () => new Response('abc', { headers: { 'content-length': '9' } }),
    },
    {
      method: 'GET',
      path: '/stream',
      async *handler() {
        yield Buffer.from('one')
        await delay(1)
        yield Buffer.from('two')
      },
    },
    {
      method: 'GET',
      path: '/request',
      input: { inject: { request: HttpRequest } },
      handler: ({ inject: { request } }) => ({
        headers: request.headers,
        lines: request.headerLines('x-a'),
        one: request.header('X-A'),
        cookies: request.cookies,
        url: request.url,
        host: request.host,
        ip: request.ip,
        protocol: request.protocol,
      }),
    },
    {
      method: 'POST',
      path: '/echo',
      bodyLimit: 2000,
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => {
        ran.push('echo')
        return { size: body.length }
      },
    },
    { method: 'POST', path: '/unread', handler: () => 'unread' },
  ],
})

const HOST = 'Host: a.test\r\n'
const get = (path: string, lines = '', version = '1.1'): string =>
  `GET ${path} HTTP/${version}\r\n${HOST}${lines}\r\n`
const post = (lines: string, body: string, path = '/echo'): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}${lines}\r\n${body}`
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body)
const LAST = get('/', 'Connection: close\r\n')

/** What is sent to both engines. */
const CASES: Readonly<Record<string, string>> = {
  'several requests': get('/') + get('/later') + get('/text') + get('/nothing') + get('/reset'),
  'a stream': get('/stream') + get('/'),
  'a stream of HTTP/1.0': get('/stream', '', '1.0'),
  'a stream with HEAD': get('/stream').replace('GET', 'HEAD'),
  'an error': get('/failing'),
  'headers of every kind': get(
    '/request?a=1',
    'X-A: 1\r\nx-a: 2\r\nCookie: a=1\r\nCookie: b=2\r\nUser-Agent: x\r\nUser-Agent: y\r\nIf-Modified-Since: a\r\nIf-Modified-Since: b\r\nX-Empty:\r\n',
  ),
  'forty header lines': get('/request', Array.from({ length: 40 }, (_, at) => `X-${at}: ${at}\r\n`).join('')),
  'a body': post('Content-Length: 4\r\n', 'abcd'),
  'a body that nobody reads': post('Content-Length: 4\r\n', 'abcd', '/unread') + get('/'),
  'a body in chunks': chunked('2\r\nab\r\n3;a=b\r\ncde\r\n0\r\n\r\n'),
  'a body with trailers': chunked('2\r\nab\r\n0\r\nX-A: 1\r\n\r\n') + get('/'),
  'a body over the limit': post('Content-Length: 3000\r\n', 'a'.repeat(3000)) + get('/'),
  'chunks over the limit': chunked(`bb8\r\n${'a'.repeat(3000)}\r\n0\r\n\r\n`) + get('/'),
  'a client that asks first': post('Content-Length: 4\r\nExpect: 100-continue\r\n', 'abcd'),
  'a client that asks first for too much': post('Content-Length: 4000\r\nExpect: 100-continue\r\n', ''),
  'another expectation': get('/', 'Expect: a-miracle\r\n'),
  'HTTP/1.0 that stays': get('/', 'Connection: keep-alive\r\n', '1.0') + get('/'),
  'an end within a body': post('Content-Length: 400\r\n', 'ab'),
  'a method that nobody knows': get('/').replace('GET', 'FROB'),
  CONNECT: `CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n`,
  'CONNECT behind others': `${get('/later')}CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n`,
  // smuggling
  'length and chunks': post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${get('/')}`),
  'chunks and length': post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${get('/')}`),
  'two lengths': post('Content-Length: 0\r\nContent-Length: 30\r\n', get('/')),
  'equal lengths': post('Content-Length: 2\r\nContent-Length: 2\r\n', 'ab'),
  'a list of lengths': post('Content-Length: 2, 2\r\n', 'ab'),
  'a signed length': post('Content-Length: +2\r\n', 'ab'),
  'an empty length': post('Content-Length: \r\n', get('/')),
  'chunked twice': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  'chunked, identity': post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'),
  'gzip, chunked': post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
  xchunked: post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'),
  'coding in HTTP/1.0': chunked('0\r\n\r\n').replace('1.1', '1.0'),
  'a space before the colon': post('Content-Length : 4\r\n', 'abcd'),
  'LF alone': 'GET / HTTP/1.1\nHost: a.test\n\n',
  'LF alone behind a header': `GET / HTTP/1.1\r\nHost: a.test\nX-A: 1\r\n\r\n`,
  'CR alone': get('/', 'X-A: 1\rX-B: 2\r\n'),
  'obs-fold': get('/', 'X-A: 1\r\n 2\r\n'),
  'NUL in a header': get('/', 'X-A: a\0b\r\n'),
  'two Host lines': get('/', HOST),
  'no Host': 'GET / HTTP/1.1\r\n\r\n',
  'no Host in HTTP/1.0': 'GET / HTTP/1.0\r\n\r\n',
  'an invalid chunk size': chunked('2x\r\nab\r\n0\r\n\r\n'),
  'a chunk size behind 64 bits': chunked('10000000000000002\r\nab\r\n0\r\n\r\n'),
  'a chunk that ends in LF': chunked('2\r\nab\n0\r\n\r\n'),
  'a chunk longer than its size': chunked('2\r\nabc\r\n0\r\n\r\n'),
  'long chunk extensions': chunked(`2;${'a'.repeat(20_000)}\r\nab\r\n0\r\n\r\n`),
  'a length in trailers': chunked('2\r\nab\r\n0\r\nContent-Length: 50\r\n\r\n'),
  'headers that are too long': get('/', `X-A: ${'a'.repeat(30_000)}\r\n`),
  'a target that is too long': get(`/${'a'.repeat(30_000)}`),
  'HTTP/2.0': get('/', '', '2.0'),
  'HTTP/0.9': 'GET /\r\n\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'garbage behind a request': `${get('/')}${'y'.repeat(1000)}`,
  'garbage behind a request that takes time': `${get('/later')}${'y'.repeat(1000)}`,
}

describe('the direct engine', () => {
  const apps = { node: createTestApp(controller), direct: createTestApp(controller) }
  const urls = { node: '', direct: '' }
  before(async () => {
    for (const engine of ['node', 'direct'] as const)
      urls[engine] = await apps[engine].listen({ ...PLACE, ...ENGINES[engine] })
  })
  after(async () => {
    await apps.node.close()
    await apps.direct.close()
  })

  /** Sends bytes in pieces, ends this side of the connection behind `LAST`, and reads to the end. */
  async function ask(url: string, text: string, piece = text.length): Promise<string> {
    const socket = await open(url)
    socket.on('error', () => undefined).setNoDelay()
    const answer = readAll(socket)
    for (let at = 0; at < text.length && socket.writable; at += piece) {
      socket.write(text.slice(at, at + piece), 'latin1')
      if (piece < text.length) await delay(0)
    }
    return (await answer)
      .replaceAll(/^(date): \w{3}, [\w :]+ GMT\r$/gim, '$1: now\r')
      .replaceAll(/"(?:requestId|instance)":"[^"]*"/g, '"id":""')
  }

  const statuses = (answer: string): readonly string[] => answer.match(/HTTP\/1\.1 \d+/g) ?? []

  for (const [title, text] of Object.entries(CASES)) {
    const whole = /an end within|asks first for/.test(title) ? text : text + LAST
    const isEnd = title === 'an end within a body'
    it(`answers byte by byte as node:http, and in pieces as whole: ${title}`, async () => {
      if (isEnd) {
        const [direct, node] = await Promise.all(
          [urls.direct, urls.node].map(async (url) => endWithin(url, text)),
        )
        return assert.equal(direct, node)
      }
      const [direct, node] = await Promise.all([ask(urls.direct, whole), ask(urls.node, whole)])
      assert.equal(direct, node)
      assert.notEqual(direct, '')
      if (text.length < 400)
        assert.deepEqual(statuses(await ask(urls.direct, whole, 1)), statuses(direct ?? ''))
    })
  }

  /** Ends this side within a body. */
  async function endWithin(url: string, text: string): Promise<string> {
    const socket = await open(url)
    socket.end(text)
    return (await readAll(socket)).replace(/^date: .*$/im, '').replaceAll(/"requestId":"[^"]*"/g, '')
  }

  it('answers what comes behind a refused upgrade in one packet, which node:http drops', async () => {
    const upgrade = get('/', 'Connection: upgrade\r\nUpgrade: h2c\r\n')
    const answer = await exchange(urls.direct, upgrade + get('/text') + upgrade + LAST)
    assert.equal(answer.match(/HTTP\/1\.1 200 /g)?.length, 4)
  })

  it('breaks off where a stream is shorter than its length, so that nothing is taken for the rest', async () => {
    assert.doesNotMatch(await exchange(urls.direct, get('/length') + LAST), /hello/)
  })

  it('shows a header with the name __proto__, which node:http drops', async () => {
    const { body } = parse(await exchange(urls.direct, get('/request', '__proto__: 1\r\n') + LAST))
    assert.match(body, /"__proto__":"1"/)
  })

  it('stops reading a client that sends requests faster than they are answered', async () => {
    const socket = await open(urls.direct)
    socket.on('error', () => undefined)
    // the client reads nothing, so that answers wait
    socket.pause()
    const requests = get('/text').repeat(2_000)
    let taken = 0
    for (let round = 1; round < 200; round++) {
      if (socket.write(requests)) taken++
      else if (!(await Promise.race([once(socket, 'drain').then(() => true), delay(300, false)]))) break
    }
    assert.ok(taken < 200, 'everything was read')
    socket.destroy()
  })

  it('serves thousands of pipelined requests of HTTP/1.0 in order', async () => {
    const answer = await exchange(
      urls.direct,
      get('/', 'Connection: keep-alive\r\n', '1.0').repeat(2_000) + LAST,
    )
    assert.equal(answer.match(/HTTP\/1\.1 200 /g)?.length, 2_001)
  })

  it('keeps a connection for many requests with bodies', async () => {
    const socket = await open(urls.direct)
    for (let round = 1; round < 20; round++) {
      const body = 'a'.repeat(round * 100)
      socket.write(post(`Content-Length: ${body.length}\r\n`, body))
      assert.match(await readUntil(socket, /\{"size":\d+\}$/), new RegExp(`"size":${body.length}`))
    }
    socket.destroy()
  })
})

describe('a parser that is freed while it parses', () => {
  it('is not asked for its time any more', async () => {
    const app = createTestApp(controller, { timeouts: { headers: 1_000, request: 1_000 } })
    const url = await app.listen({ ...PLACE, ...ENGINES.direct })
    const ending = get('/closing') + get('/').repeat(40)
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(url, ending)))
      // a busy machine may take longer than the time for a request
      for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 (?:200|408) /)
      // meanwhile it is looked for slow requests
      await delay(20)
    }
    assert.match(await exchange(url, LAST), /^HTTP\/1\.1 (?:200|408) /)
    await app.close()
  })
})

describe('a connection without a request', () => {
  it('goes on with another parser after a while, also within a head and a body', async () => {
    const app = createTestApp(controller, { timeouts: { idle: 60_000 } })
    const socket = await open(await app.listen({ ...PLACE, ...ENGINES.direct }))
    const one = 'HTTP\\/1\\.1 200 [^]*\\}$'
    socket.write(get('/'))
    await readUntil(socket, new RegExp(one))
    await delay(2_500)
    socket.write(post('Content-Length: 4\r\n', 'ab').slice(0, 20))
    await delay(2_500)
    socket.write(post('Content-Length: 4\r\n', 'ab').slice(20))
    await delay(20)
    socket.write(`cd${get('/later')}`)
    await readUntil(socket, new RegExp(`${one.slice(0, -1)}${one}`))
    socket.write(LAST)
    assert.match(await readAll(socket), /"hello":"world"/)
    await app.close()
  })
})

describe('the option engine', () => {
  /** What `listen` reports. */
  async function reported(engine: keyof typeof ENGINES): Promise<readonly unknown[]> {
    const logged: unknown[] = []
    const log = (details: unknown, message: unknown): void => void logged.push([message, details])
    const app = createTestApp(controller, {
      logger: { debug: log, info: log, warn: log, error: log },
    })
    const engines: unknown[] = []
    const listener = (message: unknown): void => void engines.push((message as ListenEnd).engine)
    subscribe(Channels.listening, listener)
    const url = await app.listen({ ...PLACE, ...ENGINES[engine] })
    unsubscribe(Channels.listening, listener)
    assert.equal((await fetch(url)).status, 200)
    await app.close()
    const warnings = logged.filter((line) => /node:http serves/.test(String(line)))
    const told = logged.find((line) => /Listening/.test(String(line)))
    return [engines, warnings.length, JSON.stringify(told).includes('"engine":"direct"')]
  }

  it('is reported by the log and the channel', async () => {
    assert.deepEqual(await reported('direct'), [['direct'], 0, true])
    assert.deepEqual(await reported('node'), [[undefined], 0, false])
  })

  it('leaves servers to node:http that a tool has changed, and says so', async (test) => {
    const value: unknown = Reflect.get(Server.prototype, 'emit')
    Object.defineProperty(Server.prototype, 'emit', { configurable: true, writable: true, value })
    test.after(() => Reflect.deleteProperty(Server.prototype, 'emit'))
    assert.deepEqual(await reported('direct'), [['node'], 1, false])
  })

  it('takes engines alone', async () => {
    const app = createTestApp(controller)
    // @ts-expect-error the name of an engine is none
    await assert.rejects(app.listen({ ...PLACE, engine: 'direct' }), {
      name: 'TypeError',
      message: 'listen: engine is not direct() of octavo/engine',
    })
    await app.close()
  })
})
