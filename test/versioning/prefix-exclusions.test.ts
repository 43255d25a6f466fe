import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  DefinitionError,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, PrefixOptions } from 'octavo'
import { cors } from 'octavo/middleware'
import { createClient } from 'octavo/client'

import { allowed, ask, notAllowed, notFound, ok, serve, unsupported } from './support.ts'
import type { Answer, Row } from './support.ts'
import { placeless } from '../support/places.ts'

const { URL, HEADER } = VersioningSchemes

type Case = readonly [title: string, url: string, expected: Answer]

function itAnswers(app: App, cases: readonly Case[]): void {
  for (const [title, url, expected] of cases)
    it(`${title}: ${url}`, async () => assert.deepEqual(await ask(app, url), expected))
}

const ROWS: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['GET', '/cars/{id:int}', '1', 'car'],
  ['GET', '/status', undefined, 'status'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/legacy', '1', 'legacy'],
  ['POST', '/legacy', '2', 'legacy'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
  ['GET', '/metrics', undefined, 'metrics'],
  ['POST', '/metrics', undefined, 'reset'],
  ['GET', '/files', undefined, 'files'],
  ['GET', '/files/{name}', undefined, 'file'],
  ['GET', '/users/{id:int}', undefined, 'user'],
]

const PREFIX: PrefixOptions = {
  path: '/api',
  exclude: [
    '/health',
    '/legacy',
    '/ping',
    { method: 'GET', path: '/metrics' },
    '/files/{rest:path}',
    '/users/{any:int}',
  ],
}

describe('excluded routes without versioning', () => {
  itAnswers(
    serve(
      ROWS.filter(([, path]) => path !== '/cars' && path !== '/legacy'),
      undefined,
      undefined,
      {
        prefix: { ...PREFIX, exclude: PREFIX.exclude?.filter((path) => path !== '/legacy') ?? [] },
      },
    ),
    [
      ['has the prefix', '/api/cars/7', ok('car@null')],
      ['without it', '/cars/7', notFound],
      ['excluded', '/health', ok('health@null')],
      ['with a slash at the end', '/health/', ok('health@null')],
      ['not behind the prefix', '/api/health', notFound],
      ['by method', '/metrics', ok('metrics@null')],
      ['by method, not behind the prefix', '/api/metrics', notAllowed('POST, OPTIONS')],
      ['a rest parameter covers the path itself', '/files', ok('files@null')],
      ['a rest parameter covers what is below', '/files/a', ok('file@null')],
      ['names of parameters do not count', '/users/7', ok('user@null')],
    ],
  )
})

describe('excluded routes under URL', () => {
  const app = serve(ROWS, URL, undefined, { prefix: PREFIX })
  itAnswers(app, [
    ['a version follows the prefix', '/api/v1/cars', ok('cars@1')],
    ['another version', '/api/v2/cars', ok('cars@2')],
    ['no version before the prefix', '/v1/api/cars', notFound],
    ['no version without the prefix', '/v1/cars', notFound],
    ['unversioned with the prefix', '/api/status', ok('status@null')],
    ['unversioned with prefix and version', '/api/v2/status', ok('status@2')],
    ['excluded and unversioned', '/health', ok('health@null')],
    ['excluded and unversioned behind a version', '/v2/health', ok('health@2')],
    ['excluded and versioned', '/v1/legacy', ok('legacy@1')],
    ['excluded and neutral', '/ping', ok('ping@null')],
    ['excluded and neutral behind a version', '/v1/ping', ok('ping@1')],
    ['not behind prefix and version', '/api/v1/legacy', notFound],
    ['not behind version and prefix', '/v1/api/legacy', notFound],
    ['another version of the path', '/v2/legacy', notAllowed('POST, OPTIONS')],
    ['an unknown version behind the prefix', '/api/v9/cars', unsupported(404, '9', ['1', '2'])],
    ['an unknown version of an excluded path', '/v9/legacy', unsupported(404, '9', ['1', '2'])],
    ['a version that lacks a path', '/api/v2/cars/7', unsupported(404, '2', ['1'])],
    ['a version at no path', '/v1/nothing', notFound],
  ])

  it('says in Allow what the address has', async () => {
    assert.deepEqual(await ask(app, { method: 'OPTIONS', url: '/v1/legacy' }), allowed('GET, HEAD, OPTIONS'))
    assert.deepEqual(await ask(app, { method: 'OPTIONS', url: '/v2/legacy' }), allowed('POST, OPTIONS'))
    assert.deepEqual(await ask(app, { method: 'OPTIONS', url: '/api/metrics' }), allowed('POST, OPTIONS'))
  })

  it('are written by urlFor', async () => {
    await app.ready()
    // the test application has no type of its own
    const urlFor = (name: string): string => app.urlFor(name as never, {} as never)
    assert.deepEqual(
      [urlFor('api.r0'), urlFor('api.r4'), urlFor('api.r5'), urlFor('api.r7'), urlFor('api.r9')],
      ['/api/v1/cars', '/health', '/v1/legacy', '/ping', '/api/metrics'],
    )
  })

  it('are listed with their paths', () =>
    assert.deepEqual(
      app.routes().map(({ path }) => path),
      [
        '/api/cars',
        '/api/cars',
        '/api/cars/{id:int}',
        '/api/status',
        '/health',
        '/legacy',
        '/legacy',
        '/ping',
        '/metrics',
        '/api/metrics',
        '/files',
        '/files/{name}',
        '/users/{id:int}',
      ],
    ))

  it('get the version of inject where it belongs', async () => {
    assert.deepEqual(await ask(app, { url: '/legacy', version: '1' }), ok('legacy@1'))
    assert.deepEqual(await ask(app, { url: '/api/cars', version: '2' }), ok('cars@2'))
  })

  it('are in documents', async () => {
    await app.ready()
    assert.deepEqual(Object.keys(app.openapi({ version: '1' }).paths), [
      '/api/v1/cars',
      '/api/v1/cars/{id}',
      '/api/status',
      '/health',
      '/v1/legacy',
      '/ping',
      '/metrics',
      '/api/metrics',
      '/files',
      '/files/{name}',
      '/users/{id}',
    ])
  })

  it('tell their path without the version', async () => {
    const seen = createApp(
      defineModule({
        controllers: [
          defineController({
            prefix: '',
            version: '1',
            routes: ['/in', '/out', '/api/own'].map((path) => ({
              method: 'GET' as const,
              path: path as '/in',
              handler: (_: object, context: { readonly path: string; readonly originalPath: string }) => [
                context.path,
                context.originalPath,
              ],
            })),
          }),
        ],
      }),
      { logger: false, prefix: { path: '/api', exclude: ['/out', '/api/own'] } },
    )
    seen.enableVersioning(URL)
    const paths = ['/api/v1/in', '/%61pi/v1/in', '/v1/out', '/api/v1/own']
    assert.deepEqual(await Promise.all(paths.map(async (url) => (await seen.inject(url)).json())), [
      ['/api/in', '/api/v1/in'],
      ['/%61pi/in', '/%61pi/v1/in'],
      ['/out', '/v1/out'],
      // excluded, and begins with the prefix by itself: versions follow it all the same
      ['/api/own', '/api/v1/own'],
    ])
  })
})

describe('excluded routes under other schemes', () => {
  const app = serve(ROWS, HEADER, { headerParameter: 'x-version' }, { prefix: PREFIX })
  const cases: readonly (readonly [url: string, version: string, expected: unknown])[] = [
    ['/api/cars', '2', 'cars@2'],
    ['/legacy', '1', 'legacy@1'],
    ['/health', '1', 'health@1'],
  ]
  for (const [url, version, expected] of cases) {
    it(`${url} in version ${version}`, async () =>
      assert.equal((await app.inject({ url, version })).json(), expected))
  }
})

describe('excluded routes under several schemes', () => {
  const app = serve(ROWS, undefined, undefined, { prefix: PREFIX })
  app.enableVersioning([[URL], [HEADER, { headerParameter: 'x-version' }]])
  it('have their version in the path or in a header', async () => {
    const header = { 'x-version': '1' }
    const asked = [
      '/v1/legacy',
      '/api/v1/cars',
      { url: '/legacy', headers: header },
      { url: '/api/cars', headers: header },
    ]
    const bodies = await Promise.all(asked.map(async (request) => (await app.inject(request)).json()))
    assert.deepEqual(bodies, ['legacy@1', 'cars@1', 'legacy@1', 'cars@1'])
  })

  it('refuse two versions', async () => {
    const { statusCode } = await app.inject({ url: '/v1/legacy', headers: { 'x-version': '2' } })
    assert.equal(statusCode, 400)
  })
})

describe('a slash at the end of an excluded path', () => {
  const rows: readonly Row[] = [
    ['GET', '/cars/', '1', 'cars'],
    ['GET', '/legacy/', '1', 'legacy'],
  ]
  const options: AppOptions = { prefix: { path: '/api', exclude: ['/legacy'] } }
  it('is redirected to', async () => {
    const app = serve(rows, URL, undefined, { ...options, trailingSlash: 'redirect' })
    const { statusCode, headers } = await app.inject('/v1/legacy?a=1')
    assert.deepEqual([statusCode, headers['location']], [308, '/v1/legacy/?a=1'])
  })

  it('counts if slashes count', async () => {
    const app = serve(rows, URL, undefined, { ...options, trailingSlash: 'strict' })
    assert.deepEqual(await ask(app, '/v1/legacy/'), ok('legacy@1'))
    assert.deepEqual(await ask(app, '/v1/legacy'), notFound)
    assert.deepEqual(await ask(app, '/api/v1/cars/'), ok('cars@1'))
    assert.deepEqual(await ask(app, '/api/v1'), notFound)
  })
})

describe('a prefix of several segments', () => {
  const app = serve(
    [
      ['GET', '/cars', '1', 'cars'],
      ['GET', '/shop/info', '1', 'info'],
      ['GET', '/shop', '1', 'shop'],
    ],
    URL,
    undefined,
    { prefix: { path: '/shop/api/', exclude: ['/shop/info', '/shop'] } },
  )
  itAnswers(app, [
    ['with it', '/shop/api/v1/cars', ok('cars@1')],
    ['excluded beside it', '/v1/shop/info', ok('info@1')],
    ['excluded above it', '/v1/shop', ok('shop@1')],
    ['no version in its middle', '/shop/v1/info', notFound],
    ['not behind a version', '/v1/shop/api/cars', notFound],
  ])
})

describe('an excluded route for everything', () => {
  const app = serve(
    [
      ['GET', '/cars', '1', 'cars'],
      ['GET', '/{rest:path}', undefined, 'page'],
    ],
    URL,
    undefined,
    { prefix: { path: '/api', exclude: ['/{rest:path}'] } },
  )
  itAnswers(app, [
    ['is no more than that route', '/api/v1/cars', ok('cars@1')],
    ['has the rest', '/any/thing', ok('page@null')],
    ['has the rest behind versions', '/v1/any', ok('page@1')],
    ['has the rest of the prefix', '/api/any', ok('page@null')],
    ['has nothing behind versions of the prefix', '/api/v1/any', notFound],
    ['hides no unknown version', '/api/v9/cars', unsupported(404, '9', ['1'])],
  ])

  const page = createApp(
    defineModule({
      controllers: [
        defineController({
          prefix: '/cars',
          version: '1',
          routes: [{ method: 'GET', handler: () => 'cars' }],
        }),
      ],
      routers: [defineRouter({ prefix: '/app', mount: () => new Response('page') })],
    }),
    { logger: false, prefix: { path: '/api', exclude: ['/app/{rest:path}'] } },
  )
  page.enableVersioning(URL)
  it('can be a mounted handler', async () => {
    assert.equal((await page.inject('/app/any/thing')).body, 'page')
    assert.equal((await page.inject('/api/app/any')).statusCode, 404)
    assert.equal((await page.inject('/api/v9/cars')).statusCode, 404)
  })
})

describe('an excluded parameter in the first segment', () => {
  const app = serve(
    [
      ['GET', '/cars', '1', 'cars'],
      ['GET', '/{page}/{part}/{item}', undefined, 'page'],
    ],
    URL,
    undefined,
    { prefix: { path: '/api', exclude: ['/{page}/{part}/{item}'] } },
  )
  itAnswers(app, [
    ['takes ordinary segments', '/a/b/c', ok('page@null')],
    ['takes no path behind prefix and version', '/api/v1/cars', ok('cars@1')],
    ['hides no unknown version', '/api/v9/cars', unsupported(404, '9', ['1'])],
    ['takes what is no path of the prefix', '/api/b/c', ok('page@null')],
  ])
})

describe('documents beside a prefix', () => {
  const module = defineModule({
    controllers: [defineController({ prefix: '/cars', routes: [{ method: 'GET', handler: () => [] }] })],
  })
  it('are excluded together, by their path', () => {
    const options = {
      logger: false,
      docs: {},
      prefix: { path: '/api', exclude: ['/docs/openapi.json'] },
    } as const
    assert.throws(
      () => createApp(module, options),
      (error) =>
        error instanceof DefinitionError &&
        error.errors[0]?.fix === 'exclude the path of docs, which stands for all below it',
    )
  })

  for (const path of ['/docs', '/docs/{rest:path}']) {
    it(`are excluded as a whole by ${path}`, async () => {
      const app = createApp(module, { logger: false, docs: {}, prefix: { path: '/api', exclude: [path] } })
      const get = async (url: string): Promise<number> => (await app.inject(url)).statusCode
      assert.deepEqual(
        await Promise.all(
          ['/docs', '/docs/openapi.json', '/docs/client.json', '/api/docs', '/api/docs/openapi.json'].map(
            get,
          ),
        ),
        [200, 200, 200, 404, 404],
      )
      const { body } = await app.inject('/docs')
      assert.ok(body.includes('/docs/assets/') && !body.includes('/api/docs'), body)
    })
  }
})

describe('clients', () => {
  it('call excluded routes', async () => {
    const carController = defineController({
      name: 'CarController',
      version: '1',
      routes: [{ method: 'GET', name: 'list', handler: () => ['Ford'] }],
    })
    const legacyController = defineController({
      name: 'LegacyController',
      version: '1',
      routes: [{ method: 'GET', name: 'list', handler: () => ['old'] }],
    })
    const module = defineModule({ controllers: [carController, legacyController] })
    const app = createApp(module, { logger: false, prefix: { path: '/api', exclude: ['/legacy'] } })
    app.enableVersioning(URL)
    const client = createClient<typeof app, '1'>({ fetch: app.fetch, version: '1' })
    const results = [await client.car.list(), await client.legacy.list()]
    assert.deepEqual(
      results.map(({ data }) => data),
      [['Ford'], ['old']],
    )
  })
})

describe('preflights', () => {
  it('are answered for excluded routes', async () => {
    const app = serve(ROWS, URL, undefined, {
      prefix: PREFIX,
      middleware: [cors({ origin: 'https://a.example' })],
    })
    const { statusCode, headers } = await app.inject({
      method: 'OPTIONS',
      url: '/v2/legacy',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    })
    assert.deepEqual([statusCode, headers['access-control-allow-methods']], [204, 'POST, OPTIONS'])
  })
})

describe('successor links', () => {
  it('lead from excluded routes to excluded routes', async () => {
    const list = (prefix: `/${string}`, version: string) =>
      defineController({
        name: prefix.slice(1),
        prefix,
        version,
        routes: [{ method: 'GET', name: 'list', handler: () => version }],
      })
    const controllers = [list('/legacy', '1'), list('/legacy', '2'), list('/cars', '1'), list('/cars', '2')]
    const app = createApp(defineModule({ controllers }), {
      logger: false,
      prefix: { path: '/api', exclude: ['/legacy'] },
    })
    app.enableVersioning(URL, { successorLinks: true })
    const links = await Promise.all(
      ['/v1/legacy', '/api/v1/cars'].map(async (url) => (await app.inject(url)).headers['link']),
    )
    assert.deepEqual(links, [
      '</v2/legacy>; rel="successor-version", </v2/legacy>; rel="latest-version"',
      '</api/v2/cars>; rel="successor-version", </api/v2/cars>; rel="latest-version"',
    ])
  })
})

describe('an exclusion that cannot be used', () => {
  const create = (prefix: unknown, options: AppOptions = {}): readonly unknown[] => {
    try {
      // what plain JavaScript may give
      serve(ROWS, undefined, undefined, { ...options, prefix: prefix as string })
    } catch (error) {
      assert.ok(error instanceof DefinitionError)
      return error.errors.map(({ code, message, fix }) => [code, message, fix])
    }
    return []
  }
  const unused = (what: string): string => `prefix.exclude has ${what}, which is no route without the prefix`
  const cases: readonly (readonly [
    title: string,
    prefix: unknown,
    expected: readonly (readonly string[])[],
  ])[] = [
    [
      'misspelt',
      { path: '/api', exclude: ['/helth'] },
      [['unused_exclusion', unused('/helth'), 'did you mean "/health"?']],
    ],
    [
      'with the prefix',
      { path: '/api', exclude: ['/api/health'] },
      [['unused_exclusion', unused('/api/health'), 'did you mean "/health"?']],
    ],
    [
      'above routes',
      { path: '/api', exclude: ['/users'] },
      [['unused_exclusion', unused('/users'), 'did you mean "/users/{id:int}"?']],
    ],
    [
      'of another type',
      { path: '/api', exclude: ['/users/{id}'] },
      [
        [
          'unused_exclusion',
          unused('/users/{id}'),
          'use one of /cars, /cars/{id:int}, /status, /health, /legacy, /ping, /metrics, /files, /files/{name}, /users/{id:int}',
        ],
      ],
    ],
    [
      'with another method',
      { path: '/api', exclude: [{ method: ['PUT', 'PATCH'], path: '/health' }] },
      [
        [
          'unused_exclusion',
          unused('PUT,PATCH /health'),
          'leave out method, or name every method of the route',
        ],
      ],
    ],
    [
      'without a slash',
      { path: '/api', exclude: ['health'] },
      [['invalid_pattern', '"health" does not begin with a slash', 'write "/health"']],
    ],
    [
      'that is no path',
      { path: '/api', exclude: [7] },
      [['invalid_option', 'prefix.exclude has 7', "write '/health' or { method: 'GET', path: '/health' }"]],
    ],
    [
      'with an unknown method',
      { path: '/api', exclude: [{ method: 'get', path: '/health' }] },
      [
        [
          'invalid_option',
          'prefix.exclude.method is "get"',
          "give a method such as 'GET', or a list of methods",
        ],
      ],
    ],
    [
      'without any method',
      { path: '/api', exclude: [{ method: [], path: '/health' }] },
      [
        [
          'invalid_option',
          'prefix.exclude.method is an empty list',
          "give a method such as 'GET', or a list of methods",
        ],
      ],
    ],
    [
      'with an unknown option',
      { path: '/api', exclude: [{ methods: 'GET', path: '/health' }] },
      [['unknown_option', 'there is no option "prefix.exclude.methods"', 'did you mean "method"?']],
    ],
    [
      'outside of a list',
      { path: '/api', exclude: '/health' },
      [['invalid_option', 'prefix.exclude is "/health"', "give a list of paths, such as ['/health']"]],
    ],
    [
      'without a prefix',
      { exclude: ['/health'] },
      [['invalid_option', 'prefix.path is missing', "give a path of literal segments, such as '/api'"]],
    ],
    [
      'beside another option',
      { path: '/api', except: [] },
      [['unknown_option', 'there is no option "prefix.except"', 'use one of path, exclude']],
    ],
    [
      'with parameters in the prefix',
      { path: '/{a}' },
      [['invalid_option', 'prefix.path is "/{a}"', "give a path of literal segments, such as '/api'"]],
    ],
    [
      'in a prefix that is no path',
      7,
      [['invalid_option', 'prefix is 7', "give a path of literal segments, such as '/api'"]],
    ],
  ]
  for (const [title, prefix, expected] of cases) it(title, () => assert.deepEqual(create(prefix), expected))

  it('is reported when promised modules have come', async () => {
    const late = defineModule({
      controllers: [
        defineController({ prefix: '/late', routes: [{ method: 'GET', handler: () => 'late' }] }),
      ],
    })
    const root = (): ReturnType<typeof defineModule> => defineModule({ imports: [Promise.resolve(late)] })
    const found = createApp(root(), { logger: false, prefix: { path: '/api', exclude: ['/late'] } })
    assert.equal((await found.inject('/late')).json(), 'late')
    const missing = createApp(root(), { logger: false, prefix: { path: '/api', exclude: ['/later'] } })
    await assert.rejects(missing.ready(), (error) => {
      assert.ok(error instanceof DefinitionError)
      assert.deepEqual(placeless(error.errors), [
        {
          code: 'unused_exclusion',
          where: 'createApp',
          message: unused('/later'),
          fix: 'did you mean "/late"?',
        },
      ])
      return true
    })
  })

  it('is none for paths of health, which never have the prefix', () =>
    assert.deepEqual(
      create({ path: '/api', exclude: ['/livez'] }, { health: { live: '/livez', ready: '/readyz' } }),
      [],
    ))

  it('is none where there is no prefix', async () => {
    const app = serve(ROWS, URL, undefined, { prefix: { path: '', exclude: ['/health'] } })
    assert.deepEqual(await ask(app, '/v1/cars'), ok('cars@1'))
    assert.deepEqual(await ask(app, '/health'), ok('health@null'))
  })
})
