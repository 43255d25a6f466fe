import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  DefinitionError,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineVersioningScheme,
  VersioningSchemes,
} from 'octavo'
import { apiKey } from 'octavo/auth'
import { compression, cors, etag, securityHeaders } from 'octavo/middleware'
import type { App, InjectOptions } from 'octavo'
import { parse } from 'yaml'

import { serve } from '../support/serve.ts'
import { createCars } from './support.ts'

const { URL: PATH, HEADER, QUERY, HOST } = VersioningSchemes

/** What a document says of itself. */
interface Told {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, unknown>>
}

interface Problem {
  readonly code: string
  readonly versions: readonly string[]
}

describe('the option docs', () => {
  for (const [title, docs] of [
    ['a title that is no text', { info: { title: 5 } }],
    ['what JSON cannot hold', { info: { 'x-made': () => 1 } }],
    ['servers without a URL', { servers: [{ description: 'Live' }] }],
    ['tags without a name', { tags: [{}] }],
    ['a path with parameters', { path: '/docs/{x}' }],
    ['an unknown option', { title: 'Cars' }],
    ['what is no object', 'yes'],
  ] as const) {
    it(`refuses ${title}`, () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what only JavaScript lets through
      assert.throws(() => createCars({ docs: docs as never }), DefinitionError)
    })
  }
})

describe('documents', () => {
  const cases = [
    ['/docs/openapi.json', 'application/json'],
    ['/docs/openapi.yaml', 'application/yaml'],
    ['/docs/openapi/1.json', 'application/json'],
    ['/docs/openapi/2.0-beta.json', 'application/json'],
    ['/docs/openapi/2.0-beta.yaml', 'application/yaml'],
    ['/docs/openapi/2%2E0%2dbeta.json', 'application/json'],
  ] as const

  for (const [url, type] of cases) {
    it(`are served at ${url}`, async () => {
      const app = createCars()
      app.enableVersioning(PATH)
      const response = await app.inject(url)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], type)
      assert.equal(response.headers['cache-control'], 'no-cache')
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      assert.match(String(response.headers['etag']), /^"[\w-]+"$/)
      await app.ready()
      const version = /2\.0|2%2E0/.test(url) ? '2.0-beta' : url.includes('/1.') ? '1' : 'all'
      const expected: unknown = JSON.parse(JSON.stringify(app.openapi({ version })))
      assert.deepEqual(type === 'application/yaml' ? parse(response.body) : response.json(), expected)
    })
  }

  it('have an entity tag that answers conditions, and HEAD', async () => {
    const app = createCars()
    app.enableVersioning(PATH)
    const first = await app.inject('/docs/openapi/1.json')
    const tag = String(first.headers['etag'])
    const again = await app.inject({ url: '/docs/openapi/1.json', headers: { 'if-none-match': tag } })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
    assert.equal(again.headers['etag'], tag)
    const other = await app.inject({ url: '/docs/openapi/1.yaml', headers: { 'if-none-match': tag } })
    assert.equal(other.statusCode, 200)
    const head = await app.inject({ method: 'HEAD', url: '/docs/openapi/1.json' })
    assert.deepEqual(
      [head.statusCode, head.body, head.headers['etag'], head.headers['content-length']],
      [200, '', tag, first.headers['content-length']],
    )
  })

  it('of versions that have hidden routes alone are not there, and nothing tells their names', async () => {
    const hidden = defineController({
      name: 'hidden',
      version: '9secret',
      includeInSchema: false,
      routes: [{ method: 'GET', handler: () => 'hidden' }],
    })
    const shown = defineController({
      name: 'shown',
      version: '1',
      routes: [{ method: 'GET', handler: () => 'shown' }],
    })
    const app = serve([hidden, shown], { docs: {} })
    app.enableVersioning(HOST, { versions: { '9secret': { deprecated: true } } })
    const answers = [
      ['/docs/openapi/9secret.json', 404],
      ['/docs/client.json?version=9secret', 404],
      ['/docs/client.json', 200],
      ['/docs/openapi/2.json', 404],
      ['/docs/openapi.json', 200],
      ['/docs', 200],
    ] as const
    for (const [url, status] of answers) {
      const { statusCode, body, headers } = await app.inject(url)
      assert.equal(statusCode, status, url)
      assert.doesNotMatch(body + JSON.stringify(headers), /secret/, url)
    }
    await app.ready()
    assert.equal(app.openapi({ version: '9secret' }).info.version, '9secret')
  })

  it('that do not exist are 404 with the versions that have one, and what was asked for is not repeated', async () => {
    const app = createCars()
    app.enableVersioning(PATH)
    for (const version of ['9', '01', '%3Cscript%3E', 'all', '1.json', '1%2F..']) {
      const response = await app.inject(`/docs/openapi/${version}.json`)
      assert.equal(response.statusCode, 404, version)
      const { requestId: _id, ...problem } = response.json() as Record<string, unknown>
      assert.deepEqual(problem, {
        type: 'urn:octavo:problem:document-not-found',
        title: 'Not Found',
        status: 404,
        detail: 'There is no document of this version',
        code: 'document_not_found',
        versions: ['1', '2.0-beta'],
      })
    }
  })

  it('have one document where there are no versions', async () => {
    const plain = defineController({ prefix: '/car', routes: [{ method: 'GET', handler: () => 1 }] })
    const app = serve(plain, { docs: {} })
    const { paths } = (await app.inject('/docs/openapi.json')).json() as Told
    assert.deepEqual(Object.keys(paths), ['/car'])
    const missing = await app.inject('/docs/openapi/1.json')
    assert.deepEqual([missing.statusCode, (missing.json() as Problem).versions], [404, []])
  })

  it('do not show the routes that serve them', async () => {
    const app = createCars({ prefix: '/api', docs: { path: '/help' } })
    app.enableVersioning(QUERY)
    const response = await app.inject('/api/help/openapi.json')
    assert.doesNotMatch(response.body, /help|asset/)
    assert.equal((await app.inject('/help/openapi.json')).statusCode, 404)
    assert.equal((await app.inject('/docs/openapi.json')).statusCode, 404)
  })

  it('that cannot be made are a 500 that says nothing, and a log that says what to mend', async () => {
    const logged: unknown[] = []
    const ignore = (): void => undefined
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (details: object) => logged.push(Reflect.get(details, 'err')),
    }
    const [one, two] = ['/a', '/b'].map((prefix) =>
      defineController({ prefix, routes: [{ method: 'GET', operationId: 'same', handler: () => 1 }] }),
    )
    assert.ok(one && two, 'two controllers')
    const app = serve([one, two], { logger, docs: {} })
    const response = await app.inject('/docs/openapi.json')
    assert.equal(response.statusCode, 500)
    assert.equal((response.json() as Problem).code, 'internal_error')
    assert.doesNotMatch(response.body, /same|operation/)
    const [error] = logged
    assert.ok(error instanceof DefinitionError, String(error))
    assert.match(error.message, /duplicate_operation_id/)
    assert.equal((await app.inject('/docs')).statusCode, 200)
    assert.equal((await app.inject('/a')).statusCode, 200)
  })
})

