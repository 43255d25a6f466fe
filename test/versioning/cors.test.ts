import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import { cors } from 'octavo/middleware'
import type { App, InjectOptions, Middleware, VersioningOptions, VersioningScheme } from 'octavo'
import type { CorsOptions } from 'octavo/middleware'

import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'list'],
  ['POST', '/cars', '2', 'create'],
  ['DELETE', '/cars', '2', 'clear'],
  ['PATCH', '/new', '2', 'patch'],
  ['OPTIONS', '/declared', '1', 'declared'],
  ['GET', '/mixed', '1', 'mixed'],
  ['PUT', '/mixed', VERSION_NEUTRAL, 'neutral'],
  ['GET', '/health', undefined, 'health'],
]
const ONE = 'GET, HEAD, OPTIONS'
const TWO = 'POST, DELETE, OPTIONS'
const BOTH = 'GET, HEAD, POST, DELETE, OPTIONS'
const COMMON = 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS'

const APP = 'https://app.example'
const PREFLIGHT = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

/** An application behind `cors`, with one scheme. */
function open<O extends object>(
  scheme: VersioningScheme<O>,
  options?: O & VersioningOptions,
  corsOptions: CorsOptions = { origin: APP },
): App {
  return serve(ROUTES, scheme, options, { middleware: [cors(corsOptions)] })
}

/** An application behind `cors`, with two schemes. */
function openTwo<A extends object, B extends object>(
  first: readonly [VersioningScheme<A>, A?],
  second: readonly [VersioningScheme<B>, B?],
  options: VersioningOptions = {},
  corsOptions: CorsOptions = { origin: APP },
): App {
  const app = serve(ROUTES, undefined, undefined, { middleware: [cors(corsOptions)] })
  app.enableVersioning([first, second] as never, options)
  return app
}

/** What a browser sends before it sends the request. */
function preflight(
  { headers, ...request }: InjectOptions,
  method = 'GET',
  asked?: string,
  origin = APP,
): InjectOptions {
  return {
    ...request,
    method: 'OPTIONS',
    headers: {
      accept: '*/*',
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': asked,
      ...headers,
    },
  }
}

const at = (url: string, version?: string): InjectOptions =>
  version === undefined ? { url } : { url, host: `v${version}.example.com` }

const Account = defineVersioningScheme({
  name: 'account',
  read: (request) => request.header('x-account'),
  vary: ['X-Account'],
})

