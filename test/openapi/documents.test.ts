import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineModule,
  defineRouter,
  defineVersioningScheme,
  DefinitionError,
  reply,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth } from 'octavo/auth'
import { csrf, loadShedding, rateLimit } from 'octavo/middleware'
import type { App, AppOptions, ErrorHandler, InjectOptions, OpenApiDocument } from 'octavo'

import { z } from 'zod'

import { assertOpenApi } from '../support/openapi.ts'
import { withoutPlaces } from '../support/places.ts'
import type { AnyRoute } from '../inside/parts.ts'
import { serve } from '../support/serve.ts'

const handler = (): string => 'done'

type Routes = readonly AnyRoute[]

/** An application of routes below `/car`, ready. */
async function appOf(routes: Routes, options: AppOptions = {}): Promise<App> {
  // their types are forgotten
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const controller = defineController({ name: 'car', routes: routes as never })
  const app = createApp(defineModule({ name: 'CarsModule', controllers: [controller] }), {
    logger: false,
    ...options,
  })
  await app.ready()
  return app
}

/** Paths with their methods and the ids there. */
function outline({ paths }: OpenApiDocument): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [`${method} ${path}`, operationId]),
    ),
  )
}

function operation(
  document: OpenApiDocument,
  path: string,
  method = 'get',
): OpenApiDocument['paths'][string][string] {
  const found = document.paths[path]?.[method]
  assert.ok(
    found !== undefined,
    `${method} ${path} is not among ${Object.keys(outline(document)).join(', ')}`,
  )
  return found
}

const VERSIONED: Routes = [
  { method: 'GET', path: '/{id:int}', name: 'getOne', version: '1', handler },
  { method: 'GET', path: '/{id:int}', name: 'getOne', version: '2', handler },
  { method: 'POST', name: 'add', version: '2', handler },
  { method: 'GET', path: '/about', name: 'about', handler },
  { method: 'GET', path: '/health', name: 'health', version: VERSION_NEUTRAL, handler },
]