describe('documents and page answer whatever version is asked for', () => {
  const own = defineVersioningScheme({
    name: 'OWN',
    read: ({ headers }) => headers['x-own']?.toString(),
    vary: ['x-own'],
  })
  const custom = { headerParameter: 'x-version' } as const
  const ways: Readonly<Record<string, (app: App, common: object) => void>> = {
    URL: (app, common) => app.enableVersioning(PATH, common),
    'HEADER with accept': (app, common) => app.enableVersioning(HEADER, common),
    'HEADER with a header of its own': (app, common) =>
      app.enableVersioning(HEADER, { ...custom, ...common }),
    QUERY: (app, common) => app.enableVersioning(QUERY, common),
    HOST: (app, common) => app.enableVersioning(HOST, common),
    'an own scheme': (app, common) => app.enableVersioning(own, common),
    'several schemes': (app, common) =>
      app.enableVersioning([[PATH], [HEADER, custom], [QUERY], [HOST]], common),
  }
  const commons = [
    {},
    { defaultVersion: '1' },
    { defaultVersion: 'latest', versions: ['3', '1'] },
    { required: true },
    { format: 'semver', unknown: 'floor', versions: ['3', '1'] },
  ]
  const asks = ['3', '9', '§'].flatMap((version): readonly Omit<InjectOptions, 'url'>[] => [
    { headers: { 'x-version': `version=${version};` } },
    { headers: { accept: `application/json; version=${version}` } },
    { headers: { 'x-own': version } },
    { query: { version } },
    { host: `v${version === '§' ? '0' : version}.example.com` },
  ])

  for (const [title, enable] of Object.entries(ways)) {
    it(`under ${title}`, async () => {
      for (const common of commons) {
        const app = createCars({}, '3')
        enable(app, common)
        for (const url of ['/docs', '/docs/openapi/3.json', '/docs/assets/page.js']) {
          const bare = await app.inject(url)
          assert.equal(bare.statusCode, 200, `${url} ${JSON.stringify(common)}`)
          for (const ask of asks) {
            const response = await app.inject({ url, ...ask })
            const isSame = url === '/docs' || response.body === bare.body
            assert.deepEqual(
              [response.statusCode, isSame],
              [200, true],
              `${url} ${JSON.stringify({ common, ask })}`,
            )
          }
        }
      }
    })
  }
})

