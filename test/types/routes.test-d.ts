import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  HttpResponse,
  redirect,
  reply,
  text,
} from 'octavo'
import type { Handler, RouteContext } from 'octavo'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

const Car = z.object({ id: z.string(), name: z.string(), year: z.number() })
const Filter = z.object({ limit: z.number().default(10), tags: z.array(z.string()).optional() })

export const inferred = defineController({
  name: 'CarController',
  prefix: '/orgs/{org_id:int}',
  inject: { head: HttpResponse },
  routes: [
    {
      method: 'GET',
      path: '/{car_id:uuid}/{ratio:float}/{name}/{rest:path}',
      name: 'params',
      handler: ({ params, inject }, context) => {
        expectTypeOf(params).toEqualTypeOf<{
          org_id: number
          car_id: string
          ratio: number
          name: string
          rest: string
        }>()
        expectTypeOf(inject.head).toEqualTypeOf<HttpResponse>()
        expectTypeOf(context).toEqualTypeOf<RouteContext>()
      },
    },
    {
      method: 'GET',
      path: '/{from}-{to:int}.json',
      handler: ({ params }) =>
        expectTypeOf(params).toEqualTypeOf<{ org_id: number; from: string; to: number }>(),
    },
    {
      method: 'PUT',
      path: '/{car_id:int}',
      name: 'refined',
      input: { params: { car_id: z.enum(['a', 'b']) } },
      handler: ({ params }) => expectTypeOf(params).toEqualTypeOf<{ org_id: number; car_id: 'a' | 'b' }>(),
    },
    {
      method: 'POST',
      input: {
        body: Car,
        query: Filter,
        headers: { userAgent: z.string() },
        cookies: ['sid', 'theme'],
        inject: { own: HttpResponse },
      },
      handler: ({ body, query, headers, cookies, inject }) => {
        expectTypeOf(body).toEqualTypeOf<{ id: string; name: string; year: number }>()
        expectTypeOf(query).toEqualTypeOf<{ limit: number; tags?: string[] | undefined }>()
        expectTypeOf(headers).toEqualTypeOf<{ userAgent: string }>()
        expectTypeOf(cookies).toEqualTypeOf<{ sid: string; theme: string }>()
        expectTypeOf(inject.own).toEqualTypeOf<HttpResponse>()
        expectTypeOf(inject.head).toEqualTypeOf<HttpResponse>()
      },
    },
    {
      method: ['GET', 'HEAD'],
      path: '/form',
      input: { form: { size: z.number() } },
      handler: ({ form }) => expectTypeOf(form).toEqualTypeOf<{ size: number }>(),
    },
  ],
})

const Sized = z.object({
  name: z.string().default('Ford'),
  size: z.string().transform(Number).pipe(z.number()),
})

export const responses = defineController({
  prefix: '/responses',
  routes: [
    { method: 'GET', response: Car, handler: () => ({ id: '1', name: 'Ford', year: 2026 }) },
    { method: 'GET', response: Car, handler: async () => ({ id: '1', name: 'Ford', year: 2026 }) },
    { method: 'GET', response: { 200: Car, 404: z.string() }, handler: () => reply(404, 'no such car') },
    {
      method: 'GET',
      response: [
        [201, Car],
        [404, z.string()],
      ],
      handler: () => reply(201, { id: '1', name: 'Ford', year: 2026 }),
    },
    {
      method: 'PUT',
      response: { 200: Car, 201: Car },
      handler: ({ params }) => reply('id' in params ? 200 : 201, { id: '1', name: 'Ford', year: 2026 }),
    },
    { method: 'GET', response: Car, handler: () => redirect('/elsewhere') },
    { method: 'GET', response: Sized, handler: () => ({ size: '7' }) },
    { method: 'GET', response: { 200: Sized }, handler: () => reply(200, { size: '7', name: 'Fiesta' }) },
    {
      method: 'GET',
      response: { 200: Car, 404: z.string(), '4XX': z.number(), default: z.boolean() },
      handler: () =>
        [reply(404, 'no such car'), reply(409, 7), reply(500, true)][0] ?? { id: '1', name: 'Ford', year: 1 },
    },
    { method: 'GET', response: { default: Car }, handler: () => ({ id: '1', name: 'Ford', year: 2026 }) },
    {
      method: 'GET',
      response: [
        [200, Car],
        ['5XX', z.string()],
      ],
      handler: () => reply(503, 'closed'),
    },
    // @ts-expect-error the schema of the exact status wins over that of the range
    { method: 'GET', response: { 404: z.string(), '4XX': z.number() }, handler: () => reply(404, 7) },
    // @ts-expect-error a status that no range has
    { method: 'GET', response: { 200: Car, '4XX': z.number() }, handler: () => reply(500, 7) },
    // @ts-expect-error the output of the transform, where the handler returns its input
    { method: 'GET', response: Sized, handler: () => ({ size: 7 }) },
    { method: 'GET', response: Car, handler: () => text('plain') },
    { method: 'GET', response: Car, handler: () => new Response('as it is') },
    {
      method: 'GET',
      input: { query: { limit: z.number() } },
      response: { 200: z.array(Car), 404: z.string() },
      handler: async ({ query }) =>
        query.limit > 3 ? reply(404, 'too many') : [{ id: '1', name: 'Ford', year: query.limit }],
    },
    // @ts-expect-error a number is no car
    { method: 'GET', response: Car, handler: () => 1 },
    // @ts-expect-error the id of a car is text
    { method: 'GET', response: Car, handler: () => ({ id: 1, name: 'Ford', year: 2026 }) },
    // @ts-expect-error 404 answers with text
    { method: 'GET', response: { 200: Car, 404: z.string() }, handler: () => reply(404, 7) },
    // @ts-expect-error 405 is not declared
    { method: 'GET', response: { 200: Car, 404: z.string() }, handler: () => reply(405, 'no') },
    // @ts-expect-error a plain value is the success schema's, not that of 404
    { method: 'GET', response: { 200: Car, 404: z.string() }, handler: () => 'no such car' },
  ],
})

