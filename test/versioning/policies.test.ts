import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, RoutePolicy, VersioningOptions, VersionSpec } from 'octavo'

import { serve } from '../support/serve.ts'

const { QUERY, URL } = VersioningSchemes

/** What each level says. */
interface Levels {
  readonly version?: NonNullable<VersioningOptions['versions']>
  readonly module?: RoutePolicy
  readonly router?: RoutePolicy
  readonly controller?: RoutePolicy
  readonly route?: RoutePolicy
}

const given = (policy: RoutePolicy | undefined): { readonly policy?: RoutePolicy } =>
  policy === undefined ? {} : { policy }

/** `/a/b`, for versions 1 and 2, with a policy at every level around it. */
function nested(levels: Levels, options: VersioningOptions = {}, version: VersionSpec = ['1', '2']): App {
  const inner = defineRouter({
    prefix: '/b',
    name: 'inner',
    ...given(levels.controller),
    routes: [{ method: 'GET', name: 'get', ...given(levels.route), handler: () => 1 }],
  })
  const outer = defineRouter({ prefix: '/a', name: 'outer', ...given(levels.router), routers: [inner] })
  const module = defineModule({ version, ...given(levels.module), routers: [outer] })
  const app: App = createApp(module, { logger: false })
  const { version: versions } = levels
  app.enableVersioning(QUERY, { ...options, ...(versions === undefined ? {} : { versions }) })
  return app
}

/** `[status, Deprecation in seconds of the year 2026, year of Sunset, Link]` of version 1, or of another. */
async function told(app: App, url = '/a/b?version=1'): Promise<readonly unknown[]> {
  const { statusCode, headers } = await app.inject(url)
  const seconds = /^@(\d+)$/.exec(String(headers['deprecation']))?.[1]
  return [
    statusCode,
    seconds === undefined ? undefined : new Date(Number(seconds) * 1000).toISOString().slice(0, 10),
    headers['sunset'] === undefined ? undefined : new Date(String(headers['sunset'])).getUTCFullYear(),
    headers['link'],
  ]
}

/** A policy for a day of January 2026. */
const on = (day: number): RoutePolicy => ({ deprecated: `2026-01-0${day}` })

describe('policies apply from the route to the version', () => {
  const all: Levels = {
    version: { '1': on(1) },
    module: { ...on(2), versions: { '1': on(3) } },
    router: { ...on(4), versions: { '1': on(5) } },
    controller: { ...on(6), versions: { '1': on(7) } },
    route: { ...on(8), versions: { '1': on(9) } },
  }
  const first: Levels = { version: { '1': on(1) } }
  const module: RoutePolicy = { ...on(2), versions: { '1': on(3) } }
  const cases: readonly (readonly [string, Levels, string])[] = [
    ['the version in the route', all, '2026-01-09'],
    ['the route', { ...all, route: on(8) }, '2026-01-08'],
    ['the version in the controller', { ...all, route: {} }, '2026-01-07'],
    ['the controller', { ...all, route: {}, controller: on(6) }, '2026-01-06'],
    ['the version in the router around it', { ...all, route: {}, controller: {} }, '2026-01-05'],
    ['the router around it', { ...all, route: {}, controller: {}, router: on(4) }, '2026-01-04'],
    ['the version in the module', { ...first, module }, '2026-01-03'],
    ['the module', { ...first, module: on(2) }, '2026-01-02'],
    ['the version', first, '2026-01-01'],
    ['the route, over versions in levels above', { ...all, route: on(8) }, '2026-01-08'],
    ['levels that say nothing are passed over', { ...first, route: {}, module: {} }, '2026-01-01'],
    [
      'another version in the route does not count',
      { ...first, route: { versions: { '2': on(9) } } },
      '2026-01-01',
    ],
  ]
  for (const [title, levels, expected] of cases) {
    it(title, async () => {
      assert.deepEqual(await told(nested(levels)), [200, expected, undefined, undefined])
    })
  }

  it('field by field: each from the nearest level that has it', async () => {
    const app = nested({
      version: { '1': { ...on(1), sunset: '2031-01-01', links: { deprecation: '/v', sunset: '/v' } } },
      module: { sunset: '2032-01-01' },
      controller: { links: { sunset: '/c' } },
      route: { versions: { '1': on(9) } },
    })
    const links = '</v>; rel="deprecation"; type="text/html", </c>; rel="sunset"; type="text/html"'
    assert.deepEqual(await told(app), [200, '2026-01-09', 2032, links])
  })
  it('retired is looked up by itself, too', async () => {
    const clock = (): number => Date.parse('2031-01-01')
    const version = { '1': { sunset: '2030-01-01', retired: 'gone' as const } }
    assert.deepEqual((await told(nested({ version }, { clock })))[0], 410)
    assert.deepEqual((await told(nested({ version, controller: { retired: 'serve' } }, { clock })))[0], 200)
    assert.deepEqual((await told(nested({ version, route: { sunset: '2032-01-01' } }, { clock })))[0], 200)
    assert.deepEqual((await told(nested({ version, route: { sunset: false } }, { clock })))[0], 200)
  })
  it('deprecated: false and sunset: false undo what is above', async () => {
    const version = { '1': { ...on(1), sunset: '2030-01-01' } }
    assert.deepEqual(await told(nested({ version })), [200, '2026-01-01', 2030, undefined])
    const undone = nested({ version, route: { deprecated: false, sunset: false } })
    assert.deepEqual(await told(undone), [200, undefined, undefined, undefined])
    const one = nested({ version, route: { versions: { '1': { deprecated: false } } } })
    assert.deepEqual(await told(one), [200, undefined, 2030, undefined])
  })
  it('true replaces a date: the version is deprecated without a date', async () => {
    const app = nested({ version: { '1': on(1) }, route: { deprecated: true } }, { report: 'always' })
    assert.deepEqual(await told(app), [200, undefined, undefined, undefined])
    assert.equal((await app.inject('/a/b?version=1')).headers['api-deprecated-versions'], '1, 2')
  })
  it('a version in a level says nothing of other versions', async () => {
    const app = nested({ route: { versions: { '1': on(9) } } })
    assert.deepEqual(await told(app), [200, '2026-01-09', undefined, undefined])
    assert.deepEqual(await told(app, '/a/b?version=2'), [200, undefined, undefined, undefined])
  })
  it('versions in policies are equal by the format', async () => {
    const app = nested({ route: { versions: { '1.0': on(9) } } }, { format: 'semver' })
    assert.deepEqual(await told(app), [200, '2026-01-09', undefined, undefined])
  })
})

