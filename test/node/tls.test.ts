import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { connect } from 'node:tls'

import { defineController, HttpRequest, text } from 'octavo'
import { z } from 'zod'

import { TEST_TLS } from '../support/tls.ts'
import { createGate, createTestApp, LOOPBACK, parse, readAll, readUntil } from './support.ts'

let gate = createGate()
const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/ascii', handler: () => ({ hello: 'world' }) },
    { method: 'GET', path: '/unicode', handler: () => ({ snow: '☃' }) },
    { method: 'GET', path: '/bytes', handler: () => new Uint8Array([0, 255, 13, 10, 128]) },
    { method: 'GET', path: '/nothing', handler: () => undefined },
    { method: 'GET', path: '/large', handler: () => text('x'.repeat(300_000)) },
    {
      method: 'GET',
      path: '/protocol',
      input: { inject: { request: HttpRequest } },
      handler: ({ inject }) => inject.request.protocol,
    },
    {
      method: 'POST',
      path: '/size',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => body.length,
    },
    {
      method: 'GET',
      path: '/slow',
      handler: async () => {
        gate.enter()
        await gate.opened
        return 'slow'
      },
    },
  ],
})
const TLS = { ...LOOPBACK, tls: TEST_TLS }
const HOST = 'Host: a.test\r\n'
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${HOST}${more}\r\n`
const LAST = get('/ascii', 'Connection: close\r\n')

async function openTls(url: string, options: object = {}) {
  const socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    ca: TEST_TLS.cert,
    ...options,
  })
  await once(socket, 'secureConnect')
  return socket
}

async function exchangeTls(url: string, request: string): Promise<string> {
  const socket = await openTls(url)
  socket.write(request, 'latin1')
  return readAll(socket)
}

describe('TLS', () => {
  const app = createTestApp(controller)
  const server = createHttpsServer({ ...TEST_TLS, keepAliveTimeout: 5000 }, app.handler)
  let own = ''
  let plain = ''
  before(async () => {
    own = await app.listen(TLS)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    plain = typeof address === 'object' && address !== null ? `https://127.0.0.1:${address.port}` : ''
  })
  after(async () => {
    server.close()
    await app.close()
  })

  it('has a URL of its scheme, and requests know', async () => {
    assert.match(own, /^https:\/\/127\.0\.0\.1:\d+$/)
    assert.equal(parse(await exchangeTls(own, get('/protocol', 'Connection: close\r\n'))).body, '"https"')
  })

  const requests = [
    ...['ascii', 'unicode', 'bytes', 'nothing', 'large', 'unknown'].map((path) => get(`/${path}`)),
    `HEAD /ascii HTTP/1.1\r\n${HOST}\r\n`,
    `POST /size HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`,
    `POST /size HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    get('/ascii') + get('/unicode') + get('/nothing'),
  ]
  for (const request of requests) {
    it(`has the bytes that node:https writes: ${JSON.stringify(request.slice(0, 40))}`, async () => {
      const [direct, written] = await Promise.all([own, plain].map((url) => exchangeTls(url, request + LAST)))
      const undated = (answer: string | undefined): string | undefined =>
        answer?.replaceAll(/^Date: .*\r$/gm, 'Date: now\r')
      assert.equal(undated(direct), undated(written))
      assert.match(direct ?? '', /^HTTP\/1\.1 \d{3} /)
    })
  }

  it('refuses what is not HTTP with a problem document', async () => {
    const { statusLine, body } = parse(await exchangeTls(own, 'hello\r\n\r\n'))
    assert.deepEqual([statusLine, JSON.parse(body).code], ['HTTP/1.1 400 Bad Request', 'malformed_request'])
  })

  it('ends connections that do not begin with a handshake, and goes on', async () => {
    const socket = connectTcp({ port: Number(new URL(own).port), host: '127.0.0.1' })
    socket.on('error', () => undefined)
    socket.write(get('/ascii'))
    assert.doesNotMatch(await readAll(socket), /HTTP/)
    assert.match(await exchangeTls(own, LAST), /world/)
  })

  it('offers HTTP/1.1 alone', async () => {
    const socket = await openTls(own, { ALPNProtocols: ['h2', 'http/1.1'] })
    assert.equal(socket.alpnProtocol, 'http/1.1')
    socket.destroy()
  })
})

describe('time limits over TLS', () => {
  const app = createTestApp(controller, { timeouts: { headers: 150, request: 200, idle: 150 } })
  let url = ''
  before(async () => {
    url = await app.listen(TLS)
  })
  after(() => app.close())

  it('a handshake that does not come', async () => {
    const socket = connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1' })
    socket.on('error', () => undefined)
    await readAll(socket)
  })

  const cases = [
    ['headers that do not come', ''],
    ['headers that end halfway', 'GET / HTTP/1.1\r\n'],
    ['a body that ends halfway', `POST /size HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\na`],
  ] as const
  for (const [title, request] of cases) {
    it(`${title}: 408`, async () => {
      const socket = await openTls(url)
      socket.write(request)
      assert.match(await readUntil(socket, /\}$/), /^HTTP\/1\.1 408 [\s\S]*"request_timeout"/)
      socket.destroy()
    })
  }

  it('an idle connection is ended', async () => {
    const socket = await openTls(url)
    socket.write(get('/ascii'))
    assert.match(await readAll(socket), /world/)
  })
})

describe('closing over TLS', () => {
  it('waits for answers under way, and not for handshakes', async () => {
    gate = createGate()
    const app = createTestApp(controller, { timeouts: { grace: 60_000 } })
    const url = await app.listen(TLS)
    const silent = connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1' })
    silent.on('error', () => undefined)
    await once(silent, 'connect')
    const kept = await openTls(url)
    kept.write(get('/ascii'))
    await readUntil(kept, /world/)
    const busy = await openTls(url)
    busy.write(get('/slow'))
    await gate.entered
    const closed = app.close()
    await Promise.all([readAll(silent), readAll(kept)])
    gate.open()
    const { headers, body } = parse(await readAll(busy))
    assert.deepEqual([headers['connection'], body], ['close', '"slow"'])
    await closed
  })
})

describe('options of listen', () => {
  const app = createTestApp(controller)
  after(() => app.close())
  const { cert, key } = TEST_TLS
  const cases: readonly (readonly [options: unknown, message: string | RegExp])[] = [
    [3000, 'listen: the options are not an object; write listen({ port: 3000 })'],
    [null, 'listen: the options are not an object; write listen({ port: 3000 })'],
    [{ prot: 1 }, 'listen: there is no option "prot"; did you mean "port"?'],
    [{ port: -1 }, 'listen: port is not a number from 0 to 65535'],
    [{ port: 65_536 }, 'listen: port is not a number from 0 to 65535'],
    [{ port: 1.5 }, 'listen: port is not a number from 0 to 65535'],
    [{ port: '3000' }, 'listen: port is not a number from 0 to 65535'],
    [{ host: '' }, "listen: host is not the name or address of an interface, such as '127.0.0.1'"],
    [{ path: '/tmp/a', port: 1 }, 'listen: give path or port, not both'],
    [{ path: '/tmp/a', host: 'a' }, 'listen: give path or host, not both'],
    [{ tls: true }, 'listen: tls is not an object with cert and key'],
    [{ tls: {} }, 'listen: tls needs a certificate: give cert and key as PEM, or pfx'],
    [{ tls: { cert } }, 'listen: tls needs a certificate: give cert and key as PEM, or pfx'],
    [{ tls: { key } }, 'listen: tls needs a certificate: give cert and key as PEM, or pfx'],
    [{ port: 0, tls: { cert: 'x', key: 'y' } }, /^listen: tls cannot be used: /],
    [{ http2: 1 }, 'listen: http2 is not true or false'],
  ]
  for (const [options, message] of cases) {
    it(`${JSON.stringify(options).slice(0, 50)} is a TypeError`, async () => {
      const listeners = process.listenerCount('SIGTERM')
      const listen = async (): Promise<unknown> => Reflect.apply(app.listen.bind(app), undefined, [options])
      await assert.rejects(listen(), { name: 'TypeError', message })
      assert.equal(process.listenerCount('SIGTERM'), listeners)
    })
  }
})

describe('addresses that cannot be taken', () => {
  const app = createTestApp(controller)
  after(() => app.close())

  it('a port that is in use', async () => {
    const port = Number(new URL(await app.listen(TLS)).port)
    const message = `listen: port ${port} of 127.0.0.1 is in use (EADDRINUSE); stop the program there, or choose another port (0 takes a free one)`
    await assert.rejects(app.listen({ ...LOOPBACK, port }), (error: Error) => {
      assert.equal(error.message, message)
      assert.deepEqual([Reflect.get(error, 'code'), error.cause instanceof Error], ['EADDRINUSE', true])
      return true
    })
  })

  it('an address of another machine', async () => {
    await assert.rejects(app.listen({ port: 0, host: '192.0.2.1' }), {
      code: 'EADDRNOTAVAIL',
      message: /^listen: port 0 of 192\.0\.2\.1 is no address of this machine \(EADDRNOTAVAIL\); give host/,
    })
  })
})