describe('guards of documents and page', () => {
  const key = (name: string) => apiKey({ in: 'header', name, verify: (value) => value === 'let me in' })
  const open = { 'x-global': 'let me in' }
  const own = { 'x-own': 'let me in' }
  const cases = [
    ['the global ones', {}, {}, 401],
    ['the global ones, passed', {}, open, 200],
    ['none, when they are public', { public: true }, {}, 200],
    ['their own after the global ones', { guards: [key('x-own')] }, open, 401],
    ['their own after the global ones, both passed', { guards: [key('x-own')] }, { ...open, ...own }, 200],
    ['their own alone, when they are public', { public: true, guards: [key('x-own')] }, {}, 401],
    ['their own alone, passed', { public: true, guards: [key('x-own')] }, own, 200],
  ] as const

  for (const [title, docs, headers, status] of cases) {
    it(`are ${title}`, async () => {
      const app = createCars({ docs, guards: [key('x-global')] })
      app.enableVersioning(PATH)
      for (const url of ['/docs', '/docs/openapi.json', '/docs/openapi/1.yaml', '/docs/assets/page.css'])
        assert.equal((await app.inject({ url, headers })).statusCode, status, url)
      // what is public is these alone
      assert.equal((await app.inject('/v1/car/7')).statusCode, 401)
    })
  }

  it('leave interceptors and error handlers where they are when documents are public', async () => {
    const seen: string[] = []
    const tell = defineInterceptor({
      name: 'Tell',
      intercept: (_context, next) => {
        seen.push('interceptor')
        return next()
      },
    })
    const never = defineGuard({ name: 'Never', canActivate: () => false })
    const app = createCars({
      docs: { public: true },
      guards: [never],
      interceptors: [tell],
      errorHandlers: [defineErrorHandler({ match: 404, handle: () => ({ mine: true }) })],
    })
    assert.equal((await app.inject('/docs/openapi.json')).statusCode, 200)
    assert.deepEqual(seen, ['interceptor'])
    assert.deepEqual((await app.inject('/docs/openapi/9.json')).json(), { mine: true })
  })
})

describe('middleware around documents and page', () => {
  it('compresses, adds its headers and keeps the policy of the page', async () => {
    const app = createCars({
      middleware: [cors({ origin: ['https://a.example'] }), securityHeaders(), compression(), etag()],
    })
    const headers = { 'accept-encoding': 'gzip', origin: 'https://a.example' }
    const page = await app.inject({ url: '/docs', headers })
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self'; /)
    assert.equal(page.headers['x-frame-options'], 'SAMEORIGIN')
    const document = await app.inject({ url: '/docs/openapi.json', headers })
    assert.equal(document.headers['access-control-allow-origin'], 'https://a.example')
    assert.equal(document.headers['content-encoding'], 'gzip')
    const tag = String(document.headers['etag'])
    const again = await app.inject({
      url: '/docs/openapi.json',
      headers: { ...headers, 'if-none-match': tag },
    })
    assert.equal(again.statusCode, 304)
    const script = await app.inject({ url: '/docs/assets/swagger-ui-bundle.js', headers })
    assert.deepEqual([script.statusCode, script.headers['content-encoding']], [200, 'gzip'])
    const preflight = await app.inject({
      method: 'OPTIONS',
      url: '/docs/openapi.json',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    })
    assert.equal(preflight.statusCode, 204)
  })
})

describe('an application without docs', () => {
  for (const docs of [undefined, false] as const) {
    it(`serves nothing of it: docs is ${docs}`, async () => {
      const app = createApp(defineModule({}), { logger: false, ...(docs === undefined ? {} : { docs }) })
      for (const url of ['/docs', '/docs/openapi.json', '/docs/assets/page.js'])
        assert.equal(((await app.inject(url)).json() as Problem).code, 'route_not_found', url)
      assert.deepEqual(app.routes(), [])
    })
  }
})