describe('documents: routes', () => {
  it('has one operation for each method, named after the route', async () => {
    const app = await appOf([
      { method: 'GET', name: 'list', handler },
      { method: ['POST', 'PUT'], path: '/search', name: 'search', handler },
      { method: 'GET', path: '/own', name: 'own', operationId: 'readOwn', handler },
    ])
    assert.deepEqual(outline(app.openapi()), {
      'get /car': 'car.list',
      'post /car/search': 'car.search.post',
      'put /car/search': 'car.search.put',
      'get /car/own': 'readOwn',
    })
  })

  it('keeps the slash at the end where it means something', async () => {
    for (const [trailingSlash, path] of [
      ['ignore', '/car'],
      ['strict', '/car/'],
      ['redirect', '/car/'],
    ] as const) {
      const app = await appOf([{ method: 'GET', path: '/', name: 'list', handler }], { trailingSlash })
      assert.deepEqual(Object.keys(app.openapi().paths), [path], trailingSlash)
    }
  })

  it('makes a summary of the name, and takes what the route says', async () => {
    const app = await appOf([
      { method: 'GET', path: '/{car_id}', handler },
      { method: 'GET', path: '/a', summary: 'Own words', description: 'More *words*', tags: ['x'], handler },
    ])
    const document = app.openapi()
    assert.equal(operation(document, '/car/{car_id}').summary, 'Get a car')
    const { summary, description, tags } = operation(document, '/car/a')
    assert.deepEqual(
      { summary, description, tags },
      { summary: 'Own words', description: 'More *words*', tags: ['x'] },
    )
    assert.deepEqual(document.tags, [{ name: 'car' }, { name: 'x' }])
  })

  it('makes summaries that read like sentences', async () => {
    const route = (
      method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      path: `/${string}`,
      name?: string,
    ) => ({
      method,
      path,
      ...(name === undefined ? {} : { name }),
      handler,
    })
    const summariesOf = async (name: string, routes: readonly ReturnType<typeof route>[]) => {
      const app = serve(defineController({ name, routes }))
      await app.ready()
      const items = Object.values(app.openapi().paths)
      return items.flatMap((item) => Object.values(item).map(({ summary }) => summary))
    }
    const users = await summariesOf('UserController', [
      route('GET', '/', 'list'),
      route('POST', '/', 'create'),
      route('GET', '/{id}', 'getOne'),
      route('PUT', '/{id}', 'update'),
      route('DELETE', '/{id}', 'remove'),
      route('GET', '/mail/{address}', 'findByAddress'),
      route('POST', '/{id}/addresses', 'addAddress'),
      route('GET', '/me', 'me'),
    ])
    assert.deepEqual(users, [
      'List users',
      'Create a user',
      'Get a user',
      'Update a user',
      'Remove a user',
      'Find a user by address',
      'Add an address',
      'Me',
    ])
    const made = await summariesOf('OrderItemsController', [
      route('GET', '/'),
      route('POST', '/'),
      route('GET', '/{id}'),
      route('PUT', '/{id}'),
      route('GET', '/{id}/entries'),
      route('POST', '/{id}/archive'),
    ])
    assert.deepEqual(made, [
      'List order items',
      'Create an order item',
      'Get an order item',
      'Replace an order item',
      'List entries',
      'Post by id archive',
    ])
    assert.deepEqual(
      await summariesOf('HealthController', [route('GET', '/'), route('PUT', '/', 'update')]),
      ['Get health', 'Update health'],
    )
  })

  it('leaves out what is not to be in it, at every level', async () => {
    const hidden = defineController({
      name: 'hidden',
      includeInSchema: false,
      routes: [{ method: 'GET', handler }],
    })
    const inner = defineRouter({ name: 'inner', includeInSchema: true, routes: [{ method: 'GET', handler }] })
    const outer = defineRouter({ name: 'outer', includeInSchema: false, routers: [inner] })
    const module = defineModule({
      includeInSchema: false,
      controllers: [defineController({ name: 'internal', routes: [{ method: 'GET', handler }] })],
    })
    const shown = defineController({
      name: 'shown',
      routes: [
        { method: 'GET', handler },
        { method: 'GET', path: '/not', includeInSchema: false, handler },
      ],
    })
    const app = createApp(
      defineModule({ imports: [module], controllers: [hidden, shown], routers: [outer] }),
      {
        logger: false,
      },
    )
    await app.ready()
    assert.deepEqual(Object.keys(app.openapi().paths), ['/shown'])
  })

  it('has one path for patterns that differ only in the names of their parameters', async () => {
    const app = await appOf([
      { method: 'GET', path: '/{id:int}', name: 'byId', handler },
      { method: 'GET', path: '/{slug}', name: 'bySlug', handler },
      { method: 'DELETE', path: '/{other}', name: 'remove', handler },
    ])
    const document = app.openapi()
    assert.deepEqual(Object.keys(document.paths), ['/car/{id}'])
    const types = operation(document, '/car/{id}').parameters?.map(({ name, schema }) => [name, schema])
    assert.deepEqual(types, [
      [
        'id',
        {
          anyOf: [
            { type: 'integer', minimum: 0 },
            { type: 'string', minLength: 1 },
          ],
        },
      ],
    ])
    assert.deepEqual(
      operation(document, '/car/{id}', 'delete').parameters?.map(({ name }) => name),
      ['id'],
    )
  })

  it('says of itself what the options say, else what is known', async () => {
    const plain = (await appOf([])).openapi()
    assert.equal(plain.openapi, '3.1.1')
    assert.deepEqual(plain.info, { title: 'Cars', version: '1.0.0' })
    assert.deepEqual(plain.servers, [{ url: '/' }])
    const docs = {
      info: { title: 'Cars', version: '3.2.1', license: { name: 'MIT' } },
      servers: [{ url: 'https://api.example.com' }],
      tags: [{ name: 'car', description: 'Everything about cars' }, { name: 'unused' }],
      externalDocs: { url: 'https://example.com' },
    }
    const told = (await appOf([{ method: 'GET', handler }], { docs })).openapi()
    assert.deepEqual(told.info, docs.info)
    assert.deepEqual(told.servers, docs.servers)
    assert.deepEqual(told.tags, [{ name: 'car', description: 'Everything about cars' }])
    assert.deepEqual(told.externalDocs, docs.externalDocs)
  })

  it('merges what a route says in `openapi` into its operation', async () => {
    const app = await appOf([
      {
        method: 'GET',
        path: '/{id:int}',
        openapi: {
          'x-owner': 'team-cars',
          parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'integer' }, example: 7 }],
          responses: { '2XX': { headers: { 'X-Total': { schema: { type: 'integer' } } } } },
        },
        handler,
      },
    ])
    const found = operation(app.openapi(), '/car/{id}')
    assert.equal(found['x-owner'], 'team-cars')
    assert.deepEqual(found.parameters, [
      { in: 'path', name: 'id', required: true, schema: { type: 'integer' }, example: 7 },
    ])
    assert.deepEqual(found.responses['2XX'], {
      description: 'Success',
      content: { '*/*': {} },
      headers: { 'X-Total': { schema: { type: 'integer' } } },
    })
  })

  it('refuses what JSON cannot hold in the openapi of a route, with its place', async () => {
    const circular: Record<string, unknown> = {}
    circular['x-again'] = { inner: circular }
    for (const [openapi, message] of [
      [{ 'x-call': () => 1 }, 'openapi.x-call is a function'],
      [{ 'x-big': [1n] }, 'openapi.x-big.0 is a bigint'],
      [circular, 'openapi.x-again.inner is an object that it is in'],
    ] as const) {
      const app = await appOf([{ method: 'GET', openapi, handler }])
      assert.throws(
        () => app.openapi(),
        (error) => error instanceof DefinitionError && withoutPlaces(error.message).includes(message),
        message,
      )
    }
  })

  it('shares nothing with documents of other applications that could be changed', async () => {
    const routes: Routes = [{ method: 'GET', path: '/{id:int}', handler }]
    const { components, paths } = (await appOf(routes)).openapi()
    for (const shared of [
      components.responses?.['Problem'],
      components.schemas?.['ProblemDetails'],
      Object(components.schemas?.['ProblemDetails']?.['properties'])['type'],
      paths['/car/{id}']?.['get']?.parameters?.[0]?.schema,
    ]) {
      assert.ok(typeof shared === 'object', 'it is not there')
      assert.throws(() => Reflect.set(shared, 'description', 'changed') || assert.fail('frozen'))
    }
  })
})

