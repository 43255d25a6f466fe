import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'
import { createClient } from 'octavo/client'
import type { Client } from 'octavo/client'
import { createEdgeApp } from 'octavo/edge'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes
declare const wide: string

const controller = defineController({
  name: 'CarController',
  routes: [
    { method: 'GET', name: 'list', version: '1', response: z.string(), handler: () => '' },
    { method: 'GET', name: 'list', version: '2', response: z.number(), handler: () => 1 },
    { method: 'GET', path: '/old', name: 'old', version: '1', handler: () => 1 },
    { method: 'GET', path: '/new', name: 'fresh', version: '2', handler: () => 1 },
    { method: 'GET', path: '/ping', name: 'ping', version: VERSION_NEUTRAL, handler: () => 1 },
    { method: 'GET', path: '/plain', name: 'plain', handler: () => 1 },
  ],
})
const module = defineModule({ controllers: [controller] })

/** The names of the routes that a client without a version has. */
type NamesFor<A> = keyof Client<A>['car' & keyof Client<A>]
type Everywhere = 'ping' | 'plain'
type All = Everywhere | 'list' | 'old' | 'fresh'

/** The default version types clients without one, whatever the scheme. */
export async function defaults(): Promise<void> {
  const first = createApp(module, { versioning: { scheme: URL, defaultVersion: '1' } })
  expectTypeOf<NamesFor<typeof first>>().toEqualTypeOf<Everywhere | 'list' | 'old'>()
  const client = createClient<typeof first>({ fetch: first.fetch })
  expectTypeOf((await client.car.list()).data).toEqualTypeOf<string>()
  // @ts-expect-error -- a route of version 2
  await client.car.fresh()
  expectTypeOf((await client.at('2').car.list()).data).toEqualTypeOf<number>()
  await client.at('2').car.fresh()
  // @ts-expect-error -- no such version
  client.at('3')

  const second = createApp(module, { versioning: { scheme: HOST, defaultVersion: '2' } })
  expectTypeOf<NamesFor<typeof second>>().toEqualTypeOf<Everywhere | 'list' | 'fresh'>()
  const several = createApp(module, { versioning: { schemes: [[URL], [QUERY]], defaultVersion: '2' } })
  expectTypeOf<NamesFor<typeof several>>().toEqualTypeOf<Everywhere | 'list' | 'fresh'>()
  const edge = createEdgeApp(module, { versioning: { scheme: HEADER, defaultVersion: '1' } })
  expectTypeOf<NamesFor<typeof edge>>().toEqualTypeOf<Everywhere | 'list' | 'old'>()
}

/** Without a default, only requests under URL are certain to have no version. */
export function noDefault(): void {
  const url = createApp(module, { versioning: { scheme: URL } })
  expectTypeOf<NamesFor<typeof url>>().toEqualTypeOf<Everywhere>()
  const none = createApp(module, { versioning: { scheme: URL, defaultVersion: null, versions: ['1', '2'] } })
  expectTypeOf<NamesFor<typeof none>>().toEqualTypeOf<Everywhere>()
  expectTypeOf<keyof Client<typeof none, '1'>['car']>().toEqualTypeOf<Everywhere | 'list' | 'old'>()
  const header = createApp(module, { versioning: { scheme: HEADER } })
  expectTypeOf<NamesFor<typeof header>>().toEqualTypeOf<All>()
  const several = createApp(module, { versioning: { schemes: [[URL], [QUERY]] } })
  expectTypeOf<NamesFor<typeof several>>().toEqualTypeOf<All>()
}

