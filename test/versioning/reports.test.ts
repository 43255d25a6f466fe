import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, InjectOptions, VersioningOptions } from 'octavo'

import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/cars', '1', 'one'],
  ['GET', '/cars', '2', 'two'],
  ['GET', '/cars', '10', 'ten'],
  ['PUT', '/cars', VERSION_NEUTRAL, 'put'],
  ['GET', '/cars/{id}', '2', 'by id'],
  ['GET', '/cars/best', '10', 'best'],
  ['GET', '/only', '1', 'only'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
  ['GET', '/health', undefined, 'health'],
]

/** Version 1 is deprecated since long, 2 will be. */
const VERSIONS: NonNullable<VersioningOptions['versions']> = {
  '1': { deprecated: true },
  '2': { deprecated: '2999-01-01' },
}

/** `[status, api-supported-versions, api-deprecated-versions]` */
async function lists(app: App, request: string | InjectOptions): Promise<readonly unknown[]> {
  const { statusCode, headers } = await app.inject(request)
  return [statusCode, headers['api-supported-versions'], headers['api-deprecated-versions']]
}

const NONE = [undefined, undefined]
const CARS = ['2, 10', '1']

describe("report: 'errors' lists the versions of a path with version errors", () => {
  const app = serve(ROWS, QUERY, { versions: VERSIONS })
  const cases = [
    ['an unknown version', 'GET', '/cars?version=9', 404, CARS],
    ['HEAD', 'HEAD', '/cars?version=9', 404, CARS],
    ['no version', 'GET', '/cars', 400, CARS],
    ['two versions', 'GET', '/cars?version=1&version=2', 400, CARS],
    ['a version without the path', 'GET', '/only?version=2', 404, [undefined, '1']],
    ['the versions of every pattern of the path', 'GET', '/cars/best?version=9', 404, ['2, 10', undefined]],
    ['the versions of this path only', 'GET', '/cars/7?version=9', 404, ['2', undefined]],
    ['the automatic OPTIONS', 'OPTIONS', '/cars?version=1', 204, CARS],
    ['the automatic OPTIONS without version', 'OPTIONS', '/cars', 204, CARS],
    ['OPTIONS of an unknown version', 'OPTIONS', '/cars?version=9', 404, CARS],
    ['not a wrong method', 'DELETE', '/cars?version=1', 405, NONE],
    ['not a wrong method without version', 'DELETE', '/cars', 405, NONE],
    ['not success', 'GET', '/cars?version=1', 200, NONE],
    ['not a neutral route', 'GET', '/ping?version=9', 200, NONE],
    ['not a path without versions', 'GET', '/health?version=9', 200, NONE],
    ['not OPTIONS of a path without versions', 'OPTIONS', '/health', 204, NONE],
    ['not OPTIONS of a neutral path', 'OPTIONS', '/ping', 204, NONE],
    ['not an unknown path', 'GET', '/nowhere?version=1', 404, NONE],
  ] as const
  for (const [title, method, url, status, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => {
      assert.deepEqual(await lists(app, { method, url }), [status, ...expected])
    })
  }

  it('the body says the same', async () => {
    const { body } = await app.inject('/cars?version=9')
    const { supported, deprecated } = JSON.parse(body)
    assert.deepEqual([supported, deprecated], [['2', '10'], ['1']])
  })
  it('the moment decides: a deprecation to come is none yet', async () => {
    const clock = { now: Date.parse('2998-12-31') }
    const moved = serve(ROWS, QUERY, { versions: VERSIONS, clock: () => clock.now })
    assert.deepEqual(await lists(moved, '/cars?version=9'), [404, '2, 10', '1'])
    clock.now = Date.parse('2999-01-01')
    assert.deepEqual(await lists(moved, '/cars?version=9'), [404, '10', '1, 2'])
  })
  it('one whose sunset is over, but which is served on, is in the second list', async () => {
    const over = serve(ROWS, QUERY, { versions: { '2': { sunset: '2020-01-01' } } })
    assert.deepEqual(await lists(over, '/cars?version=9'), [404, '1, 10', '2'])
  })
  it('the order is that of the versions, whatever the order of the list', async () => {
    const words = serve(
      [
        ['GET', '/cars', ['old', 'new'], 'a'],
        ['GET', '/cars', 'mid', 'b'],
      ],
      QUERY,
      { versions: ['new', 'mid', 'old'] },
    )
    assert.deepEqual(await lists(words, '/cars?version=9'), [404, 'old, mid, new', undefined])
  })
  it('the default version counts where a route without version answers it', async () => {
    const rows: readonly Row[] = [
      ['GET', '/cars', '2', 'two'],
      ['POST', '/cars', undefined, 'post'],
    ]
    const served = serve(rows, QUERY, { defaultVersion: '1', versions: ['1', '2'] })
    assert.deepEqual(await lists(served, '/cars?version=9'), [404, '1, 2', undefined])
  })
})

