import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, AppOptions, InjectOptions, VersioningOptions, VersionSpec } from 'octavo'

import { serve } from '../support/serve.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

/** A route: its name, version and path. */
type Named = readonly [name: string, version: VersionSpec | undefined, path: `/${string}`]

/** An application whose responses link to newer versions. */
function linking(
  rows: readonly Named[],
  options: VersioningOptions = {},
  appOptions: Omit<AppOptions, 'versioning'> = {},
): App {
  const controllers = rows.map(([name, version, path]) =>
    defineController({
      name: 'api',
      prefix: '',
      ...(version === undefined ? {} : { version }),
      routes: [{ method: 'GET', path, name, handler: () => name }],
    }),
  )
  const app: App = serve(controllers, appOptions)
  app.enableVersioning(URL, { successorLinks: true, ...options })
  return app
}

/** `[status, Link]` */
async function links(app: App, request: string | InjectOptions): Promise<readonly unknown[]> {
  const { statusCode, headers } = await app.inject(request)
  return [statusCode, headers['link']]
}

/** To the next version, and to the newest. */
const to = (next: string, latest = next): string =>
  `<${next}>; rel="successor-version", <${latest}>; rel="latest-version"`

const THREE: readonly Named[] = [
  ['list', '1', '/cars'],
  ['list', '2', '/cars'],
  ['list', '3', '/vehicles'],
]

describe('links to newer versions lead to the same route', () => {
  it('lead to the next and to the newest', async () => {
    const app = linking(THREE)
    assert.deepEqual(await links(app, '/v1/cars'), [200, to('/v2/cars', '/v3/vehicles')])
    assert.deepEqual(await links(app, '/v2/cars'), [200, to('/v3/vehicles')])
    assert.deepEqual(await links(app, '/v3/vehicles'), [200, undefined])
  })
  it('HEAD has the links of GET', async () => {
    const request = { method: 'HEAD', url: '/v2/cars' } as const
    assert.deepEqual(await links(linking(THREE), request), [200, to('/v3/vehicles')])
  })
  it('are not sent unless successorLinks is on', async () => {
    assert.deepEqual(await links(linking(THREE, { successorLinks: false }), '/v1/cars'), [200, undefined])
  })
  it('use the scheme in the path, of several', async () => {
    const app = linking(THREE)
    app.enableVersioning([[HEADER], [URL]], { successorLinks: true })
    const byHeader = { url: '/cars', headers: { accept: '*/*;version=2' } }
    assert.deepEqual(await links(app, byHeader), [200, to('/v3/vehicles')])
  })
  it('by the name of the route: another name at the same path is another route', async () => {
    const app = linking([
      ['list', '1', '/cars'],
      ['other', '2', '/cars'],
      ['list', '3', '/cars'],
    ])
    assert.deepEqual(await links(app, '/v1/cars'), [200, to('/v3/cars')])
    assert.deepEqual(await links(app, '/v2/cars'), [200, undefined])
  })
  it('routes of several versions, and ranges', async () => {
    const app = linking(
      [
        ['list', ['1', '2'], '/cars'],
        ['list', '>=3', '/vehicles'],
      ],
      { versions: ['1', '2', '3', '4'] },
    )
    assert.deepEqual(await links(app, '/v1/cars'), [200, to('/v2/cars', '/v4/vehicles')])
    assert.deepEqual(await links(app, '/v2/cars'), [200, to('/v3/vehicles', '/v4/vehicles')])
    assert.deepEqual(await links(app, '/v4/vehicles'), [200, undefined])
  })
  it('a neutral route and one without version are no newer version', async () => {
    const app = linking([
      ['list', '1', '/cars'],
      ['list', VERSION_NEUTRAL, '/neutral'],
      ['other', '2', '/cars'],
    ])
    assert.deepEqual(await links(app, '/v1/cars'), [200, undefined])
    assert.deepEqual(await links(app, '/v1/neutral'), [200, undefined])
  })
  it('the default version, without its segment', async () => {
    const app = linking(THREE, { defaultVersion: '1' })
    assert.deepEqual(await links(app, '/cars'), [200, to('/v2/cars', '/v3/vehicles')])
  })
  it('another spelling of the version', async () => {
    assert.deepEqual(await links(linking(THREE, { format: 'semver' }), '/v2.0/cars'), [
      200,
      to('/v3/vehicles'),
    ])
  })
  it('behind the prefix, whatever letters it has', async () => {
    const app = linking(THREE, {}, { prefix: '/api/é' })
    assert.deepEqual(await links(app, '/api/%C3%A9/v2/cars'), [200, to('/api/%C3%A9/v3/vehicles')])
  })
  it('slashes at the end are those of the pattern it leads to', async () => {
    const rows: readonly Named[] = [
      ['list', '1', '/cars'],
      ['list', '2', '/cars/'],
      ['root', '1', '/'],
      ['root', '2', '/'],
    ]
    const app = linking(rows)
    for (const url of ['/v1/cars', '/v1/cars/'])
      assert.deepEqual(await links(app, url), [200, to('/v2/cars/')])
    assert.deepEqual(await links(app, '/v1/'), [200, to('/v2/')])
    assert.deepEqual(await links(linking(rows, {}, { trailingSlash: 'strict' }), '/v1/cars'), [
      200,
      to('/v2/cars/'),
    ])
  })
  it('with the links of the policy', async () => {
    const app = linking(THREE, { versions: { '2': { links: { sunset: '/why' } } } })
    const policy = '</why>; rel="sunset"; type="text/html"'
    assert.deepEqual(await links(app, '/v2/cars'), [200, `${policy}, ${to('/v3/vehicles')}`])
  })
})