/** What types cannot know has every route. */
export function unknownDefaults(options: AppOptions): void {
  const called = createApp(module)
  called.enableVersioning(URL, { defaultVersion: '1' })
  expectTypeOf<NamesFor<typeof called>>().toEqualTypeOf<All>()
  const latest = createApp(module, {
    versioning: { scheme: URL, defaultVersion: 'latest', versions: ['2', '1'] },
  })
  expectTypeOf<NamesFor<typeof latest>>().toEqualTypeOf<All>()
  const chosen = createApp(module, {
    versioning: { scheme: URL, defaultVersion: (request) => request.header('x-version') ?? null },
  })
  expectTypeOf<NamesFor<typeof chosen>>().toEqualTypeOf<All>()
  const text = createApp(module, { versioning: { scheme: URL, defaultVersion: wide } })
  expectTypeOf<NamesFor<typeof text>>().toEqualTypeOf<All>()
  const maybe = createApp(module, { versioning: { scheme: URL, defaultVersion: wide === '' ? '1' : null } })
  expectTypeOf<NamesFor<typeof maybe>>().toEqualTypeOf<All>()
  const absent = createApp(module, { versioning: { scheme: URL, defaultVersion: '7' } })
  expectTypeOf<NamesFor<typeof absent>>().toEqualTypeOf<All>()
  const given = createApp(module, options)
  expectTypeOf<NamesFor<typeof given>>().toEqualTypeOf<All>()
  expectTypeOf<NamesFor<App<typeof module>>>().toEqualTypeOf<All>()
}

/** Listed versions exist, however they are listed. */
export function listed(list: readonly string[]): void {
  const texts = createApp(module, { versioning: { scheme: URL, versions: ['3', '2', '1'] } })
  const third = createClient<typeof texts, '3'>({ fetch: texts.fetch, version: '3' })
  expectTypeOf<keyof typeof third.car>().toEqualTypeOf<Everywhere>()
  // @ts-expect-error -- no such version
  third.at('4')
  const objects = createApp(module, {
    versioning: { scheme: QUERY, versions: ['2', { version: '3', deprecated: true }], defaultVersion: '3' },
  })
  expectTypeOf<NamesFor<typeof objects>>().toEqualTypeOf<Everywhere>()
  createClient<typeof objects>({ fetch: objects.fetch }).at('3')
  // @ts-expect-error -- no such version
  createClient<typeof objects>({ fetch: objects.fetch }).at('4')
  const record = createApp(module, {
    versioning: { schemes: [[URL], [HEADER]], versions: { '1': { deprecated: true }, '2': {} } },
  })
  createClient<typeof record>({ fetch: record.fetch }).at('1')
  // @ts-expect-error -- no such version
  createClient<typeof record>({ fetch: record.fetch }).at('4')
  const dynamic = createApp(module, { versioning: { scheme: URL, versions: list, defaultVersion: '1' } })
  createClient<typeof dynamic>({ fetch: dynamic.fetch }).at('4')
  expectTypeOf<NamesFor<typeof dynamic>>().toEqualTypeOf<All>()
  const unlisted = createApp(module, { versioning: { scheme: URL } })
  // @ts-expect-error -- no such version
  createClient<typeof unlisted>({ fetch: unlisted.fetch }).at('4')
}

const rangeController = defineController({
  name: 'CarController',
  routes: [
    { method: 'GET', name: 'list', version: '>=2', handler: () => 1 },
    { method: 'GET', path: '/old', name: 'old', version: '1', handler: () => 1 },
  ],
})

/** A listed default version may be in a range. */
export function ranges(): void {
  const inRanges = defineModule({ controllers: [rangeController] })
  const app = createApp(inRanges, {
    versioning: { scheme: URL, versions: ['3', '2', '1'], defaultVersion: '3' },
  })
  expectTypeOf<NamesFor<typeof app>>().toEqualTypeOf<'list'>()
  const latest = createApp(inRanges, {
    versioning: { scheme: URL, versions: ['2', '1'], defaultVersion: 'latest' },
  })
  expectTypeOf<NamesFor<typeof latest>>().toEqualTypeOf<'list' | 'old'>()
  // options are checked as before
  createApp(inRanges, {
    versioning: {
      scheme: URL,
      // @ts-expect-error -- no text
      defaultVersion: 1,
    },
  })
  createApp(inRanges, {
    versioning: {
      scheme: URL,
      // @ts-expect-error -- no text
      versions: [1],
    },
  })
}
