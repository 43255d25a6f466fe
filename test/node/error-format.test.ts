import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { createServer } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { createApp, defineController, defineErrorFormat, defineModule, defineProvider } from 'octavo'
import type { Logger } from 'octavo'
import { z } from 'zod'

import {
  behind,
  createGate,
  createTestApp,
  exchange,
  LOOPBACK,
  open,
  parse,
  readUntil,
  send,
} from './support.ts'

// not ASCII, because the length is that of the bytes
const errorFormat = defineErrorFormat({
  contentType: 'application/vnd.cars+json',
  schema: z.object({ grund: z.string() }),
  format: ({ code }) => ({ grund: `ü ${code}` }),
})

const app = createTestApp(
  defineController({
    prefix: '/',
    routes: [
      { method: 'GET', handler: () => 'ok' },
      { method: 'POST', input: { body: z.string() }, handler: () => 'ok' },
    ],
  }),
  { errorFormat, timeouts: { headers: 150, request: 300 } },
)

const HOST = 'Host: a.test\r\n'

describe('an error format at the socket', () => {
  let url = ''
  before(async () => {
    url = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  const cases = [
    ['a target over the limit', `GET /${'a'.repeat(8192)} HTTP/1.1\r\n${HOST}\r\n`, 414, 'url_too_long'],
    ['a target over what the parser takes', `GET /${'a'.repeat(60_000)} HTTP/1.1\r\n`, 414, 'url_too_long'],
    [
      'long headers',
      `GET / HTTP/1.1\r\n${HOST}X-Big: ${'a'.repeat(16_384)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'headers far too long',
      `GET / HTTP/1.1\r\n${HOST}X-Big: ${'a'.repeat(60_000)}`,
      431,
      'headers_too_large',
    ],
    ['what is not HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['another version of HTTP', `GET / HTTP/2.0\r\n${HOST}\r\n`, 400, 'malformed_request'],
    ['a request without Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'missing_host'],
    ['an expectation', `GET / HTTP/1.1\r\n${HOST}Expect: a-miracle\r\n\r\n`, 417, 'expectation_failed'],
    ['a tunnel', `CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_target'],
    ['headers that do not arrive', `GET / HTTP/1.1\r\n${HOST}`, 408, 'request_timeout'],
    ['an unknown path', `GET /nothing HTTP/1.1\r\n${HOST}\r\n`, 404, 'route_not_found'],
  ] as const
  for (const [title, text, status, code] of cases)
    it(`has the body of ${title}: ${code}`, async () => {
      const socket = await open(url)
      socket.write(text, 'latin1')
      const { statusLine, headers, body } = parse(await readUntil(socket, /\}$/))
      socket.destroy()
      assert.match(statusLine, new RegExp(`^HTTP/1.1 ${status} `))
      assert.equal(headers['content-type'], 'application/vnd.cars+json')
      assert.equal(headers['content-length'], String(body.length))
      assert.deepEqual(JSON.parse(Buffer.from(body, 'latin1').toString()), { grund: `ü ${code}` })
    })
})

describe('an error format over HTTP/2', () => {
  it('has the body of what does not reach the application', async () => {
    const http2 = createTestApp(defineController({ prefix: '/', routes: [] }), { errorFormat })
    const session = connect(await http2.listen({ ...LOOPBACK, http2: true }))
    const stream = session.request({ ':path': '/', expect: 'a-miracle' })
    const [headers] = await once(stream, 'response')
    assert.deepEqual([headers[':status'], headers['content-type']], [417, 'application/vnd.cars+json'])
    const chunks = await stream.toArray()
    assert.deepEqual(JSON.parse(Buffer.concat(chunks).toString()), { grund: 'ü expectation_failed' })
    session.close()
    await http2.close()
  })
})

describe('an error format of an application that is not there', () => {
  it('has the body while the application closes', async () => {
    const gate = createGate()
    const closing = createTestApp(
      defineController({
        prefix: '/',
        routes: [{ method: 'GET', handler: behind(gate, () => 'done') }],
      }),
      { errorFormat },
    )
    const server = createServer(closing.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const first = send(url, { path: '/' })
    await gate.entered
    const closed = closing.close()
    const refused = await send(url, { path: '/' })
    assert.deepEqual(
      [refused.status, refused.headers['content-type'], JSON.parse(refused.bytes.toString())],
      [503, 'application/vnd.cars+json', { grund: 'ü closing' }],
    )
    gate.open()
    await Promise.all([first, closed])
    server.close()
  })

  it('has the body when the application cannot start', async () => {
    const nothing = (): void => undefined
    const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
    const Broken = defineProvider({
      name: 'Broken',
      create: () => {
        throw new Error('broken')
      },
    })
    const broken = createApp(defineModule({ providers: [Broken] }), { errorFormat, logger })
    const server = createServer(broken.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const text = await exchange(
      `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      `GET / HTTP/1.1\r\n${HOST}\r\n`,
    )
    const { statusLine, body } = parse(text)
    assert.equal(statusLine, 'HTTP/1.1 500 Internal Server Error')
    assert.deepEqual(JSON.parse(Buffer.from(body, 'latin1').toString()), { grund: 'ü internal_error' })
    server.close()
  })
})
