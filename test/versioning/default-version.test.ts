import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { DefaultVersion, HttpRequest } from 'octavo'

import {
  allowed,
  ask,
  CARS,
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

const ROUTES: readonly Row[] = [...CARS, ['PUT', '/cars', undefined, 'put'], ['GET', '/old', '1', 'old']]
const ALL = ['1', '2']

describe('a default version answers requests that name none', () => {
  const app = serve(ROUTES, QUERY, { defaultVersion: '2' })
  const cases = [
    ['a request without version gets the default', 'GET', '/cars', ok('cars@2')],
    ['a request with an empty version gets the default', 'GET', '/cars?version=', ok('cars@2')],
    ['a request with a version gets that version', 'GET', '/cars?version=1', ok('cars@1')],
    ['an unknown version is not the default', 'GET', '/cars?version=9', unsupported(404, '9', ALL)],
    ['an unversioned handler answers as the default', 'PUT', '/cars', ok('put@2')],
    ['an unversioned handler answers the default by its name', 'PUT', '/cars?version=2', ok('put@2')],
    [
      'an unversioned handler does not answer another version',
      'PUT',
      '/cars?version=1',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    ['a path that the default lacks is unsupported', 'GET', '/old', unsupported(404, undefined, ['1'])],
    [
      'a method that the default lacks is a 405',
      'DELETE',
      '/cars',
      notAllowed('GET, HEAD, POST, PUT, OPTIONS'),
    ],
    [
      'OPTIONS lists the methods of the default',
      'OPTIONS',
      '/cars',
      allowed('GET, HEAD, POST, PUT, OPTIONS'),
    ],
    [
      'OPTIONS of a path that the default lacks is unsupported',
      'OPTIONS',
      '/old',
      unsupported(404, undefined, ['1']),
    ],
    ['a never-versioned path answers as the default', 'GET', '/health', ok('health@2')],
    ['a neutral path answers as the default', 'GET', '/ping', ok('ping@2')],
    ['a path that no version has is an ordinary 404', 'GET', '/planes', notFound],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
  it('the default in another spelling', async () => {
    const served = serve(ROUTES, QUERY, { format: 'semver', defaultVersion: '2.0' })
    assert.deepEqual(await ask(served, '/cars'), ok('cars@2'))
  })
  it('a request without version gets the default under every scheme', async () => {
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

describe('without a default, paths with versions need one', () => {
  const app = serve(ROUTES, QUERY, { defaultVersion: null })
  const cases = [
    ['a versioned handler needs a version', 'GET', '/cars', unspecified(400, ALL)],
    ['an unversioned handler answers', 'PUT', '/cars', ok('put@null')],
    ['a method that no version has is a 405', 'DELETE', '/cars', notAllowed('GET, HEAD, POST, PUT, OPTIONS')],
    ['a never-versioned path answers', 'GET', '/health', ok('health@null')],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

describe('a function chooses the default version', () => {
  const byAccount = ({ headers }: HttpRequest): string | null => headers['x-account'] ?? null
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
    ['the function chooses by the request', 'GET', '/cars', '1', ok('cars@1')],
    ['the function chooses another version for another request', 'GET', '/cars', '2', ok('cars@2')],
    ['null is no version', 'GET', '/cars', undefined, unspecified(400, ALL)],
    ['after null, an unversioned handler answers', 'PUT', '/cars', undefined, ok('put@null')],
    ['after null, a never-versioned path answers', 'GET', '/health', undefined, ok('health@null')],
    ['an unversioned handler answers as the chosen version', 'PUT', '/cars', '2', ok('put@2')],
    ['a never-versioned path answers as the chosen version', 'GET', '/health', '2', ok('health@2')],
    ['a neutral path answers as the chosen version', 'GET', '/ping', '2', ok('ping@2')],
    ['the chosen version lacks the path', 'GET', '/old', '2', unsupported(404, undefined, ['1'])],
    ['the chosen version lacks the method', 'POST', '/cars', '1', notAllowed('GET, HEAD, PUT, OPTIONS')],
    [
      'OPTIONS lists the methods of the chosen version',
      'OPTIONS',
      '/cars',
      '1',
      allowed('GET, HEAD, PUT, OPTIONS'),
    ],
    ['a path that no version has is an ordinary 404', 'GET', '/planes', '2', notFound],
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
    it(`an unknown version is a mistake of the application (${kind})`, async () => {
      const { statusCode, body } = await byQuery.inject({ url: '/cars', headers: { 'x-account': 'secret' } })
      assert.deepEqual(
        [statusCode, body.includes('internal_error'), body.includes('secret')],
        [500, true, false],
      )
    })
  }
  it('a function that throws is a mistake of the application', async () => {
    const app = serve(ROUTES, QUERY, {
      defaultVersion: () => {
        throw new Error('secret')
      },
    })
    const { statusCode, body } = await app.inject('/cars')
    assert.deepEqual([statusCode, body.includes('secret')], [500, false])
  })
  it('a function that rejects is a mistake of the application', async () => {
    const app = serve(ROUTES, URL, { defaultVersion: async () => Promise.reject(new Error('secret')) })
    const { statusCode, body } = await app.inject('/cars')
    assert.deepEqual([statusCode, body.includes('secret')], [500, false])
  })
  it('is not asked where the request names a version', async () => {
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
  it('the chosen version in another spelling', async () => {
    const app = serve(ROUTES, QUERY, { format: 'semver', defaultVersion: () => '2.0.0' })
    assert.deepEqual(await ask(app, '/cars'), ok('cars@2'))
  })
  it('an ordinary path that begins with a version is fine beside a function', async () => {
    const rows: readonly Row[] = [...ROUTES, ['GET', '/v1/legacy', undefined, 'legacy']]
    const app = serve(rows, URL, { defaultVersion: () => '2' })
    assert.deepEqual(
      [await ask(app, '/v1/legacy'), await ask(app, '/v1/cars'), await ask(app, '/cars')],
      [ok('legacy@2'), ok('cars@1'), ok('cars@2')],
    )
  })
})
