/** The requests that are guarded, and the applications that answer them. */
import { z } from 'zod'

import {
  apiKey,
  createApp,
  defineController,
  defineModule,
  safeEqual,
  VersioningSchemes,
} from '../../src/index.ts'
import type { App } from '../../src/index.ts'

/** A request, the application it is for, and the door it comes through. */
export interface Scenario {
  readonly name: string
  /** `listen`: HTTP on a connection to the server of `app.listen`. `inject`: a call of `app.inject`. */
  readonly door: 'listen' | 'inject'
  readonly createApp: () => App
  readonly request: GuardRequest
  /** The status it has to be answered with. */
  readonly status: number
}

/** A request as both doors can make it. */
export interface GuardRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const HEADERS = {
  host: 'localhost:3000',
  'user-agent': 'guard/1.0',
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate, br',
  connection: 'keep-alive',
}

const HasKey = apiKey({
  in: 'header',
  name: 'x-api-key',
  verify: (key) => safeEqual(key, 'a key for the guard') && { name: 'guard' },
})

const NewCar = z.object({ name: z.string().min(1), year: z.number().int(), tags: z.array(z.string()) })
const CarFilter = z.object({
  offset: z.number().int().default(0),
  limit: z.number().int().max(100),
  sort: z.enum(['name', 'year']),
})

const cars = defineController({
  prefix: '/cars',
  routes: [
    { method: 'GET', path: '/status', handler: () => ({ status: 'open' }) },
    { method: 'GET', path: '/{car_id:int}', handler: ({ params }) => ({ id: params.car_id, name: 'Ford' }) },
    { method: 'GET', input: { query: CarFilter }, handler: ({ query }) => query },
    { method: 'POST', status: 201, input: { body: NewCar }, handler: ({ body }) => ({ id: 7, ...body }) },
    { method: 'GET', path: '/mine', guards: [HasKey], handler: (_input, { identity }) => identity },
  ],
})

const versionedCars = defineController({
  prefix: '/cars',
  version: ['1', '2', '3'],
  routes: [
    {
      method: 'GET',
      path: '/{car_id:int}',
      handler: ({ params }, { version }) => ({ id: params.car_id, version }),
    },
  ],
})

const plain = (): App => createApp(defineModule({ controllers: [cars] }), { logger: false })

const versioned = (): App => {
  const app = createApp(defineModule({ controllers: [versionedCars] }), { logger: false })
  app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version', defaultVersion: '1' })
  return app
}

const ignore = (): void => undefined
const logged = (): App =>
  createApp(defineModule({ controllers: [cars] }), {
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })

export const SCENARIOS: readonly Scenario[] = [
  listen('static path', plain, get('/cars/status'), 200),
  listen('one parameter', plain, get('/cars/7'), 200),
  listen('one parameter, with a log line', logged, get('/cars/7'), 200),
  listen('validated query', plain, get('/cars?limit=20&sort=year'), 200),
  listen('validated body', plain, post('/cars', { name: 'Ford', year: 2026, tags: ['blue', 'used'] }), 201),
  listen('version in a header', versioned, get('/cars/7', { 'x-version': '2' }), 200),
  listen('guarded route', plain, get('/cars/mine', { 'x-api-key': 'a key for the guard' }), 200),
  listen('not found', plain, get('/bikes/7'), 404),
  listen('query refused', plain, get('/cars?limit=many&sort=colour'), 422),
  inject('inject, one parameter', plain, get('/cars/7'), 200),
  inject('inject, validated body', plain, post('/cars', { name: 'Ford', year: 2026, tags: [] }), 201),
]

function listen(name: string, app: () => App, request: GuardRequest, status: number): Scenario {
  return { name, door: 'listen', createApp: app, request, status }
}

function inject(name: string, app: () => App, request: GuardRequest, status: number): Scenario {
  return { name, door: 'inject', createApp: app, request, status }
}

function get(url: string, headers: Readonly<Record<string, string>> = {}): GuardRequest {
  return { method: 'GET', url, headers: { ...HEADERS, ...headers } }
}

function post(url: string, body: unknown): GuardRequest {
  const text = JSON.stringify(body)
  const framing = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  return { method: 'POST', url, headers: { ...HEADERS, ...framing }, body: text }
}
