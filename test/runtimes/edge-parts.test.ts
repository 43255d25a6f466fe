import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp } from 'octavo'
import {
  bind,
  ClientAddress,
  createEdgeApp,
  defineController,
  defineErrorFormat,
  defineErrorHandler,
  defineModule,
  defineProvider,
  defineToken,
  DefinitionError,
  HttpRequest,
  Logger,
  notFound,
  reply,
  Session,
} from 'octavo/edge'
import type { AppOptions, DefinitionProblem, Middleware, Module } from 'octavo/edge'
import { z } from 'zod'

import { placeless } from '../support/places.ts'
import { controller, moduleOf, router } from '../support/untyped.ts'

const SECRET = 'x'.repeat(32)
const request = (): Request => new Request('http://localhost/cars')

/** A module with one route. */
const routed = (route: object, fields: object = {}): Module<unknown, unknown> =>
  moduleOf({
    ...fields,
    controllers: [
      controller({ prefix: '/cars', routes: [{ method: 'GET', handler: () => 'car', ...route }] }),
    ],
  })

function problemsOf(error: unknown): readonly DefinitionProblem[] {
  assert.ok(error instanceof DefinitionError, String(error))
  return placeless(error.errors)
}

function thrownBy(make: () => unknown): readonly DefinitionProblem[] {
  try {
    make()
  } catch (error) {
    return problemsOf(error)
  }
  return []
}

const CarService = defineProvider({ name: 'CarService', create: () => ({}) })

type Case = readonly [title: string, module: Module<unknown, unknown>, options?: object]

/** Mistakes that depend on what few applications have. */
const MISTAKES: readonly Case[] = [
  ['a source that there is not', routed({ input: { bodies: z.string() } })],
  ['a schema that is none', routed({ input: { query: { page: 1 } } })],
  ['a response that is no schema', routed({ response: { 200: 'Car' } })],
  ['events that are no schemas', routed({ events: { car: 'Car' } })],
  ['a policy that cannot be read', routed({ policy: { sunset: 'tomorrow' } })],
  ['a route that is defined for another prefix', routed({ controller: { prefix: '/vans' } })],
  ['a token that no module provides', routed({ input: { inject: { cars: CarService } } })],
  ['a provider that is none', routed({}, { providers: ['CarService'] })],
  ['an export that is not provided', routed({}, { exports: [CarService] })],
  ['an override of nothing', routed({}), { overrides: [bind(CarService, { value: {} })] }],
  ['a session without the option', routed({ input: { inject: { session: Session } } })],
  ['a secret that is too short', routed({}), { session: { secret: 'short' } }],
  [
    'a session that is no object, beside one that is injected',
    routed({ input: { inject: { session: Session.of(z.object({})) } } }),
    { session: null },
  ],
  ['documents at no path', routed({}), { docs: { path: 5 } }],
  ['documents that are no object', routed({}), { docs: null }],
  ['health that is no object', routed({}), { health: null }],
  ['health at no path', routed({}), { health: { live: 5 } }],
  ['an error format without a schema', routed({}), { errorFormat: { kind: 'error-format' } }],
  ['several of them', routed({ input: { bodies: 1 } }), { docs: { path: 5 }, session: {} }],
]

describe('mistakes in what few applications have', () => {
  for (const [title, module, options = {}] of MISTAKES) {
    it(`${title}: octavo/edge throws the error of octavo`, () => {
      // options that no type allows
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const given = { logger: false, ...options } as AppOptions
      const expected = thrownBy(() => createApp(module, given))
      assert.notEqual(expected.length, 0)
      assert.deepEqual(
        thrownBy(() => createEdgeApp(module, given)),
        expected,
      )
    })
  }

  it('is reported by ready when it depends on routes', async () => {
    const app = createEdgeApp(routed({}), { logger: false, health: { live: '/cars' } })
    await assert.rejects(app.ready(), (error) => problemsOf(error)[0]?.code === 'duplicate_route')
  })
})

const Rate = defineToken<number>('Rate')
const Car = z.object({ id: z.string(), rate: z.number(), from: z.string() })

describe('an application of octavo/edge with everything', () => {
  const Cars = defineProvider({
    name: 'Cars',
    scope: 'request',
    inject: { rate: Rate, request: HttpRequest },
    create: ({ rate, request: { path } }) => ({ find: (id: string) => ({ id, rate, from: path }) }),
  })
  const cars = defineController({
    prefix: '/cars',
    inject: { cars: Cars, session: Session },
    routes: [
      {
        method: 'GET',
        path: '/{id}',
        name: 'car',
        input: { query: { id: z.string() } },
        response: { 200: Car },
        handler: ({ query, inject }) => inject.cars.find(query.id),
      },
    ],
  })
  const create = () =>
    createEdgeApp(defineModule({ controllers: [cars], providers: [Cars, bind(Rate, { value: 3 })] }), {
      logger: false,
      session: { secret: SECRET },
      docs: { path: '/api', ui: false },
      health: { live: '/live' },
      errorFormat: defineErrorFormat({
        contentType: 'application/json',
        schema: z.object({ error: z.string() }),
        format: ({ code }) => ({ error: code }),
      }),
    })

  it('answers', async () => {
    const app = create()
    const get = async (path: string): Promise<unknown> =>
      (await app.fetch(new Request(`http://localhost${path}`))).json()
    assert.deepEqual(await get('/cars/1?id=7'), { id: '7', rate: 3, from: '/cars/1' })
    assert.deepEqual(await get('/cars/1'), { error: 'validation_failed' })
    assert.deepEqual(await get('/live'), { status: 'ok', checks: {} })
    assert.equal(Reflect.get(Object(await get('/api/openapi.json')), 'openapi'), '3.1.1')
    assert.equal(await app.resolve(Rate), 3)
    await app.close()
  })

  it('has routes and addresses at once', async () => {
    const app = create()
    assert.deepEqual(
      app.routes().flatMap(({ name }) => (name.startsWith('cars') ? [name] : [])),
      ['cars.car'],
    )
    assert.equal(app.urlFor('cars.car', { id: '7' }), '/cars/7')
    await app.close()
  })
})