describe('the catalog (RFC 9727)', () => {
  const url = '/.well-known/api-catalog'
  const controller = defineController({
    name: 'car',
    prefix: '/car',
    version: ['1', '2'],
    routes: [{ method: 'GET', name: 'list', handler: () => [] }],
  })
  const versions = [
    { version: '2' },
    {
      version: '1',
      deprecated: '2026-01-01',
      sunset: '2026-12-31T23:59:59Z',
      links: { deprecation: 'https://shop.example/2', sunset: { href: '/ends', title: 'The end' } },
    },
  ]
  const clock = (): number => Date.parse('2026-06-01')

  it('lists the versions with their documents and endings', async () => {
    const app = createApp(defineModule({ controllers: [controller] }), {
      prefix: '/api',
      versioning: { scheme: PATH, versions, clock },
      docs: {},
    })
    const response = await app.inject(url)
    assert.equal(response.statusCode, 200)
    assert.equal(
      response.headers['content-type'],
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    )
    assert.deepEqual(response.json(), {
      linkset: [
        { anchor: url, item: [{ href: '/' }] },
        {
          anchor: '/',
          'service-desc': [
            {
              href: '/api/docs/openapi/2.json',
              type: 'application/json',
              title: 'Version 2',
              version: ['2'],
              status: ['active'],
            },
            {
              href: '/api/docs/openapi/1.json',
              type: 'application/json',
              title: 'Version 1',
              version: ['1'],
              status: ['deprecated'],
              deprecated: ['2026-01-01T00:00:00.000Z'],
              sunset: ['2026-12-31T23:59:59.000Z'],
            },
          ],
          'service-doc': [{ href: '/api/docs', type: 'text/html' }],
          deprecation: [{ title: 'Version 1', type: 'text/html', href: 'https://shop.example/2' }],
          sunset: [{ title: 'The end', type: 'text/html', href: '/ends' }],
        },
      ],
    })
    const listed = JSON.parse(response.body).linkset[1]
    for (const { href } of [...listed['service-desc'], ...listed['service-doc']])
      assert.equal((await app.inject(href)).statusCode, 200, href)
  })

  it('answers HEAD with the link of the catalog', async () => {
    const app = createCars({ docs: {} })
    const head = await app.inject({ method: 'HEAD', url })
    assert.equal(head.statusCode, 200)
    assert.equal(head.headers['link'], `<${url}>; rel="api-catalog"`)
    assert.equal(head.body, '')
  })

  it('has an address for each version where hosts name them', async () => {
    const app = createApp(defineModule({ controllers: [controller] }), {
      versioning: { scheme: HOST, versions, clock },
      docs: { servers: [{ url: 'https://v2.example.com' }], ui: false },
    })
    const { linkset } = JSON.parse((await app.inject(url)).body)
    assert.deepEqual(linkset[0].item, [
      { href: 'https://v2.example.com' },
      { href: 'https://v1.example.com' },
    ])
    assert.equal(linkset[1]['service-doc'], undefined)
  })

  it('lists the one document of an application without versions', async () => {
    const plain = defineController({
      prefix: '/car',
      routes: [{ method: 'GET', name: 'list', handler: () => [] }],
    })
    const app = createApp(defineModule({ controllers: [plain] }), { docs: { path: '/' } })
    const { linkset } = JSON.parse((await app.inject(url)).body)
    assert.deepEqual(linkset[1]['service-desc'], [
      { href: '/openapi.json', type: 'application/json', status: ['active'] },
    ])
    assert.deepEqual(linkset[1]['service-doc'], [{ href: '/', type: 'text/html' }])
  })

  it('is that of the application if it has one', async () => {
    const own = defineController({
      prefix: url,
      routes: [{ method: 'GET', name: 'own', handler: () => 'mine' }],
    })
    const app = createApp(defineModule({ controllers: [own] }), { docs: {} })
    assert.equal((await app.inject(url)).json(), 'mine')
  })

  it('is behind the guards of the documents', async () => {
    const app = createCars({
      docs: { guards: [defineGuard({ name: 'Closed', canActivate: () => false })] },
    })
    assert.equal((await app.inject(url)).statusCode, 403)
  })
})
