import { createApp, defineController, defineModule, defineRoute, HttpResponse, reply } from 'octavo'
import type { Guard, RouteContext } from 'octavo'
import { createClient } from 'octavo/client'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

interface User {
  readonly id: number
}
const Car = z.object({ id: z.string(), name: z.string() })
const signedIn = null as unknown as Guard<User>
const orgs = { prefix: '/orgs/{org_id:int}', inject: { head: HttpResponse }, guards: [signedIn] } as const

export const listCars = defineRoute(orgs, {
  method: 'GET',
  path: '/cars/{kind}',
  name: 'list',
  version: '2',
  input: { query: { limit: z.number() } },
  response: { 200: z.array(Car), 404: z.string() },
  handler: ({ params, query, inject }, context) => {
    expectTypeOf(params).toEqualTypeOf<{ org_id: number; kind: string }>()
    expectTypeOf(query).toEqualTypeOf<{ limit: number }>()
    expectTypeOf(inject.head).toEqualTypeOf<HttpResponse>()
    expectTypeOf(context).toEqualTypeOf<RouteContext<User>>()
    return query.limit > 1 ? reply(404, 'none') : [{ id: '1', name: 'Ford' }]
  },
})
export const createCar = defineRoute(
  {},
  {
    method: 'POST',
    name: 'create',
    input: { body: Car },
    response: Car,
    handler: ({ body, params }) => {
      expectTypeOf(body).toEqualTypeOf<{ id: string; name: string }>()
      expectTypeOf(params).toEqualTypeOf<{}>()
      return body
    },
  },
)
const ping = defineRoute({}, { method: 'GET', path: '/ping', handler: () => 'pong' })

export const misuse = [
  // @ts-expect-error a handler that returns something else
  defineRoute({}, { method: 'GET', response: Car, handler: () => 7 }),
  // @ts-expect-error a misspelt source
  defineRoute({}, { method: 'GET', input: { qery: Car }, handler: () => 7 }),
  // @ts-expect-error a misspelt field
  defineRoute({}, { method: 'GET', handlr: () => 7, handler: () => 7 }),
  // @ts-expect-error a path without slash
  defineRoute({}, { method: 'GET', path: 'cars', handler: () => 7 }),
  // @ts-expect-error a prefix with an unknown type
  defineRoute({ prefix: '/{id:integer}' }, { method: 'GET', handler: () => 7 }),
]

const app = createApp(
  defineModule({
    controllers: [
      defineController({
        ...orgs,
        name: 'CarController',
        routes: [
          listCars,
          createCar,
          ping,
          {
            method: 'GET',
            path: '/inline/{id:int}',
            name: 'inline',
            handler: ({ params }) => params.org_id + params.id,
          },
        ],
      }),
    ],
  }),
)
export const urls = (): readonly string[] => [
  app.urlFor('car.list', { org_id: 7, kind: 'suv' }),
  app.urlFor('car.create', { org_id: 7 }),
  app.urlFor('car.inline', { org_id: 7, id: 1 }),
  // @ts-expect-error the parameter of the prefix is missing
  app.urlFor('car.list', { kind: 'suv' }),
  // @ts-expect-error no such route
  app.urlFor('car.lists'),
]
export const call = async (): Promise<void> => {
  const client = createClient<typeof app>({ baseUrl: 'http://localhost' })
  const answer = await client.car.list({ params: { org_id: 7, kind: 'suv' }, query: { limit: 1 } })
  if (answer.status === 200) expectTypeOf(answer.data).toEqualTypeOf<{ id: string; name: string }[]>()
  else expectTypeOf(answer.data).toEqualTypeOf<string>()
}

const needsOrg = defineRoute(
  { prefix: '/orgs/{org_id:int}' },
  {
    method: 'GET',
    handler: ({ params }) => params.org_id,
  },
)
const needsHead = defineRoute(
  { inject: { head: HttpResponse } },
  {
    method: 'GET',
    handler: ({ inject }) => inject.head.status,
  },
)
const needsUser = defineRoute(
  { guards: [signedIn] },
  {
    method: 'GET',
    handler: (_input, { identity }) => identity.id,
  },
)
// @ts-expect-error a controller without the parameter
export const withoutParameter = defineController({ prefix: '/orgs', routes: [needsOrg] })
// @ts-expect-error a parameter of another type
export const otherType = defineController({ prefix: '/orgs/{org_id}', routes: [needsOrg] })
// @ts-expect-error a controller that injects nothing
export const withoutToken = defineController({ prefix: '/orgs', routes: [needsHead] })
// @ts-expect-error a controller without the guard
export const withoutGuard = defineController({ prefix: '/orgs', routes: [needsUser] })