describe("report: 'always' lists the versions with every response", () => {
  const app = serve(ROWS, QUERY, { versions: VERSIONS, report: 'always' })
  const cases = [
    ['success', 'GET', '/cars?version=2', 200, CARS],
    ['HEAD', 'HEAD', '/cars?version=2', 200, CARS],
    ['of a deprecated version', 'GET', '/cars?version=1', 200, CARS],
    ['a neutral route at a path with versions', 'PUT', '/cars', 200, CARS],
    ['an unknown version', 'GET', '/cars?version=9', 404, CARS],
    ['the versions of the path', 'GET', '/only?version=1', 200, [undefined, '1']],
    ['not a wrong method', 'DELETE', '/cars?version=1', 405, NONE],
    ['not a neutral path', 'GET', '/ping?version=1', 200, NONE],
    ['not a path without versions', 'GET', '/health?version=1', 200, NONE],
  ] as const
  for (const [title, method, url, status, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => {
      assert.deepEqual(await lists(app, { method, url }), [status, ...expected])
    })
  }

  it('under every scheme', async () => {
    const options = { versions: VERSIONS, report: 'always' } as const
    assert.deepEqual(await lists(serve(ROWS, URL, options), '/v1/cars'), [200, ...CARS])
    const headers = { accept: '*/*;version=1' }
    assert.deepEqual(await lists(serve(ROWS, HEADER, options), { url: '/cars', headers }), [200, ...CARS])
  })
})

describe('report: false', () => {
  const app = serve(ROWS, QUERY, { versions: VERSIONS, report: false })
  for (const [method, url, status] of [
    ['GET', '/cars?version=1', 200],
    ['GET', '/cars?version=9', 404],
    ['OPTIONS', '/cars', 204],
  ] as const) {
    it(`nothing in headers: ${method} ${url}`, async () => {
      assert.deepEqual(await lists(app, { method, url }), [status, ...NONE])
    })
  }
  it('the body of an error has them still', async () => {
    assert.deepEqual(JSON.parse((await app.inject('/cars?version=9')).body).deprecated, ['1'])
  })
})

describe('the lists follow the policies of routes', () => {
  const handler = (): number => 1
  const controller = defineController({
    prefix: '/cars',
    name: 'cars',
    routes: [
      {
        method: 'GET',
        name: 'all',
        version: ['1', '2'],
        policy: { versions: { '1': { deprecated: true } } },
        handler,
      },
      { method: 'POST', name: 'add', version: '2', deprecated: true, handler },
      { method: 'GET', path: '/ranged', name: 'ranged', version: '>=1', handler },
      { method: 'GET', path: '/ranged', name: 'exact', version: '1', deprecated: true, handler },
      { method: 'GET', path: '/kept', name: 'kept', version: '3', policy: { deprecated: false }, handler },
      { method: 'GET', path: '/lost', name: 'lost', version: '3', handler },
    ],
  })
  const app: App = createApp(defineModule({ controllers: [controller] }), { logger: false })
  app.enableVersioning(QUERY, { versions: ['1', '2', { version: '3', deprecated: true }] })
  const cases = [
    ['a version is deprecated where every method is', '/cars', ['2', '1']],
    ['of a range and the version itself, that which answers counts', '/cars/ranged', ['2', '1, 3']],
    ['a route that is not deprecated in a version that is', '/cars/kept', ['3', undefined]],
    ['a route that says nothing', '/cars/lost', [undefined, '3']],
  ] as const
  for (const [title, path, expected] of cases) {
    it(`${title}: ${path}`, async () => {
      assert.deepEqual(await lists(app, `${path}?version=9`), [404, ...expected])
    })
  }
})

describe('versions that do not fit into a header', () => {
  it('lists that are longer than clients take are in the problem document only', async () => {
    const versions = Array.from({ length: 1_000 }, (_, index) => String(index + 1))
    const app = serve([['GET', '/cars', versions, 'cars']], QUERY)
    const { headers, body } = await app.inject('/cars?version=0')
    assert.equal(headers['api-supported-versions'], undefined)
    assert.deepEqual(JSON.parse(body).supported, versions)
    const few = serve([['GET', '/cars', versions.slice(0, 800), 'cars']], QUERY)
    const listed = await few.inject('/cars?version=0')
    assert.equal(listed.headers['api-supported-versions'], versions.slice(0, 800).join(', '))
  })
  it('are percent-encoded in headers, as in paths', async () => {
    const rows: readonly Row[] = [['GET', '/cars', ['été', 'a,b', '50%'], 'cars']]
    const app = serve(rows, VersioningSchemes.URL, { report: 'always', echo: true })
    const { statusCode, headers } = await app.inject('/v%C3%A9t%C3%A9/cars')
    assert.deepEqual(
      [statusCode, headers['api-version'], headers['api-supported-versions']],
      [200, '%C3%A9t%C3%A9', '%C3%A9t%C3%A9, a%2Cb, 50%25'],
    )
  })
})
