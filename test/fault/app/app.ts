import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

import {
  bearerAuth,
  cors,
  createApp,
  defineController,
  defineErrorHandler,
  defineInterceptor,
  defineModule,
  defineProvider,
  ExecutionContext,
  HttpError,
  HttpRequest,
  HttpResponse,
  redirect,
  reply,
  safeEqual,
  Session,
  stream,
  text,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, SessionStore } from 'octavo'
import { z } from 'zod'

/** What is alive in the application beside what node:http has. */
export interface Alive {
  scopes: number
  sources: number
}

/** The message of errors that are no finding. */
export const MEANT = 'This error is meant'

class OwnError extends Error {}

const Car = z.object({
  name: z.string(),
  year: z.number().int(),
  tags: z.array(z.string()).default([]),
})
const ListQuery = {
  limit: z.number().int().default(10),
  offset: z.number().default(0),
  sort: z.enum(['name', 'year']).default('name'),
  tags: z.array(z.string()).default([]),
  since: z.date().optional(),
  exact: z.boolean().default(false),
}

/** An application with a route of every kind, and the count of what lives in it. */
export function createFaultApp(options: AppOptions = {}): { readonly app: App; readonly alive: Alive } {
  const alive: Alive = { scopes: 0, sources: 0 }
  const app = createApp(
    defineModule({
      imports: [createScoped(alive)],
      controllers: [cars, createSources(alive), answers, bodies, sessions],
      errorHandlers: [
        defineErrorHandler({ match: OwnError, handle: () => reply(409, { detail: 'Told by a handler' }) }),
      ],
    }),
    {
      logger: false,
      middleware: [cors({ origin: 'https://a.test' })],
      session: {
        secret: 'a secret of more than 32 characters',
        store: createSmallStore(),
        cookie: { secure: false },
      },
      ...options,
    },
  )
  app.enableVersioning(
    [
      [VersioningSchemes.URL],
      [VersioningSchemes.HEADER, { headerParameter: 'x-version' }],
      [VersioningSchemes.QUERY],
    ],
    { defaultVersion: '1' },
  )
  return { app, alive }
}

const cars = defineController({
  prefix: '/cars',
  version: ['1', '2'],
  routes: [
    { method: 'GET', input: { query: ListQuery }, handler: ({ query }) => query },
    { method: 'POST', input: { body: Car }, status: 201, handler: ({ body }) => body },
    { method: 'GET', path: '/{id:int}', version: '1', handler: ({ params }) => params },
    { method: 'GET', path: '/{id:int}', version: '2', handler: ({ params }) => ({ ...params, links: [] }) },
    {
      method: ['PUT', 'PATCH'],
      path: '/{id:int}',
      input: { body: Car.partial(), query: { exact: z.boolean().default(false) } },
      handler: ({ params, body, query }) => ({ ...params, ...body, ...query }),
    },
    { method: 'DELETE', path: '/{id:int}', handler: () => reply(204) },
    { method: 'GET', path: '/uuid/{id:uuid}', handler: ({ params }) => params },
    { method: 'GET', path: '/{from}-{to}', handler: ({ params }) => params },
  ],
})

// routes whose answer is a stream; what feeds it is counted while it is open
function createSources(alive: Alive) {
  async function* rows(count: number, fails = false) {
    alive.sources++
    try {
      for (let row = 0; row < count; row++) {
        yield `row ${row} ${'x'.repeat(100)}\n`
        if (row % 10 === 0) await delay(1)
        if (fails && row === 20) throw new Error(MEANT)
      }
    } finally {
      alive.sources--
    }
  }
  return defineController({
    prefix: '/stream',
    routes: [
      { method: 'GET', path: '/generator', handler: () => stream(rows(60), { type: 'text/plain' }) },
      { method: 'GET', path: '/node', handler: () => Readable.from(rows(60)) },
      {
        method: 'GET',
        path: '/web',
        handler: () => new Response(Readable.toWeb(Readable.from(rows(60))) as ReadableStream),
      },
      { method: 'GET', path: '/fail', handler: () => stream(rows(60, true)) },
      { method: 'GET', path: '/endless', handler: () => stream(rows(Infinity)) },
    ],
  })
}