describe('policies of routes', () => {
  const routes = [
    {
      method: 'GET',
      path: '/plain',
      name: 'plain',
      policy: { ...on(1), sunset: '2030-01-01' },
      handler: () => 1,
    },
    { method: 'GET', path: '/short', name: 'short', deprecated: true, handler: () => 1 },
    {
      method: 'GET',
      path: '/both',
      name: 'both',
      deprecated: true,
      policy: on(2),
      handler: () => 1,
    },
    {
      method: 'GET',
      path: '/gone',
      name: 'gone',
      policy: { sunset: '2020-01-01', retired: 'gone' },
      handler: () => 1,
    },
  ] as const
  const controller = defineController({ prefix: '/', name: 'x', routes })

  it('policies of routes apply without versioning', async () => {
    const app = serve(controller)
    assert.deepEqual(await told(app, '/plain'), [200, '2026-01-01', 2030, undefined])
    assert.deepEqual(await told(app, '/both'), [200, '2026-01-02', undefined, undefined])
    const { statusCode, headers, body } = await app.inject('/gone')
    assert.deepEqual(
      [statusCode, headers['sunset'], headers['api-supported-versions'], JSON.parse(body)],
      [
        410,
        'Wed, 01 Jan 2020 00:00:00 GMT',
        undefined,
        {
          type: 'urn:octavo:problem:retired-version',
          title: 'Retired API version',
          status: 410,
          detail: 'This version is not served any more',
          code: 'retired_version',
          supported: [],
          sunset: '2020-01-01T00:00:00.000Z',
        },
      ],
    )
  })
  it('policies of routes apply at paths without versions, whatever the request asks for', async () => {
    const app = serve(controller)
    app.enableVersioning(QUERY, { versions: ['1'] })
    const expected = [200, '2026-01-01', 2030, undefined]
    for (const url of ['/plain', '/plain?version=1', '/plain?version=9']) {
      assert.deepEqual(await told(app, url), expected)
    }
  })
  it('deprecated: true is short for a policy', async () => {
    const app = createApp(defineModule({ version: '1', controllers: [controller] }), { logger: false })
    app.enableVersioning(URL, { report: 'always' })
    const lists = async (url: string): Promise<readonly unknown[]> => {
      const { headers } = await app.inject(url)
      return [headers['api-supported-versions'], headers['api-deprecated-versions']]
    }
    assert.deepEqual(await lists('/v1/short'), [undefined, '1'])
    assert.deepEqual(await told(app, '/v1/short'), [200, undefined, undefined, undefined])
    assert.deepEqual(await told(app, '/v1/both'), [200, '2026-01-02', undefined, undefined])
  })
})

describe('policies and neutral routes', () => {
  it('a neutral route does not take the policy of a version', async () => {
    const app = nested({ version: [{ version: '1', ...on(1) }] }, {}, VERSION_NEUTRAL)
    assert.deepEqual(await told(app), [200, undefined, undefined, undefined])
  })
  it('unless it names the version too', async () => {
    const version = [
      { version: '1', ...on(1) },
      { version: '2', ...on(2) },
    ]
    const app = nested({ version }, {}, [VERSION_NEUTRAL, '2'])
    assert.deepEqual(await told(app), [200, undefined, undefined, undefined])
    assert.deepEqual(await told(app, '/a/b?version=2'), [200, '2026-01-02', undefined, undefined])
  })
  it('a neutral route has policies of its own', async () => {
    const app = nested(
      { version: [{ version: '1' }], route: { ...on(1), versions: { '1': on(2) } } },
      {},
      VERSION_NEUTRAL,
    )
    assert.deepEqual(await told(app, '/a/b'), [200, '2026-01-01', undefined, undefined])
    assert.deepEqual(await told(app, '/a/b?version=1'), [200, '2026-01-02', undefined, undefined])
  })
})
