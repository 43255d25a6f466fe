import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, ExecutionContext, VersioningOptions, VersioningScheme } from 'octavo'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const cars = defineController({
  prefix: '/cars',
  name: 'cars',
  routes: [
    { method: 'GET', path: '/{id}', name: 'one', version: '1', handler: () => 1 },
    { method: 'GET', path: '/{id}/full', name: 'one', version: ['2', '3'], handler: () => 2 },
    { method: 'GET', path: '/new', name: 'fresh', version: '2', handler: () => 3 },
    { method: 'GET', path: '/health', name: 'health', handler: () => 4 },
    { method: 'GET', path: '/ping', name: 'ping', version: VERSION_NEUTRAL, handler: () => 5 },
  ],
})

const linker = defineController({
  prefix: '/links',
  name: 'links',
  routes: [
    {
      method: 'GET',
      name: 'versioned',
      version: ['1', '2'],
      handler: (_input, context) => [
        context.urlFor('cars.one', { id: '7' }),
        context.urlFor('cars.one', { id: '7' }, { query: { a: 1 } }),
        context.urlFor('cars.health'),
        context.urlFor('cars.ping'),
      ],
    },
    {
      method: 'GET',
      path: '/plain',
      name: 'plain',
      handler: (_input, context) => context.urlFor('cars.one', { id: '7' }),
    },
  ],
})

const module = defineModule({ controllers: [cars, linker] })

function serve<O extends object>(
  scheme: VersioningScheme<O>,
  options: O & VersioningOptions,
  prefix = '',
): App<typeof module> {
  const app = createApp(module, { logger: false, prefix })
  app.enableVersioning(scheme, options)
  return app
}

describe('urlFor by version', () => {
  const id = { id: 'a b' }
  const cases: readonly (readonly [
    title: string,
    urls: (app: App<typeof module>) => readonly string[],
    expected: readonly string[],
  ])[] = [
    [
      'the newest version goes where the scheme reads it',
      (app) => [app.urlFor('cars.one', id), app.urlFor('cars.fresh')],
      ['/v3/cars/a%20b/full', '/v2/cars/new'],
    ],
    [
      'the query stays',
      (app) => [app.urlFor('cars.one', id, { query: { a: ['1', '2'], b: undefined } })],
      ['/v3/cars/a%20b/full?a=1&a=2'],
    ],
    ['never-versioned routes have no version', (app) => [app.urlFor('cars.health')], ['/cars/health']],
    ['neutral routes have one address, without version', (app) => [app.urlFor('cars.ping')], ['/cars/ping']],
  ]
  const app = serve(URL, {})
  for (const [title, urls, expected] of cases) it(title, () => assert.deepEqual(urls(app), expected))

  it('the version follows the prefix', () => {
    const below = serve(URL, {}, '/api')
    assert.deepEqual(
      [below.urlFor('cars.one', id), below.urlFor('cars.health')],
      ['/api/v3/cars/a%20b/full', '/api/cars/health'],
    )
  })
  it('begins with one slash, whatever the values, and leads back to the same values', async () => {
    const files = defineController({
      prefix: '/',
      name: 'files',
      routes: [{ method: 'GET', path: '/{at:path}', name: 'one', handler: ({ params }) => params.at }],
    })
    const plain = createApp(defineModule({ controllers: [files] }), { logger: false })
    for (const at of [
      '/evil.com',
      '//evil.com',
      '/',
      '///',
      '/a//b',
      '\\evil.com',
      '/\\evil.com',
      'a/b',
      'a//b',
    ]) {
      const url = plain.urlFor('files.one', { at })
      assert.match(url, /^\/(?![/\\])/)
      assert.equal((await plain.inject(url)).json(), at)
    }
  })

  it('the version follows an escaped prefix', async () => {
    const below = serve(URL, {}, '/caf\u00e9')
    const url = below.urlFor('cars.fresh')
    assert.deepEqual([url, (await below.inject(url)).statusCode], ['/caf%C3%A9/v2/cars/new', 200])
  })
  it('the default version needs no segment, and a route that it lacks has the newest', () => {
    const defaulted = serve(URL, { defaultVersion: '1' })
    assert.deepEqual(
      [defaulted.urlFor('cars.one', id), defaulted.urlFor('cars.fresh')],
      ['/cars/a%20b', '/v2/cars/new'],
    )
  })
  it('the query keeps the version', () => {
    const byQuery = serve(QUERY, { versionParameter: 'api-version' })
    assert.deepEqual(
      [
        byQuery.urlFor('cars.one', id),
        byQuery.urlFor('cars.one', id, { query: { page: 2 } }),
        byQuery.urlFor('cars.health'),
      ],
      ['/cars/a%20b/full?api-version=3', '/cars/a%20b/full?page=2&api-version=3', '/cars/health'],
    )
  })
  it('where the version is not in the URL, it still chooses the route', async () => {
    const byHeader = serve(HEADER, { headerParameter: 'x-version' })
    const links = ['1', '2'].map(async (version) =>
      (await byHeader.inject({ url: '/links', headers: { 'x-version': version } })).json(),
    )
    assert.deepEqual(await Promise.all(links), [
      ['/cars/7', '/cars/7?a=1', '/cars/health', '/cars/ping'],
      ['/cars/7/full', '/cars/7/full?a=1', '/cars/health', '/cars/ping'],
    ])
    assert.equal(serve(HOST, {}).urlFor('cars.one', id), '/cars/a%20b/full')
  })

  it('an unknown name is refused', () => {
    assert.throws(() => app.urlFor('cars.none' as 'cars.fresh'), {
      name: 'RangeError',
      message: /^urlFor: there is no route "cars\.none"; known are cars\.one, /,
    })
  })
  it('the option version is refused', () => {
    assert.throws(() => app.urlFor('cars.fresh', {}, { version: '2' } as object), /version/)
  })
  it('options in the place of parameters are told their place', () => {
    assert.throws(() => app.urlFor('cars.fresh', { query: { a: 1 } } as never), {
      name: 'TypeError',
      message: `urlFor: "cars.fresh" has no parameter query; options come third: urlFor('cars.fresh', {}, { query })`,
    })
  })
})