describe('routes that few applications have', () => {
  const get = async (module: Module<unknown, unknown>, path: string, options?: object): Promise<unknown> => {
    const app = createEdgeApp(module, { logger: false, ...options })
    const response = await app.fetch(new Request(`http://localhost${path}`))
    // an application that closes waits for the body of a mounted handler
    const body: unknown = response.ok ? await response.json() : response.status
    await app.close()
    return body
  }
  const echo = ({ params }: { readonly params: unknown }): unknown => params

  it('octavo/edge matches segments of several parts', async () => {
    const module = routed({ path: '/{from:int}-{to:int}.json', handler: echo })
    assert.deepEqual(await get(module, '/cars/1-22.json'), { from: 1, to: 22 })
    assert.equal(await get(module, '/cars/1-b.json'), 404)
    assert.equal(await get(module, '/cars/1.json', { trailingSlash: 'strict' }), 404)
  })

  it('octavo/edge matches them in prefixes, and in routes that say how long they live', async () => {
    const module = routed(
      { path: '/x', policy: { sunset: '2099-01-01' }, handler: echo },
      { prefix: '/v-{site}' },
    )
    assert.deepEqual(await get(module, '/v-eu/cars/x'), { site: 'eu' })
  })

  it('octavo/edge prints them, and reports two at the same path', async () => {
    const app = createEdgeApp(routed({ path: '/{a}-{b}', name: 'both' }), { logger: false })
    assert.match(app.printRoutes(), /── \{a:str\}-\{b:str\}\n +GET cars\.both/)
    await app.close()
    const routes = ['a', 'b'].map((name) => ({ name, method: 'GET', path: `/{${name}}.json`, handler: echo }))
    const twice = createEdgeApp(moduleOf({ controllers: [controller({ prefix: '/cars', routes })] }), {
      logger: false,
    })
    await assert.rejects(twice.ready(), (error) => problemsOf(error)[0]?.code === 'duplicate_route')
  })

  it('octavo/edge hands requests to mounted handlers', async () => {
    const mount = ({ url }: Request): Response => Response.json(new URL(url).pathname)
    const module = moduleOf({ routers: [router({ prefix: '/cars', mount })] })
    assert.equal(await get(module, '/cars/a/b'), '/cars/a/b')
    assert.equal(await get(module, '/vans'), 404)
  })
})

describe('an application that provides and injects nothing', () => {
  for (const [name, create] of Object.entries({ createApp, createEdgeApp })) {
    it(`resolves what every application has: ${name}`, async () => {
      const routes = [
        {
          method: 'GET',
          handler: async (_input: unknown, context: { resolve: (token: unknown) => Promise<unknown> }) => {
            const [address, found] = await Promise.all([
              context.resolve(ClientAddress),
              context.resolve(HttpRequest),
            ])
            return [address, Reflect.get(Object(found), 'path')]
          },
        },
      ]
      const app = create(moduleOf({ controllers: [controller({ prefix: '/cars', routes })] }), {
        logger: false,
      })
      const response = await app.fetch(request(), { remoteAddress: '203.0.113.7' })
      assert.deepEqual(await response.json(), ['203.0.113.7', '/cars'])
      assert.equal(typeof (await app.resolve(Logger)).info, 'function')
      await assert.rejects(app.resolve(Rate), { message: /does not see Rate/ })
      await app.close()
    })
  }
})

describe('an application of octavo/edge with middleware or error handlers alone', () => {
  const teapot = defineErrorHandler({
    match: 404,
    handle: () => reply(418, { error: 'teapot' }),
  })
  const marked = async (app: { readonly fetch: (request: Request) => Response | Promise<Response> }) => {
    const { status, headers } = await app.fetch(request())
    return [status, headers.get('x-mark')]
  }
  const mark: Middleware = ({ response }, next) => {
    response.headers.set('x-mark', 'here')
    return next()
  }
  const missing = { handler: () => Promise.reject(notFound('No car')) }

  it('has them around requests that no route answers', async () => {
    const module = defineModule({})
    assert.deepEqual(await marked(createEdgeApp(module, { logger: false, middleware: [mark] })), [
      404,
      'here',
    ])
    assert.deepEqual(await marked(createEdgeApp(module, { logger: false, errorHandlers: [teapot] })), [
      418,
      null,
    ])
  })

  it('has them around routes', async () => {
    for (const fields of [{ middleware: [mark] }, { errorHandlers: [teapot] }]) {
      const expected = 'middleware' in fields ? [404, 'here'] : [418, null]
      assert.deepEqual(
        await marked(createEdgeApp(routed({ ...missing, ...fields }), { logger: false })),
        expected,
      )
      assert.deepEqual(await marked(createEdgeApp(routed(missing, fields), { logger: false })), expected)
    }
  })
})