describe('preflights of versioned paths', () => {
  const custom = { headerParameter: 'X-Version' }
  const byCookie = ({ cookies }: { readonly cookies: Readonly<Record<string, string>> }) =>
    cookies['plan'] === 'new' ? '2' : '1'
  const fails = () => {
    throw new Error('no account')
  }
  const cases: readonly (readonly [title: string, app: App, request: InjectOptions, methods: string])[] = [
    ['without version, in a header of its own', open(HEADER, custom), at('/cars'), BOTH],
    [
      'without version, where one is required',
      open(HEADER, { ...custom, required: true }),
      at('/cars'),
      BOTH,
    ],
    [
      'without version, where there is a default',
      open(HEADER, { ...custom, defaultVersion: '1' }),
      at('/cars'),
      BOTH,
    ],
    ['without version, in Accept', open(HEADER), at('/cars'), BOTH],
    ['without version, in Accept, with a default', open(HEADER, { defaultVersion: '2' }), at('/cars'), BOTH],
    [
      'without version, in a header of an own scheme',
      open(Account, { defaultVersion: '1' }),
      at('/cars'),
      BOTH,
    ],
    ['of a path that one version has', open(HEADER, { defaultVersion: '1' }), at('/new'), 'PATCH, OPTIONS'],
    ['of a path that is never versioned', open(HEADER, custom), at('/health'), ONE],
    ['of a declared OPTIONS', open(HEADER, custom), at('/declared'), 'OPTIONS'],
    ['of a path that is nowhere', open(HEADER, custom), at('/nothing'), COMMON],
    ['with version 1 in the path', open(URL), at('/v1/cars'), ONE],
    ['with version 2 in the path', open(URL), at('/v2/cars'), TWO],
    ['with an unknown version in the path', open(URL), at('/v9/cars'), BOTH],
    ['with a version in the path that lacks it', open(URL), at('/v1/new'), 'PATCH, OPTIONS'],
    ['without version, in the path', open(URL), at('/cars'), BOTH],
    ['without version, in the path, with a default', open(URL, { defaultVersion: '2' }), at('/cars'), TWO],
    ['without version, beside a neutral route', open(URL), at('/mixed'), 'GET, HEAD, PUT, OPTIONS'],
    ['with version 2, which the neutral route answers', open(URL), at('/v2/mixed'), 'PUT, OPTIONS'],
    ['with version 1 in the query', open(QUERY), at('/cars?version=1'), ONE],
    ['with version 2 in the query', open(QUERY), at('/cars?version=2'), TWO],
    ['with an unknown version in the query', open(QUERY), at('/cars?version=9'), BOTH],
    [
      'with two versions in the query',
      open(QUERY),
      at('/mixed?version=1&version=2'),
      'GET, HEAD, PUT, OPTIONS',
    ],
    ['without version, in the query', open(QUERY), at('/cars'), BOTH],
    ['without version, in the query, with a default', open(QUERY, { defaultVersion: '1' }), at('/cars'), ONE],
    ['where a cookie that it lacks chooses', open(QUERY, { defaultVersion: byCookie }), at('/cars'), BOTH],
    ['where what chooses fails', open(QUERY, { defaultVersion: fails }), at('/cars'), COMMON],
    ['with version 1 in the host', open(HOST), at('/cars', '1'), ONE],
    ['with version 2 in the host', open(HOST), at('/cars', '2'), TWO],
    ['with an unknown version in the host', open(HOST), at('/cars', '9'), BOTH],
    ['without version, in the host', open(HOST), at('/cars'), BOTH],
    ['of two schemes, with one in the path', openTwo([URL], [HEADER, custom]), at('/v1/cars'), ONE],
    ['of two schemes, with none', openTwo([URL], [HEADER, custom]), at('/cars'), BOTH],
    ['of two schemes, with one in the query', openTwo([HEADER, custom], [QUERY]), at('/cars?version=2'), TWO],
    [
      'of two schemes, with two versions',
      openTwo([URL], [QUERY]),
      at('/v1/mixed?version=2'),
      'GET, HEAD, PUT, OPTIONS',
    ],
  ]
  for (const [title, app, request, methods] of cases) {
    it(`a preflight ${title}`, async () => {
      const { statusCode, headers, version } = await app.inject(preflight(request, 'DELETE', 'x-version'))
      assert.deepEqual(
        [
          statusCode,
          headers['access-control-allow-methods'],
          headers['access-control-allow-origin'],
          version,
        ],
        [204, methods, APP, null],
      )
    })
  }

  const errors: readonly (readonly [title: string, app: App, request: InjectOptions, status: number])[] = [
    ['no version', open(HEADER, custom), at('/cars'), 400],
    ['an unknown version', open(HEADER, custom), { ...at('/cars'), headers: { 'x-version': '9' } }, 406],
    ['an unknown version in the path', open(URL), at('/v9/cars'), 404],
    ['an unknown version in the query', open(QUERY), at('/cars?version=9'), 404],
    ['an unknown version in the host', open(HOST), at('/cars', '9'), 404],
    ['two versions', open(QUERY), at('/cars?version=1&version=2'), 400],
    ['contradicting schemes', openTwo([URL], [QUERY]), at('/v1/cars?version=2'), 400],
    ['no route', open(URL), at('/v1/nothing'), 404],
  ]
  for (const [title, app, request, status] of errors) {
    it(`the error that follows can be read: ${title}`, async () => {
      const { headers: own, ...rest } = request
      const { statusCode, headers } = await app.inject({ ...rest, headers: { origin: APP, ...own } })
      assert.deepEqual([statusCode, headers['access-control-allow-origin']], [status, APP])
    })
  }
})

