import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { DefaultVersion } from 'octavo'

import {
  allowed,
  ask,
  notAllowed,
  notFound,
  ok,
  serve,
  unspecified,
  unsupported,
  varying,
} from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['PUT', '/cars', undefined, 'put'],
  ['GET', '/old', '1', 'old'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]
const ALL = ['1', '2']

describe('defaultVersion: a version', () => {
  const app = serve(ROUTES, QUERY, { defaultVersion: '2' })
  const cases = [
    ['S7 no version is the default', 'GET', '/cars', ok('cars@2')],
    ['S7 an empty version is the default', 'GET', '/cars?version=', ok('cars@2')],
    ['S7 another version', 'GET', '/cars?version=1', ok('cars@1')],
    ['S7 an unknown version is not the default', 'GET', '/cars?version=9', unsupported(404, '9', ALL)],
    ['P5 unversioned', 'PUT', '/cars', ok('put@2')],
    ['P5 unversioned, the default by name', 'PUT', '/cars?version=2', ok('put@2')],
    ['P5 unversioned, another version', 'PUT', '/cars?version=1', notAllowed('GET, HEAD, OPTIONS')],
    ['2.3 g not in the default', 'GET', '/old', unsupported(404, undefined, ['1'])],
    ['2.3 e not the method', 'DELETE', '/cars', notAllowed('GET, HEAD, POST, PUT, OPTIONS')],
    ['R10 OPTIONS: the methods of the default', 'OPTIONS', '/cars', allowed('GET, HEAD, POST, PUT, OPTIONS')],
    ['R10 OPTIONS of what the default lacks', 'OPTIONS', '/old', unsupported(404, undefined, ['1'])],
    ['P6 never versioned', 'GET', '/health', ok('health@2')],
    ['P8 neutral', 'GET', '/ping', ok('ping@2')],
    ['2.3 a nowhere', 'GET', '/planes', notFound],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
  it('V3 the default in another spelling', async () => {
    const served = serve(ROUTES, QUERY, { format: 'semver', defaultVersion: '2.0' })
    assert.deepEqual(await ask(served, '/cars'), ok('cars@2'))
  })
  it('S7 under every scheme', async () => {
    const served = [
      serve(ROUTES, URL, { defaultVersion: '1' }),
      serve(ROUTES, HOST, { defaultVersion: '1' }),
      serve(ROUTES, QUERY, { defaultVersion: '1' }),
    ]
    assert.deepEqual(await Promise.all(served.map((each) => ask(each, '/cars'))), [
      ok('cars@1'),
      ok('cars@1'),
      ok('cars@1'),
    ])
    assert.deepEqual(
      await ask(serve(ROUTES, HEADER, { defaultVersion: '1' }), '/cars'),
      varying('accept', ok('cars@1')),
    )
  })
})

describe('defaultVersion: null', () => {
  const app = serve(ROUTES, QUERY, { defaultVersion: null })
  const cases = [
    ['2.3 d a versioned handler', 'GET', '/cars', unspecified(400, ALL)],
    ['P5 an unversioned handler', 'PUT', '/cars', ok('put@null')],
    ['2.3 d no version has the method', 'DELETE', '/cars', notAllowed('GET, HEAD, POST, PUT, OPTIONS')],
    ['P6 never versioned', 'GET', '/health', ok('health@null')],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

describe('defaultVersion: a function', () => {
  const byAccount: DefaultVersion = ({ headers }) => headers['x-account'] ?? null
  const later: DefaultVersion = async (request) => {
    await setImmediate()
    return byAccount(request)
  }
  const cases: readonly (readonly [
    title: string,
    method: string,
    url: string,
    account: string | undefined,
    expected: Answer,
  ])[] = [
    ['R24 chooses by the request', 'GET', '/cars', '1', ok('cars@1')],
    ['R24 chooses another', 'GET', '/cars', '2', ok('cars@2')],
    ['R24 null is no version', 'GET', '/cars', undefined, unspecified(400, ALL)],
    ['R24 null and an unversioned handler', 'PUT', '/cars', undefined, ok('put@null')],
    ['R24 null and a never-versioned path', 'GET', '/health', undefined, ok('health@null')],
    ['P5 the default has unversioned handlers', 'PUT', '/cars', '2', ok('put@2')],
    ['P6 a never-versioned path', 'GET', '/health', '2', ok('health@2')],
    ['P8 a neutral path', 'GET', '/ping', '2', ok('ping@2')],
    ['2.3 g the chosen version lacks the path', 'GET', '/old', '2', unsupported(404, undefined, ['1'])],
    [
      '2.3 e the chosen version lacks the method',
      'POST',
      '/cars',
      '1',
      notAllowed('GET, HEAD, PUT, OPTIONS'),
    ],
    ['R10 OPTIONS', 'OPTIONS', '/cars', '1', allowed('GET, HEAD, PUT, OPTIONS')],
    ['2.3 a nowhere', 'GET', '/planes', '2', notFound],
  ]
  for (const [kind, defaultVersion] of [
    ['now', byAccount],
    ['later', later],
  ] as const) {
    const byQuery = serve(ROUTES, QUERY, { defaultVersion })
    const byUrl = serve(ROUTES, URL, { defaultVersion, statusCodes: { unspecified: 400 } })
    const byUrlBelow = serve(
      ROUTES,
      URL,
      { defaultVersion, statusCodes: { unspecified: 400 } },
      { prefix: '/api' },
    )
    for (const [title, method, url, account, expected] of cases) {
      const headers = { 'x-account': account }
      it(`${title} (QUERY, ${kind})`, async () => {
        assert.deepEqual(await ask(byQuery, { method, url, headers }), expected)
      })
      it(`${title} (URL, ${kind})`, async () => {
        assert.deepEqual(await ask(byUrl, { method, url, headers }), expected)
      })
      it(`${title} (URL below a prefix, ${kind})`, async () => {
        assert.deepEqual(await ask(byUrlBelow, { method, url: `/api${url}`, headers }), expected)
      })
    }
    it(`V6 an unknown version is a mistake of the application (${kind})`, async () => {
      const { statusCode, body } = await byQuery.inject({ url: '/cars', headers: { 'x-account': 'secret' } })
      assert.deepEqual(
        [statusCode, body.includes('internal_error'), body.includes('secret')],
        [500, true, false],
      )
    })
  }
  it('V6 a function that throws is a mistake of the application', async () => {
    const app = serve(ROUTES, QUERY, {
      defaultVersion: () => {
        throw new Error('secret')
      },
    })
    const { statusCode, body } = await app.inject('/cars')
    assert.deepEqual([statusCode, body.includes('secret')], [500, false])
  })
  it('V6 a function that rejects is a mistake of the application', async () => {
    const app = serve(ROUTES, URL, { defaultVersion: async () => Promise.reject(new Error('secret')) })
    const { statusCode, body } = await app.inject('/cars')
    assert.deepEqual([statusCode, body.includes('secret')], [500, false])
  })
  it('R24 is not asked where the request names a version', async () => {
    const defaultVersion = (): never => {
      throw new Error('asked')
    }
    assert.deepEqual(
      [
        await ask(serve(ROUTES, QUERY, { defaultVersion }), '/cars?version=2'),
        await ask(serve(ROUTES, QUERY, { defaultVersion }), '/cars?version=9'),
        await ask(serve(ROUTES, URL, { defaultVersion }), '/v2/cars'),
        await ask(serve(ROUTES, URL, { defaultVersion }), '/v9/cars'),
      ],
      [ok('cars@2'), unsupported(404, '9', ALL), ok('cars@2'), unsupported(404, '9', ALL)],
    )
  })
  it('V3 the chosen version in another spelling', async () => {
    const app = serve(ROUTES, QUERY, { format: 'semver', defaultVersion: () => '2.0.0' })
    assert.deepEqual(await ask(app, '/cars'), ok('cars@2'))
  })
  it('U6 a literal that is a version, beside a function', async () => {
    const rows: readonly Row[] = [...ROUTES, ['GET', '/v1/legacy', undefined, 'legacy']]
    const app = serve(rows, URL, { defaultVersion: () => '2' })
    assert.deepEqual(
      [await ask(app, '/v1/legacy'), await ask(app, '/v1/cars'), await ask(app, '/cars')],
      [ok('legacy@2'), ok('cars@1'), ok('cars@2')],
    )
  })
})
