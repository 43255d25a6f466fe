import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { Method } from 'octavo'

import {
  allowed,
  ask,
  invalid,
  notAllowed,
  notFound,
  ok,
  serve,
  unspecified,
  unsupported,
} from './support.ts'
import type { Answer, Row } from './support.ts'

const { URL } = VersioningSchemes

type Case = readonly [title: string, url: string, expected: Answer]

const ROUTES: readonly Row[] = [
  ['GET', '/', '1', 'root'],
  ['GET', '/cars/', '1', 'cars'],
  ['GET', '/cars/', '2', 'cars'],
  ['POST', '/cars/', '2', 'create'],
  ['GET', '/cars/{id}', ['1', '2'], 'car'],
  ['GET', '/new/', '2', 'new'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
  ['GET', '/files/{rest:path}', undefined, 'file'],
  ['GET', '/tags/', '1beta', 'tags'],
  ['GET', '/tags/', '2026-01-01', 'tags'],
  ['GET', '/tags/', '1.0', 'tags'],
]
const ALL = ['1', '2']

describe('URL: the version is the first segment', () => {
  const app = serve(ROUTES, URL)
  const cases: readonly Case[] = [
    ['version 1', '/v1/cars/', ok('cars@1')],
    ['version 2', '/v2/cars/', ok('cars@2')],
    ['a parameter behind the version', '/v2/cars/7', ok('car@2')],
    ['no version and no default', '/cars/', unspecified(404, ALL)],
    ['later segments are no versions', '/files/v1/cars/', ok('file@null')],
    ['a version after an ordinary segment', '/x/v1/cars/', notFound],
    ['another letter than the prefix is ordinary', '/x1/cars/', notFound],
    ['a number without the prefix is ordinary', '/1/cars/', notFound],
    ['text around the version is ordinary', '/v1x/cars/', notFound],
    ['two prefixes are ordinary', '/vv1/cars/', notFound],
    ['a second version segment is ordinary', '/v1/v2/cars/', notFound],
    [
      'a segment that looks like a version is unsupported if the rest exists',
      '/v9/cars/',
      unsupported(404, '9', ALL),
    ],
    ['a dotted number looks like a version', '/v1.1/cars/', unsupported(404, '1.1', ALL)],
    ['a number with zeros looks like a version', '/v01/cars/', unsupported(404, '01', ALL)],
    ['a segment that looks like a version is ordinary if the rest exists nowhere', '/v9/planes/', notFound],
    ['a known version without the path is an ordinary 404 if no version has it', '/v1/planes/', notFound],
    [
      'a known version without the path is unsupported if another version has it',
      '/v1/new/',
      unsupported(404, '1', ['2']),
    ],
    ['a number followed by letters is ordinary', '/v1beta2/cars/', notFound],
    ['a word that begins with the prefix is ordinary', '/vip/', notFound],
    ['a longer word with the prefix is ordinary', '/video/1', notFound],
    ['the prefix alone is ordinary', '/v/cars/', notFound],
    ['a trailing dot is ordinary', '/v1./cars/', notFound],
    ['a name that every object has is ordinary', '/v__proto__/cars/', notFound],
    ['constructor', '/vconstructor/cars/', notFound],
    ['toString', '/vtoString/cars/', notFound],
    ['a declared version may have letters', '/v1beta/tags/', ok('tags@1beta')],
    ['a declared version may be a date', '/v2026-01-01/tags/', ok('tags@2026-01-01')],
    ['a declared version may have dots', '/v1.0/tags/', ok('tags@1.0')],
    [
      'a version that is equal by value only is unsupported',
      '/v1/tags/',
      unsupported(404, '1', ['1beta', '2026-01-01', '1.0']),
    ],
    ['the prefix is case-sensitive', '/V1/cars/', notFound],
    ['the version alone is the root of the version', '/v1', ok('root@1')],
    ['the version alone with a slash is the root of the version', '/v1/', ok('root@1')],
    ['a version alone without a root is unsupported', '/v2', unsupported(404, '2', ['1'])],
    ['an unknown version alone is unsupported', '/v9', unsupported(404, '9', ['1'])],
    ['an unknown version alone with a slash is unsupported', '/v9/', unsupported(404, '9', ['1'])],
    ['escaped letters are the same segment', '/%76%31/cars/', ok('cars@1')],
    ['an escaped digit of an unknown version is the same version', '/v%39/cars/', unsupported(404, '9', ALL)],
    ['an escaped slash is no slash', '/v1%2Fcars/', notFound],
    ['a segment is decoded once only', '/%2576%2531/cars/', notFound],
    ['dot segments are not resolved', '/v1/../v2/cars/', notFound],
    ['escaped dot segments are not resolved', '/v1/%2e%2e/v2/cars/', notFound],
    ['a single dot is not resolved', '/./v1/cars/', notFound],
    ['two slashes at the start are not one', '//v1/cars/', notFound],
    ['two slashes after the version are not one', '/v1//cars/', notFound],
    ['a target in absolute form names the version', 'http://v2.example.com/v1/cars/', ok('cars@1')],
    ['a target in absolute form may have its scheme in capitals', 'HTTP://h/v2/cars/', ok('cars@2')],
    ['a target in absolute form may have no path', 'http://h', unspecified(404, ['1'])],
    ['a never-versioned path answers without version segment', '/health', ok('health@null')],
    ['a never-versioned path answers behind every known version', '/v1/health', ok('health@1')],
    [
      'a never-versioned path is not behind an unknown version',
      '/v9/health',
      unsupported(404, '9', ['1', '2', '1beta', '2026-01-01', '1.0']),
    ],
    ['a neutral path answers without version segment', '/ping', ok('ping@null')],
    ['a neutral path answers behind every known version', '/v1/ping', ok('ping@1')],
    ['a neutral path answers behind a version of other routes', '/v1beta/ping', ok('ping@1beta')],
    [
      'a neutral path behind an unknown version is unsupported',
      '/v9/ping',
      unsupported(404, '9', ['1', '2', '1beta', '2026-01-01', '1.0']),
    ],
    [
      'a long unknown version is cut to 64 characters in the answer',
      `/v${'9'.repeat(5000)}/cars/`,
      unsupported(404, '9'.repeat(64), ALL),
    ],
    ['a long word is ordinary', `/v${'x'.repeat(5000)}/cars/`, notFound],
    ['a query is no version', '/cars/?version=1', unspecified(404, ALL)],
  ]
  for (const [title, url, expected] of cases) {
    it(`${title}: ${url.slice(0, 40)}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
})

describe('URL: the version decides which methods a path has', () => {
  const app = serve(ROUTES, URL)
  const cases = [
    ['a method that the version lacks is a 405', 'POST', '/v1/cars/', notAllowed('GET, HEAD, OPTIONS')],
    ['another version has other methods', 'PUT', '/v2/cars/', notAllowed('GET, HEAD, POST, OPTIONS')],
    ['a neutral path has only 405', 'POST', '/v1/ping', notAllowed('GET, HEAD, OPTIONS')],
    ['a never-versioned path has only 405', 'POST', '/health', notAllowed('GET, HEAD, OPTIONS')],
    [
      'a neutral path behind an unknown version is unsupported whatever the method',
      'POST',
      '/v9/ping',
      unsupported(404, '9', ['1', '2', '1beta', '2026-01-01', '1.0']),
    ],
    [
      'a path that the version lacks is unsupported whatever the method',
      'POST',
      '/v1/new/',
      unsupported(404, '1', ['2']),
    ],
    ['OPTIONS lists the methods of the version', 'OPTIONS', '/v1/cars/', allowed('GET, HEAD, OPTIONS')],
    [
      'OPTIONS without version lists the methods of all versions',
      'OPTIONS',
      '/cars/',
      allowed('GET, HEAD, POST, OPTIONS'),
    ],
    ['OPTIONS of an unknown version is unsupported', 'OPTIONS', '/v9/cars/', unsupported(404, '9', ALL)],
    ['a method that the root of a version lacks is a 405', 'POST', '/v1', notAllowed('GET, HEAD, OPTIONS')],
    [
      'without version, a method that no version has is a 405',
      'PUT',
      '/cars/',
      notAllowed('GET, HEAD, POST, OPTIONS'),
    ],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

describe('URL: the default version answers paths without version segment', () => {
  const app = serve([...ROUTES, ['PUT', '/cars/', undefined, 'put']], URL, { defaultVersion: '2' })
  const cases: readonly Case[] = [
    ['the default answers without its segment', '/cars/', ok('cars@2')],
    ['the default answers without its segment at every path', '/cars/7', ok('car@2')],
    ['a never-versioned path answers as the default', '/health', ok('health@2')],
    ['a neutral path answers as the default', '/ping', ok('ping@2')],
    ['the default answers with its segment too', '/v2/cars/', ok('cars@2')],
    ['another version answers with its segment', '/v1/cars/', ok('cars@1')],
    ['version roots have never-versioned paths', '/v2/health', ok('health@2')],
    [
      'a path that the default lacks is unsupported',
      '/tags/',
      unsupported(404, undefined, ['1beta', '2026-01-01', '1.0']),
    ],
    ['a path that no version has is an ordinary 404', '/planes/', notFound],
  ]
  for (const [title, url, expected] of cases) {
    it(`${title}: ${url}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
  it('an unversioned handler beside versioned ones answers without version and for the default', async () => {
    assert.deepEqual(
      [
        await ask(app, { method: 'PUT', url: '/cars/' }),
        await ask(app, { method: 'PUT', url: '/v2/cars/' }),
        await ask(app, { method: 'PUT', url: '/v1/cars/' }),
      ],
      [ok('put@2'), ok('put@2'), notAllowed('GET, HEAD, OPTIONS')],
    )
  })
})

describe('URL: options', () => {
  it('versionParameter stands before the number', async () => {
    const app = serve(ROUTES, URL, { versionParameter: 'version-' })
    assert.deepEqual(
      [await ask(app, '/version-1/cars/'), await ask(app, '/v1/cars/'), await ask(app, '/version-9/cars/')],
      [ok('cars@1'), notFound, unsupported(404, '9', ALL)],
    )
  })
  it('an empty versionParameter leaves the version alone', async () => {
    const app = serve(ROUTES, URL, { versionParameter: '' })
    assert.deepEqual(
      [await ask(app, '/1/cars/'), await ask(app, '/v1/cars/'), await ask(app, '/9/cars/')],
      [ok('cars@1'), notFound, unsupported(404, '9', ALL)],
    )
  })
  it('allowBare reads the version without its prefix too', async () => {
    const app = serve(ROUTES, URL, { allowBare: true })
    assert.deepEqual(
      [await ask(app, '/1/cars/'), await ask(app, '/v1/cars/'), await ask(app, '/9/cars/')],
      [ok('cars@1'), ok('cars@1'), notFound],
    )
  })
  it('statusCodes change the statuses', async () => {
    const app = serve(ROUTES, URL, { statusCodes: { unsupported: 410, unspecified: 400 } })
    assert.deepEqual(
      [await ask(app, '/v9/cars/'), await ask(app, '/cars/')],
      [unsupported(410, '9', ALL), unspecified(400, ALL)],
    )
  })
})

describe('URL: formats', () => {
  const semver = serve(
    [
      ['GET', '/cars', '1', 'cars'],
      ['GET', '/cars', '2.1', 'cars'],
      ['GET', '/', '1', 'root'],
    ],
    URL,
    { format: 'semver' },
  )
  const date = serve([['GET', '/cars', '2026-01-01', 'cars']], URL, { format: 'date' })
  const cases: readonly (readonly [string, typeof semver, string, Answer])[] = [
    ['the declared spelling answers', semver, '/v1/cars', ok('cars@1')],
    ['an equal version answers', semver, '/v1.0/cars', ok('cars@1')],
    ['an equal version with three parts answers', semver, '/v2.1.0/cars', ok('cars@2.1')],
    ['an equal version alone is the root of the version', semver, '/v1.0.0', ok('root@1')],
    [
      'an equal version that lacks the path is unsupported',
      semver,
      '/v2.1.0/',
      unsupported(404, '2.1.0', ['1']),
    ],
    [
      'a segment that the format accepts looks like a version',
      semver,
      '/v2.1-beta/cars',
      unsupported(404, '2.1-beta', ['1', '2.1']),
    ],
    [
      'digits that the format refuses are malformed',
      semver,
      '/v1.2.3.4/cars',
      invalid(404, '1.2.3.4', ['1', '2.1']),
    ],
    ['a word that the format refuses is ordinary', semver, '/vx/cars', notFound],
    [
      'a long version is malformed',
      semver,
      `/v${'1'.repeat(70)}/cars`,
      invalid(404, '1'.repeat(64), ['1', '2.1']),
    ],
    [
      'an unknown date is unsupported',
      date,
      '/v2026-01-02/cars',
      unsupported(404, '2026-01-02', ['2026-01-01']),
    ],
    ['a date outside the calendar is ordinary', date, '/v2026-02-30/cars', notFound],
    ['digits in place of a date are malformed', date, '/v2026/cars', invalid(404, '2026', ['2026-01-01'])],
  ]
  for (const [title, app, url, expected] of cases) {
    it(`${title}: ${url.slice(0, 40)}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
})

describe('URL: ordinary paths beside version segments', () => {
  const app = serve(
    [
      ['GET', '/cars', '1', 'cars'],
      ['GET', '/{tenant}/cars', undefined, 'tenant'],
      ['GET', '/{tenant}/foo', undefined, 'tenant'],
      ['POST', '/{tenant}/bar', undefined, 'tenant'],
      ['GET', '/v1/legacy', undefined, 'legacy'],
    ],
    URL,
  )
  const catching = serve(
    [
      ['GET', '/cars', '1', 'cars'],
      ['GET', '/{tenant}/cars', undefined, 'tenant'],
      ['GET', '/{tenant}/foo', undefined, 'tenant'],
      ['GET', '/{one}', undefined, 'one'],
    ],
    URL,
  )
  const cases: readonly (readonly [string, typeof app, string, Answer])[] = [
    ['a version segment wins over a parameter', app, '/v1/cars', ok('cars@1')],
    ['other first segments are data', app, '/acme/cars', ok('tenant@null')],
    ['a version root is never left', app, '/v1/foo', notFound],
    [
      'a segment that looks like a version wins over a parameter if the rest has versions',
      app,
      '/v9/cars',
      unsupported(404, '9', ['1']),
    ],
    [
      'a segment that looks like a version is a parameter if the rest exists nowhere',
      app,
      '/v9/foo',
      ok('tenant@null'),
    ],
    [
      'a segment that looks like a version is a parameter for another method too',
      app,
      '/v9/bar',
      notAllowed('POST, OPTIONS'),
    ],
    [
      'an ordinary path that begins with a version answers before the version',
      app,
      '/v1/legacy',
      ok('legacy@null'),
    ],
    [
      'a parameter for the rest of the path does not change that',
      catching,
      '/v9/cars',
      unsupported(404, '9', ['1']),
    ],
    [
      'a segment that looks like a version is a parameter if only ordinary paths follow',
      catching,
      '/v9/foo',
      ok('tenant@null'),
    ],
    ['parameters of never-versioned paths take what a version lacks', catching, '/v1/foo', ok('one@1')],
    ['the version alone wins over a parameter', catching, '/v1', notFound],
    ['the version alone with a slash wins over a parameter', catching, '/v1/', notFound],
    ['an unknown version alone is a parameter if no version has a root', catching, '/v9', ok('one@null')],
  ]
  for (const [title, served, url, expected] of cases) {
    it(`${title}: ${url}`, async () => assert.deepEqual(await ask(served, url), expected))
  }

  const literals = serve(
    [
      ['GET', '/v1/legacy', undefined, 'legacy'],
      ['GET', '/v9/legacy', undefined, 'ninth'],
      ['GET', '/{tenant}/legacy', undefined, 'tenant'],
      ['DELETE', '/{tenant}/legacy', undefined, 'tenant'],
      ['PUT', '/{id}', '1', 'put'],
      ['PATCH', '/legacy', '2', 'patch'],
    ],
    URL,
  )
  const methods: readonly (readonly [title: string, method: Method, url: string, expected: Answer])[] = [
    [
      'beside a literal, a wrong method lists those of the literal and of the version',
      'POST',
      '/v1/legacy',
      notAllowed('GET, HEAD, PUT, OPTIONS'),
    ],
    [
      'beside a literal, the methods of a parameter do not count',
      'DELETE',
      '/v1/legacy',
      notAllowed('GET, HEAD, PUT, OPTIONS'),
    ],
    ['beside a literal, the version answers its own methods', 'PUT', '/v1/legacy', ok('put@1')],
    [
      'beside a literal, OPTIONS lists the methods of both',
      'OPTIONS',
      '/v1/legacy',
      allowed('GET, HEAD, PUT, OPTIONS'),
    ],
    [
      'beside a literal, HEAD answers from the literal',
      'HEAD',
      '/v1/legacy',
      { status: 200, body: undefined },
    ],
    [
      'beside a literal of version 1, OPTIONS of version 2 lists its own methods',
      'OPTIONS',
      '/v2/legacy',
      allowed('PATCH, OPTIONS'),
    ],
    [
      'beside a literal of an unknown version, a wrong method lists those of the literal',
      'POST',
      '/v9/legacy',
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'beside a literal of an unknown version, OPTIONS lists its methods',
      'OPTIONS',
      '/v9/legacy',
      allowed('GET, HEAD, OPTIONS'),
    ],
  ]
  for (const [title, method, url, expected] of methods) {
    it(`${title}: ${method} ${url}`, async () =>
      assert.deepEqual(await ask(literals, { method, url }), expected))
  }
})

describe('URL: trailing slashes', () => {
  const rows: readonly Row[] = [
    ['GET', '/', '1', 'root'],
    ['GET', '/cars/', '1', 'cars'],
    ['GET', '/welcome', '1', 'welcome'],
  ]
  const strict = serve(rows, URL, {}, { trailingSlash: 'strict' })
  const cases: readonly Case[] = [
    ['strict: the root of a version', '/v1/', ok('root@1')],
    ['strict: the version without slash', '/v1', notFound],
    ['strict: an unknown version without slash', '/v9', notFound],
    ['strict: an unknown version with slash', '/v9/', unsupported(404, '9', ['1'])],
    ['strict: the declared slash', '/v1/cars/', ok('cars@1')],
    ['strict: a slash too few', '/v1/cars', notFound],
    ['strict: a slash too many', '/v1/welcome/', notFound],
    ['strict: a slash too few in an unknown version', '/v9/cars', notFound],
  ]
  for (const [title, url, expected] of cases) {
    it(`${title}: ${url}`, async () => assert.deepEqual(await ask(strict, url), expected))
  }

  const redirecting = serve(rows, URL, {}, { trailingSlash: 'redirect' })
  const redirects = [
    ['/v1/cars', 308, '/v1/cars/'],
    ['/v1/cars?a=1', 308, '/v1/cars/?a=1'],
    ['/v1/welcome/', 308, '/v1/welcome'],
    ['/%761/welcome/', 308, '/%761/welcome'],
    ['http://h/v1/welcome/', 308, '/v1/welcome'],
    ['/v1/cars/', 200, undefined],
    ['/v1', 200, undefined],
    ['/v1/', 200, undefined],
    ['/v9/cars', 404, undefined],
  ] as const
  for (const [url, status, location] of redirects) {
    it(`redirects keep the version: ${url} → ${location ?? status}`, async () => {
      const { statusCode, headers } = await redirecting.inject(url)
      assert.deepEqual([statusCode, headers['location']], [status, location])
    })
  }
})

describe('URL: below a prefix', () => {
  for (const prefix of ['/api', '/api/deep', '/caf\u00e9']) {
    const app = serve(ROUTES, URL, {}, { prefix })
    const cases: readonly Case[] = [
      ['a version', `${prefix}/v1/cars/`, ok('cars@1')],
      ['a version alone', `${prefix}/v1`, ok('root@1')],
      ['a version alone with slash', `${prefix}/v1/`, ok('root@1')],
      ['a version with a parameter', `${prefix}/v2/cars/7`, ok('car@2')],
      ['no version', `${prefix}/cars/`, unspecified(404, ALL)],
      ['nothing but the prefix', prefix, unspecified(404, ['1'])],
      ['an unknown version', `${prefix}/v9/cars/`, unsupported(404, '9', ALL)],
      ['an unknown version alone', `${prefix}/v9`, unsupported(404, '9', ['1'])],
      ['a never-versioned path', `${prefix}/health`, ok('health@null')],
      ['a never-versioned path behind a version', `${prefix}/v1/health`, ok('health@1')],
      ['a neutral path behind a version', `${prefix}/v2/ping`, ok('ping@2')],
      ['a version before the prefix', `/v1${prefix}/cars/`, notFound],
      ['the prefix twice', `${prefix}/v1${prefix}/cars/`, notFound],
      ['no prefix', '/v1/cars/', notFound],
    ]
    for (const [title, url, expected] of cases) {
      it(`${title}: ${url}`, async () => assert.deepEqual(await ask(app, url), expected))
    }
    it(`a wrong method on a version alone: POST ${prefix}/v1`, async () => {
      const answer = await ask(app, { method: 'POST', url: `${prefix}/v1` })
      assert.deepEqual(answer, notAllowed('GET, HEAD, OPTIONS'))
    })
  }
})

describe('URL: the context', () => {
  const spy = defineController({
    prefix: '/',
    version: '1',
    routes: [
      {
        method: 'GET',
        path: '/{rest:path}',
        name: 'spy',
        handler: (_input, { version, path, originalPath, route, request }) => ({
          version,
          path,
          originalPath,
          pattern: route?.path,
          url: request.url,
        }),
      },
    ],
  })
  const see = async (prefix: string, url: string) => {
    const app = createApp(defineModule({ controllers: [spy] }), { logger: false, prefix })
    app.enableVersioning(URL, { defaultVersion: '1' })
    return (await app.inject(url)).json()
  }
  const cases = [
    ['', '/v1/a/b?c=1', '/a/b', '/v1/a/b'],
    ['', '/v1', '/', '/v1'],
    ['', '/v1/', '/', '/v1/'],
    ['', '/%761/a%20b', '/a%20b', '/%761/a%20b'],
    ['', '/a/v1', '/a/v1', '/a/v1'],
    ['', 'http://h/v1/a', '/a', '/v1/a'],
    ['/api', '/api/v1/a', '/api/a', '/api/v1/a'],
    ['/api', '/api/v1', '/api', '/api/v1'],
    ['/api', '/%61pi/v1/a', '/%61pi/a', '/%61pi/v1/a'],
  ] as const
  for (const [prefix, url, path, originalPath] of cases) {
    it(`path is without the version segment: ${url}`, async () => {
      const query = url.includes('?') ? url.slice(url.indexOf('?')) : ''
      assert.deepEqual(await see(prefix, url), {
        version: '1',
        path,
        originalPath,
        pattern: `${prefix}/{rest:path}`,
        url: originalPath + query,
      })
    })
  }
})

describe('URL: an application that adds its first version', () => {
  it('keeps all other paths, with and without the version', async () => {
    const rows: readonly Row[] = [
      ['GET', '/cars', '2', 'cars'],
      ['GET', '/users', undefined, 'users'],
      ['GET', '/users/{id}', undefined, 'user'],
    ]
    const app = serve(rows, VersioningSchemes.URL)
    const statusOf = async (url: string): Promise<number> => (await app.inject(url)).statusCode
    assert.deepEqual(
      await Promise.all(['/users', '/users/7', '/v2/users', '/v2/users/7', '/v2/cars'].map(statusOf)),
      [200, 200, 200, 200, 200],
    )
    assert.deepEqual(await Promise.all(['/v3/users', '/v3/users/7', '/cars'].map(statusOf)), [404, 404, 404])
  })
})
