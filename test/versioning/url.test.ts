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
    ['S2 version 1', '/v1/cars/', ok('cars@1')],
    ['S2 version 2', '/v2/cars/', ok('cars@2')],
    ['S2 a parameter behind the version', '/v2/cars/7', ok('car@2')],
    ['U14 no version and no default', '/cars/', unspecified(404, ALL)],
    ['U1 later segments are no versions', '/files/v1/cars/', ok('file@null')],
    ['U1 a version after an ordinary segment', '/x/v1/cars/', notFound],
    ['U1 another letter', '/x1/cars/', notFound],
    ['U1 the version without the prefix', '/1/cars/', notFound],
    ['U1 text around the version', '/v1x/cars/', notFound],
    ['U1 two prefixes', '/vv1/cars/', notFound],
    ['U1 two version segments', '/v1/v2/cars/', notFound],
    ['U2 unknown, the rest exists', '/v9/cars/', unsupported(404, '9', ALL)],
    ['U2 unknown and dotted', '/v1.1/cars/', unsupported(404, '1.1', ALL)],
    ['U2 unknown with zeros', '/v01/cars/', unsupported(404, '01', ALL)],
    ['U2 unknown, the rest exists nowhere', '/v9/planes/', notFound],
    ['U2 known, the rest exists nowhere', '/v1/planes/', notFound],
    ['U2 known, the rest exists in another version', '/v1/new/', unsupported(404, '1', ['2'])],
    ['U2 not shaped like a version', '/v1beta2/cars/', notFound],
    ['U2 words that begin with the prefix', '/vip/', notFound],
    ['U2 a longer word', '/video/1', notFound],
    ['U2 the prefix alone', '/v/cars/', notFound],
    ['U2 trailing dot', '/v1./cars/', notFound],
    ['U2 a name that every object has', '/v__proto__/cars/', notFound],
    ['U2 constructor', '/vconstructor/cars/', notFound],
    ['U2 toString', '/vtoString/cars/', notFound],
    ['U3 a version with letters', '/v1beta/tags/', ok('tags@1beta')],
    ['U3 a date', '/v2026-01-01/tags/', ok('tags@2026-01-01')],
    ['U3 a dotted version', '/v1.0/tags/', ok('tags@1.0')],
    ['V1 equal by value only', '/v1/tags/', unsupported(404, '1', ['1beta', '2026-01-01', '1.0'])],
    ['U4 the prefix is case-sensitive', '/V1/cars/', notFound],
    ['U5 the version alone is the root of the version', '/v1', ok('root@1')],
    ['R9 with a slash too', '/v1/', ok('root@1')],
    ['U5 a version without a root', '/v2', unsupported(404, '2', ['1'])],
    ['R9 an unknown version alone', '/v9', unsupported(404, '9', ['1'])],
    ['R9 an unknown version and a slash', '/v9/', unsupported(404, '9', ['1'])],
    ['U8 escaped letters', '/%76%31/cars/', ok('cars@1')],
    ['U8 an escaped digit of an unknown version', '/v%39/cars/', unsupported(404, '9', ALL)],
    ['U8 an escaped slash is no slash', '/v1%2Fcars/', notFound],
    ['U8 escaped twice', '/%2576%2531/cars/', notFound],
    ['U9 dot segments stay', '/v1/../v2/cars/', notFound],
    ['U9 escaped dot segments stay', '/v1/%2e%2e/v2/cars/', notFound],
    ['U9 one dot', '/./v1/cars/', notFound],
    ['U10 two slashes first', '//v1/cars/', notFound],
    ['U10 two slashes after the version', '/v1//cars/', notFound],
    ['U11 absolute form', 'http://v2.example.com/v1/cars/', ok('cars@1')],
    ['U11 absolute form, scheme in capitals', 'HTTP://h/v2/cars/', ok('cars@2')],
    ['U11 absolute form without a path', 'http://h', unspecified(404, ['1'])],
    ['P6 never versioned, without prefix', '/health', ok('health@null')],
    ['P6 never versioned, behind a version', '/v1/health', unsupported(404, '1', [])],
    ['P6 never versioned, behind an unknown version', '/v9/health', unsupported(404, '9', [])],
    ['P9 neutral, without prefix', '/ping', ok('ping@null')],
    ['P9 neutral, behind every known version', '/v1/ping', ok('ping@1')],
    ['P9 neutral, behind a version of other routes', '/v1beta/ping', ok('ping@1beta')],
    ['R5 neutral, behind an unknown version', '/v9/ping', unsupported(404, '9', [])],
    ['R36 a long unknown version', `/v${'9'.repeat(5000)}/cars/`, unsupported(404, '9'.repeat(64), ALL)],
    ['R36 a long word', `/v${'x'.repeat(5000)}/cars/`, notFound],
    ['Q6 a query is no version', '/cars/?version=1', unspecified(404, ALL)],
  ]
  for (const [title, url, expected] of cases) {
    it(`${title}: ${url.slice(0, 40)}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
})

describe('URL: methods', () => {
  const app = serve(ROUTES, URL)
  const cases = [
    ['M2 another method of the version', 'POST', '/v1/cars/', notAllowed('GET, HEAD, OPTIONS')],
    ['M2 the methods of the other version', 'PUT', '/v2/cars/', notAllowed('GET, HEAD, POST, OPTIONS')],
    ['R6 a method of no version on a neutral path', 'POST', '/v1/ping', notAllowed('GET, HEAD, OPTIONS')],
    ['R6 on a never-versioned path', 'POST', '/health', notAllowed('GET, HEAD, OPTIONS')],
    ['R5 neutral behind an unknown version', 'POST', '/v9/ping', unsupported(404, '9', [])],
    ['M3 the path is not in the version', 'POST', '/v1/new/', unsupported(404, '1', ['2'])],
    ['R10 OPTIONS of a version', 'OPTIONS', '/v1/cars/', allowed('GET, HEAD, OPTIONS')],
    ['R10 OPTIONS without version: the union', 'OPTIONS', '/cars/', allowed('GET, HEAD, POST, OPTIONS')],
    ['R10 OPTIONS of an unknown version', 'OPTIONS', '/v9/cars/', unsupported(404, '9', ALL)],
    ['U5 another method on a version alone', 'POST', '/v1', notAllowed('GET, HEAD, OPTIONS')],
    ['2.3 d: no version, a method of no version', 'PUT', '/cars/', notAllowed('GET, HEAD, POST, OPTIONS')],
  ] as const
  for (const [title, method, url, expected] of cases) {
    it(`${title}: ${method} ${url}`, async () => assert.deepEqual(await ask(app, { method, url }), expected))
  }
})

describe('URL: with a default version', () => {
  const app = serve([...ROUTES, ['PUT', '/cars/', undefined, 'put']], URL, { defaultVersion: '2' })
  const cases: readonly Case[] = [
    ['U14 the default without prefix', '/cars/', ok('cars@2')],
    ['U14 the default without prefix, elsewhere', '/cars/7', ok('car@2')],
    ['R1 never versioned', '/health', ok('health@2')],
    ['R1 neutral', '/ping', ok('ping@2')],
    ['R1 the default with prefix', '/v2/cars/', ok('cars@2')],
    ['R1 another version', '/v1/cars/', ok('cars@1')],
    ['R1 version roots have no never-versioned paths', '/v2/health', unsupported(404, '2', [])],
    [
      '2.3 g: not in the default version',
      '/tags/',
      unsupported(404, undefined, ['1beta', '2026-01-01', '1.0']),
    ],
    ['2.3 a: nowhere', '/planes/', notFound],
  ]
  for (const [title, url, expected] of cases) {
    it(`${title}: ${url}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
  it('P5 an unversioned handler beside versioned ones answers without version and for the default', async () => {
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
  it('S2 versionParameter stands before the number', async () => {
    const app = serve(ROUTES, URL, { versionParameter: 'version-' })
    assert.deepEqual(
      [await ask(app, '/version-1/cars/'), await ask(app, '/v1/cars/'), await ask(app, '/version-9/cars/')],
      [ok('cars@1'), notFound, unsupported(404, '9', ALL)],
    )
  })
  it('S2 an empty versionParameter leaves the version alone', async () => {
    const app = serve(ROUTES, URL, { versionParameter: '' })
    assert.deepEqual(
      [await ask(app, '/1/cars/'), await ask(app, '/v1/cars/'), await ask(app, '/9/cars/')],
      [ok('cars@1'), notFound, unsupported(404, '9', ALL)],
    )
  })
  it('2.1 allowBare takes the version without its prefix too', async () => {
    const app = serve(ROUTES, URL, { allowBare: true })
    assert.deepEqual(
      [await ask(app, '/1/cars/'), await ask(app, '/v1/cars/'), await ask(app, '/9/cars/')],
      [ok('cars@1'), ok('cars@1'), notFound],
    )
  })
  it('R15 statusCodes change the statuses', async () => {
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
    ['V4 the declared spelling', semver, '/v1/cars', ok('cars@1')],
    ['V3 an equal version', semver, '/v1.0/cars', ok('cars@1')],
    ['V3 an equal version with three parts', semver, '/v2.1.0/cars', ok('cars@2.1')],
    ['V3 an equal version alone', semver, '/v1.0.0', ok('root@1')],
    ['V3 an equal version that lacks the path', semver, '/v2.1.0/', unsupported(404, '2.1.0', ['1'])],
    [
      'R17 unknown, as the format accepts it',
      semver,
      '/v2.1-beta/cars',
      unsupported(404, '2.1-beta', ['1', '2.1']),
    ],
    [
      '2.3 c: digits that the format refuses',
      semver,
      '/v1.2.3.4/cars',
      invalid(404, '1.2.3.4', ['1', '2.1']),
    ],
    ['R17 a word is an ordinary path', semver, '/vx/cars', notFound],
    ['R36 a long version', semver, `/v${'1'.repeat(70)}/cars`, invalid(404, '1'.repeat(64), ['1', '2.1'])],
    ['U2 an unknown date', date, '/v2026-01-02/cars', unsupported(404, '2026-01-02', ['2026-01-01'])],
    ['V3 no date of the calendar', date, '/v2026-02-30/cars', notFound],
    ['2.3 c: digits are no date', date, '/v2026/cars', invalid(404, '2026', ['2026-01-01'])],
  ]
  for (const [title, app, url, expected] of cases) {
    it(`${title}: ${url.slice(0, 40)}`, async () => assert.deepEqual(await ask(app, url), expected))
  }
})

describe('URL: ordinary paths beside versions', () => {
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
    ['U7 the literal wins over a parameter', app, '/v1/cars', ok('cars@1')],
    ['U7 other first segments are data', app, '/acme/cars', ok('tenant@null')],
    ['R32 a version root is never left', app, '/v1/foo', notFound],
    ['U2 version-shaped, and the rest exists', app, '/v9/cars', unsupported(404, '9', ['1'])],
    ['U2 version-shaped, and the rest exists nowhere', app, '/v9/foo', ok('tenant@null')],
    ['U2 version-shaped with another method', app, '/v9/bar', notAllowed('POST, OPTIONS')],
    ['U6 a literal that is a version', app, '/v1/legacy', ok('legacy@null')],
    ['U2 the same where versions are served behind it', catching, '/v9/cars', unsupported(404, '9', ['1'])],
    ['U2 data where only ordinary paths are behind it', catching, '/v9/foo', ok('tenant@null')],
    ['R32 what version 1 lacks', catching, '/v1/foo', unsupported(404, '1', [])],
    ['R9 the version alone wins over a parameter', catching, '/v1', notFound],
    ['R9 and with a slash', catching, '/v1/', notFound],
    ['U2 an unknown version alone is data without a root', catching, '/v9', ok('one@null')],
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
    ['U6 another method', 'POST', '/v1/legacy', notAllowed('GET, HEAD, PUT, OPTIONS')],
    ['U6 the method of a parameter', 'DELETE', '/v1/legacy', notAllowed('GET, HEAD, PUT, OPTIONS')],
    ['U6 what the version has there', 'PUT', '/v1/legacy', ok('put@1')],
    ['U6 OPTIONS', 'OPTIONS', '/v1/legacy', allowed('GET, HEAD, PUT, OPTIONS')],
    ['U6 HEAD', 'HEAD', '/v1/legacy', { status: 200, body: undefined }],
    ['U6 another version', 'OPTIONS', '/v2/legacy', allowed('PATCH, OPTIONS')],
    ['U6 a version that is unknown', 'POST', '/v9/legacy', notAllowed('GET, HEAD, OPTIONS')],
    ['U6 OPTIONS of one that is unknown', 'OPTIONS', '/v9/legacy', allowed('GET, HEAD, OPTIONS')],
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
    ['R9 strict: the root of a version', '/v1/', ok('root@1')],
    ['R9 strict: the version without slash', '/v1', notFound],
    ['R9 strict: an unknown version without slash', '/v9', notFound],
    ['R9 strict: an unknown version with slash', '/v9/', unsupported(404, '9', ['1'])],
    ['R9 strict: the declared slash', '/v1/cars/', ok('cars@1')],
    ['R9 strict: a slash too few', '/v1/cars', notFound],
    ['R9 strict: a slash too many', '/v1/welcome/', notFound],
    ['R9 strict: a slash too few in an unknown version', '/v9/cars', notFound],
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
    it(`U13 redirects keep the version: ${url} → ${location ?? status}`, async () => {
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
      ['never versioned', `${prefix}/health`, ok('health@null')],
      ['never versioned, behind a version', `${prefix}/v1/health`, unsupported(404, '1', [])],
      ['neutral', `${prefix}/v2/ping`, ok('ping@2')],
      ['a version before the prefix', `/v1${prefix}/cars/`, notFound],
      ['the prefix twice', `${prefix}/v1${prefix}/cars/`, notFound],
      ['no prefix', '/v1/cars/', notFound],
    ]
    for (const [title, url, expected] of cases) {
      it(`R19 ${title}: ${url}`, async () => assert.deepEqual(await ask(app, url), expected))
    }
    it(`R19 a wrong method on a version alone: POST ${prefix}/v1`, async () => {
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
    it(`R13 path is without the version segment: ${url}`, async () => {
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