describe('documents: versions', () => {
  const versioned = async (versioning: object, options: AppOptions = {}): Promise<App> =>
    // each scheme has options of its own
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    appOf(VERSIONED, { ...options, versioning: versioning as never })

  it('has them in the path under URL, and leaves what has no version where it is', async () => {
    const app = await versioned({ scheme: VersioningSchemes.URL, defaultVersion: '1' }, { prefix: '/api' })
    assert.deepEqual(outline(app.openapi({ version: '1' })), {
      'get /api/v1/car/{id}': 'car.getOne',
      'get /api/car/about': 'car.about',
      'get /api/car/health': 'car.health',
    })
    assert.deepEqual(outline(app.openapi({ version: '2' })), {
      'get /api/v2/car/{id}': 'car.getOne',
      'post /api/v2/car': 'car.add',
      'get /api/car/about': 'car.about',
      'get /api/car/health': 'car.health',
    })
    assert.deepEqual(outline(app.openapi()), {
      'get /api/v1/car/{id}': 'car.getOne.v1',
      'get /api/car/about': 'car.about',
      'get /api/car/health': 'car.health',
      'get /api/v2/car/{id}': 'car.getOne.v2',
      'post /api/v2/car': 'car.add.v2',
    })
    assert.equal(app.openapi({ version: '2' }).info.version, '2')
    assert.equal(app.openapi().info.version, '1, 2')
    const named = await versioned({ scheme: VersioningSchemes.URL }, { docs: { info: { version: '3' } } })
    assert.deepEqual(
      ['1', '2', 'all'].map((version) => named.openapi({ version }).info.version),
      ['1', '2', '3'],
    )
  })

  const PARAMETERS = [
    [
      'a header',
      [VersioningSchemes.HEADER, { headerParameter: 'x-version' }],
      'header',
      'x-version',
      'version=%',
    ],
    ['Accept', [VersioningSchemes.HEADER], 'header', 'accept', '*/*; version=%'],
    ['the query', [VersioningSchemes.QUERY, { versionParameter: 'v' }], 'query', 'v', '%'],
    [
      'a scheme of its own',
      [
        defineVersioningScheme({
          name: 'tenant',
          read: (request) => request.header('x-tenant'),
          write: (_draft, version) => ({ headers: { 'x-tenant': version } }),
        }),
      ],
      'header',
      'x-tenant',
      '%',
    ],
  ] as const
  for (const [title, [scheme, own = {}], place, name, value] of PARAMETERS) {
    it(`shows the parameter that names them in ${title}, required where there is no default`, async () => {
      const options = { ...own, defaultVersion: '1' }
      const app = await versioned({ scheme, ...options })
      const parameterOf = (version: string): unknown =>
        operation(app.openapi({ version }), '/car/{id}').parameters?.find((each) => each.name === name)
      const text = (version: string): string => value.replace('%', version)
      const common = { name, in: place, description: 'The API version' }
      assert.deepEqual(parameterOf('1'), {
        ...common,
        required: false,
        schema: { type: 'string', enum: [text('1')], default: text('1') },
      })
      assert.deepEqual(parameterOf('2'), {
        ...common,
        required: true,
        schema: { type: 'string', enum: [text('2')] },
      })
      assert.deepEqual(parameterOf('all'), {
        ...common,
        required: false,
        schema: { type: 'string', enum: [text('1'), text('2')], default: text('1') },
      })
      const about = operation(app.openapi({ version: '2' }), '/car/about')
      assert.equal(about.parameters, undefined)
      assert.deepEqual(Object.keys(about.responses), ['500', '2XX', 'default'])
    })
  }

  it('tells the statuses of version errors, as the scheme has them', async () => {
    const app = await versioned({ scheme: VersioningSchemes.HEADER, headerParameter: 'x-v' })
    const { responses } = operation(app.openapi({ version: '2' }), '/car/{id}')
    assert.deepEqual(responses['400'], { $ref: '#/components/responses/UnspecifiedVersion' })
    assert.deepEqual(responses['406'], { $ref: '#/components/responses/UnsupportedVersion' })
  })

  it('has no server made up where a pattern of its own would not read it', async () => {
    const app = await versioned({ scheme: VersioningSchemes.HOST, hostPattern: /^api-v(\d+)\.example\.com$/ })
    assert.deepEqual(app.openapi({ version: '2' }).servers, [{ url: '/' }])
  })

  it('has the hosts of versions as servers', async () => {
    const servers = [{ url: 'https://api.example.com:8443/', description: 'Live' }, { url: '/' }]
    const app = await versioned({ scheme: VersioningSchemes.HOST }, { docs: { servers } })
    const hosts = (version: string): unknown => app.openapi({ version }).servers.map(({ url }) => url)
    assert.deepEqual(hosts('2'), ['https://v2.example.com:8443/', '/'])
    assert.deepEqual(hosts('all'), ['https://v1.example.com:8443/', '/', 'https://v2.example.com:8443/'])
    const add = operation(app.openapi(), '/car', 'post')
    assert.deepEqual(
      add.servers?.map(({ url }) => url),
      ['https://v2.example.com:8443/', '/'],
    )
    const odd = await versioned(
      { scheme: VersioningSchemes.HOST },
      {
        docs: {
          servers: [
            'https://API.example.com/a?b',
            'http://p.test/p',
            'https://{who}.example.com',
            'http://127.0.0.1',
          ].map((url) => ({ url })),
        },
      },
    )
    assert.deepEqual(
      odd.openapi({ version: '2' }).servers.map(({ url }) => url),
      ['https://v2.example.com/a?b', 'http://v2.p.test/p', 'https://v2.example.com', 'http://127.0.0.1'],
    )
    const unknown = await versioned({ scheme: VersioningSchemes.HOST })
    assert.deepEqual(unknown.openapi({ version: '2' }).servers, [
      {
        url: 'https://v2.{domain}',
        variables: { domain: { default: 'localhost.test', description: 'Where the API answers' } },
      },
    ])
    await assertOpenApi(unknown.openapi({ version: '2' }))
    // with its variables a server is a URL
    for (const { url, variables = {} } of unknown.openapi().servers) {
      const written = url.replaceAll(/\{(\w+)\}/g, (_all, name: string) => variables[name]?.default ?? '')
      assert.ok(URL.canParse(written), written)
    }
  })

  it('shows in the combined document what only a request without version reaches', async () => {
    const app = await appOf(
      [
        { method: 'GET', path: '/{id}', name: 'old', handler },
        { method: 'GET', path: '/{id}', name: 'fresh', version: '2', handler },
      ],
      { versioning: { scheme: VersioningSchemes.URL } },
    )
    assert.deepEqual(outline(app.openapi({ version: '2' })), { 'get /v2/car/{id}': 'car.fresh' })
    assert.deepEqual(outline(app.openapi()), {
      'get /v2/car/{id}': 'car.fresh.v2',
      'get /car/{id}': 'car.old',
    })
  })

  it('shows what a request without version gets where a function chooses the version', async () => {
    const app = await appOf(
      [
        { method: 'GET', path: '/{id}', name: 'old', handler },
        { method: ['GET', 'POST'], path: '/{id}', name: 'fresh', version: '2', handler },
      ],
      { versioning: { scheme: VersioningSchemes.QUERY, defaultVersion: () => null } },
    )
    const parameters = (version: string, method: string): unknown =>
      operation(app.openapi({ version }), '/car/{id}', method).parameters?.map(({ name, required }) => [
        name,
        required,
      ])
    assert.deepEqual(parameters('2', 'get'), [
      ['version', true],
      ['id', true],
    ])
    assert.deepEqual(parameters('all', 'get'), [
      ['version', false],
      ['id', true],
    ])
    assert.deepEqual(parameters('all', 'post'), [
      ['version', true],
      ['id', true],
    ])
  })

  it('says where the version comes from when no request can name it', async () => {
    const account = defineVersioningScheme({
      name: 'account',
      read: () => '1',
      describe: 'the account of the caller',
    })
    const app = await appOf([{ method: 'GET', version: '1', description: 'Lists cars.', handler }], {
      versioning: { scheme: account },
    })
    assert.equal(
      operation(app.openapi({ version: '1' }), '/car').description,
      'Lists cars.\n\nThe version comes from: the account of the caller.',
    )
  })

  it('finds a version however it is written, and lists what there is for another', async () => {
    const app = await versioned({ scheme: VersioningSchemes.URL, format: 'semver' })
    assert.equal(app.openapi({ version: '2.0' }), app.openapi({ version: '2' }))
    assert.throws(() => app.openapi({ version: '9' }), {
      name: 'RangeError',
      message: 'openapi: there is no version "9"; there are 1, 2, all',
    })
  })

  it('is not there before the application is ready', () => {
    const app = createApp(defineModule({}), { logger: false })
    assert.throws(() => app.openapi(), {
      message: 'openapi: call await app.ready() first, also after listen()',
    })
  })

  it('gives the same object again', async () => {
    const app = await versioned({ scheme: VersioningSchemes.URL })
    assert.equal(app.openapi(), app.openapi({ version: 'all' }))
  })
})

