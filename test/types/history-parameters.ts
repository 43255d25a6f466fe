/** A client of an older version knows the parameters that operations name. */
import { expectTypeOf } from 'expect-type'
import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { createClient } from 'octavo/client'
import { z } from 'zod'

const Car = model('Car', { id: z.string(), colour: z.string() })
const Filter = derive(Car, (car) => car.pick({ colour: true }).extend({ page: z.int() }))

const third = defineVersionChange({
  version: '3',
  title: 'Lists have pages',
  change: [
    operation({
      route: 'car.list',
      query: {
        limit: { was: absent, up: () => 10 },
        sort: { was: 'order' },
        year: {
          was: z.enum(['new', 'old']),
          up: (age) => {
            expectTypeOf(age).toEqualTypeOf<'new' | 'old'>()
            return age === 'new' ? 2026 : 1990
          },
        },
        all: { was: z.string().optional() },
      },
      headers: { 'x-tenant': { was: absent, up: () => 't' }, xTrace: { was: 'x-request' } },
      cookies: { theme: { was: z.enum(['dark']), up: (theme) => theme } },
    }),
    operation({ route: 'car.*', query: { q: { was: 'search' } } }),
    operation({ route: 'car.find', query: { page: { was: absent, up: () => 1 } } }),
    reshape({ of: Car, fields: { colour: { was: 'paint' } } }),
  ],
})
const second = defineVersionChange({
  version: '2',
  title: 'Orders are words',
  change: [
    operation({
      route: 'car.list',
      query: {
        sort: { was: z.number(), up: String },
        limit: { was: z.string(), up: Number },
        all: { was: absent },
      },
    }),
  ],
})
const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [third, second] })

const CarController = defineController({
  name: 'CarController',
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: {
        query: {
          limit: z.coerce.number<string>(),
          sort: z.string(),
          year: z.coerce.number<string>(),
          kind: z.string().optional(),
        },
        headers: { xTenant: z.string(), xTrace: z.string() },
        cookies: z.object({ theme: z.string() }),
      },
      handler: () => 'ok',
    },
    {
      method: 'GET',
      path: '/other',
      name: 'other',
      input: { query: z.object({ q: z.string() }) },
      handler: () => 'ok',
    },
    { method: 'GET', path: '/find', name: 'find', input: { query: Filter }, handler: () => 'ok' },
  ],
})
const app = createApp(defineModule({ controllers: [CarController] }), {
  versioning: { scheme: VersioningSchemes.URL, history },
})

type Input<F extends (...input: never) => unknown> = NonNullable<Parameters<F>[0]>

export async function use(): Promise<void> {
  const client = createClient<typeof app>({ baseUrl: '' })
  const [one, two, three] = [client.at('1'), client.at('2'), client.at('3')]

  expectTypeOf<Input<typeof three.car.list>['query']>().toEqualTypeOf<{
    limit: string
    sort: string
    year: string
    kind?: string | undefined
  }>()
  // it did not exist, had another name, another schema, or exists no more
  expectTypeOf<Input<typeof two.car.list>['query']>().toEqualTypeOf<{
    order: string
    year: 'new' | 'old'
    kind?: string | undefined
    all?: string | undefined
  }>()
  // a name stays where an older change gives a schema
  expectTypeOf<Input<typeof one.car.list>['query']>().toEqualTypeOf<{
    limit: string
    order: number
    year: 'new' | 'old'
    kind?: string | undefined
  }>()
  expectTypeOf<Input<typeof two.car.list>['headers']>().toEqualTypeOf<{ 'x-request': string }>()
  expectTypeOf<NonNullable<Input<typeof two.car.list>['cookies']>>().toEqualTypeOf<{ theme: 'dark' }>()

  // all routes of a controller
  expectTypeOf<Input<typeof two.car.other>['query']>().toEqualTypeOf<{ search: string }>()
  // beside fields of a model
  expectTypeOf<Input<typeof two.car.find>['query']>().toEqualTypeOf<{ paint: string }>()
  expectTypeOf<Input<typeof three.car.find>['query']>().toEqualTypeOf<{ colour: string; page: number }>()

  await two.url('car.other', { query: { search: '' } })
  // @ts-expect-error version 2 has no `q`
  await two.url('car.other', { query: { q: '' } })
  await three.url('car.other', { query: { q: '' } })
}

// @ts-expect-error an earlier parameter is a schema, `absent` or a name
operation({ route: 'car.list', query: { limit: { was: 7 } } })
// @ts-expect-error `up` gets a value of the older schema
operation({ route: 'car.list', query: { limit: { was: z.string(), up: (old: number) => old } } })
