import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

import { defineController, HttpRequest } from 'octavo'
import { z } from 'zod'

import { createTestApp, exchange, LOOPBACK, open, parse, readAll, readUntil, send } from './support.ts'

const LIMIT = 1_048_576
let ran = 0

const app = createTestApp(
  defineController({
    prefix: '/',
    routes: [
      { method: 'GET', path: '/', handler: () => 'ok' },
      {
        method: 'GET',
        path: '/host',
        input: { inject: { request: HttpRequest } },
        handler: ({ inject }) => inject.request.host,
      },
      {
        method: 'POST',
        path: '/size',
        input: { body: z.instanceof(Uint8Array) },
        handler: ({ body }) => {
          ran++
          return body.length
        },
      },
    ],
  }),
  { timeouts: { headers: 400, request: 1200 } },
)
let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})
after(() => app.close())

const PROBLEMS: Readonly<Record<string, readonly [statusLine: string, title: string, detail: string]>> = {
  url_too_long: ['414 URI Too Long', 'URI Too Long', 'The request target is longer than 8192 characters'],
  headers_too_large: [
    '431 Request Header Fields Too Large',
    'Request Header Fields Too Large',
    'The headers are longer than 16384 bytes',
  ],
  malformed_request: ['400 Bad Request', 'Malformed request', 'The request is not valid HTTP'],
  malformed_target: [
    '400 Bad Request',
    'Malformed request target',
    'The request target is neither a path nor a URL',
  ],
  missing_host: ['400 Bad Request', 'Missing Host header', 'The request has no Host header'],
  request_timeout: ['408 Request Timeout', 'Request Timeout', 'The request took too long to arrive'],
  body_too_large: ['413 Payload Too Large', 'Content Too Large', `The body is longer than ${LIMIT} bytes`],
  expectation_failed: [
    '417 Expectation Failed',
    'Expectation Failed',
    'No expectation but 100-continue can be met',
  ],
}

function assertProblem(text: string, code: string): void {
  const [statusLine = '', title, detail] = PROBLEMS[code] ?? []
  const { headers, body, ...rest } = parse(text)
  const type = `urn:octavo:problem:${code.replaceAll('_', '-')}`
  const { date, ...others } = headers
  assert.deepEqual(rest, { statusLine: `HTTP/1.1 ${statusLine}` })
  assert.ok(!Number.isNaN(Date.parse(date ?? '')))
  assert.deepEqual(JSON.parse(body), { type, title, status: Number(statusLine.slice(0, 3)), detail, code })
  assert.deepEqual(others, {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  })
}

const HOST = 'Host: a.test\r\n'