describe('documents: the end of versions', () => {
  let now = Date.parse('2026-01-15')
  const policied = async (): Promise<App> =>
    appOf(
      [
        { method: 'GET', name: 'a', version: ['1', '2', '3'], handler },
        { method: 'GET', path: '/b', name: 'b', version: '3', deprecated: true, handler },
      ],
      {
        versioning: {
          scheme: VersioningSchemes.HEADER,
          clock: () => now,
          versions: [
            {
              version: '1',
              deprecated: '2025-01-01',
              sunset: '2026-06-30',
              retired: 'gone',
              links: { sunset: { href: 'https://example.com/v1', title: 'Moving' } },
            },
            { version: '2', deprecated: '2026-03-01' },
            '3',
          ],
        },
      },
    )

  it('marks operations as deprecated, with the day of their sunset', async () => {
    const document = (await policied()).openapi({ version: '1' })
    const found = operation(document, '/car')
    assert.equal(found.deprecated, true)
    assert.equal(found['x-sunset'], '2026-06-30')
    assert.deepEqual(found.responses['410'], { $ref: '#/components/responses/RetiredVersion' })
    assert.deepEqual(found.responses['2XX'], {
      description: 'Success',
      headers: {
        Deprecation: { $ref: '#/components/headers/Deprecation' },
        Sunset: { $ref: '#/components/headers/Sunset' },
        Link: { $ref: '#/components/headers/Link' },
      },
      content: { '*/*': {} },
    })
    assert.deepEqual(Object.keys(document.components.headers ?? {}), ['Deprecation', 'Link', 'Sunset'])
  })

  it('says it of single routes', async () => {
    const document = (await policied()).openapi({ version: '3' })
    assert.equal(operation(document, '/car').deprecated, undefined)
    assert.equal(operation(document, '/car/b').deprecated, true)
  })

  it('says of what is asked for without a version what is said of it in the default version', async () => {
    const past = { sunset: '2020-01-01', retired: 'gone' } as const
    const app = await appOf(
      [
        { method: 'GET', path: '/a', name: 'a', policy: { versions: { '1': past } }, handler },
        { method: 'GET', path: '/b', name: 'b', version: ['1', '2'], handler },
      ],
      { versioning: { scheme: VersioningSchemes.QUERY, defaultVersion: '1' } },
    )
    const answer = await app.inject('/car/a')
    assert.equal(answer.statusCode, 410)
    for (const version of ['1', '2', 'all'])
      assert.ok('410' in operation(app.openapi({ version }), '/car/a').responses, version)
  })

  it('has the links of policies in x-api-versioning', async () => {
    const app = await policied()
    const expected = {
      version: '1',
      status: 'deprecated',
      deprecated: '2025-01-01T00:00:00.000Z',
      sunset: '2026-06-30T00:00:00.000Z',
      links: [{ rel: 'sunset', type: 'text/html', href: 'https://example.com/v1', title: 'Moving' }],
    }
    assert.deepEqual(app.openapi({ version: '1' })['x-api-versioning'], expected)
    assert.equal(app.openapi({ version: '3' })['x-api-versioning'], undefined)
    assert.deepEqual(app.openapi()['x-api-versioning'], [
      expected,
      { version: '2', status: 'active', deprecated: '2026-03-01T00:00:00.000Z', links: [] },
    ])
  })

  it('changes when a moment has come', async () => {
    const app = await policied()
    const before = app.openapi({ version: '2' })
    assert.equal(operation(before, '/car').deprecated, undefined)
    const combined = app.openapi()
    now = Date.parse('2026-03-02')
    assert.equal(operation(app.openapi({ version: '2' }), '/car').deprecated, true)
    assert.notEqual(app.openapi(), combined)
    now = Date.parse('2026-01-15')
  })
})