describe('urlFor in a handler', () => {
  const cases: readonly (readonly [
    title: string,
    app: App<typeof module>,
    url: string,
    expected: unknown,
  ])[] = [
    [
      'the version of the request',
      serve(URL, {}),
      '/v2/links',
      ['/v2/cars/7/full', '/v2/cars/7/full?a=1', '/cars/health', '/cars/ping'],
    ],
    [
      'another version',
      serve(URL, {}),
      '/v1/links',
      ['/v1/cars/7', '/v1/cars/7?a=1', '/cars/health', '/cars/ping'],
    ],
    [
      'below a prefix',
      serve(URL, {}, '/api'),
      '/api/v1/links',
      ['/api/v1/cars/7', '/api/v1/cars/7?a=1', '/api/cars/health', '/api/cars/ping'],
    ],
    [
      'in the query',
      serve(QUERY, {}),
      '/links?version=1',
      ['/cars/7?version=1', '/cars/7?a=1&version=1', '/cars/health', '/cars/ping?version=1'],
    ],
    ['without version, the newest', serve(URL, {}), '/links/plain', '/v3/cars/7/full'],
  ]
  for (const [title, app, url, expected] of cases) {
    it(`${title}: ${url}`, async () => assert.deepEqual((await app.inject(url)).json(), expected))
  }
})

describe('a neutral route under URL has one address in links, documents and clients', () => {
  const neutral = {
    method: 'GET',
    path: '/x',
    name: 'any',
    version: VERSION_NEUTRAL,
    handler: () => 0,
  } as const
  const two = { method: 'GET', path: '/x', name: 'two', version: '2', handler: () => 2 } as const
  const other = { method: 'GET', path: '/y', name: 'other', version: ['1', '2'], handler: () => 1 } as const
  const linking = {
    method: 'GET',
    path: '/link',
    name: 'link',
    version: '1',
    handler: (_input: unknown, { urlFor }: ExecutionContext) => urlFor('api.any'),
  } as const
  const plain = defineModule({
    controllers: [defineController({ name: 'api', prefix: '/', routes: [neutral, other, linking] })],
  })
  const mixed = defineModule({
    controllers: [defineController({ name: 'api', prefix: '/', routes: [neutral, two, other, linking] })],
  })
  const chosen = () => '2'
  const cases = [
    ['without a version, if it answers there', plain, {}, '/x'],
    ['and beside versioned routes', mixed, {}, '/x'],
    ['and with a default version', plain, { defaultVersion: '2' }, '/x'],
    ['else in the version: another route has the default', mixed, { defaultVersion: '2' }, '/v1/x'],
    ['else in the version: versions are required', mixed, { required: true }, '/v1/x'],
    ['else in the version: a function chooses', mixed, { defaultVersion: chosen }, '/v1/x'],
  ] as const
  for (const [title, root, options, expected] of cases) {
    it(title, async () => {
      const target = createApp<typeof plain | typeof mixed>(root, {
        logger: false,
        docs: { ui: false },
      })
      target.enableVersioning(URL, options)
      await target.ready()
      const map = await target.inject('/docs/client.json?version=1')
      const { routes: called } = map.json() as { routes: Record<string, { path: string }> }
      const { paths } = target.openapi({ version: '1' })
      const documented = Object.entries(paths).find(([path]) => path.endsWith('/x'))?.[0]
      const link = String((await target.inject('/v1/link')).json())
      assert.deepEqual([link, called['api.any']?.path, documented], [expected, expected, expected])
      assert.equal((await target.inject(link)).json(), 0)
    })
  }
})