describe('the headers that carry versions', () => {
  const some: CorsOptions = { origin: APP, allowedHeaders: ['Content-Type'] }
  const custom = { headerParameter: 'X-Version' }
  const cases: readonly (readonly [
    title: string,
    app: App,
    asked: string | undefined,
    allowed: string | undefined,
  ])[] = [
    ['is added', open(HEADER, custom, some), 'content-type,x-version', 'Content-Type, x-version'],
    ['is added in any case', open(HEADER, custom, some), ' X-VERSION ', 'Content-Type, x-version'],
    ['is not added unless it is asked for', open(HEADER, custom, some), 'x-versions', 'Content-Type'],
    ['is not added where nothing is asked for', open(HEADER, custom, some), undefined, 'Content-Type'],
    ['is added to nothing', open(HEADER, custom, { allowedHeaders: [] }), 'x-version', 'x-version'],
    ['is not added twice', open(HEADER, custom), 'x-version', 'x-version'],
    [
      'is not added where it is listed',
      open(HEADER, custom, { allowedHeaders: ['X-VERSION'] }),
      'x-version',
      'X-VERSION',
    ],
    ['is not added to *', open(HEADER, custom, { allowedHeaders: ['*'] }), 'x-version', '*'],
    ['may be Accept', open(HEADER, undefined, some), 'accept', 'Content-Type, accept'],
    ['may belong to an own scheme', open(Account, undefined, some), 'x-account', 'Content-Type, x-account'],
    [
      'may be one of two',
      openTwo([HEADER, custom], [HEADER], {}, some),
      'accept,x-other,x-version',
      'Content-Type, x-version, accept',
    ],
    ['is none under URL', open(URL, undefined, some), 'x-version,accept', 'Content-Type'],
    ['is none under QUERY', open(QUERY, undefined, some), 'x-version,accept', 'Content-Type'],
    ['is none under HOST', open(HOST, undefined, some), 'x-version,accept', 'Content-Type'],
  ]
  for (const [title, app, asked, allowed] of cases) {
    it(`the header of the version ${title}`, async () => {
      const { headers } = await app.inject(preflight(at('/cars'), 'GET', asked))
      assert.equal(headers['access-control-allow-headers'], allowed)
    })
  }
  it('the header of the version is not allowed to other origins', async () => {
    const app = open(HEADER, custom)
    const { headers } = await app.inject(preflight(at('/cars'), 'GET', 'x-version', 'https://other.example'))
    assert.equal(headers['access-control-allow-headers'], undefined)
  })
  it('with credentials, * stands for no header', async () => {
    const own: Middleware = async (_context, next) => {
      const response = await next()
      Object.assign(response.headers, {
        'access-control-allow-origin': APP,
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': '*',
        'access-control-expose-headers': '*',
      })
      return response
    }
    const app = serve(ROUTES, HEADER, { ...custom, echo: true }, { middleware: [own] })
    const before = await app.inject(preflight(at('/cars'), 'GET', 'x-version'))
    assert.equal(before.headers['access-control-allow-headers'], '*, x-version')
    const after = await app.inject({ ...at('/cars'), version: '1' })
    assert.equal(after.headers['access-control-expose-headers'], '*, x-version')
  })
})

