/** The requests that are guarded, and the applications that answer them. */
import { z } from 'zod'

import { apiKey, safeEqual } from '../../src/extensions/auth/index.ts'
import { defineVersionChange, defineVersions, model, reshape } from '../../src/changes/index.ts'
import { defineController, defineModule, VersioningSchemes } from '../../src/index.ts'
import type { AppOptions, HeaderOptions, Module, RouteOptions } from '../../src/index.ts'

/** A request, the application it is for, and the adapter it comes through. */
export interface Scenario {
  readonly name: string
  readonly adapter: Adapter
  readonly setup: Setup
  readonly request: GuardRequest
  /** The status it has to be answered with. */
  readonly status: number
}

/**
 * `dispatch`: what every adapter calls with requests, by itself. `listen`: HTTP on a connection to the server of `app.listen`. `inject`: a
 * call of `app.inject`.
 */
export type Adapter = 'dispatch' | 'listen' | 'inject'

/** What an application is made of. */
export interface Setup {
  readonly module: Module<unknown, unknown>
  readonly options: AppOptions<HeaderOptions>
}

/** A request as every adapter can make it. */
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

const plain: Setup = { module: defineModule({ controllers: [cars] }), options: { logger: false } }

const versioned: Setup = {
  module: defineModule({ controllers: [versionedCars] }),
  options: {
    logger: false,
    versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version', defaultVersion: '1' },
  },
}

const Car = model('Car', { name: z.string().min(1), year: z.number().int(), tags: z.array(z.string()) })
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { Car },
  changes: [
    defineVersionChange({
      version: '2',
      title: 'Years had another name',
      change: [reshape({ of: Car, fields: { year: { was: 'built' } } })],
    }),
  ],
})
const modelled = (version: Pick<RouteOptions, 'version'>): Module<unknown, unknown> =>
  defineModule({
    controllers: [
      defineController({
        prefix: '/cars',
        routes: [
          { method: 'POST', status: 200, input: { body: Car }, response: Car, handler: echo, ...version },
        ],
      }),
    ],
  })
const echo = ({ body }: { readonly body: z.output<typeof Car> }): z.output<typeof Car> => body
const header = { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' } as const
const listed: Setup = {
  module: modelled({ version: ['1', '2', '3'] }),
  options: { logger: false, versioning: header },
}
const changed: Setup = {
  module: modelled({}),
  options: { logger: false, versioning: { ...header, history } },
}

const ignore = (): void => undefined
const logged: Setup = {
  module: plain.module,
  options: { logger: { debug: ignore, info: ignore, warn: ignore, error: ignore } },
}

/** A list of a history, as most results of older versions are. */
const listedCars: Setup = {
  module: defineModule({
    controllers: [
      defineController({
        prefix: '/cars',
        routes: [{ method: 'GET', response: z.array(Car), handler: () => HUNDRED }],
      }),
    ],
  }),
  options: { logger: false, versioning: { ...header, history } },
}
const HUNDRED = Array.from({ length: 100 }, (_, index) => ({
  name: `Ford ${index}`,
  year: 2026,
  tags: ['blue'],
}))

const car = { name: 'Ford', year: 2026, tags: ['blue', 'used'] }

/** The newest version of a history runs what a version without a history runs. */
export const LEVEL = {
  of: 'body and response in a version',
  is: 'the same in the newest version of a history',
}

const DISPATCHED: readonly Omit<Scenario, 'adapter'>[] = [
  { name: 'static path', setup: plain, request: get('/cars/status'), status: 200 },
  { name: 'one parameter', setup: plain, request: get('/cars/7'), status: 200 },
  { name: 'one parameter, logged', setup: logged, request: get('/cars/7'), status: 200 },
  { name: 'validated query', setup: plain, request: get('/cars?limit=20&sort=year'), status: 200 },
  { name: 'validated body', setup: plain, request: post('/cars', car), status: 201 },
  {
    name: 'version in a header',
    setup: versioned,
    request: get('/cars/7', { 'x-version': '2' }),
    status: 200,
  },
  { name: LEVEL.of, setup: listed, request: post('/cars', car, { 'x-version': '3' }), status: 200 },
  {
    name: 'list of 100',
    setup: listedCars,
    request: get('/cars', { 'x-version': '3' }),
    status: 200,
  },
  {
    name: 'list of 100 in an older version',
    setup: listedCars,
    request: get('/cars', { 'x-version': '1' }),
    status: 200,
  },
  {
    name: 'body and response in an older version',
    setup: changed,
    request: post('/cars', { name: 'Ford', built: 2026, tags: ['blue', 'used'] }, { 'x-version': '1' }),
    status: 200,
  },
  { name: LEVEL.is, setup: changed, request: post('/cars', car, { 'x-version': '3' }), status: 200 },
  {
    name: 'guarded route',
    setup: plain,
    request: get('/cars/mine', { 'x-api-key': 'a key for the guard' }),
    status: 200,
  },
  { name: 'not found', setup: plain, request: get('/bikes/7'), status: 404 },
  { name: 'query refused', setup: plain, request: get('/cars?limit=many&sort=colour'), status: 422 },
]

/** Those in which the server has different things to do. */
const SERVED = DISPATCHED.filter(({ name }) =>
  [
    'static path',
    'one parameter',
    'one parameter, logged',
    'validated body',
    'not found',
    'query refused',
    'list of 100 in an older version',
  ].includes(name),
)

export const SCENARIOS: readonly Scenario[] = [
  ...DISPATCHED.map((scenario) => through('dispatch', scenario)),
  ...SERVED.map((scenario) => through('listen', scenario)),
  through('inject', { name: 'one parameter', setup: plain, request: get('/cars/7'), status: 200 }),
  through('inject', { name: 'validated body', setup: plain, request: post('/cars', car), status: 201 }),
]

function through(adapter: Adapter, { name, ...rest }: Omit<Scenario, 'adapter'>): Scenario {
  return { ...rest, name: `${adapter}: ${name}`, adapter }
}

function get(url: string, headers: Readonly<Record<string, string>> = {}): GuardRequest {
  return { method: 'GET', url, headers: { ...HEADERS, ...headers } }
}

function post(url: string, body: unknown, more: Readonly<Record<string, string>> = {}): GuardRequest {
  const text = JSON.stringify(body)
  const framing = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  return { method: 'POST', url, headers: { ...HEADERS, ...framing, ...more }, body: text }
}
