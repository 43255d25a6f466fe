import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { MutationObserver, QueryClient } from '@tanstack/query-core'
import type { InfiniteData } from '@tanstack/query-core'
import { createApp, defineController, defineModule, defineRouter, reply, VersioningSchemes } from 'octavo'
import { createClient, ProblemError } from 'octavo/client'
import { infiniteQueryOptions, mutationOptions, queryKey, queryOptions } from 'octavo/client/tanstack'
import type { RouteKey } from 'octavo/client/tanstack'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

const Car = z.object({ id: z.number(), made: z.date() })
const Page = z.object({ cars: z.array(z.number()), next: z.number().nullable() })

let calls = 0
let aborted = 0
const cars = defineController({
  name: 'CarController',
  version: ['1', '2'],
  routes: [
    {
      method: 'GET',
      path: '/{car_id:int}',
      name: 'getOne',
      response: { 200: Car, 404: z.object({ detail: z.string() }) },
      handler: ({ params }) => {
        calls++
        return params.car_id === 0
          ? reply(404, { detail: 'No such car' })
          : { id: params.car_id, made: new Date(0) }
      },
    },
    {
      method: 'GET',
      name: 'list',
      input: { query: { page: z.number().default(1) } },
      response: { 200: Page },
      handler: ({ query }) => ({ cars: [query.page], next: query.page < 3 ? query.page + 1 : null }),
    },
    {
      method: 'GET',
      path: '/search',
      name: 'search',
      input: {
        query: { big: z.bigint().optional(), set: z.set(z.number()).optional(), day: z.date().optional() },
      },
      handler: () => 'found',
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: z.object({ name: z.string().min(2) }) },
      response: { 201: z.object({ name: z.string() }) },
      handler: ({ body }) => body,
    },
    { method: 'DELETE', name: 'clear', response: { 204: z.undefined() }, handler: () => undefined },
    {
      method: 'GET',
      path: '/nothing',
      name: 'nothing',
      response: { 204: z.undefined() },
      handler: () => undefined,
    },
    {
      method: 'GET',
      path: '/wait',
      name: 'wait',
      handler: (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(aborted++), { once: true })
        }),
    },
  ],
})
const users = defineRouter({
  name: 'users',
  routes: [
    {
      method: 'GET',
      path: '/users/list',
      name: 'list',
      response: { 200: z.string() },
      handler: () => 'list',
    },
  ],
})
const admin = defineRouter({
  prefix: '/admin',
  routers: [users],
  routes: [{ method: 'GET', name: 'users', response: { 200: z.number() }, handler: () => 1 }],
})
const app = createApp(defineModule({ controllers: [cars], routers: [admin] }), { logger: false })
app.enableVersioning(VersioningSchemes.URL)

const client = createClient<typeof app, '2'>({ fetch: app.fetch, version: '2' })
const createQueries = (): QueryClient => new QueryClient({ defaultOptions: { queries: { retry: false } } })

describe('the options of a query', () => {
  it('have the data of a success, under the route, the version and the input', async () => {
    const queries = createQueries()
    const options = queryOptions(client.car.getOne, { params: { car_id: 7 } })
    const key: RouteKey = options.queryKey
    assert.deepEqual(key, ['car.getOne', '2', { params: { car_id: 7 } }])
    const car = await queries.fetchQuery(options)
    expectTypeOf(car).toEqualTypeOf<{ id: number; made: string }>()
    assert.deepEqual(car, { id: 7, made: '1970-01-01T00:00:00.000Z' })
    const cached = queries.getQueryData(options.queryKey)
    expectTypeOf(cached).toEqualTypeOf<{ id: number; made: string } | undefined>()
    assert.deepEqual(cached, car)
  })

  it('are cached by version', async () => {
    const queries = createQueries()
    const before = calls
    const input = { params: { car_id: 7 } }
    for (const version of ['1', '2', '2', '1'] as const) {
      const { car } = client.at(version)
      await queries.fetchQuery({ ...queryOptions(car.getOne, input), staleTime: 1000 })
    }
    assert.equal(calls, before + 2)
    assert.deepEqual(queryKey(createClient<typeof app>({ fetch: app.fetch }).car.list), ['car.list', null])
  })

  it('make a declared error an error of the query', async () => {
    const queries = createQueries()
    const lost = queries.fetchQuery(queryOptions(client.car.getOne, { params: { car_id: 0 } }))
    await assert.rejects(lost, (error) => {
      assert.ok(error instanceof ProblemError, String(error))
      assert.deepEqual([error.status, error.data], [404, { detail: 'No such car' }])
      return true
    })
  })

  it('give null for no body, which a query cannot hold', async () => {
    const options = queryOptions(client.car.nothing)
    const data = await createQueries().fetchQuery(options)
    expectTypeOf(data).toEqualTypeOf<null>()
    assert.equal(data, null)
    assert.deepEqual(options.queryKey, ['car.nothing', '2', {}])
  })

  it('abort the call when the query is cancelled', async () => {
    const queries = createQueries()
    const before = aborted
    const { queryKey: key, queryFn } = queryOptions(client.car.wait)
    const waiting = queries.fetchQuery({ queryKey: key, queryFn })
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
    await queries.cancelQueries({ queryKey: key })
    await assert.rejects(waiting)
    await until(() => aborted > before)
  })

  it('have keys of whatever can be sent', async () => {
    const input = { query: { big: 7n, set: new Set([1, 2]), day: new Date(0) } }
    const options = queryOptions(client.car.search, input)
    assert.deepEqual(options.queryKey[2], { query: { big: '7', set: [1, 2], day: new Date(0) } })
    assert.equal(await createQueries().fetchQuery(options), 'found')
  })

  it('are typed by the input of the route', () => {
    // @ts-expect-error -- parameters are needed
    queryOptions(client.car.getOne)
    // @ts-expect-error -- an int is no boolean
    queryOptions(client.car.getOne, { params: { car_id: true } })
    // @ts-expect-error -- the signal is that of the query
    queryOptions(client.car.list, { signal: new AbortController().signal })
    // of a route that has routes below its name
    const { users: both } = client.admin
    expectTypeOf(queryOptions(both).queryFn).returns.toEqualTypeOf<Promise<number>>()
    expectTypeOf(queryOptions(both.list).queryFn).returns.toEqualTypeOf<Promise<string>>()
    assert.deepEqual(queryKey(both.list), ['admin.users.list', '2'])
  })

  it('are those of routes alone', () => {
    for (const wrong of [fetch, {}, undefined]) {
      assert.throws(() => queryOptions(wrong as never), {
        name: 'TypeError',
        message: 'queryOptions: pass a route of a client, such as client.car.getOne, without calling it',
      })
    }
  })
})