const answers = defineController({
  prefix: '/',
  inject: { response: HttpResponse, context: ExecutionContext, request: HttpRequest },
  routes: [
    { method: 'GET', path: '/canary/{n:int}', handler: ({ params }) => ({ canary: params.n }) },
    { method: 'GET', path: '/files/{rest:path}', handler: ({ params }) => text(params.rest) },
    {
      method: 'GET',
      path: '/head',
      handler: ({ inject: { response } }) => {
        response.headers.set('x-own', 'yes')
        response.cookies.set('seen', 'a value', { httpOnly: true })
        return 'with a head'
      },
    },
    {
      method: 'GET',
      path: '/slow/{n:int}',
      handler: async ({ params, inject: { context } }) => {
        await delay(params.n % 25, undefined, { signal: context.signal }).catch(() => undefined)
        return params
      },
    },
    { method: 'GET', path: '/redirect', handler: () => redirect('/cars/1') },
    { method: 'GET', path: '/empty', handler: () => undefined },
    { method: 'GET', path: '/big', handler: () => 'x'.repeat(300_000) },
    {
      method: 'GET',
      path: '/throw',
      handler: () => {
        throw new Error(MEANT)
      },
    },
    {
      method: 'GET',
      path: '/reject',
      handler: async () => Promise.reject(new OwnError('told by a handler')),
    },
    {
      method: 'GET',
      path: '/refuse',
      handler: () => {
        throw new HttpError(409, 'No', { code: 'no' })
      },
    },
    {
      method: 'GET',
      path: '/private',
      guards: [bearerAuth({ verify: (token) => safeEqual(token, 'let-me-in') })],
      interceptors: [
        defineInterceptor({
          name: 'Wrap',
          intercept: async (_context, next) => ({ data: await next() }),
        }),
      ],
      handler: () => 'private',
    },
    {
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      path: '/raw',
      handler: async ({ inject: { request } }) => {
        const { url, host, ip, protocol, cookies, query, headers, web } = request
        const seen = { url, host, ip, protocol, cookies, query, names: Object.keys(headers) }
        return { ...seen, isWeb: web.method === request.method, length: (await request.bytes()).length }
      },
    },
  ],
})

const bodies = defineController({
  prefix: '/',
  routes: [
    {
      method: ['POST', 'PUT'],
      path: '/text',
      input: { body: z.string() },
      handler: ({ body }) => text(body),
    },
    {
      method: ['POST', 'PUT'],
      path: '/bytes',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => ({ length: body.length }),
    },
    {
      method: ['POST', 'PUT'],
      path: '/form',
      input: {
        form: { name: z.string(), year: z.number().optional(), tags: z.array(z.string()).default([]) },
      },
      handler: ({ form }) => form,
    },
  ],
})

function createScoped(alive: Alive) {
  const Unit = defineProvider({
    name: 'Unit',
    scope: 'request',
    create: async () => {
      await delay(0)
      alive.scopes++
      return { started: true }
    },
    dispose: async () => {
      await delay(0)
      alive.scopes--
    },
  })
  const scoped = defineController({
    prefix: '/scoped',
    inject: { unit: Unit },
    routes: [
      { method: 'GET', handler: ({ inject }) => inject.unit },
      { method: 'POST', input: { body: Car }, handler: ({ inject }) => inject.unit },
    ],
  })
  return defineModule({ name: 'ScopedModule', providers: [Unit], controllers: [scoped] })
}

const sessions = defineController({
  prefix: '/session',
  inject: { session: Session },
  routes: [
    {
      method: 'GET',
      handler: ({ inject: { session } }) => ({ keys: Object.keys(session.data) }),
    },
    {
      method: ['GET', 'POST'],
      path: '/new',
      handler: async ({ inject: { session } }) => {
        Object.assign(session.data, { visits: 1 })
        await session.regenerate()
        return { visits: 1 }
      },
    },
    {
      method: 'GET',
      path: '/end',
      handler: async ({ inject: { session } }) => {
        await session.destroy()
      },
    },
  ],
})

/** A store that keeps the latest hundred sessions, so that it has no part in how memory grows. */
function createSmallStore(): SessionStore {
  const entries = new Map<string, string>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > 100 && oldest !== undefined) entries.delete(oldest)
      return true
    },
    delete: (key) => entries.delete(key),
  }
}
