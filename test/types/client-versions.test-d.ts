import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import { defineVersions } from 'octavo/changes'
import { createClient } from 'octavo/client'
import type { Client } from 'octavo/client'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

declare const wide: string

const CarV1 = z.object({ id: z.number(), name: z.string() })
const CarV2 = z.object({ id: z.string(), title: z.string() })

/** The version of each route stands on the route. */
const carController = defineController({
  name: 'CarController',
  routes: [
    {
      method: 'POST',
      name: 'create',
      version: '1',
      input: { body: z.object({ name: z.string() }) },
      response: { 201: CarV1 },
      handler: ({ body }) => ({ id: 1, ...body }),
    },
    {
      method: 'POST',
      path: '/{garage:int}',
      name: 'create',
      version: '2',
      input: { body: z.object({ title: z.string() }) },
      response: { 200: CarV2, 409: z.string() },
      handler: ({ body }) => ({ id: '1', ...body }),
    },
    { method: 'GET', name: 'old', version: '1', handler: () => 1 },
    { method: 'GET', path: '/new', name: 'fresh', version: ['2', '2026-01-01'], handler: () => 1 },
    { method: 'GET', path: '/ping', name: 'ping', version: VERSION_NEUTRAL, handler: () => 1 },
    { method: 'GET', path: '/plain', name: 'plain', handler: () => 1 },
    { method: 'GET', path: '/point', name: 'point', version: '1.1', handler: () => 1 },
  ],
})

/** The version stands on the controller: a route replaces it. */
const wheelController = defineController({
  name: 'WheelController',
  version: '1',
  routes: [
    { method: 'GET', name: 'list', response: z.string(), handler: () => '' },
    { method: 'GET', name: 'list', version: '2', response: z.number(), handler: () => 1 },
    { method: 'GET', path: '/one', name: 'one', handler: () => 1 },
    { method: 'GET', path: '/ping', name: 'ping', version: VERSION_NEUTRAL, handler: () => 1 },
  ],
})

const inner = defineRouter({
  name: 'inner',
  routes: [
    { method: 'GET', name: 'above', handler: () => 1 },
    { method: 'GET', path: '/own', name: 'own', version: '2', handler: () => 1 },
  ],
})
const own = defineRouter({
  name: 'own',
  version: ['2', '3'],
  routes: [{ method: 'GET', name: 'list', handler: () => 1 }],
})
const outer = defineRouter({
  name: 'outer',
  version: '1',
  routers: [inner, own],
  routes: [{ method: 'GET', name: 'list', handler: () => 1 }],
})

const moduleController = defineController({
  name: 'ModuleController',
  routes: [
    { method: 'GET', name: 'list', handler: () => 1 },
    { method: 'GET', path: '/own', name: 'own', version: '1', handler: () => 1 },
  ],
})
const moduleVersion = defineController({
  name: 'ModuleVersionController',
  version: '1',
  routes: [{ method: 'GET', name: 'list', handler: () => 1 }],
})
const VersionedModule = defineModule({ version: '2', controllers: [moduleController, moduleVersion] })

const lazyController = defineController({
  name: 'LazyController',
  routes: [
    { method: 'GET', name: 'one', version: '1', handler: () => 1 },
    { method: 'GET', name: 'two', version: '2', handler: () => 1 },
  ],
})
const LazyModule = Promise.resolve({ LazyModule: defineModule({ controllers: [lazyController] }) })

const app = createApp(
  defineModule({
    imports: [VersionedModule, LazyModule.then((file) => file.LazyModule)],
    controllers: [carController, wheelController],
    routers: [outer],
  }),
)
type Api = typeof app

const first = createClient<Api, '1'>({ baseUrl: 'http://localhost', version: '1' })
/** A client may be exported from a file with declarations. */
export const second = createClient<Api, '2'>({ baseUrl: 'http://localhost', version: '2' })
const any = createClient<Api>({ baseUrl: 'http://localhost' })
expectTypeOf(second).toEqualTypeOf<Client<Api, '2'>>()
expectTypeOf(any.at('2')).toEqualTypeOf<Client<Api, '2'>>()
expectTypeOf(first.at('2')).toEqualTypeOf<Client<Api, '2'>>()

