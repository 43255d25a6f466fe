import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, VersioningOptions, VersioningScheme } from 'octavo'
import { createClient } from 'octavo/client'

import { mistakes, warnings } from './boot-support.ts'
import { allowed, ask, notAllowed, ok, serve, serveSeveral, unsupported, varying } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const X_VERSION = { headerParameter: 'x-version' } as const

/** `/ended` has version 1, `/begun` has version 2, `/both` has both. */
const ROWS: readonly Row[] = [
  ['GET', '/ended', '1', 'ended'],
  ['GET', '/begun', '2', 'begun'],
  ['GET', '/both', '1', 'one'],
  ['GET', '/both', '2', 'two'],
]

const SCHEMES: readonly (readonly [
  name: string,
  serveWith: (rows: readonly Row[], options: VersioningOptions) => App,
])[] = [
  ['URL', (rows, options) => serve(rows, URL, options)],
  ['QUERY', (rows, options) => serve(rows, QUERY, options)],
  ['HEADER', (rows, options) => serve(rows, HEADER, { ...options, ...X_VERSION })],
  ['HOST', (rows, options) => serve(rows, HOST, options)],
  ['URL and QUERY', (rows, options) => serveSeveral(rows, [[URL], [QUERY]], options)],
]

describe('a default version by its place is chosen at each path', () => {
  for (const [name, serveWith] of SCHEMES) {
    it(`a path does not end when another one gets a new version (${name})`, async () => {
      for (const defaultVersion of ['latest', 'latestStable'] as const) {
        const before = serveWith(ROWS.slice(0, 1), { defaultVersion })
        const after = serveWith(ROWS, { defaultVersion })
        const answer = await ask(before, '/ended')
        assert.equal(answer.body, 'ended@1')
        assert.deepEqual(await ask(after, '/ended'), answer)
        assert.equal((await ask(after, '/begun')).body, 'begun@2')
        assert.equal((await ask(after, '/both')).body, 'two@2')
      }
    })
    it(`a path that begins later answers under oldest (${name})`, async () => {
      const app = serveWith(ROWS, { defaultVersion: 'oldest' })
      const answers = await Promise.all(['/ended', '/begun', '/both'].map((url) => ask(app, url)))
      assert.deepEqual(
        answers.map(({ body }) => body),
        ['ended@1', 'begun@2', 'one@1'],
      )
    })
  }

  const cases: readonly (readonly [
    title: string,
    defaultVersion: string,
    rows: readonly Row[],
    request: Parameters<typeof ask>[1],
    expected: Awaited<ReturnType<typeof ask>>,
  ])[] = [
    [
      'latestStable takes no version with a status where a path has no other',
      'latestStable',
      [...ROWS, ['GET', '/soon', '3-beta', 'soon']],
      '/soon',
      unsupported(404, undefined, ['3-beta']),
    ],
    [
      'the versions of all methods of a path count',
      'latest',
      [...ROWS, ['POST', '/ended', '2', 'post']],
      '/ended',
      notAllowed('POST, OPTIONS'),
    ],
    [
      'a wrong method is told the methods of the version of the path',
      'latest',
      [...ROWS, ['PUT', '/both', '1', 'put']],
      { method: 'PUT', url: '/ended' },
      notAllowed('GET, HEAD, OPTIONS'),
    ],
    [
      'OPTIONS tells the same methods',
      'latest',
      ROWS,
      { method: 'OPTIONS', url: '/ended' },
      allowed('GET, HEAD, OPTIONS'),
    ],
    ['a fixed default is the same at every path', '2', ROWS, '/ended', unsupported(404, undefined, ['1'])],
    [
      'a path with an unversioned route keeps to the default of the application',
      'latest',
      [...ROWS, ['GET', '/ended', undefined, 'plain']],
      '/ended',
      ok('plain@2'),
    ],
    [
      'neutral routes do not count',
      'latest',
      [...ROWS, ['GET', '/ended', VERSION_NEUTRAL, 'neutral']],
      '/ended',
      ok('ended@1'),
    ],
    [
      'a never-versioned path has the default of the application',
      'latest',
      [...ROWS, ['GET', '/plain', undefined, 'plain']],
      '/plain',
      ok('plain@2'),
    ],
    [
      'the pattern that matches counts',
      'latest',
      [
        ['GET', '/a/me', '1', 'me'],
        ['GET', '/a/{id}', ['1', '2'], 'id'],
      ],
      '/a/me',
      ok('me@1'),
    ],
  ]
  for (const [title, defaultVersion, rows, request, expected] of cases)
    it(title, async () =>
      assert.deepEqual(await ask(serve(rows, QUERY, { defaultVersion }), request), expected),
    )

  it('responses tell of the version of the path', async () => {
    const app = serve(ROWS, HEADER, {
      ...X_VERSION,
      defaultVersion: 'latest',
      versions: { 1: { deprecated: '2026-01-01' } },
      echo: true,
    })
    const { headers } = await app.inject('/ended')
    assert.deepEqual([headers['deprecation'], headers['x-version']], ['@1767225600', '1'])
    assert.equal((await app.inject('/both')).headers['deprecation'], undefined)
    assert.deepEqual(await ask(app, '/ended'), varying('x-version', ok('ended@1')))
  })
  it('a retired version of a path is retired for requests without version too', async () => {
    const options = {
      defaultVersion: 'latest',
      clock: () => Date.UTC(2027, 0),
      versions: { 1: { sunset: '2026-12-31', retired: 'gone' } },
    } as const
    const { status, body } = await ask(serve(ROWS, QUERY, options), '/ended')
    assert.deepEqual([status, Reflect.get(Object(body), 'code')], [410, 'retired_version'])
  })
  it('an ordinary path that answers in a default of its own hides a path of a version', async () => {
    const rows: readonly Row[] = [
      ['GET', '/v1/legacy', '1', 'hidden'],
      ['GET', '/legacy', '1', 'legacy'],
      ['GET', '/other', '2', 'other'],
    ]
    assert.deepEqual(
      (await mistakes(serve(rows, URL, { defaultVersion: 'latest' }))).map(({ code }) => code),
      ['version_literal_clash'],
    )
    assert.deepEqual(await mistakes(serve(rows, URL, { defaultVersion: '2' })), [])
  })
  it('a parameter in the first segment of a path with a default of its own is warned of', async () => {
    const rows: readonly Row[] = [
      ['GET', '/{tenant}', '1', 'tenant'],
      ['GET', '/other', '2', 'other'],
    ]
    const found = await warnings(rows, URL, { defaultVersion: 'latest' })
    assert.deepEqual(
      found.map(({ code }) => code),
      ['parameter_hidden'],
    )
  })
})

