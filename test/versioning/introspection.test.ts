import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  DefinitionError,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, VersionInfo, VersioningOptions } from 'octavo'

import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/cars', '1', 'r0'],
  ['POST', '/cars', undefined, 'r1'],
  ['GET', '/cars', '2', 'r2'],
  ['PUT', '/cars', VERSION_NEUTRAL, 'r3'],
  ['GET', '/ranged', '>=1', 'r4'],
  ['GET', '/ranged', '>=2 <3', 'r5'],
  ['GET', '/health', undefined, 'r6'],
]

/** What an entry has where nothing is said of it. */
const PLAIN = { status: 'active', isDefault: false, links: {}, retired: 'serve' } as const
const route = (name: string, method: 'GET' | 'POST', path: string): VersionInfo['routes'][number] => ({
  name: `api.${name}`,
  methods: [method],
  path,
  status: 'active',
})

/** The names of the routes of each version. */
function names(app: App): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    app.versions().map(({ version, routes }) => [version, routes.map(({ name }) => name)]),
  )
}

describe('app.versions()', () => {
  it('lists every known version with the routes that answer it', () => {
    const app = serve(ROWS, QUERY, { versions: ['1', '2', '3'] })
    assert.deepEqual(app.versions(), [
      {
        ...PLAIN,
        version: '1',
        routes: [route('r0', 'GET', '/cars'), route('r4', 'GET', '/ranged')],
      },
      {
        ...PLAIN,
        version: '2',
        routes: [route('r2', 'GET', '/cars'), route('r5', 'GET', '/ranged')],
      },
      { ...PLAIN, version: '3', routes: [route('r4', 'GET', '/ranged')] },
    ])
  })
  it('is the same under every scheme, and tells paths without version', () => {
    const options = { versions: ['1', '2', '3'] }
    const expected = serve(ROWS, QUERY, options).versions()
    assert.deepEqual(serve(ROWS, URL, options).versions(), expected)
    assert.deepEqual(serve(ROWS, HEADER, options).versions(), expected)
  })
  it('lists none without versioning', () => {
    assert.deepEqual(serve(ROWS.slice(0, 2)).versions(), [])
  })
  it('lists the oldest first', () => {
    const rows: readonly Row[] = [['GET', '/cars', ['10', '9', '1'], 'a']]
    assert.deepEqual(Object.keys(names(serve(rows, QUERY))), ['1', '9', '10'])
    const words = serve([['GET', '/cars', 'mid', 'a']], QUERY, { versions: ['new', 'mid', 'old'] })
    assert.deepEqual(
      words.versions().map(({ version }) => version),
      ['old', 'mid', 'new'],
    )
  })
  it('routes without version answer the default version beside routes with versions', () => {
    const app = serve(ROWS, QUERY, { versions: ['1', '2'], defaultVersion: '2' })
    assert.deepEqual(
      app.versions().map(({ version, isDefault }) => [version, isDefault]),
      [
        ['1', false],
        ['2', true],
      ],
    )
    assert.deepEqual(names(app), {
      '1': ['api.r0', 'api.r4'],
      '2': ['api.r1', 'api.r2', 'api.r5'],
    })
  })
  it('has no default if a function chooses it', () => {
    const app = serve(ROWS, QUERY, { versions: ['1', '2'], defaultVersion: () => '2' })
    assert.deepEqual(
      app.versions().map(({ isDefault }) => isDefault),
      [false, false],
    )
  })
  it('marks the default that is chosen by its place', () => {
    const [first, second] = serve(ROWS, QUERY, { versions: ['1', '2'], defaultVersion: 'latest' }).versions()
    assert.deepEqual([first?.isDefault, second?.isDefault], [false, true])
  })
  it('lists of a route with several methods those that no other answers', () => {
    const handler = (): number => 1
    const controller = defineController({
      prefix: '/cars',
      name: 'cars',
      routes: [
        { method: ['GET', 'POST', 'DELETE'], name: 'any', version: '>=1', handler },
        { method: 'POST', name: 'own', version: '2', handler },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    app.enableVersioning(QUERY, { versions: ['1', '2'] })
    assert.deepEqual(
      app.versions().map(({ routes }) => routes.map(({ name, methods }) => [name, methods])),
      [
        [['cars.any', ['GET', 'POST', 'DELETE']]],
        [
          ['cars.any', ['GET', 'DELETE']],
          ['cars.own', ['POST']],
        ],
      ],
    )
  })
  it('mistakes that depend on versioning are thrown', () => {
    assert.throws(
      () => serve(ROWS, QUERY, { versions: ['1', '2'], defaultVersion: '7' }).versions(),
      DefinitionError,
    )
  })
  it('the paths have the prefix', () => {
    const app = serve(ROWS, URL, { versions: ['1', '2'] }, { prefix: '/api' })
    assert.deepEqual(
      app.versions()[0]?.routes.map(({ path }) => path),
      ['/api/cars', '/api/ranged'],
    )
  })
})

describe('app.versions() and policies', () => {
  const handler = (): number => 1
  const controller = defineController({
    prefix: '/cars',
    name: 'cars',
    routes: [
      { method: 'GET', name: 'list', version: ['1', '2'], handler },
      {
        method: 'GET',
        path: '/{id}',
        name: 'one',
        version: ['1', '2'],
        policy: { sunset: '2030-01-01' },
        handler,
      },
      { method: 'GET', path: '/old', name: 'old', version: '2', deprecated: true, handler },
    ],
  })
  const versions: NonNullable<VersioningOptions['versions']> = {
    '1.0': {
      deprecated: '2026-01-01T00:00:00+01:00',
      sunset: '2027-01-01',
      retired: 'gone',
      links: { deprecation: '/why', sunset: { href: '/when', type: 'text/plain', title: 'When' } },
    },
  }
  const clock = { now: Date.parse('2026-06-01') }
  const app: App = createApp(defineModule({ controllers: [controller] }), { logger: false })
  app.enableVersioning(QUERY, { format: 'semver', versions, clock: () => clock.now })

  it('tells dates, links and what becomes of versions and routes', () => {
    const life = { deprecated: '2025-12-31T23:00:00.000Z', sunset: '2027-01-01T00:00:00.000Z' }
    const list = { name: 'cars.list', methods: ['GET'], path: '/cars' }
    const one = { name: 'cars.one', methods: ['GET'], path: '/cars/{id}' }
    const old = { name: 'cars.old', methods: ['GET'], path: '/cars/old' }
    assert.deepEqual(app.versions(), [
      {
        version: '1',
        isDefault: false,
        status: 'deprecated',
        ...life,
        links: {
          deprecation: { href: '/why', type: 'text/html' },
          sunset: { href: '/when', type: 'text/plain', title: 'When' },
        },
        retired: 'gone',
        routes: [
          { ...list, status: 'deprecated', ...life },
          { ...one, status: 'deprecated', ...life, sunset: '2030-01-01T00:00:00.000Z' },
        ],
      },
      {
        ...PLAIN,
        version: '2',
        routes: [
          { ...list, status: 'active' },
          { ...one, status: 'active', sunset: '2030-01-01T00:00:00.000Z' },
          { ...old, status: 'deprecated', deprecated: true },
        ],
      },
    ])
  })
  it('tells the status of this moment: the clock is asked at each call', () => {
    const statuses = (): readonly unknown[] =>
      app.versions().flatMap(({ status, routes }) => [status, routes.map((each) => each.status)])
    clock.now = Date.parse('2025-01-01')
    assert.deepEqual(statuses(), [
      'active',
      ['active', 'active'],
      'active',
      ['active', 'active', 'deprecated'],
    ])
    clock.now = Date.parse('2028-01-01')
    assert.deepEqual(statuses(), [
      'retired',
      ['retired', 'deprecated'],
      'active',
      ['active', 'active', 'deprecated'],
    ])
    clock.now = Date.parse('2031-01-01')
    assert.deepEqual(statuses(), [
      'retired',
      ['retired', 'retired'],
      'active',
      ['active', 'sunset', 'deprecated'],
    ])
  })
})