export async function argumentsAndResults(): Promise<void> {
  const old = await first.car.create({ body: { name: '' } })
  expectTypeOf(old.status).toEqualTypeOf<201>()
  expectTypeOf(old.data).toEqualTypeOf<{ id: number; name: string }>()
  // @ts-expect-error -- the body of version 2
  await first.car.create({ body: { title: '' } })
  // @ts-expect-error -- a parameter of version 2
  await first.car.create({ params: { garage: 1 }, body: { name: '' } })

  const fresh = await second.car.create({ params: { garage: 1 }, body: { title: '' } })
  expectTypeOf(fresh.status).toEqualTypeOf<200 | 409>()
  if (fresh.ok) expectTypeOf(fresh.data).toEqualTypeOf<{ id: string; title: string }>()
  // @ts-expect-error -- the body of version 1, whose name the schema of version 2 would remove
  await second.car.create({ params: { garage: 1 }, body: { name: '' } })
  // @ts-expect-error -- the body of both
  await second.car.create({ params: { garage: 1 }, body: { title: '', name: '' } })
  // @ts-expect-error -- the path of version 1
  await second.car.create({ body: { title: '' } })
}

export function names(): void {
  expectTypeOf<keyof typeof first.car>().toEqualTypeOf<'create' | 'old' | 'ping' | 'plain'>()
  expectTypeOf<keyof typeof second.car>().toEqualTypeOf<'create' | 'fresh' | 'ping' | 'plain'>()
  expectTypeOf<keyof Client<Api, '1.1'>['car']>().toEqualTypeOf<'point' | 'ping' | 'plain'>()
  expectTypeOf<keyof Client<Api, '2026-01-01'>['car']>().toEqualTypeOf<'fresh' | 'ping' | 'plain'>()
  expectTypeOf<keyof Client<Api, '1' | '2'>['car']>().toEqualTypeOf<
    'create' | 'old' | 'fresh' | 'ping' | 'plain'
  >()
  expectTypeOf<keyof typeof first.wheel>().toEqualTypeOf<'list' | 'one' | 'ping'>()
  expectTypeOf<keyof typeof second.wheel>().toEqualTypeOf<'list' | 'ping'>()
  expectTypeOf<keyof typeof first.outer>().toEqualTypeOf<'list' | 'inner' | 'own'>()
  expectTypeOf<keyof typeof first.outer.inner>().toEqualTypeOf<'above'>()
  expectTypeOf<keyof typeof second.outer.inner>().toEqualTypeOf<'own'>()
  expectTypeOf<keyof typeof second.outer.own>().toEqualTypeOf<'list'>()
  expectTypeOf<keyof typeof first.module>().toEqualTypeOf<'own'>()
  expectTypeOf<keyof typeof second.module>().toEqualTypeOf<'list'>()
  expectTypeOf<keyof (typeof first)['module-version']>().toEqualTypeOf<'list'>()
  expectTypeOf<keyof typeof first.lazy>().toEqualTypeOf<'one'>()
  expectTypeOf<keyof typeof second.lazy>().toEqualTypeOf<'two'>()
}

export async function inherited(): Promise<void> {
  expectTypeOf((await first.wheel.list()).data).toEqualTypeOf<string>()
  expectTypeOf((await second.wheel.list()).data).toEqualTypeOf<number>()
  // @ts-expect-error -- a route of version 1 alone
  await second.wheel.one()
}

/** A client of several versions is typed by all of them. */
export async function severalVersions(client: Client<Api, '1' | '2'>): Promise<void> {
  expectTypeOf((await client.wheel.list()).data).toEqualTypeOf<string | number>()
  await client.car.create({ body: { name: '' } })
  await client.car.create({ params: { garage: 1 }, body: { title: '' } })
  // @ts-expect-error -- a route of neither
  await client.car.point()
}

/** Nothing tells what answers without a version: every route may. */
export async function withoutVersion(): Promise<void> {
  expectTypeOf((await any.wheel.list()).data).toEqualTypeOf<string | number>()
  await any.car.create({ body: { name: '' } })
  await any.car.create({ params: { garage: 1 }, body: { title: '' } })
}

