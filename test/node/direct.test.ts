import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, OutgoingMessage, ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController, defineGuard, HttpRequest, reply, text } from 'octavo'
import { z } from 'zod'

import { createTestApp, exchange, LOOPBACK, open, readAll, readUntil } from './support.ts'
import { isDirectPossible } from '../inside/server.ts'

const signals: AbortSignal[] = []

const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/ascii', handler: () => ({ hello: 'world' }) },
    { method: 'GET', path: '/unicode', handler: () => ({ snow: '☃', face: '😀', latin: 'é' }) },
    { method: 'GET', path: '/latin', handler: () => text('é') },
    { method: 'GET', path: '/bytes', handler: () => new Uint8Array([0, 255, 13, 10, 128]) },
    { method: 'GET', path: '/nothing', handler: () => undefined },
    { method: 'GET', path: '/empty', handler: () => text('') },
    {
      method: 'GET',
      path: '/not-modified',
      handler: () => reply(304, undefined, { headers: { etag: '"1"' } }),
    },
    {
      method: 'GET',
      path: '/headers',
      handler: () => reply(203, { a: 1 }, { headers: { 'x-list': ['1', '2'] }, cookies: { a: '1', b: '2' } }),
    },
    {
      method: 'GET',
      path: '/latin-header',
      handler: () => reply(200, { a: 1 }, { headers: { 'x-name': 'caf\u00e9' } }),
    },
    {
      method: 'GET',
      path: '/latin-header-unicode',
      handler: () => reply(200, { a: '☃' }, { headers: { 'x-name': 'caf\u00e9' } }),
    },
    { method: 'GET', path: '/large', handler: () => ({ text: 'x'.repeat(300_000) }) },
    { method: 'GET', path: '/large-unicode', handler: () => ({ text: 'é'.repeat(200_000) }) },
    {
      method: 'GET',
      path: '/date',
      handler: () => reply(200, 1, { headers: { date: 'Thu, 01 Jan 1970 00:00:00 GMT' } }),
    },
    { method: 'GET', path: '/close', handler: () => reply(200, 1, { headers: { connection: 'close' } }) },
    {
      method: 'GET',
      path: '/signal',
      input: { inject: { request: HttpRequest } },
      handler: ({ inject }) => {
        signals.push(inject.request.signal)
        return 'signal'
      },
    },
    { method: 'GET', path: '/later', handler: async () => sleep(5, { later: true }) },
    { method: 'GET', path: '/failing', handler: () => Promise.reject(new Error('secret')) },
    { method: 'GET', path: '/odd-status', handler: () => reply(299, { odd: true }) },
    {
      method: 'POST',
      path: '/echo',
      input: { body: z.object({ a: z.string() }) },
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/guarded',
      guards: [defineGuard({ name: 'Slow', canActivate: async () => sleep(30, true) })],
      input: { body: z.object({ a: z.string() }) },
      handler: ({ body }) => body,
    },
    { method: 'POST', path: '/unread', handler: () => 'unread' },
  ],
})

/** Requests with a Host header, whose bytes are the same whoever writes them. */
const lines = (...head: readonly string[]): string => [...head, 'Host: test', '', ''].join('\r\n')
const post = (path: string, body: string, ...more: readonly string[]): string =>
  `${lines(`POST ${path} HTTP/1.1`, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, ...more)}${Buffer.from(body).toString('latin1')}`

const PATHS =
  'ascii unicode latin bytes nothing empty not-modified headers large large-unicode date close later odd-status unknown'.split(
    ' ',
  )
const REQUESTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    PATHS.flatMap((path) => [
      [`GET /${path}`, lines(`GET /${path} HTTP/1.1`)],
      [`HEAD /${path}`, lines(`HEAD /${path} HTTP/1.1`)],
    ]),
  ),
  'a body': post('/echo', '{"a":"b"}'),
  'a body in UTF-8': post('/echo', '{"a":"é☃😀"}'),
  'a body in chunks': `${lines('POST /echo HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}4\r\n{"a"\r\n5\r\n:"b"}\r\n0\r\n\r\n`,
  'an invalid body': post('/echo', '{"a":1}'),
  'a malformed body': post('/echo', '{'),
  'a body of no bytes': post('/echo', ''),
  'a body that nobody reads': post('/unread', '{"a":"b"}'),
  'a body with GET': `${lines('GET /ascii HTTP/1.1', 'Content-Length: 3')}abc`,
  'a client that asks first': post('/echo', '{"a":"b"}', 'Expect: 100-continue'),
  'a connection that closes': lines('GET /ascii HTTP/1.1', 'Connection: close'),
  'HTTP/1.0': lines('GET /ascii HTTP/1.0'),
  'HTTP/1.0 that stays': lines('GET /ascii HTTP/1.0', 'Connection: keep-alive'),
  OPTIONS: lines('OPTIONS /echo HTTP/1.1'),
  'another method': lines('DELETE /echo HTTP/1.1'),
  'a body behind a guard that takes time': post('/guarded', '{"a":"b"}'),
  'an invalid body behind a guard that takes time':
    post('/guarded', '{"b":"b"}') + post('/echo', '{"a":"b"}'),
  'several bodies': post('/echo', '{"a":"1"}') + post('/guarded', '{"a":"2"}') + post('/echo', '{"a":"3"}'),
  'several at once': ['ascii', 'unicode', 'later', 'bytes', 'nothing', 'ascii']
    .map((path) => lines(`GET /${path} HTTP/1.1`))
    .join(''),
  'a body among others':
    lines('GET /later HTTP/1.1') + post('/echo', '{"a":"b"}') + lines('GET /ascii HTTP/1.1'),
}

/** What ends its connection by itself. */
const ENDING = new Set(['a connection that closes', 'HTTP/1.0', 'GET /close', 'HEAD /close'])

/** Closes the connection behind the requests, so that everything is read. */
const LAST = lines('GET /ascii HTTP/1.1', 'Connection: close')

describe('direct answers', () => {
  const app = createTestApp(controller)
  const server = createServer({ keepAliveTimeout: 5000 }, app.handler)
  let own = ''
  let plain = ''

  before(async () => {
    own = await app.listen(LOOPBACK)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    plain = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
  })
  after(async () => {
    server.close()
    await app.close()
  })

  it('are possible on this Node', () => {
    assert.equal(isDirectPossible(), true)
  })

  for (const [title, request] of Object.entries(REQUESTS)) {
    it(`are what node:http writes: ${title}`, async () => {
      const whole = ENDING.has(title) ? request : request + LAST
      const [direct, written] = await Promise.all([own, plain].map((url) => exchange(url, whole)))
      const undated = (answer: string | undefined): string | undefined =>
        answer?.replaceAll(/^Date: (?:\w{3}, )[\w :]+ GMT\r$/gm, 'Date: now\r')
      assert.equal(undated(direct), undated(written))
      assert.match(direct ?? '', /^HTTP\/1\.1 \d{3} /)
    })
  }

  for (const path of ['/echo', '/guarded']) {
    it(`answer a body that arrives in pieces: ${path}`, async () => {
      const whole = post(path, '{"a":"a long text"}') + LAST
      const socket = await open(own)
      const answer = readAll(socket)
      for (let at = 0; at < whole.length; at += 7) {
        socket.write(whole.slice(at, at + 7))
        await sleep(at % 3)
      }
      assert.match(await answer, /^\{"a":"a long text"\}/m)
    })
  }

  it('have headers in Latin-1, which node:http does for bytes alone', async () => {
    for (const path of ['/latin-header', '/latin-header-unicode']) {
      assert.match(await exchange(own, lines(`GET ${path} HTTP/1.1`) + LAST), /^x-name: caf\u00e9\r$/m)
    }
  })

  it('have the date of now', async () => {
    const answer = await exchange(own, LAST)
    const date = /^Date: (.*)\r$/m.exec(await exchange(own, lines('GET /ascii HTTP/1.1') + LAST))?.[1] ?? ''
    assert.match(answer, /^Date: /m)
    assert.equal(new Date(date).toUTCString(), date)
    assert.ok(Math.abs(Date.parse(date) - Date.now()) < 3000, date)
  })

  it('leave the connection as node:http leaves it', async () => {
    const socket = await open(own)
    for (let round = 0; round < 3; round++) {
      socket.write(lines('GET /ascii HTTP/1.1'))
      assert.match(await readUntil(socket, /\{"hello":"world"\}$/), /^Keep-Alive: timeout=5\r$/m)
    }
    socket.destroy()
  })

  it('do not abort the signal of their request', async () => {
    signals.length = 0
    await exchange(own, lines('GET /signal HTTP/1.1') + LAST)
    await sleep(20)
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    )
  })

  it('are told to those who watch node:http', async () => {
    const finished: number[] = []
    const listener = (message: unknown): void => {
      const { response } = message as {
        readonly response: { readonly statusCode: number; readonly writableFinished: boolean }
      }
      if (response.writableFinished) finished.push(response.statusCode)
    }
    subscribe('http.server.response.finish', listener)
    await exchange(own, lines('GET /ascii HTTP/1.1') + lines('GET /nothing HTTP/1.1') + LAST)
    unsubscribe('http.server.response.finish', listener)
    assert.deepEqual(finished, [200, 204, 200])
  })
})

