import assert from 'node:assert/strict'
import { Agent, createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'

import {
  defineController,
  html,
  HttpError,
  HttpRequest,
  HttpResponse,
  redirect,
  reply,
  text,
  VersioningSchemes,
} from 'octavo'
import type { InjectOptions } from 'octavo'
import { z } from 'zod'

import { createTestApp, exchange, LOOPBACK, open, parse, send } from './support.ts'

const app = createTestApp(
  defineController({
    prefix: '/',
    routes: [
      { method: 'GET', path: '/json', handler: () => ({ a: [1, 'é', null] }) },
      { method: 'GET', path: '/text', handler: () => text('päng') },
      { method: 'GET', path: '/html', handler: () => html('<p>hi</p>') },
      { method: 'GET', path: '/bytes', handler: () => new Uint8Array([0, 255, 10]) },
      { method: 'GET', path: '/nothing', handler: () => undefined },
      { method: 'GET', path: '/null', handler: () => null },
      { method: 'GET', path: '/later', handler: async () => 'later' },
      {
        method: 'GET',
        path: '/web',
        handler: () => new Response('web', { status: 203, headers: { 'x-a': '1' } }),
      },
      { method: 'GET', path: '/redirect', handler: () => redirect('/jsön?a=b', 303) },
      {
        method: 'GET',
        path: '/status/{status:int}',
        handler: ({ params }) => reply(params.status, { status: params.status }),
      },
      {
        method: 'GET',
        path: '/cookies',
        input: { cookies: ['a'] },
        handler: ({ cookies }) =>
          reply(200, cookies, { cookies: { b: '1', c: { value: '2', httpOnly: true, path: '/' } } }),
      },
      {
        method: 'GET',
        path: '/head',
        input: { inject: { response: HttpResponse } },
        handler: ({ inject }) => {
          inject.response.status = 202
          inject.response.headers.append('x-list', 'a')
          inject.response.headers.append('x-list', 'b')
          return 'set'
        },
      },
      {
        method: 'GET',
        path: '/headers',
        input: { headers: { xOne: z.string(), xMany: z.array(z.string()).default([]) } },
        handler: ({ headers }) => headers,
      },
      {
        method: 'GET',
        path: '/query',
        input: { query: { n: z.number(), l: z.array(z.string()).default([]) } },
        handler: ({ query }) => query,
      },
      { method: 'GET', path: '/path/{name}', handler: ({ params }) => params },
      { method: 'GET', path: '/rest/{rest:path}', handler: ({ params }) => params },
      {
        method: 'POST',
        path: '/body',
        input: { body: z.object({ n: z.number() }) },
        handler: ({ body }) => body,
      },
      { method: 'POST', path: '/form', input: { form: { n: z.number() } }, handler: ({ form }) => form },
      {
        method: 'POST',
        path: '/raw',
        input: { body: z.instanceof(Uint8Array) },
        handler: ({ body }) => body,
      },
      {
        method: 'GET',
        path: '/throw',
        handler: () => {
          throw new HttpError(418, 'No', { code: 'teapot', headers: { 'X-Pot': 'tea' }, pots: 2 })
        },
      },
      { method: 'GET', path: '/versioned', version: '1', handler: () => 1 },
      { method: ['GET', 'DELETE'], path: '/versioned', version: '2', handler: () => 2 },
      {
        method: 'GET',
        path: '/host',
        input: { inject: { request: HttpRequest } },
        handler: ({ inject: { request } }) => ({
          host: request.host,
          url: request.url,
          method: request.method,
        }),
      },
    ],
  }),
  { bodyLimit: 1000 },
)
app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version', defaultVersion: null })

const JSON_TYPE = { 'content-type': 'application/json' }
type Case = Required<Pick<InjectOptions, 'method'>> & {
  readonly url: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}
const get = (url: string, headers?: Case['headers'], method = 'GET'): Case => ({
  method,
  url,
  ...(headers === undefined ? {} : { headers }),
})
const post = (url: string, body: string | Uint8Array, headers: Case['headers'] = JSON_TYPE): Case => ({
  method: 'POST',
  url,
  headers,
  body,
})

const CASES: readonly (readonly [status: number, request: Case])[] = [
  [200, get('/json')],
  [200, get('/json/')],
  [200, get('/text')],
  [200, get('/html')],
  [200, get('/bytes')],
  [204, get('/nothing')],
  [200, get('/null')],
  [200, get('/later')],
  [203, get('/web')],
  [303, get('/redirect')],
  [201, get('/status/201')],
  [404, get('/status/404')],
  [304, get('/status/304')],
  [500, get('/status/600')],
  [200, get('/cookies', { cookie: 'a=x%20y' })],
  [422, get('/cookies')],
  [202, get('/head')],
  [200, get('/headers', { 'x-one': 'ö', 'x-many': ['a', 'b, c'] })],
  [422, get('/headers')],
  [200, get('/query?n=5&l=a&l=b')],
  [422, get('/query?n=five')],
  [200, get('/path/a%2Fb%20c')],
  [400, get('/path/%zz')],
  [404, get('//json')],
  [200, get('/rest/a/b/')],
  [200, post('/body', '{"n":1}')],
  [422, post('/body', '{"n":"1"}')],
  [400, post('/body', '{"n":')],
  [415, post('/body', '<n/>', { 'content-type': 'application/xml' })],
  [413, post('/body', `{"n":1}${' '.repeat(1000)}`)],
  [422, post('/body', '')],
  [200, post('/form', 'n=7', { 'content-type': 'application/x-www-form-urlencoded' })],
  [200, post('/raw', new Uint8Array([1, 2, 254]), {})],
  [418, get('/throw')],
  [400, get('/versioned')],
  [200, get('/versioned', { 'x-version': '1' })],
  [200, get('/versioned', { 'x-version': '2' })],
  [406, get('/versioned', { 'x-version': '3' })],
  [405, get('/versioned', { 'x-version': '1' }, 'DELETE')],
  [200, get('/versioned', { 'x-version': '2' }, 'DELETE')],
  [204, get('/versioned', { 'x-version': '1' }, 'OPTIONS')],
  [405, get('/json', {}, 'PUT')],
  [405, get('/json', {}, 'PROPFIND')],
  [204, get('/json', {}, 'OPTIONS')],
  [204, get('*', {}, 'OPTIONS')],
  [404, get('/missing')],
  [200, get('/json', {}, 'HEAD')],
  [404, get('/missing', {}, 'HEAD')],
  [200, get('/later', {}, 'HEAD')],
  [200, get('http://b.test:8080/host?a=1')],
  [414, get(`/${'a'.repeat(8192)}`)],
]

/** The head without what belongs to a connection. */
function endToEnd(headers: Readonly<Record<string, unknown>>) {
  const { date: _d, connection: _c, 'keep-alive': _k, 'transfer-encoding': _t, ...rest } = headers
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      Array.isArray(value) && name !== 'set-cookie' ? value.join(', ') : value,
    ]),
  )
}