describe('documents: guards', () => {
  const bearer = bearerAuth({ verify: () => true, bearerFormat: 'JWT' })
  const key = apiKey({ in: 'header', name: 'X-Key', verify: () => true })
  const admin = defineGuard({ name: 'admin', canActivate: () => true })

  it('has an empty list and no 401 or 403 for open operations', async () => {
    const found = operation((await appOf([{ method: 'GET', handler }])).openapi(), '/car')
    assert.deepEqual(found.security, [])
    assert.deepEqual(Object.keys(found.responses), ['500', '2XX', 'default'])
  })

  it('demands each combination once, however many guards have the same alternatives', async () => {
    const security = ['a', 'b', 'c', 'd'].map((name) => ({
      [name]: { type: 'http', scheme: 'bearer' } as const,
    }))
    const guards = Array.from({ length: 24 }, (_, index) =>
      defineGuard({ name: `g${index}`, security, canActivate: () => true }),
    )
    const found = operation((await appOf([{ method: 'GET', guards, handler }])).openapi(), '/car')
    assert.equal(found.security.length, 15)
  })

  it('demands all guards of all levels together, each by one of its alternatives', async () => {
    const app = await appOf(
      [
        { method: 'GET', handler },
        { method: 'GET', path: '/both', guards: [key], handler },
        {
          method: 'GET',
          path: '/any',
          guards: [anyOf(key, basicAuth({ verify: () => true })), admin],
          handler,
        },
        { method: 'GET', path: '/open', withoutGuards: [bearer], handler },
        { method: 'GET', path: '/admin', withoutGuards: [bearer], guards: [admin], handler },
      ],
      { guards: [bearer] },
    )
    const document = app.openapi()
    const of = (path: string): unknown => operation(document, path).security
    assert.deepEqual(of('/car'), [{ bearerAuth: [] }])
    assert.deepEqual(of('/car/both'), [{ bearerAuth: [], 'header-X-Key': [] }])
    assert.deepEqual(of('/car/any'), [
      { bearerAuth: [], 'header-X-Key': [] },
      { bearerAuth: [], basicAuth: [] },
    ])
    assert.deepEqual(of('/car/open'), [])
    assert.deepEqual(of('/car/admin'), [])
    assert.deepEqual(operation(document, '/car').responses['401'], {
      $ref: '#/components/responses/CredentialsRefused',
    })
    assert.equal(operation(document, '/car/admin').responses['401'], undefined)
    assert.deepEqual(operation(document, '/car/admin').responses['403'], {
      $ref: '#/components/responses/Forbidden',
    })
    assert.deepEqual(document.components.securitySchemes, {
      bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      'header-X-Key': { type: 'apiKey', in: 'header', name: 'X-Key' },
      basicAuth: { type: 'http', scheme: 'basic' },
    })
  })

  it('refuses what is no security scheme, or has a name that no document takes', async () => {
    const security = [{ 'a b': { type: 'http', scheme: 'basic' } }] as const
    const guard = defineGuard({ name: 'odd', security, canActivate: () => true })
    const app = await appOf([{ method: 'GET', guards: [guard], handler }])
    assert.throws(
      () => app.openapi(),
      /guard odd of .*: security names "a b", which is not a security scheme/,
    )
    assert.throws(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what only JavaScript lets through
      () => defineGuard({ name: 'odd', security: [{ a: 5 }] as never, canActivate: () => true }),
      /security\[0\] is an object with a\. Give a list, such as/,
    )
  })

  it('refuses two schemes of one name', async () => {
    const app = await appOf([
      { method: 'GET', name: 'a', guards: [bearer], handler },
      { method: 'POST', name: 'b', guards: [bearerAuth({ verify: () => true })], handler },
    ])
    assert.throws(
      () => app.openapi(),
      (error) => {
        assert.ok(error instanceof DefinitionError, 'it is no DefinitionError')
        const [problem] = error.errors
        assert.equal(problem?.code, 'duplicate_security_scheme')
        assert.match(problem?.where ?? '', /car\.b: POST/)
        assert.match(problem?.message ?? '', /car\.a: GET/)
        return true
      },
    )
  })
})