describe('the key of a route', () => {
  it('invalidates its queries of every input, or of some', async () => {
    const queries = createQueries()
    const [seven, eight] = [7, 8].map((id) => queryOptions(client.car.getOne, { params: { car_id: id } }))
    const list = queryOptions(client.car.list)
    for (const options of [seven, eight]) await queries.fetchQuery(options ?? assert.fail())
    await queries.fetchQuery(list)
    const states = (): readonly (boolean | undefined)[] =>
      [seven, eight, list].map((options) => queries.getQueryState(options?.queryKey ?? [])?.isInvalidated)
    await queries.invalidateQueries({ queryKey: queryKey(client.car.getOne, { params: { car_id: 8 } }) })
    assert.deepEqual(states(), [false, true, false])
    await queries.invalidateQueries({ queryKey: queryKey(client.car.getOne) })
    assert.deepEqual(states(), [true, true, false])
  })
})

describe('the options of an infinite query', () => {
  it('call the route for each page', async () => {
    const queries = createQueries()
    const options = infiniteQueryOptions(client.car.list, {
      input: (page: number) => ({ query: { page } }),
      initialPageParam: 1,
      getNextPageParam: (last) => last.next,
    })
    const data = await queries.fetchInfiniteQuery({ ...options, pages: 5 })
    expectTypeOf(data).toEqualTypeOf<InfiniteData<{ cars: number[]; next: number | null }, number>>()
    assert.deepEqual(
      data.pages.map((page) => page.cars),
      [[1], [2], [3]],
    )
    assert.deepEqual(queries.getQueryData(options.queryKey)?.pageParams, [1, 2, 3])
    // a query of the first page alone is another one
    assert.deepEqual(
      (await queries.fetchQuery(queryOptions(client.car.list, { query: { page: 1 } }))).cars,
      [1],
    )
    await queries.invalidateQueries({ queryKey: queryKey(client.car.list) })
    assert.equal(queries.getQueryState(options.queryKey)?.isInvalidated, true)
  })
})

describe('the options of a mutation', () => {
  it('call the route with their variables', async () => {
    const create = new MutationObserver(createQueries(), mutationOptions(client.car.create))
    const made = await create.mutate({ body: { name: 'Ford' } })
    expectTypeOf(made).toEqualTypeOf<{ name: string }>()
    assert.deepEqual(made, { name: 'Ford' })
    await assert.rejects(
      create.mutate({ body: { name: '' } }),
      (error) => error instanceof ProblemError && error.status === 422,
    )
    assert.deepEqual(mutationOptions(client.car.create).mutationKey, ['car.create', '2'])
  })

  it('need no variables if the route takes nothing', async () => {
    const clear = new MutationObserver(createQueries(), mutationOptions(client.car.clear))
    const data = await clear.mutate()
    expectTypeOf(data).toEqualTypeOf<undefined>()
    assert.equal(data, undefined)
  })
})

/** Waits for something that happens in the application. */
async function until(happened: () => boolean): Promise<void> {
  for (let waited = 0; !happened(); waited += 5) {
    assert.ok(waited < 60_000, 'it did not happen')
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}