export const misuse = defineController({
  prefix: '/misuse',
  routes: [
    // @ts-expect-error a misspelt field
    { method: 'GET', path: '/a', handlr: () => 1 },
    // @ts-expect-error a misspelt method
    { method: 'GETT', path: '/b', handler: () => 1 },
    // @ts-expect-error a path without slash
    { method: 'GET', path: 'c', handler: () => 1 },
    // @ts-expect-error the spelling of other frameworks
    { method: 'GET', path: '/:id', handler: () => 1 },
    // @ts-expect-error an unknown type behind a known one
    { method: 'GET', path: '/{id:int}/{name:string}', handler: () => 1 },
    // @ts-expect-error a misspelt source
    { method: 'GET', path: '/d', input: { qery: z.string() }, handler: () => 1 },
    // @ts-expect-error a misspelt source beside a right one
    { method: 'GET', path: '/e', input: { query: ['a'], qery: z.string() }, handler: () => 1 },
    // @ts-expect-error a source that is no schema
    { method: 'GET', path: '/f', input: { body: 5 }, handler: () => 1 },
    // @ts-expect-error an object of schemas is no schema of a body
    { method: 'GET', path: '/f2', input: { body: { name: z.string() } }, handler: () => 1 },
    // @ts-expect-error a field that is no schema
    { method: 'GET', path: '/f3', input: { query: { q: z.string(), name: 'string' } }, handler: () => 1 },
    // @ts-expect-error a declared parameter that the path lacks
    { method: 'GET', path: '/f4/{id}', input: { params: { idd: z.string() } }, handler: () => 1 },
    // @ts-expect-error a listed parameter that the path lacks
    { method: 'GET', path: '/f5/{id}', input: { params: ['idd'] }, handler: () => 1 },
    // @ts-expect-error names in the place of statuses
    { method: 'GET', path: '/f6', response: { name: z.string() }, handler: () => 1 },
    // @ts-expect-error a status without a schema
    { method: 'GET', path: '/f7', response: { 200: { name: z.string() } }, handler: () => redirect('/') },
    // @ts-expect-error the reply lacks its data
    { method: 'GET', path: '/f8', response: { 404: Car }, handler: () => reply(404) },
    // @ts-expect-error a source that is not declared
    { method: 'GET', path: '/g', handler: ({ body }) => body },
    // @ts-expect-error a parameter that the path lacks
    { method: 'GET', path: '/h/{id}', handler: ({ params }) => params.name },
    // @ts-expect-error a response that is no schema
    { method: 'GET', path: '/i', response: 5, handler: () => 1 },
    // @ts-expect-error no handler
    { method: 'GET', path: '/j' },
    // @ts-expect-error a version is text
    { method: 'GET', path: '/k', version: 2, handler: () => 1 },
  ],
})

// @ts-expect-error a prefix without slash
export const slashless = defineController({ prefix: 'cars', routes: [] })
// @ts-expect-error an unknown type
export const unknown = defineController({ prefix: '/{id:integer}', routes: [] })
const somewhere: string = '/api'
export const computed = defineController({
  prefix: somewhere,
  routes: [{ method: 'GET', input: { params: { id: z.string() } }, handler: ({ params }) => params.id }],
})

const input = { query: { limit: z.number() }, body: Car }
export const elsewhere: Handler<typeof input, '/orgs/{org_id:int}/cars', typeof Car> = ({
  params,
  query,
  body,
}) => {
  expectTypeOf(params).toEqualTypeOf<{ org_id: number }>()
  expectTypeOf(query).toEqualTypeOf<{ limit: number }>()
  return { ...body, year: query.limit }
}
export const usesElsewhere = defineController({
  prefix: '/orgs/{org_id:int}',
  routes: [{ method: 'POST', path: '/cars', input, response: Car, handler: elsewhere }],
})
export const wrongPlace = defineController({
  prefix: '/orgs',
  // @ts-expect-error the handler needs org_id, which this path lacks
  routes: [{ method: 'POST', path: '/cars', input, response: Car, handler: elsewhere }],
})