describe('documents: errors', () => {
  it('refers to problem documents, which are components', async () => {
    const document = (await appOf([{ method: 'GET', handler }])).openapi()
    assert.deepEqual(operation(document, '/car').responses['default'], {
      $ref: '#/components/responses/Problem',
    })
    assert.deepEqual(Object.keys(document.components.schemas ?? {}), ['ProblemDetails'])
    assert.deepEqual(Object.keys(document.components.responses ?? {}), ['InternalError', 'Problem'])
  })

  it('writes each status out where it can happen', async () => {
    const limited = rateLimit({ limit: 10, window: 60, onStoreError: 'refuse' })
    const app = await appOf(
      [
        { method: 'GET', name: 'open', handler },
        { method: 'GET', name: 'found', path: '/{id}', handler },
        { method: 'GET', name: 'list', path: '/list', input: { query: { a: z.string() } }, handler },
        { method: 'GET', name: 'seen', path: '/seen', input: { cookies: { a: z.string() } }, handler },
        { method: 'POST', name: 'create', input: { body: z.object({}) }, handler },
        { method: 'POST', name: 'limited', path: '/limited', middleware: [limited, csrf()], handler },
        { method: 'GET', name: 'range', path: '/range', response: { '4XX': z.string() }, handler },
      ],
      { middleware: [loadShedding({ measure: () => 0 })] },
    )
    const document = app.openapi()
    const of = (path: string, method?: string): readonly string[] =>
      Object.keys(operation(document, path, method).responses).filter(
        (status) => !['2XX', '500', '503', 'default'].includes(status),
      )
    assert.ok('503' in operation(document, '/car').responses, 'load shedding is everywhere')
    assert.deepEqual(of('/car'), [])
    assert.deepEqual(of('/car/{id}'), ['404'])
    assert.deepEqual(of('/car/list'), ['400', '422'])
    assert.deepEqual(of('/car/seen'), ['422'])
    assert.deepEqual(of('/car', 'post'), ['400', '413', '415', '422'])
    assert.deepEqual(of('/car/limited', 'post'), ['403', '429'])
    const { components } = document
    const shown = operation(document, '/car/limited', 'post').responses
    assert.deepEqual(shown['429'], { $ref: '#/components/responses/TooManyRequests' })
    const { headers } = Object(components.responses?.['TooManyRequests'])
    assert.deepEqual(Object.keys(headers), ['RateLimit', 'RateLimit-Policy', 'Retry-After'])
    const both = Object(shown['503']).content['application/problem+json']
    const codes = both.schema.anyOf.map((each: { allOf: readonly object[] }) => Object(each.allOf[1]))
    assert.deepEqual(
      codes.map((each: { properties: { code: object } }) => each.properties.code),
      ['overloaded', 'rate_limit_unavailable'].map((code) => ({ type: 'string', const: code })),
    )
    assert.deepEqual(operation(document, '/car').responses['503'], {
      $ref: '#/components/responses/Overloaded',
    })
    assert.deepEqual(of('/car/range'), ['4XX'])
    const { content } = Object(operation(document, '/car/range').responses['4XX'])
    assert.deepEqual(Object.keys(content), ['application/json', 'application/problem+json'])
  })

  it('shows as examples what is really sent', async () => {
    const app = await appOf([
      { method: 'POST', input: { body: z.object({}) }, handler },
      {
        method: 'GET',
        path: '/{id:int}',
        guards: [bearerAuth({ verify: () => true }), defineGuard({ name: 'no', canActivate: () => false })],
        handler,
      },
    ])
    const { responses = {} } = app.openapi().components
    const send = async (options: InjectOptions) => (await app.inject(options)).json()
    const sent = {
      BadRequest: await send({
        method: 'POST',
        url: '/car',
        headers: { 'content-type': 'application/json' },
        body: '{',
      }),
      UnsupportedMediaType: await send({
        method: 'POST',
        url: '/car',
        headers: { 'content-type': 'text/css' },
        body: '{',
      }),
      NotFound: await send({ method: 'GET', url: '/other' }),
      Forbidden: await send({ method: 'GET', url: '/car/7', headers: { authorization: 'Bearer a' } }),
      CredentialsRefused: await send({ method: 'GET', url: '/car/7' }),
    }
    for (const [name, problem] of Object.entries(sent))
      assert.deepEqual(
        Object(responses[name]?.content?.['application/problem+json'])['example'],
        problem,
        name,
      )
    const shapes = await send({ method: 'POST', url: '/car', body: [] })
    const example = Object(responses['ValidationFailed']?.content?.['application/problem+json'])['example']
    assert.deepEqual(Object.keys(example), Object.keys(Object(shapes)))
  })

  it('promises nothing where error handlers may answer, but what the route declares', async () => {
    const errorHandlers = [defineErrorHandler({ match: 404, handle: () => 'mine' })]
    const Missing = z.object({ id: z.number() })
    const app = await appOf([
      {
        method: 'GET',
        guards: [bearerAuth({ verify: () => true })],
        errorHandlers,
        response: { 200: z.string(), 404: Missing },
        handler,
      },
    ])
    const { responses } = operation(app.openapi(), '/car')
    const { 200: _success, 401: unauthenticated, 404: missing, ...others } = responses
    assert.deepEqual(unauthenticated, {
      description: 'Credentials are missing or not accepted',
      headers: {
        'WWW-Authenticate': {
          description: 'How to authenticate (RFC 9110 section 11.6.1)',
          schema: { type: 'string' },
        },
      },
    })
    assert.deepEqual(Object.keys(Object(missing).content), ['application/json'])
    assert.deepEqual(others, {
      403: { description: 'The request is not allowed' },
      500: { description: 'Something went wrong in the server' },
      default: { description: 'What went wrong' },
    })
    assert.equal(JSON.stringify(app.openapi()).includes('problem+json'), false)
  })

  it('keeps the schemas of errors if every error handler declares its own', async () => {
    class OutOfStock extends Error {}
    const stock = defineErrorHandler({
      match: OutOfStock,
      response: { 409: z.object({ article: z.int() }).meta({ id: 'Missing' }) },
      handle: () => reply(409, { article: 7 }),
    })
    const unknown = defineErrorHandler({ match: 404, handle: () => 'mine' })
    const responsesBy = async (errorHandlers: readonly ErrorHandler[]) => {
      const query = { a: z.string().optional() }
      const app = await appOf([{ method: 'GET', errorHandlers, input: { query }, handler }])
      return operation(app.openapi(), '/car').responses
    }
    const { 409: declared, 422: invalid, default: others } = await responsesBy([stock])
    assert.deepEqual(Object(declared).content, {
      'application/json': { schema: { $ref: '#/components/schemas/Missing' } },
      'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } },
    })
    assert.deepEqual(invalid, { $ref: '#/components/responses/ValidationFailed' })
    assert.deepEqual(others, { $ref: '#/components/responses/Problem' })
    const open = await responsesBy([stock, unknown])
    assert.deepEqual(Object.keys(Object(open['409']).content), ['application/json'])
    assert.equal(Object(open['422']).content, undefined)
  })

  it('shows problem documents beside a range that the route declares, because error handlers may not answer all of it', async () => {
    const errorHandlers = [defineErrorHandler({ match: 404, handle: () => ({ id: 7 }) })]
    const Missing = z.object({ id: z.number() })
    for (const range of ['4XX', 'default'] as const) {
      const app = await appOf([
        {
          method: 'GET',
          errorHandlers,
          input: { query: { a: z.string() } },
          response: { 200: z.string(), 409: Missing, [range]: Missing },
          handler,
        },
      ])
      const { responses } = operation(app.openapi(), '/car')
      const types = ['409', '422', range].map((status) => Object.keys(Object(responses[status]).content))
      const both = ['application/json', 'application/problem+json']
      assert.deepEqual(types, [['application/json'], both, both])
    }
  })

  it('promises nothing in the document of all versions where the error handlers of one may answer', async () => {
    const errorHandlers = [defineErrorHandler({ match: 404, handle: () => 'mine' })]
    const app = await appOf(
      [
        { method: 'GET', name: 'old', version: '1', errorHandlers, handler },
        { method: 'GET', name: 'new', version: '2', input: { query: { a: z.string() } }, handler },
      ],
      { versioning: { scheme: VersioningSchemes.QUERY } },
    )
    const { responses } = operation(app.openapi(), '/car')
    const contents = ['422', '500', 'default'].map((status) => Object(responses[status]).content)
    assert.deepEqual(contents, [undefined, undefined, undefined])
  })

  it('refuses one operationId for two routes', async () => {
    const app = await appOf([
      { method: 'GET', name: 'a', operationId: 'x', handler },
      { method: 'POST', name: 'b', operationId: 'x', handler },
    ])
    assert.throws(
      () => app.openapi(),
      /car\.b: POST \/car.*\n?.*car\.a: GET \/car has the operationId "x" too/s,
    )
  })
})