describe('parameters in links to newer versions', () => {
  const app = linking([
    ['one', '1', '/cars/{id}'],
    ['one', '2', '/vehicles/{id}.json'],
    ['two', '1', '/a/{x}/{y}'],
    ['two', '2', '/b/{y}/{x}'],
    ['more', '1', '/m/{x}'],
    ['more', '2', '/m/{x}/{added}'],
    ['fewer', '1', '/f/{x}/{removed}'],
    ['fewer', '2', '/f/{x}'],
    ['typed', '1', '/t/{id}'],
    ['typed', '2', '/t/{id:int}'],
    ['file', '1', '/files/{path:path}'],
    ['file', '2', '/documents/{path:path}'],
    ['single', '1', '/single/{path:path}'],
    ['single', '2', '/single/{path}'],
  ])
  const cases = [
    ['by name', '/v1/cars/7', to('/v2/vehicles/7.json')],
    ['in another order', '/v1/a/1/2', to('/v2/b/2/1')],
    ['one that the request does not have: no link', '/v1/m/1', undefined],
    ['one that is not needed any more', '/v1/f/1/2', to('/v2/f/1')],
    ['a value of the type', '/v1/t/7', to('/v2/t/7')],
    ['a value that is not of the type: no link', '/v1/t/seven', undefined],
    ['letters are encoded again', '/v1/cars/%C3%A9%20%22%3E', to('/v2/vehicles/%C3%A9%20%22%3E.json')],
    ['what breaks headers is encoded again', '/v1/cars/%0D%0Ax%3Ay', to('/v2/vehicles/%0D%0Ax%3Ay.json')],
    ['an escaped slash stays escaped', '/v1/cars/a%2Fb', to('/v2/vehicles/a%2Fb.json')],
    ['an escaped percent sign stays escaped', '/v1/cars/%252F', to('/v2/vehicles/%252F.json')],
    ['the rest of a path', '/v1/files/a/b%20c/d', to('/v2/documents/a/b%20c/d')],
    ['an empty rest', '/v1/files/', to('/v2/documents/')],
    ['an empty value where there has to be one: no link', '/v1/single/', undefined],
    ['.. would lead elsewhere: no link', '/v1/files/..', undefined],
    ['.. inside', '/v1/files/a/../b', undefined],
    ['.. that is escaped', '/v1/t/%2E%2E', undefined],
    ['. is resolved by clients too', '/v1/files/a/%2e', undefined],
    ['.. behind an escaped slash', '/v1/files/a%2F..', undefined],
    ['dots beside letters', '/v1/cars/..', to('/v2/vehicles/...json')],
  ] as const
  for (const [title, url, link] of cases) {
    it(`${title}: ${url}`, async () => {
      assert.deepEqual(await links(app, url), [200, link])
    })
  }
  it('no link to the newest where only that lacks the value', async () => {
    const mixed = linking([
      ['x', '1', '/x/{a}'],
      ['x', '2', '/x/{a}'],
      ['x', '3', '/x/{b}'],
    ])
    assert.deepEqual(await links(mixed, '/v1/x/1'), [200, '</v2/x/1>; rel="successor-version"'])
  })
})

describe('links to newer versions pass over retired ones', () => {
  const gone = { sunset: '2026-01-01', retired: 'gone' } as const
  const clock = { now: Date.parse('2026-01-01') }
  const options = { clock: () => clock.now, successorLinks: false }

  it('410 carries them, whether or not they are switched on', async () => {
    const app = linking(THREE, { ...options, versions: { '1': gone } })
    assert.deepEqual(await links(app, '/v1/cars'), [410, to('/v2/cars', '/v3/vehicles')])
    assert.deepEqual(await links(app, '/v2/cars'), [200, undefined])
  })
  it('not where versions have no addresses', async () => {
    const app = linking(THREE)
    app.enableVersioning(QUERY, { ...options, versions: { '1': gone } })
    assert.deepEqual(await links(app, '/cars?version=1'), [410, undefined])
  })
  it('past versions that are retired as well', async () => {
    const app = linking(THREE, { ...options, versions: { '1': gone, '2': gone } })
    assert.deepEqual(await links(app, '/v1/cars'), [410, to('/v3/vehicles')])
  })
  it('none when all newer ones are retired', async () => {
    const app = linking(THREE, { ...options, versions: { '1': gone, '2': gone, '3': gone } })
    assert.deepEqual(await links(app, '/v1/cars'), [410, undefined])
  })
})
