/** Clients have results in the envelopes that interceptors declare. */
import { expectTypeOf } from 'expect-type'
import {
  createApp,
  defineController,
  defineInterceptor,
  defineModule,
  defineRoute,
  defineRouter,
  VersioningSchemes,
} from 'octavo'
import type { Interceptor } from 'octavo'
import { defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { queryOptions } from 'octavo/client/tanstack'
import { createEdgeApp } from 'octavo/edge'
import { z } from 'zod'

const data = defineInterceptor({
  name: 'data',
  envelope: (schema) => z.object({ data: schema, at: z.date().optional() }),
  intercept: async (_context, next) => ({ data: await next() }),
})
const list = defineInterceptor({
  name: 'list',
  envelope: (schema) => z.array(schema),
  intercept: async (_context, next) => [await next()],
})
const log = defineInterceptor({ name: 'log', intercept: (_context, next) => next() })

const Car = z.object({ id: z.string(), made: z.date() })
const Problem = z.object({ detail: z.string() })
const car = { id: '7', made: new Date(0) }

interface WireCar {
  id: string
  made: string
}
interface Data<T> {
  data: T
  at?: string | undefined
}

/** On a route: the handler still returns what `response` declares. */
const route = defineController({
  name: 'RouteController',
  routes: [
    { method: 'GET', name: 'one', response: Car, interceptors: [data], handler: () => car },
    { method: 'GET', path: '/l', name: 'log', response: Car, interceptors: [log], handler: () => car },
    {
      method: 'GET',
      path: '/s',
      name: 'statuses',
      interceptors: [log, data],
      response: { 200: Car, 204: z.undefined(), 304: z.undefined(), 404: Problem },
      handler: () => car,
    },
    {
      method: 'GET',
      path: '/b',
      name: 'bytes',
      interceptors: [data],
      response: { 200: z.instanceof(Uint8Array) },
      handler: () => new Uint8Array(),
    },
    {
      method: 'GET',
      path: '/i',
      name: 'items',
      interceptors: [data],
      items: Car,
      handler: () => [car],
    },
    {
      method: 'GET',
      path: '/e',
      name: 'else',
      interceptors: [data],
      response: { default: Problem },
      handler: () => ({ detail: '' }),
    },
    {
      method: 'GET',
      path: '/t',
      name: 'two',
      interceptors: [data, list],
      response: { 200: Car, 404: Problem },
      handler: () => car,
    },
    { method: 'GET', path: '/n', name: 'none', interceptors: [data], handler: () => car },
    {
      method: 'POST',
      path: '/w',
      name: 'wrong',
      input: { body: Car },
      response: Car,
      interceptors: [data],
      // @ts-expect-error the envelope is made by the interceptor
      handler: ({ body }) => ({ data: body }),
    },
  ],
})
const apart = defineRoute(
  {},
  { method: 'GET', path: '/a', name: 'apart', response: Car, interceptors: [data], handler: () => car },
)
const wheel = defineController({
  name: 'WheelController',
  interceptors: [list],
  routes: [
    apart,
    { method: 'GET', name: 'one', response: z.number(), handler: () => 1 },
    {
      method: 'GET',
      path: '/b',
      name: 'both',
      response: z.number(),
      interceptors: [data],
      handler: () => 1,
    },
  ],
})
const inner = defineRouter({
  name: 'inner',
  interceptors: [log, list],
  routes: [{ method: 'GET', name: 'get', response: z.string(), handler: () => '' }],
})
const outer = defineRouter({ name: 'outer', interceptors: [data], routers: [inner] })
const boat = defineController({
  name: 'BoatController',
  routes: [{ method: 'GET', name: 'one', response: z.number(), handler: () => 1 }],
})
const dock = defineController({
  name: 'DockController',
  interceptors: [list],
  routes: [{ method: 'GET', name: 'one', response: z.number(), handler: () => 1 }],
})
declare const wide: readonly Interceptor[]
const untyped = defineController({
  name: 'UntypedController',
  interceptors: wide,
  routes: [{ method: 'GET', name: 'one', response: z.number(), interceptors: wide, handler: () => 1 }],
})
const Boats = defineModule({ interceptors: [data], controllers: [boat, dock], version: '1' })
const AppModule = defineModule({ controllers: [route, wheel, untyped], routers: [outer], imports: [Boats] })

export async function levels(): Promise<void> {
  const client = createClient<ReturnType<typeof make>>({ baseUrl: '' })
  expectTypeOf((await client.route.one()).data).toEqualTypeOf<Data<WireCar>>()
  expectTypeOf((await client.route.log()).data).toEqualTypeOf<WireCar>()
  expectTypeOf((await client.wheel.one()).data).toEqualTypeOf<number[]>()
  // from the inside to the outside
  expectTypeOf((await client.wheel.both()).data).toEqualTypeOf<Data<number>[]>()
  expectTypeOf((await client.wheel.apart()).data).toEqualTypeOf<Data<WireCar>[]>()
  expectTypeOf((await client.outer.inner.get()).data).toEqualTypeOf<Data<string[]>>()
  expectTypeOf((await client.boat.one()).data).toEqualTypeOf<Data<number>>()
  expectTypeOf((await client.dock.one()).data).toEqualTypeOf<Data<number[]>>()
  expectTypeOf((await client.untyped.one()).data).toEqualTypeOf<number>()
  expectTypeOf((await client.at('1').dock.one()).data).toEqualTypeOf<Data<number[]>>()
}
const make = () => createApp(AppModule)

export async function statuses(): Promise<void> {
  const { route: calls } = createClient<ReturnType<typeof make>>({ baseUrl: '' })
  const answer = await calls.statuses()
  if (answer.status === 200) expectTypeOf(answer.data).toEqualTypeOf<Data<WireCar>>()
  if (answer.status === 204) expectTypeOf(answer.data).toEqualTypeOf<undefined>()
  if (answer.status === 304) expectTypeOf(answer.data).toEqualTypeOf<undefined>()
  if (answer.status === 404) expectTypeOf(answer.data).toEqualTypeOf<{ detail: string }>()
  expectTypeOf((await calls.bytes()).data).toEqualTypeOf<Uint8Array>()
  for await (const item of calls.items()) expectTypeOf(item).toEqualTypeOf<WireCar>()
  // the status of a plain result is one of those that default declares
  expectTypeOf((await calls.else()).data).toEqualTypeOf<{ detail: string } | Data<{ detail: string }>>()
  // types do not know which of the envelopes of a route is the outer one
  const two = await calls.two()
  expectTypeOf(two.data).toEqualTypeOf<unknown>()
  if (two.status === 404) expectTypeOf(two.data).toEqualTypeOf<{ detail: string }>()
  expectTypeOf((await calls.none()).data).toEqualTypeOf<unknown>()
  const query = queryOptions(calls.statuses)
  expectTypeOf<Awaited<ReturnType<typeof query.queryFn>>>().toEqualTypeOf<Data<WireCar> | null>()
}

export async function applications(): Promise<void> {
  const app = createApp(defineModule({ controllers: [boat, dock] }), { interceptors: [data, log] })
  const client = createClient<typeof app>({ baseUrl: '' })
  expectTypeOf((await client.boat.one()).data).toEqualTypeOf<Data<number>>()
  expectTypeOf((await client.dock.one()).data).toEqualTypeOf<Data<number[]>>()
  const edge = createEdgeApp(defineModule({ controllers: [boat] }), { interceptors: [list] })
  expectTypeOf((await createClient<typeof edge>({ baseUrl: '' }).boat.one()).data).toEqualTypeOf<number[]>()
}

const User = model('User', { id: z.string() })
const history = defineVersions({
  versions: ['2', '1'],
  models: { User },
  changes: [
    defineVersionChange({
      version: '2',
      title: 'Ids are text',
      change: [
        reshape({ of: User, fields: { id: { was: z.number(), up: String, down: Number } } }),
        operation({ route: 'user.create', status: { was: 200 } }),
      ],
    }),
  ],
})

export async function olderVersions(): Promise<void> {
  const users = defineController({
    name: 'UserController',
    interceptors: [data],
    routes: [{ method: 'POST', name: 'create', response: { 201: User }, handler: () => ({ id: '7' }) }],
  })
  const app = createApp(defineModule({ controllers: [users] }), {
    versioning: { scheme: VersioningSchemes.URL, history },
  })
  const { user } = createClient<typeof app>({ baseUrl: '' }).at('1')
  const made = await user.create()
  expectTypeOf(made.status).toEqualTypeOf<200>()
  expectTypeOf(made.data).toEqualTypeOf<Data<{ id: number }>>()
}

defineController({
  name: 'x',
  // @ts-expect-error a guard is no interceptor
  interceptors: [{ kind: 'guard' }],
  routes: [],
})