describe('`end` that something replaces', () => {
  it('a server answers as node:http does, and calls it', async (test) => {
    let calls = 0
    Object.defineProperty(ServerResponse.prototype, 'end', {
      configurable: true,
      writable: true,
      value(this: ServerResponse, body: string) {
        calls++
        return OutgoingMessage.prototype.end.call(this, body, 'utf8')
      },
    })
    test.after(() => Reflect.deleteProperty(ServerResponse.prototype, 'end'))
    assert.equal(isDirectPossible(), false)
    const app = createTestApp(controller, { timeouts: { idle: 1000 } })
    test.after(() => app.close())
    const url = await app.listen(LOOPBACK)
    const requests = [lines('GET /ascii HTTP/1.1'), post('/echo', '{"a":"é"}'), post('/guarded', '{"a":"b"}')]
    const answer = await exchange(url, requests.join('') + LAST)
    assert.equal(answer.match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 4)
    assert.equal(answer.match(/^Keep-Alive: timeout=1\r$/gm)?.length, 3)
    assert.equal(calls, 4)
    const socket = await open(url)
    socket.write(lines('GET /ascii HTTP/1.1'))
    await readAll(socket)
  })
})

describe('a response of node:http that others change', () => {
  const app = createTestApp(controller)
  let url = ''
  before(async () => {
    url = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  /** The answer to a request whose response somebody touches before it is answered, as tools for monitoring do. */
  async function answerOf(touch: (response: ServerResponse) => void, path = '/ascii'): Promise<string> {
    const onStart = (message: unknown): void =>
      touch((message as { readonly response: ServerResponse }).response)
    subscribe('http.server.request.start', onStart)
    try {
      return await exchange(url, lines(`GET ${path} HTTP/1.1`, 'Connection: keep-alive') + LAST)
    } finally {
      unsubscribe('http.server.request.start', onStart)
    }
  }

  it('is part of the answer: headers', async () => {
    const answer = await answerOf((response) => {
      response.setHeader('Server-Timing', 'traceparent;desc="00-1-2-01"')
      response.appendHeader('Set-Cookie', 'a=1')
    })
    assert.equal(answer.match(/^Server-Timing: traceparent;desc="00-1-2-01"\r$/gm)?.length, 2)
    assert.equal(answer.match(/^Set-Cookie: a=1\r$/gm)?.length, 2)
    assert.equal(answer.match(/^content-length: 17\r$/gm)?.length, 2)
  })

  it('is part of the answer: its phrase and date', async () => {
    const answer = await answerOf((response) => {
      response.statusMessage = 'Fine'
      response.sendDate = false
    })
    assert.equal(answer.match(/HTTP\/1\.1 200 Fine\r\n/g)?.length, 2)
    assert.doesNotMatch(answer, /^Date:/m)
  })

  for (const name of ['writeHead', 'end'] as const) {
    it(`is called: its own ${name}`, async () => {
      let calls = 0
      await answerOf((response) => {
        const original = response[name]
        Object.assign(response, {
          [name]: (...args: readonly unknown[]) => {
            calls++
            return Reflect.apply(original, response, args)
          },
        })
      })
      assert.equal(calls, 2)
    })

    it(`is called: ${name} of all responses, also when it was replaced after listen`, async (test) => {
      let calls = 0
      const original: (...args: never) => unknown = ServerResponse.prototype[name]
      const own = Object.getOwnPropertyDescriptor(ServerResponse.prototype, name)
      Object.defineProperty(ServerResponse.prototype, name, {
        configurable: true,
        writable: true,
        value(this: ServerResponse, ...args: never) {
          calls++
          return Reflect.apply(original, this, args)
        },
      })
      test.after(() => {
        if (own === undefined) Reflect.deleteProperty(ServerResponse.prototype, name)
        else Object.defineProperty(ServerResponse.prototype, name, own)
      })
      const answer = await answerOf(() => undefined)
      assert.match(answer, /\{"hello":"world"\}$/)
      assert.equal(calls, 2)
    })
  }

  it('sees the steps of node:http: prefinish, finish and the phrase', async () => {
    const seen: unknown[] = []
    await answerOf((response) => {
      response.once('prefinish', () => seen.push('prefinish', response.statusCode, response.headersSent))
      response.once('finish', () => seen.push('finish', response.statusMessage))
    }, '/nothing')
    assert.deepEqual(seen, [
      'prefinish',
      204,
      true,
      'finish',
      'No Content',
      'prefinish',
      200,
      true,
      'finish',
      'OK',
    ])
  })
})

describe('idle connections', () => {
  const IDLE = 200

  it('are ended when their time is over, and not much later', async (test) => {
    const app = createTestApp(controller, { timeouts: { idle: IDLE } })
    test.after(() => app.close())
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(lines('GET /ascii HTTP/1.1'))
    await readUntil(socket, /world/)
    const answered = performance.now()
    await readAll(socket)
    const waited = performance.now() - answered
    assert.ok(waited > IDLE * 0.95, `ended after ${waited} ms`)
  })

  it('stay while a request is under way, or arrives slowly', async (test) => {
    const app = createTestApp(
      defineController({
        prefix: '/',
        routes: [{ method: 'GET', path: '/slow', handler: async () => sleep(IDLE * 3, 'slow') }],
      }),
      { timeouts: { idle: IDLE } },
    )
    test.after(() => app.close())
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(lines('GET /slow HTTP/1.1'))
    await readUntil(socket, /"slow"/)
    for (const part of ['GET /slow', ' HTTP/1.1\r\n', 'Host: ', 'test\r\n', '\r\n']) {
      socket.write(part)
      await sleep(IDLE * 0.6)
    }
    await readUntil(socket, /"slow"/)
    socket.destroy()
  })

  it('that send empty lines have no more than the time for headers besides', async (test) => {
    const app = createTestApp(controller, { timeouts: { idle: 100, headers: 200 } })
    test.after(() => app.close())
    const url = await app.listen(LOOPBACK)
    for (const first of [lines('GET /ascii HTTP/1.1'), '']) {
      const socket = await open(url)
      socket.on('error', () => undefined).resume()
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const started = performance.now()
      socket.write(first)
      const timer = setInterval(() => socket.write('\r\n'), 20)
      await Promise.race([closed, sleep(60_000, undefined, { ref: false })])
      clearInterval(timer)
      assert.equal(socket.closed, true)
      assert.ok(performance.now() - started > 150, 'it had no time')
    }
  })

  it('stay for ever where the time is 0', async (test) => {
    const app = createTestApp(controller, { timeouts: { idle: 0 } })
    test.after(() => app.close())
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(lines('GET /ascii HTTP/1.1'))
    assert.doesNotMatch(await readUntil(socket, /world/), /Keep-Alive/)
    await sleep(300)
    socket.write(lines('GET /ascii HTTP/1.1'))
    await readUntil(socket, /world/)
    socket.destroy()
  })
})