const handler = (_input: object, context: { readonly version: string | null }): string | null =>
  context.version

const cars = defineController({
  name: 'car',
  prefix: '/cars',
  routes: [
    { method: 'GET', path: '/ended', name: 'ended', version: '1', handler },
    { method: 'GET', path: '/begun', name: 'begun', version: '2', handler },
    { method: 'GET', path: '/both', name: 'both', version: ['1', '2'], handler },
    { method: 'GET', path: '/before', name: 'moved', version: '1', handler },
    { method: 'GET', path: '/after', name: 'moved', version: '2', handler },
    { method: 'POST', path: '/both', name: 'post', version: '1', handler },
    {
      method: 'GET',
      path: '/links',
      name: 'links',
      version: '1',
      handler: (_input, context) => [context.urlFor('car.both'), context.urlFor('car.begun')],
    },
  ],
})
const NAMES = ['ended', 'begun', 'both', 'moved'] as const

function create<O extends object>(
  scheme: VersioningScheme<O>,
  options: O & VersioningOptions,
): App<ReturnType<typeof toModule>> {
  const app = createApp(toModule(), { logger: false, docs: { path: '/docs' } })
  app.enableVersioning(scheme, options)
  return app
}

function toModule() {
  return defineModule({ controllers: [cars] })
}

describe('everything that tells of requests without version agrees on their version', () => {
  const expected = {
    latest: { ended: '1', begun: '2', both: '2', moved: '2' },
    oldest: { ended: '1', begun: '2', both: '1', moved: '1' },
  } as const
  for (const defaultVersion of ['latest', 'oldest'] as const) {
    for (const [name, app] of [
      ['URL', create(URL, { defaultVersion })],
      ['QUERY', create(QUERY, { defaultVersion })],
      ['HEADER', create(HEADER, { ...X_VERSION, defaultVersion })],
    ] as const) {
      it(`links, clients, app.versions() and documents (${defaultVersion}, ${name})`, async () => {
        await app.ready()
        const byLink = await Promise.all(
          NAMES.map(async (each) => [each, (await app.inject(app.urlFor(`car.${each}`))).json()]),
        )
        assert.deepEqual(Object.fromEntries(byLink), expected[defaultVersion])
        const { car } = createClient<typeof app>({ fetch: app.fetch })
        const byClient = await Promise.all(NAMES.map(async (each) => [each, (await car[each]()).data]))
        assert.deepEqual(Object.fromEntries(byClient), expected[defaultVersion])
        const told = app.versions().flatMap(({ version, routes }) =>
          routes.map(({ name: route, methods, path, isDefault = false }) => ({
            route,
            version,
            method: methods[0] ?? 'GET',
            path,
            isDefault,
          })),
        )
        for (const { version, method, path, isDefault } of told) {
          const { statusCode, version: answered } = await app.inject({ method, url: path })
          assert.equal(statusCode === 200 && answered === version, isDefault, `${method} ${path} ${version}`)
          if (!isDefault || name === 'URL') continue
          const { paths } = app.openapi({ version })
          const operation = paths[path]?.[method === 'POST' ? 'post' : 'get']
          assert.deepEqual(
            operation?.parameters?.map(({ required }) => required),
            [false],
          )
        }
      })
    }
  }

  it('a link to a route that the version of the path lacks has no version', async () => {
    const app = create(URL, { defaultVersion: 'latest' })
    assert.deepEqual((await app.inject('/cars/links')).json(), ['/v1/cars/both', '/cars/begun'])
    assert.equal((await app.inject('/v1/cars/links')).statusCode, 500)
  })
})