export function versions(): void {
  // @ts-expect-error -- no such version
  createClient<Api, '4'>({ baseUrl: 'http://localhost', version: '4' })
  // @ts-expect-error -- the option is missing
  createClient<Api, '2'>({ baseUrl: 'http://localhost' })
  // @ts-expect-error -- another version
  createClient<Api, '2'>({ baseUrl: 'http://localhost', version: '1' })
  // @ts-expect-error -- the type argument is missing
  createClient<Api>({ baseUrl: 'http://localhost', version: '2' })
  // @ts-expect-error -- no such version
  any.at('4')
  // @ts-expect-error -- no such version
  expectTypeOf<Client<Api, '4'>>()
}

const rangeController = defineController({
  name: 'RangeController',
  routes: [
    { method: 'GET', name: 'get', version: '>=1 <3', response: z.string(), handler: () => '' },
    { method: 'GET', name: 'get', version: '2', response: z.number(), handler: () => 1 },
    { method: 'GET', name: 'mixed', version: '>=2', response: z.string(), handler: () => '' },
    { method: 'GET', name: 'mixed', version: VERSION_NEUTRAL, response: z.number(), handler: () => 1 },
    { method: 'GET', path: '/word', name: 'word', version: 'latest', handler: () => 1 },
    { method: 'GET', path: '/several', name: 'several', version: ['stable', '3'], handler: () => 1 },
    { method: 'GET', path: '/wide', name: 'wide', version: wide, handler: () => 1 },
    { method: 'GET', path: '/wide', name: 'both', version: [VERSION_NEUTRAL, '2'], handler: () => 1 },
  ],
})
const ranges = createApp(defineModule({ controllers: [rangeController] }))

/** A range counts as any version, unless a route names the version itself. */
export async function anyVersion(): Promise<void> {
  const client = createClient<typeof ranges>({ baseUrl: 'http://localhost' })
  const one = client.at('1')
  expectTypeOf((await one.range.get()).data).toEqualTypeOf<string>()
  expectTypeOf((await one.range.mixed()).data).toEqualTypeOf<number>()
  expectTypeOf((await client.at('3').range.mixed()).data).toEqualTypeOf<string | number>()
  expectTypeOf((await client.at('2').range.get()).data).toEqualTypeOf<number>()
  expectTypeOf<keyof typeof one.range>().toEqualTypeOf<'get' | 'mixed' | 'wide' | 'both'>()
  const { range } = client.at('latest')
  expectTypeOf<keyof typeof range>().toEqualTypeOf<'get' | 'mixed' | 'word' | 'wide' | 'both'>()
  const stable = client.at('stable').range
  expectTypeOf<keyof typeof stable>().toEqualTypeOf<'get' | 'mixed' | 'several' | 'wide' | 'both'>()
}

/** Without any version there is nothing to know. */
export function withoutVersions(): void {
  const plain = createApp(defineModule({ controllers: [moduleController2] }))
  const { plain: calls } = createClient<typeof plain, '7'>({ baseUrl: 'http://localhost', version: '7' })
  expectTypeOf<keyof typeof calls>().toEqualTypeOf<'list'>()
}
const moduleController2 = defineController({
  name: 'PlainController',
  routes: [{ method: 'GET', name: 'list', handler: () => 1 }],
})

/** Definitions inside others inherit versions as those with a name of their own do. */
export function definitionsMayBeInline(): void {
  const inline = createApp(
    defineModule({
      routers: [
        defineRouter({
          name: 'admin',
          version: '2',
          routers: [
            defineRouter({ name: 'users', routes: [{ method: 'GET', name: 'list', handler: () => 1 }] }),
          ],
        }),
      ],
      imports: [
        defineModule({
          version: '1',
          controllers: [
            defineController({
              name: 'CarController',
              routes: [{ method: 'GET', name: 'list', handler: () => 1 }],
            }),
          ],
        }),
      ],
    }),
  )
  const client = createClient<typeof inline, '2'>({ version: '2' })
  expectTypeOf<keyof typeof client.admin.users>().toEqualTypeOf<'list'>()
  // @ts-expect-error cars are in version 1
  void client.car.list()
  // @ts-expect-error there is no version 3
  createClient<typeof inline, '3'>({ version: '3' })
}

