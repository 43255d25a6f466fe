import { Readable } from 'node:stream'

import {
  badRequest,
  createApp,
  defineController,
  defineModule,
  HttpError,
  HttpRequest,
  HttpResponse,
  redirect,
  reply,
  stream,
  text,
  VersioningSchemes,
} from 'octavo'
import { cors } from 'octavo/middleware'
import type { App, Controller, Method, Middleware } from 'octavo'
import { z } from 'zod'

async function* words() {
  for (const word of ['one ', 'zwei ', 'три ', 'πέντε', ' 🚗']) {
    await Promise.resolve()
    yield word
  }
}

function webStream(): ReadableStream<Uint8Array> {
  return new Blob(['from a web stream']).stream() as ReadableStream<Uint8Array>
}

const results = defineController({
  prefix: '/result',
  routes: [
    { method: 'GET', path: '/json', handler: () => ({ a: [1, 'é', null], at: new Date(0) }) },
    { method: 'GET', path: '/string', handler: () => 'päth' },
    { method: 'GET', path: '/null', handler: () => null },
    { method: 'GET', path: '/nothing', handler: () => undefined },
    { method: 'GET', path: '/text', handler: () => text('täxt 🚗') },
    { method: 'GET', path: '/half', handler: () => text('a\ud800b') },
    { method: 'GET', path: '/bytes', handler: () => new Uint8Array([0, 255, 128, 10, 13]) },
    { method: 'GET', path: '/no-bytes', handler: () => new Uint8Array(0) },
    { method: 'GET', path: '/created', status: 201, handler: () => ({ id: 7 }) },
    { method: 'GET', path: '/reset', handler: () => reply(205) },
    {
      method: 'GET',
      path: '/not-modified',
      handler: () => reply(304, undefined, { headers: { etag: '"a"' } }),
    },
    { method: 'GET', path: '/redirect', handler: () => redirect('/ziel/é', 303) },
    { method: 'GET', path: '/generator', handler: () => words() },
    { method: 'GET', path: '/stream', handler: () => stream(words(), { type: 'text/plain; charset=utf-8' }) },
    { method: 'GET', path: '/no-stream', handler: () => stream(Readable.from([])) },
    { method: 'GET', path: '/node', handler: () => Readable.from([Buffer.from('ab'), Buffer.from('c')]) },
    { method: 'GET', path: '/web', handler: () => webStream() },
    { method: 'GET', path: '/large', handler: () => new Uint8Array(300_000).fill(7) },
    { method: 'GET', path: '/large-stream', handler: () => stream(Readable.from(large())) },
    {
      method: 'GET',
      path: '/response',
      handler: () =>
        new Response('täxt', { status: 202, headers: { 'x-own': 'yes', 'content-length': '5' } }),
    },
    {
      method: 'GET',
      path: '/response-cookies',
      handler: () => {
        const headers = new Headers()
        headers.append('set-cookie', 'a=1; Path=/')
        headers.append('set-cookie', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT')
        return new Response(null, { headers })
      },
    },
    {
      method: 'GET',
      path: '/read-response',
      handler: async () => {
        const response = new Response('read')
        await response.text()
        return response
      },
    },
    {
      method: 'GET',
      path: '/locked-stream',
      handler: () => {
        const source = webStream()
        source.getReader()
        return stream(source)
      },
    },
    {
      method: 'GET',
      path: '/cookies',
      handler: () =>
        reply(200, null, { cookies: { a: '1', b: { value: 'x y;ö', path: '/', httpOnly: true } } }),
    },
    {
      method: 'GET',
      path: '/headers',
      handler: () =>
        reply(200, 1, { headers: { link: ['</a>; rel=a', '</b>; rel=b'], 'x-latin': 'é', 'x-empty': '' } }),
    },
    {
      method: 'GET',
      path: '/framed',
      handler: () => reply(200, 'abc', { headers: { 'transfer-encoding': 'chunked' } }),
    },
    {
      method: 'GET',
      path: '/head',
      input: { inject: { response: HttpResponse } },
      handler: ({ inject: { response } }) => {
        response.status = 203
        response.headers.append('vary', 'x-a')
        response.cookies.set('c', '3')
        return { set: true }
      },
    },
  ],
})

function* large() {
  for (let piece = 0; piece < 40; piece++) yield Buffer.alloc(10_000, piece)
}

const failures = defineController({
  prefix: '/failure',
  routes: [
    { method: 'GET', path: '/unknown', handler: () => fail(new Error('secret')) },
    { method: 'GET', path: '/thrown-text', handler: () => fail('secret') },
    {
      method: 'GET',
      path: '/http',
      handler: () => fail(new HttpError(409, 'Täken', { code: 'taken', id: 7 })),
    },
    {
      method: 'GET',
      path: '/with-headers',
      handler: () => fail(badRequest('No', { headers: { 'Retry-After': '3' } })),
    },
    { method: 'GET', path: '/crlf', handler: () => reply(200, 1, { headers: { 'x-a': 'b\r\nx-c: d' } }) },
    { method: 'GET', path: '/status', handler: () => reply(799) },
    { method: 'GET', path: '/bigint', handler: () => ({ big: 1n }) },
  ],
})

function fail(thrown: unknown): never {
  throw thrown
}

const METHODS: readonly Method[] = ['QUERY', 'POST', 'PUT', 'PATCH', 'DELETE']

const bodies = defineController({
  prefix: '/body',
  routes: [
    {
      method: METHODS,
      path: '/json',
      input: { body: z.object({ name: z.string(), year: z.number().optional() }) },
      handler: ({ body }) => body,
    },
    { method: 'POST', path: '/text', input: { body: z.string() }, handler: ({ body }) => text(body) },
    {
      method: 'POST',
      path: '/maybe',
      input: { body: z.string().optional() },
      handler: ({ body }) => ({ body }),
    },
    {
      method: 'POST',
      path: '/bytes',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => new Uint8Array(body),
    },
    {
      method: 'POST',
      path: '/form',
      input: { form: { a: z.string(), n: z.array(z.number()) } },
      handler: ({ form }) => form,
    },
    {
      method: ['GET', 'POST'],
      path: '/read',
      handler: async (_input, { request }) => ({
        text: await request.text(),
        type: request.header('content-type'),
      }),
    },
    {
      method: 'POST',
      path: '/web',
      handler: async (_input, { request }) => text(await request.web.text()),
    },
    { method: 'POST', path: '/ignored', handler: () => 'not read' },
    {
      method: 'POST',
      path: '/small',
      bodyLimit: 10,
      input: { body: z.string() },
      handler: ({ body }) => body,
    },
  ],
})

const heads = defineController({
  prefix: '/head',
  inject: { request: HttpRequest },
  routes: [
    {
      method: ['GET', 'OPTIONS', 'TRACE'],
      path: '/url/{rest:path}',
      handler: ({ params, inject: { request } }) => ({
        ...params,
        method: request.method,
        url: request.url,
        query: request.query,
        host: request.host,
        protocol: request.protocol,
      }),
    },
    { method: 'GET', path: '/one/{name}', handler: ({ params }) => params },
    { method: 'GET', path: '/int/{n:int}', handler: ({ params }) => params },
    { method: 'GET', path: '/cookies', handler: ({ inject: { request } }) => request.cookies },
    { method: 'GET', path: '/lines', handler: ({ inject: { request } }) => request.headerLines('x-a') },
    { method: 'GET', path: '/joined', handler: ({ inject: { request } }) => ({ a: request.header('X-A') }) },
    {
      method: 'GET',
      path: '/query',
      input: { query: { n: z.array(z.number()), on: z.boolean().default(false) } },
      handler: ({ query }) => query,
    },
    { method: ['GET', 'POST'], path: '/methods', handler: () => 'here' },
  ],
})

const tag: Middleware = async (_context, next) => {
  const response = await next()
  response.headers['x-tag'] = 'middleware'
  return response
}

/** The applications that the requests of the table go to. */
export const APPS = {
  plain: () => make([results, failures, bodies, heads]),
  tagged: () =>
    make([heads, failures], {
      middleware: [cors({ origin: 'https://a.example' }), tag],
      trailingSlash: 'redirect',
    }),
  byUrl: () => versioned((app) => app.enableVersioning(VersioningSchemes.URL, { defaultVersion: '1' })),
  byHeader: () =>
    versioned((app) => app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version' })),
  byAccept: () =>
    versioned((app) => app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'accept' })),
  byQuery: () => versioned((app) => app.enableVersioning(VersioningSchemes.QUERY)),
  byHost: () => versioned((app) => app.enableVersioning(VersioningSchemes.HOST)),
}

function make(
  controllers: readonly Controller<unknown, unknown, unknown, unknown>[],
  options: Parameters<typeof createApp>[1] = {},
): App {
  return createApp(defineModule({ controllers }), { logger: false, ...options })
}

function versioned(enable: (app: App) => void): App {
  const garage = defineController({
    prefix: '/garage',
    version: ['1', '2'],
    routes: [{ method: 'GET', handler: (_input, { version }) => ({ version }) }],
  })
  const app = make([garage])
  enable(app)
  return app
}