/** The bytes, with the ids of failures made equal. */
const plain = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/"requestId":"[^"]+"/, '"requestId":""')

describe('every adapter answers alike', () => {
  const server = createServer(app.handler)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let urls: readonly string[] = []
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    urls = [await app.listen(LOOPBACK), `http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  })
  after(async () => {
    agent.destroy()
    server.close()
    await app.close()
  })

  for (const [status, request] of CASES) {
    const { method, url, headers = {}, body } = request
    it(`${method} ${url.slice(0, 60)} ${JSON.stringify(headers)} → ${status}`, async () => {
      const injected = await app.inject({ ...request, headers: { host: 'a.test', ...headers } })
      assert.equal(injected.statusCode, status)
      const expected = {
        status,
        headers: endToEnd(injected.headers),
        text: plain(injected.bytes),
      }
      for (const base of urls) {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        const answer = await send(base, {
          method,
          path: url,
          headers: { host: 'a.test', ...headers, ...length },
          ...(body === undefined ? {} : { body }),
          agent,
        })
        assert.deepEqual(
          { status: answer.status, headers: endToEnd(answer.headers), text: plain(answer.bytes) },
          expected,
        )
      }
    })
  }
})

describe('a kept connection', () => {
  const HOST = 'Host: a.test\r\n'
  let url = ''
  const kept = createTestApp(
    defineController({
      prefix: '/',
      routes: [
        {
          method: 'GET',
          path: '/slow',
          handler: async () => new Promise((resolve) => setImmediate(resolve, 'slow')),
        },
        { method: 'GET', path: '/fast', handler: () => 'fast' },
        { method: 'POST', path: '/body', input: { body: z.object({}) }, handler: () => 'body' },
      ],
    }),
  )
  before(async () => {
    url = await kept.listen(LOOPBACK)
  })
  after(() => kept.close())

  it('answers pipelined requests in order', async () => {
    const answers = await exchange(
      url,
      `GET /slow HTTP/1.1\r\n${HOST}\r\nGET /fast HTTP/1.1\r\n${HOST}\r\nGET /fast HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    )
    assert.deepEqual(
      answers.split(/(?=HTTP\/1\.1 )/).map((answer) => parse(answer).body),
      ['"slow"', '"fast"', '"fast"'],
    )
  })

  it('outlives 404, 405, 422, 400 and a body that nobody reads', async () => {
    const toText = (path: string, body: string): string =>
      `POST ${path} HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`
    const answers = await exchange(
      url,
      toText('/nowhere', 'a'.repeat(100_000)) +
        toText('/fast', 'abc') +
        toText('/body', '[]') +
        toText('/body', '{') +
        `GET /fast HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    )
    assert.deepEqual(
      answers.split(/(?=HTTP\/1\.1 )/).map((answer) => parse(answer).statusLine.slice(9, 12)),
      ['404', '405', '422', '400', '200'],
    )
  })

  it('is ended for HTTP/1.0', async () => {
    assert.equal(parse(await exchange(url, 'GET /fast HTTP/1.0\r\n\r\n')).body, '"fast"')
  })
})

describe('hosts', () => {
  it('several Host lines are refused under HOST too', async () => {
    const hosts = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', version: ['1', '2'], handler: () => 'x' }] }),
    )
    hosts.enableVersioning(VersioningSchemes.HOST, { versionParameter: 'v', defaultVersion: null })
    const url = await hosts.listen(LOOPBACK)
    const answer = await exchange(
      url,
      'GET / HTTP/1.1\r\nHost: v1.a.test\r\nHost: v2.a.test\r\nConnection: close\r\n\r\n',
    )
    await hosts.close()
    const { statusLine, body } = parse(answer)
    const { code, detail } = JSON.parse(body)
    assert.deepEqual(
      { statusLine, code, detail },
      {
        statusLine: 'HTTP/1.1 400 Bad Request',
        code: 'malformed_request',
        detail: 'The request has several Host headers',
      },
    )
  })

  it('an IPv6 address stands in brackets', async (test) => {
    const six = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 6 }] }),
    )
    let url: string
    try {
      url = await six.listen({ ...LOOPBACK, host: '::1' })
    } catch {
      test.skip('no IPv6 here')
      return
    }
    assert.match(url, /^http:\/\/\[::1\]:\d+$/)
    const socket = await open(url)
    socket.destroy()
    assert.equal((await fetch(url)).status, 200)
    await six.close()
  })
})