describe('the headers that tell of versions', () => {
  const told: VersioningOptions = {
    versions: [
      {
        version: '1',
        deprecated: '2026-01-01',
        sunset: '2027-01-01',
        links: { deprecation: 'https://docs.example/1' },
      },
      '2',
      { version: '0', sunset: '2026-02-01', retired: 'gone' },
    ],
    clock: () => Date.UTC(2026, 5),
  }
  const schemes: readonly (readonly [
    name: string,
    (options: VersioningOptions, options2?: CorsOptions) => App,
  ])[] = [
    ['URL', (options, more) => open(URL, options, more)],
    ['HEADER', (options, more) => open(HEADER, { ...options, headerParameter: 'x-version' }, more)],
    ['Accept', (options, more) => open(HEADER, options, more)],
    ['QUERY', (options, more) => open(QUERY, options, more)],
    ['HOST', (options, more) => open(HOST, options, more)],
    [
      'several',
      (options, more) => openTwo([HEADER, { headerParameter: 'x-version' }], [QUERY], options, more),
    ],
  ]
  const POLICY = 'deprecation, sunset, link'
  const REPORT = 'api-supported-versions, api-deprecated-versions'
  const cases: readonly (readonly [
    title: string,
    options: VersioningOptions,
    method: string,
    version: string,
    exposed: string | undefined,
  ])[] = [
    ['those of a policy', told, 'GET', '1', POLICY],
    ['none where nothing is told', told, 'POST', '2', undefined],
    ['the versions of the path', { ...told, report: 'always' }, 'POST', '2', REPORT],
    [
      'the versions of the path, with a policy',
      { ...told, report: 'always' },
      'GET',
      '1',
      `${POLICY}, ${REPORT}`,
    ],
    ['the versions of the path, of an unknown version', told, 'GET', '9', REPORT],
    ['none where Content-Type tells', { echo: 'contentType' }, 'POST', '2', undefined],
  ]
  for (const [name, toApp] of schemes) {
    for (const [title, options, method, version, exposed] of cases) {
      it(`${name} exposes ${title}`, async () => {
        const request = { ...at('/cars'), method, version, headers: { origin: APP } }
        const { headers } = await toApp(options).inject(request)
        assert.equal(headers['access-control-expose-headers'], exposed)
        for (const each of exposed?.split(', ') ?? []) assert.notEqual(headers[each], undefined, each)
      })
    }
    it(`${name} exposes the header of an echo`, async () => {
      const { headers } = await toApp({ ...told, echo: true }).inject({
        ...at('/cars'),
        method: 'POST',
        version: '2',
        headers: { origin: APP },
      })
      const own = ['HEADER', 'several'].includes(name) ? 'x-version' : 'api-version'
      assert.deepEqual([headers['access-control-expose-headers'], headers[own]], [own, '2'])
    })
    it(`${name} adds to what is exposed, each once`, async () => {
      const app = toApp(told, { origin: APP, exposedHeaders: ['X-Total', 'Deprecation'] })
      const { headers } = await app.inject({ ...at('/cars'), version: '1', headers: { origin: APP } })
      assert.equal(headers['access-control-expose-headers'], 'X-Total, Deprecation, sunset, link')
    })
    it(`${name} exposes nothing to other origins, nor in a preflight`, async () => {
      const app = toApp({ ...told, report: 'always', echo: true })
      const origin = 'https://other.example'
      const other = await app.inject({ ...at('/cars'), version: '1', headers: { origin } })
      const before = await app.inject(preflight({ ...at('/cars'), version: '1' }))
      assert.deepEqual([other.statusCode, other.headers['access-control-expose-headers']], [200, undefined])
      assert.deepEqual([before.statusCode, before.headers['access-control-expose-headers']], [204, undefined])
    })
    it(`${name} varies on what a preflight says`, async () => {
      const app = toApp({})
      for (const origin of [APP, 'https://other.example']) {
        for (const url of ['/cars', '/nothing']) {
          const { headers } = await app.inject(preflight({ url }, 'GET', 'x-version', origin))
          assert.equal(headers['vary'], PREFLIGHT)
        }
      }
    })
  }
  it('the 410 of a retired version exposes its headers', async () => {
    const rows: readonly Row[] = [...ROUTES, ['GET', '/cars', '0', 'old']]
    const app = serve(rows, QUERY, told, { middleware: [cors()] })
    const { statusCode, headers } = await app.inject({ url: '/cars?version=0', headers: { origin: APP } })
    const exposed = String(headers['access-control-expose-headers']).split(', ')
    assert.equal(statusCode, 410)
    for (const name of ['sunset', 'api-supported-versions']) {
      assert.ok(headers[name] !== undefined && exposed.includes(name), name)
    }
  })
  it('responses vary on origin and version', async () => {
    const app = open(HEADER, { headerParameter: 'x-version' })
    for (const version of ['1', '9']) {
      const { headers } = await app.inject({ url: '/cars', version, headers: { origin: APP } })
      assert.equal(headers['vary'], 'Origin, x-version')
    }
    const { headers } = await app.inject({ url: '/health', headers: { origin: APP } })
    assert.equal(headers['vary'], 'Origin')
  })
})