describe('limits at the socket', () => {
  const cases = [
    ['a target over 8 KiB', `GET /${'a'.repeat(8192)} HTTP/1.1\r\n${HOST}\r\n`, 'url_too_long'],
    ['a target over what the parser takes', `GET /${'a'.repeat(60_000)} HTTP/1.1\r\n`, 'url_too_long'],
    [
      'headers over 16 KiB',
      `GET / HTTP/1.1\r\n${HOST}X-Big: ${'a'.repeat(16_384)}\r\n\r\n`,
      'headers_too_large',
    ],
    ['headers far over 16 KiB', `GET / HTTP/1.1\r\n${HOST}X-Big: ${'a'.repeat(60_000)}`, 'headers_too_large'],
    ['what is not HTTP', 'hello\r\n\r\n', 'malformed_request'],
    [
      'two lengths',
      `POST /size HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      'malformed_request',
    ],
    [
      'a length beside chunks',
      `POST /size HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      'malformed_request',
    ],
    ['a request without Host', 'GET / HTTP/1.1\r\n\r\n', 'missing_host'],
    ['an unknown expectation', `GET / HTTP/1.1\r\n${HOST}Expect: a-miracle\r\n\r\n`, 'expectation_failed'],
    ['a tunnel', `CONNECT a.test:80 HTTP/1.1\r\n${HOST}\r\n`, 'malformed_target'],
    ['headers that do not arrive in time', `GET / HTTP/1.1\r\n${HOST}`, 'request_timeout'],
    ['a connection that says nothing', '', 'request_timeout'],
    [
      'a body that does not arrive in time',
      `POST /size HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`,
      'request_timeout',
    ],
    [
      'a chunk without size',
      `POST /size HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      'malformed_request',
    ],
  ] as const
  for (const [title, text, code] of cases) {
    it(`${title}: ${code}`, async () => {
      const socket = await open(url)
      socket.write(text, 'latin1')
      const answer = await readUntil(socket, /\}$/)
      socket.destroy()
      assertProblem(answer, code)
    })
  }

  it('a body that ends early', async () => {
    const socket = await open(url)
    socket.end(`POST /size HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`)
    assertProblem(await readAll(socket), 'malformed_request')
  })

  it('what follows a whole request is refused after its answer', async () => {
    const text = await exchange(url, `GET / HTTP/1.1\r\n${HOST}\r\nnonsense\r\n\r\n`)
    const at = text.indexOf('HTTP/1.1 400')
    assert.equal(parse(text.slice(0, at)).body, '"ok"')
    assertProblem(text.slice(at), 'malformed_request')
  })

  it('a long target beside long headers is within both limits', async () => {
    const response = await send(url, {
      path: `/?${'a'.repeat(8000)}`,
      headers: { 'x-big': 'a'.repeat(16_000) },
    })
    assert.equal(response.status, 200)
  })
})

const post = (headers: string): string => `POST /size HTTP/1.1\r\n${HOST}${headers}\r\n\r\n`

describe('the body limit', () => {
  it('is checked before a declared body is sent', async () => {
    const socket = await open(url)
    socket.write(post(`Content-Length: ${LIMIT + 1}`))
    assertProblem(await readUntil(socket, /\}$/), 'body_too_large')
    socket.destroy()
  })

  it('is checked before a client is told to go on', async () => {
    const text = await exchange(url, post(`Content-Length: ${LIMIT + 1}\r\nExpect: 100-continue`))
    assertProblem(text, 'body_too_large')
  })

  it('tells a client to go on that has a body within it', async () => {
    const socket = await open(url)
    socket.write(post('Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close'))
    assert.equal(await readUntil(socket, /\r\n\r\n$/), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('ab')
    assert.equal(parse(await readAll(socket)).body, '2')
  })

  it('does not tell a client of HTTP/1.0 to go on, which knows nothing of it', async () => {
    const socket = await open(url)
    const lines = 'Content-Type: application/octet-stream\r\nContent-Length: 2\r\nExpect: 100-continue'
    socket.write(`POST /size HTTP/1.0\r\n${lines}\r\n\r\n`)
    await wait(20)
    socket.write('ab')
    const answer = parse(await readAll(socket))
    assert.deepEqual([answer.statusLine, answer.body], ['HTTP/1.1 200 OK', '2'])
  })

  it('is checked as soon as chunks pass it, and the handler does not run', async () => {
    const ranBefore = ran
    const socket = await open(url)
    socket.write(`${post('Transfer-Encoding: chunked')}${(LIMIT + 1).toString(16)}\r\n`)
    socket.write(Buffer.alloc(LIMIT + 1))
    assertProblem(await readUntil(socket, /\}$/), 'body_too_large')
    socket.destroy()
    assert.equal(ran, ranBefore)
  })

  const SIZE = 5 * LIMIT
  const bodies = [
    ['a declared body', `Content-Length: ${SIZE}`, '', ''],
    ['a chunked body', 'Transfer-Encoding: chunked', `${SIZE.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  ] as const
  for (const [title, header, start, end] of bodies) {
    it(`is told to a client that sends all of ${title} first`, async () => {
      const socket = await open(url)
      socket.write(post(header) + start)
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.write(Buffer.alloc(SIZE))
        socket.write(end, () => resolve())
      })
      assertProblem(await readAll(socket), 'body_too_large')
    })
  }

  for (const [title, path, status] of [
    ['nothing is served', '/nowhere', '404 Not Found'],
    ['the connection was to end anyway', '/', '405 Method Not Allowed'],
  ] as const) {
    it(`does not keep a client from its answer where ${title}`, async () => {
      const socket = await open(url)
      socket.write(`POST ${path} HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: ${SIZE}\r\n\r\n`)
      socket.write(Buffer.alloc(SIZE))
      assert.equal(parse(await readAll(socket)).statusLine, `HTTP/1.1 ${status}`)
    })
  }

  it('holds for chunks within it', async () => {
    const text = await exchange(
      url,
      post('Transfer-Encoding: chunked\r\nConnection: close') + '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    )
    assert.equal(parse(text).body, '5')
  })
})

describe('the host', () => {
  it('is that of an absolute target, whatever the Host header says', async () => {
    const text = await exchange(url, `GET http://b.test:81/host HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
    assert.equal(parse(text).body, '"b.test:81"')
  })
})