describe('schemas that use the same ones on many ways', () => {
  type Make = (below: z.ZodType, at: number) => z.ZodType
  const SHAPES: Readonly<Record<string, Make>> = {
    members: (below) => z.object({ a: below, b: below }),
    getters: (below) =>
      z.object({
        get a() {
          return below
        },
        get b() {
          return below
        },
      }),
    union: (below, at) => z.union([below, z.object({ [`own${at}`]: below })]),
    record: (below) => z.object({ a: below }).catchall(below),
  }
  for (const [title, make] of Object.entries(SHAPES))
    it(`are documented and read once: ${title}`, async () => {
      let body: z.ZodType = z.object({ leaf: z.string() })
      // each way walked by itself, 40 levels would take years
      for (let at = 0; at < 40; at++) body = make(body, at).meta({ id: `Level${at}` })
      const controller = defineController({
        prefix: '/cars',
        routes: [{ method: 'POST', input: { body }, response: body, handler: ({ body: given }) => given }],
      })
      const app = serve(controller)
      await app.ready()
      assert.ok(JSON.stringify(app.openapi()).length < 50_000)
      const { statusCode } = await app.inject({ method: 'POST', url: '/cars', body: { other: 1 } })
      assert.equal(statusCode, 422)
      await app.close()
    })
})