const users = defineRouter({
  prefix: '/users/{user_id:uuid}',
  routes: [{ method: 'GET', path: '/posts', name: 'posts', handler: ({ params }) => params.user_id.length }],
})
const admin = defineRouter({
  name: 'AdminAreaController',
  routes: [{ method: 'GET', name: 'home', handler: () => 1 }],
  routers: [users],
})
const named = defineController({
  name: 'HTTPCarController',
  routes: [
    { method: 'GET', path: '/{car_id:int}', name: 'getOne', version: '1', handler: () => 1 },
    { method: 'GET', name: 'list', handler: () => 1 },
  ],
})
const app = createApp(defineModule({ imports: [defineModule({ controllers: [named] })], routers: [admin] }))

export const urls = (): readonly string[] => [
  app.urlFor('http-car.getOne', { car_id: 7 }),
  app.urlFor('http-car.getOne', { car_id: 7 }, { query: { q: 'x' } }),
  app.urlFor('http-car.list'),
  app.urlFor('admin-area.home'),
  app.urlFor('admin-area.users.posts', { user_id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' }),
  // @ts-expect-error a name that no route has
  app.urlFor('http-car.nope'),
  // @ts-expect-error a parameter of another type
  app.urlFor('http-car.getOne', { car_id: '7' }),
  // @ts-expect-error a parameter is missing
  app.urlFor('http-car.getOne', {}),
  // @ts-expect-error all parameters are missing
  app.urlFor('http-car.getOne'),
]

const beside = createApp(
  defineModule({
    controllers: [
      defineController({
        name: 'Beside',
        routes: [
          // neither name nor path: it must not take the names of the others
          { method: 'GET', handler: () => 1 },
          { method: 'GET', path: '/{id:int}', name: 'getOne', handler: ({ params }) => params.id },
        ],
      }),
    ],
  }),
)

export const besides = (): readonly string[] => [
  beside.urlFor('beside.getOne', { id: 7 }),
  // @ts-expect-error a name that no route has
  beside.urlFor('beside.nope'),
  // @ts-expect-error a parameter of another type
  beside.urlFor('beside.getOne', { id: '7' }),
]

/** Lists of results are only read. */
declare const all: readonly z.output<typeof Car>[]
declare const groups: readonly {
  readonly cars: readonly { readonly tags: readonly string[]; readonly at: Date }[]
}[]
declare const pair: readonly [readonly string[], 1?]
const Group = z.object({ cars: z.array(z.object({ tags: z.array(z.string()), at: z.date() })) })
interface Tree {
  name: string
  below: Tree[]
}
declare const tree: { readonly name: string; readonly below: readonly Tree[] }
const Tree: z.ZodType<Tree, Tree> = z.object({ name: z.string(), below: z.lazy(() => z.array(Tree)) })
class Money {
  readonly #cents = 1
  get cents(): number {
    return this.#cents
  }
}
declare const dates: readonly Date[] | null
export const readonlyResults = defineController({
  prefix: '/lists',
  routes: [
    { method: 'GET', path: '/1', response: z.array(Car), handler: () => all },
    { method: 'GET', path: '/2', response: z.array(Group), handler: async () => groups },
    { method: 'GET', path: '/3', response: { 200: z.array(Car), 201: Car }, handler: () => reply(200, all) },
    {
      method: 'GET',
      path: '/4',
      response: { 200: z.array(Car), 404: z.array(Group) },
      handler: () => reply(404, groups),
    },
    {
      method: 'GET',
      path: '/5',
      response: z.tuple([z.array(z.string()), z.literal(1).optional()]),
      handler: () => pair,
    },
    { method: 'GET', path: '/6', response: Tree, handler: () => tree },
    { method: 'GET', path: '/7', response: z.json(), handler: () => [all, { all }] },
    { method: 'GET', path: '/8', response: z.array(z.date()).nullable(), handler: () => dates },
    { method: 'GET', path: '/9', items: Group, handler: () => groups },
    { method: 'GET', path: '/10', response: z.instanceof(Money), handler: () => new Money() },
    { method: 'GET', path: '/11', response: z.unknown(), handler: () => all },
    { method: 'GET', path: '/12', response: z.set(z.string()), handler: () => new Set(['a']) },
    // @ts-expect-error another list
    { method: 'GET', path: '/13', response: z.array(Group), handler: () => all },
    // @ts-expect-error a member is missing
    { method: 'GET', path: '/14', response: Group, handler: () => ({ cars: [{ tags: ['a'] }] }) },
  ],
})