/** Bounds are compared, if they and the version are whole numbers of one or two digits, or days. */
export function oneBound(): void {
  const bounds = defineController({
    name: 'BoundController',
    routes: [
      { method: 'GET', path: '/a', name: 'below', version: '<3', handler: () => 1 },
      { method: 'GET', path: '/b', name: 'most', version: '<=3', handler: () => 1 },
      { method: 'GET', path: '/c', name: 'above', version: '>9', handler: () => 1 },
      { method: 'GET', path: '/d', name: 'least', version: '>=12', handler: () => 1 },
      { method: 'GET', path: '/e', name: 'either', version: ['<2', '4'], handler: () => 1 },
      { method: 'GET', path: '/f', name: 'both', version: '>=1 <2', handler: () => 1 },
      { method: 'GET', path: '/g', name: 'day', version: '<2026-01-01', handler: () => 1 },
    ],
  })
  const removed = defineController({
    name: 'RemovedController',
    version: '<2',
    routes: [{ method: 'GET', name: 'get', handler: () => 1 }],
  })
  const client = createClient<ReturnType<typeof open>>({ baseUrl: 'http://localhost' })
  const open = () => createApp(defineModule({ controllers: [bounds, removed] }))
  type At<V extends string> = keyof Client<ReturnType<typeof open>, V>['bound']
  expectTypeOf<At<'1'>>().toEqualTypeOf<'below' | 'most' | 'either' | 'both' | 'day'>()
  expectTypeOf<At<'2'>>().toEqualTypeOf<'below' | 'most' | 'day'>()
  expectTypeOf<At<'3'>>().toEqualTypeOf<'most' | 'day'>()
  expectTypeOf<At<'4'>>().toEqualTypeOf<'either' | 'day'>()
  expectTypeOf<At<'9'>>().toEqualTypeOf<'day'>()
  expectTypeOf<At<'10'>>().toEqualTypeOf<'above' | 'day'>()
  expectTypeOf<At<'11'>>().toEqualTypeOf<'above' | 'day'>()
  expectTypeOf<At<'12'>>().toEqualTypeOf<'above' | 'least' | 'day'>()
  expectTypeOf<At<'20'>>().toEqualTypeOf<'above' | 'least' | 'day'>()
  // what is written in another way may be in every range
  expectTypeOf<At<'1.1'>>().toEqualTypeOf<At<'1' | '4' | '12'>>()
  expectTypeOf(client.at('1').removed.get).toBeFunction()
  // @ts-expect-error the controller ended at version 2
  void client.at('2').removed.get
}

/** A history or a list says which versions there are, and which of them a range has. */
export function rangesOfDays(): void {
  const days = defineController({
    name: 'DayController',
    routes: [
      { method: 'GET', path: '/a', name: 'below', version: '<2026-01-01', handler: () => 1 },
      { method: 'GET', path: '/b', name: 'most', version: '<=2026-01-01', handler: () => 1 },
      { method: 'GET', path: '/c', name: 'between', version: '>=2025-10-09 <2026-01-01', handler: () => 1 },
      { method: 'GET', path: '/d', name: 'above', version: '>2025-09-30', handler: () => 1 },
      { method: 'GET', path: '/e', name: 'always', handler: () => 1 },
    ],
  })
  const removed = defineController({
    name: 'RemovedController',
    version: '<2026-01-01',
    routes: [{ method: 'GET', name: 'get', handler: () => 1 }],
  })
  const history = defineVersions({
    versions: ['2026-06-01', '2026-01-01', '2025-10-09', '2025-09-30'],
    models: {},
    changes: [],
  })
  const open = () =>
    createApp(defineModule({ controllers: [days, removed] }), {
      versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', format: 'date', history },
    })
  type App = ReturnType<typeof open>
  type At<V extends '2026-06-01' | '2026-01-01' | '2025-10-09' | '2025-09-30'> = keyof Client<App, V>['day']
  expectTypeOf<At<'2026-06-01'>>().toEqualTypeOf<'above' | 'always'>()
  expectTypeOf<At<'2026-01-01'>>().toEqualTypeOf<'most' | 'above' | 'always'>()
  expectTypeOf<At<'2025-10-09'>>().toEqualTypeOf<'below' | 'most' | 'between' | 'above' | 'always'>()
  expectTypeOf<At<'2025-09-30'>>().toEqualTypeOf<'below' | 'most' | 'always'>()

  const client = createClient<App>({ baseUrl: 'http://localhost' })
  expectTypeOf(client.at('2025-10-09').removed.get).toBeFunction()
  // @ts-expect-error the controller ended with 2026
  void client.at('2026-01-01').removed.get
  // @ts-expect-error the history lists no such version
  client.at('2026-02-01')
}