describe('neutral and a version on one route', () => {
  const route = { method: 'GET', path: '/x', handler: () => 'x' } as const
  const other = { method: 'GET', path: '/y', version: '1', handler: () => 'y' } as const
  const statusesOf = async (
    routes: readonly (typeof route & { readonly version?: '2' | [typeof VERSION_NEUTRAL, '2'] })[],
  ) => {
    const named = routes.map((each, index) => ({ ...each, name: `r${index}` }))
    const controller = defineController({ name: 'api', prefix: '/', routes: [...named, other] })
    const target = createApp(defineModule({ controllers: [controller] }), { logger: false })
    target.enableVersioning(QUERY, {})
    const answers = ['/x', '/x?version=1', '/x?version=2'].map((url) => target.inject(url))
    return (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  }

  it('answers every other known version too, unlike in NestJS', async () =>
    assert.deepEqual(await statusesOf([{ ...route, version: [VERSION_NEUTRAL, '2'] }]), [200, 200, 200]))

  it('two routes, one of them without version, refuse other versions as NestJS does', async () =>
    assert.deepEqual(await statusesOf([route, { ...route, version: '2' }]), [200, 404, 200]))
})

describe('urlFor in a handler keeps the spelling of the version', () => {
  const numbers = defineController({
    prefix: '/urls',
    name: 'urls',
    routes: [
      {
        method: 'GET',
        name: 'own',
        version: ['1', '2'],
        handler: (_input, context) => [context.urlFor('urls.own')],
      },
    ],
  })
  const words = defineController({
    prefix: '/urls',
    name: 'urls',
    routes: [
      {
        method: 'GET',
        name: 'own',
        version: ['2026-01', '2026-02'],
        handler: (_input, context) => [context.urlFor('urls.own'), context.version],
      },
    ],
  })
  const link = async (
    controller: typeof numbers | typeof words,
    scheme: Parameters<App['enableVersioning']>[0],
    options: VersioningOptions & { readonly allowBare?: boolean },
    request: Parameters<App['inject']>[0],
    prefix = '',
  ): Promise<unknown> => {
    const each = createApp(defineModule({ controllers: [controller] }), { logger: false, prefix })
    each.enableVersioning(scheme, options)
    return (await each.inject(request)).json()
  }
  const semver = { format: 'semver' } as const
  const cases: readonly (readonly [title: string, made: () => Promise<unknown>, expected: unknown])[] = [
    ['URL, as it is declared', () => link(numbers, URL, semver, '/v1/urls'), ['/v1/urls']],
    ['URL, equal', () => link(numbers, URL, semver, '/v1.0.0/urls'), ['/v1.0.0/urls']],
    [
      'URL, below a prefix',
      () => link(numbers, URL, semver, '/my%20api/v1.0/urls', '/my api'),
      ['/my%20api/v1.0/urls'],
    ],
    [
      'URL, without what stands before versions',
      () => link(numbers, URL, { ...semver, allowBare: true }, '/1/urls'),
      ['/1/urls'],
    ],
    ['QUERY, equal', () => link(numbers, QUERY, semver, '/urls?version=1.0'), ['/urls?version=1.0']],
    [
      'several, by another scheme than the one that writes links',
      () =>
        link(numbers, [[URL], [HEADER, { headerParameter: 'x-version' }]], semver, {
          url: '/urls',
          headers: { 'x-version': '1.0' },
        }),
      ['/v1.0/urls'],
    ],
    [
      'a list of versions has no spelling',
      () =>
        link(numbers, [[QUERY], [HEADER, { headerParameter: 'accept' }]], semver, {
          url: '/urls',
          headers: { accept: 'application/json;version=1.0, */*;version=7' },
        }),
      ['/urls?version=1'],
    ],
    [
      'the default version has its declared one',
      () => link(numbers, URL, { ...semver, defaultVersion: '1.0' }, '/urls'),
      ['/v1/urls'],
    ],
    ['months', () => link(words, URL, { format: 'date' }, '/v2026-01/urls'), ['/v2026-01/urls', '2026-01']],
    [
      'the nearest earlier version is written as declared',
      () => link(words, URL, { format: 'date', unknown: 'floor' }, '/v2026-01-15/urls'),
      ['/v2026-01/urls', '2026-01'],
    ],
  ]
  for (const [title, made, expected] of cases) it(title, async () => assert.deepEqual(await made(), expected))
})
