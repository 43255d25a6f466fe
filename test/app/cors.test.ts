import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineGuard,
  DefinitionError,
  defineModule,
  defineRouter,
  HttpError,
  reply,
  Session,
  text,
  VersioningSchemes,
} from 'octavo'
import { cors } from 'octavo/middleware'
import type { App, AppOptions, ExecutionContext, InjectOptions } from 'octavo'
import type { CorsOptions } from 'octavo/middleware'
import { placeless } from '../support/places.ts'

const APP = 'https://app.example'
const OTHER = 'https://other.example'

const ran: string[] = []
const Closed = defineGuard({
  name: 'Closed',
  canActivate: () => {
    ran.push('guard')
    return false
  },
})
const api = defineController({
  name: 'api',
  prefix: '',
  routes: [
    { method: 'GET', path: '/cars', handler: () => ['Ford'] },
    { method: 'POST', path: '/cars', handler: () => reply(201) },
    { method: 'GET', path: '/closed', guards: [Closed], handler: () => 'open' },
    { method: 'OPTIONS', path: '/declared', guards: [Closed], handler: () => ran.push('handler') },
    {
      method: 'GET',
      path: '/fails',
      handler: () => {
        throw new Error('broken')
      },
    },
    {
      method: 'GET',
      path: '/own',
      handler: (_input, { response }) => {
        response.headers.set('vary', 'Accept-Language')
        response.headers.set('access-control-expose-headers', 'x-total')
        response.headers.set('x-total', '7')
        return 'own'
      },
    },
    {
      method: 'GET',
      path: '/public',
      handler: () => text('public', { headers: { 'Access-Control-Allow-Origin': '*' } }),
    },
    { method: 'GET', path: '/star', handler: () => reply(200, 'star', { headers: { vary: '*' } }) },
    { method: 'GET', path: '/unsendable', handler: () => text('x', { headers: { 'x-text': 'a\r\nb' } }) },
    {
      method: 'GET',
      path: '/moved',
      handler: () => reply(308, undefined, { headers: { location: '/cars' } }),
    },
  ],
})
const AppModule = defineModule({ controllers: [api] })

function serve(options?: CorsOptions, more: AppOptions = {}): App {
  return createApp(AppModule, { logger: false, ...more, middleware: [cors(options)] })
}

/** The status, and what a response says of other origins. */
async function ask(app: App, request: InjectOptions | string): Promise<readonly [number, object]> {
  const { statusCode, headers } = await app.inject(request)
  const told = Object.entries(headers).filter(
    ([name]) => name === 'vary' || name.startsWith('access-control-'),
  )
  return [statusCode, Object.fromEntries(told)]
}

const get = (url: string, origin?: string): InjectOptions => ({ url, headers: { origin } })
const preflight = (url: string, origin = APP, headers?: string, method = 'GET'): InjectOptions => ({
  method: 'OPTIONS',
  url,
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': headers,
  },
})

const ORIGIN = 'access-control-allow-origin'
const METHODS = 'access-control-allow-methods'
const HEADERS = 'access-control-allow-headers'
const CREDENTIALS = 'access-control-allow-credentials'
const EXPOSED = 'access-control-expose-headers'
const PREFLIGHT = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
const COMMON = 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS'

describe('cors', () => {
  it('allows every origin unless it is told otherwise, also where no origin asks', async () => {
    const app = serve()
    assert.deepEqual(await ask(app, get('/cars', APP)), [200, { [ORIGIN]: '*' }])
    assert.deepEqual(await ask(app, '/cars'), [200, { [ORIGIN]: '*' }])
  })
  it('answers preflights with what the path answers and the headers that were asked for', async () => {
    assert.deepEqual(await ask(serve(), preflight('/cars', APP, 'content-type,x-a')), [
      204,
      {
        [ORIGIN]: '*',
        [METHODS]: 'GET, HEAD, POST, OPTIONS',
        [HEADERS]: 'content-type, x-a',
        vary: PREFLIGHT,
      },
    ])
  })
  it('says in a preflight what its options say', async () => {
    const app = serve({
      origin: [APP],
      methods: ['GET', 'PATCH'],
      allowedHeaders: ['X-A', 'x-b'],
      exposedHeaders: ['x-c'],
      credentials: true,
      maxAge: 600,
    })
    const answer = {
      [ORIGIN]: APP,
      [METHODS]: 'GET, PATCH',
      [HEADERS]: 'X-A, x-b',
      [CREDENTIALS]: 'true',
      'access-control-max-age': '600',
      vary: PREFLIGHT,
    }
    assert.deepEqual(await ask(app, preflight('/cars', APP, 'x-z')), [204, answer])
    assert.deepEqual(await ask(app, preflight('/cars')), [204, answer])
    assert.deepEqual(await ask(app, get('/cars', APP)), [
      200,
      { [ORIGIN]: APP, [CREDENTIALS]: 'true', [EXPOSED]: 'x-c', vary: 'Origin' },
    ])
  })
  it('sends no empty lists', async () => {
    const app = serve({ methods: [], allowedHeaders: [], exposedHeaders: [], maxAge: 0 })
    assert.deepEqual(await ask(app, preflight('/cars', APP, 'x-a')), [
      204,
      { [ORIGIN]: '*', 'access-control-max-age': '0', vary: PREFLIGHT },
    ])
    assert.deepEqual(await ask(app, get('/cars', APP)), [200, { [ORIGIN]: '*' }])
  })
  it('allows all common methods where nothing is served, so that the 404 can be read', async () => {
    const [status, headers] = await ask(serve(), preflight('/nothing', APP, undefined, 'DELETE'))
    assert.deepEqual([status, headers], [204, { [ORIGIN]: '*', [METHODS]: COMMON, vary: PREFLIGHT }])
    const [, malformed] = await ask(serve(), preflight('/%zz'))
    assert.deepEqual(malformed, headers)
  })
  it('has no body in the answer to a preflight', async () => {
    const { body, headers } = await serve().inject(preflight('/cars'))
    assert.deepEqual([body, headers['content-type'], headers['content-length']], ['', undefined, undefined])
  })
  it('runs neither guards nor a declared OPTIONS for a preflight', async () => {
    ran.length = 0
    const app = serve()
    assert.deepEqual((await ask(app, preflight('/closed')))[0], 204)
    assert.deepEqual((await ask(app, preflight('/declared')))[0], 204)
    assert.deepEqual(ran, [])
    assert.deepEqual((await ask(app, get('/closed', APP)))[0], 403)
    assert.deepEqual(ran, ['guard'])
  })
  it('passes other OPTIONS requests on', async () => {
    const app = serve({ origin: APP })
    const [status, headers] = await ask(app, { method: 'OPTIONS', ...get('/cars', APP) })
    assert.deepEqual([status, headers], [204, { [ORIGIN]: APP, vary: 'Origin' }])
    const bare = { method: 'OPTIONS', url: '/cars', headers: { 'access-control-request-method': 'GET' } }
    assert.deepEqual((await app.inject(bare)).headers['allow'], 'GET, HEAD, POST, OPTIONS')
  })
  it('lets errors, redirects and answers without body be read too', async () => {
    const app = serve({ origin: APP })
    const told = { [ORIGIN]: APP, vary: 'Origin' }
    for (const [url, status] of [
      ['/nothing', 404],
      ['/%zz', 400],
      ['/closed', 403],
      ['/fails', 500],
      ['/unsendable', 500],
      ['/moved', 308],
    ] as const) {
      assert.deepEqual(await ask(app, get(url, APP)), [status, told], url)
    }
    assert.deepEqual(await ask(app, { method: 'PUT', ...get('/cars', APP) }), [405, told])
    assert.deepEqual(await ask(app, { method: 'HEAD', ...get('/cars', APP) }), [200, told])
  })
  it('lets the errors of middleware further inside be read', async () => {
    const thrower = (): never => {
      throw new HttpError(503, 'Not now')
    }
    const app = createApp(AppModule, { logger: false, middleware: [cors({ origin: APP }), thrower] })
    assert.deepEqual(await ask(app, get('/cars', APP)), [503, { [ORIGIN]: APP, vary: 'Origin' }])
    assert.deepEqual((await ask(app, preflight('/cars')))[0], 204)
  })
  it('keeps what a handler says itself', async () => {
    const app = serve({ origin: APP, exposedHeaders: ['x-a'], credentials: true })
    const { headers } = await app.inject(get('/own', APP))
    assert.deepEqual(
      [headers['vary'], headers[EXPOSED], headers['x-total']],
      ['Accept-Language, Origin', 'x-total, x-a', '7'],
    )
    assert.deepEqual(await ask(app, get('/public', APP)), [200, { [ORIGIN]: '*', vary: 'Origin' }])
    assert.deepEqual((await ask(app, get('/star', APP)))[1], {
      [ORIGIN]: APP,
      [CREDENTIALS]: 'true',
      [EXPOSED]: 'x-a',
      vary: '*',
    })
  })
  it('answers sync requests without a promise of its own', () => {
    const response = { status: 200, headers: {}, body: '' }
    const context = {
      request: { method: 'GET', header: () => undefined },
      response: { headers: { append: () => undefined } },
    }
    const call = cors({ origin: APP }) as unknown as (...args: readonly unknown[]) => unknown
    assert.equal(
      call(context, () => response),
      response,
    )
  })
  it('lets the error be read that replaces a response whose session cannot be stored', async () => {
    const controller = defineController({
      name: 'session',
      prefix: '',
      inject: { session: Session },
      routes: [
        {
          method: 'GET',
          path: '/write',
          handler: async ({ inject }) => {
            inject.session.data['a'] = 1
            return 'written'
          },
        },
      ],
    })
    const store = {
      get: () => undefined,
      set: () => Promise.reject(new Error('full')),
      delete: () => false,
    }
    const app = createApp(defineModule({ controllers: [controller] }), {
      logger: false,
      session: { secret: 'x'.repeat(32), store },
      middleware: [cors({ origin: APP, credentials: true })],
    })
    const [status, headers] = await ask(app, get('/write', APP))
    assert.deepEqual([status, headers], [503, { [ORIGIN]: APP, [CREDENTIALS]: 'true', vary: 'Origin' }])
  })
})

describe('cors below the application', () => {
  const read = { method: 'GET', path: '/', handler: () => 'read' } as const
  const remove = { method: 'DELETE', path: '/', handler: () => 'gone' } as const
  const grant = (origin: string) => ({ middleware: [cors({ origin })] })
  const head = async (app: App, request: InjectOptions) => {
    const { statusCode, headers } = await app.inject(request)
    return { status: statusCode, headers }
  }
  const levels: readonly (readonly [string, Parameters<typeof defineModule>[0]])[] = [
    ['a module', { ...grant(APP), controllers: [defineController({ prefix: '/cars', routes: [read] })] }],
    [
      'a controller',
      {
        controllers: [defineController({ prefix: '/cars', guards: [Closed], routes: [read], ...grant(APP) })],
      },
    ],
    ['a router', { routers: [defineRouter({ prefix: '/cars', routes: [read], ...grant(APP) })] }],
    [
      'a route',
      { controllers: [defineController({ prefix: '/cars', routes: [{ ...read, ...grant(APP) }] })] },
    ],
  ]
  for (const [level, options] of levels) {
    for (const scheme of [undefined, VersioningSchemes.HEADER, VersioningSchemes.URL]) {
      it(`of ${level} answers preflights under ${scheme?.name ?? 'no scheme'}`, async () => {
        const app = createApp(defineModule({ ...options, ...(scheme && { version: '1' }) }), {
          logger: false,
          ...(scheme && { versioning: { scheme } }),
        })
        const url = scheme === VersioningSchemes.URL ? '/v1/cars' : '/cars'
        ran.length = 0
        const { status, headers } = await head(app, preflight(url, APP, 'x-a'))
        assert.deepEqual([status, headers[ORIGIN], headers[METHODS], ran], [204, APP, 'GET, HEAD', []])
        assert.equal((await head(app, preflight(url, OTHER))).headers[ORIGIN], undefined)
        // scripts read the 405 that follows
        assert.equal((await head(app, preflight(url, APP, '', 'PUT'))).headers[ORIGIN], APP)
      })
    }
  }

  it('answers for its own routes alone, whatever others there are at the path', async () => {
    const app = createApp(
      defineModule({
        controllers: [
          defineController({ prefix: '/cars', routes: [{ ...read, ...grant(APP) }, remove] }),
          defineController({
            prefix: '/bikes',
            ...grant(OTHER),
            routes: [{ ...read, ...grant(APP) }, remove],
          }),
        ],
      }),
      { logger: false },
    )
    const granted = async (url: string, method: string, origin: string) => {
      const { headers } = await head(app, preflight(url, origin, undefined, method))
      return [headers[ORIGIN], headers[METHODS]]
    }
    assert.deepEqual(await granted('/cars', 'GET', APP), [APP, 'GET, HEAD'])
    assert.deepEqual(await granted('/cars', 'DELETE', APP), [undefined, undefined])
    // the innermost decides, as it does for the request that follows
    assert.deepEqual(await granted('/bikes', 'GET', APP), [APP, 'GET, HEAD'])
    assert.deepEqual(await granted('/bikes', 'GET', OTHER), [undefined, undefined])
    assert.deepEqual(await granted('/bikes', 'DELETE', OTHER), [OTHER, 'DELETE'])
  })

  it('decides who reads the responses of its routes, whatever is around it', async () => {
    const own = { middleware: [cors({ origin: APP, credentials: true })] }
    const controller = defineController({ prefix: '/cars', routes: [{ ...read, ...own }, remove] })
    for (const around of [cors(), cors({ origin: OTHER })]) {
      const below = defineModule({ controllers: [controller], middleware: [around] })
      const beside = createApp(defineModule({ controllers: [controller] }), {
        logger: false,
        middleware: [around],
      })
      for (const app of [createApp(below, { logger: false }), beside]) {
        const { headers } = await head(app, get('/cars', APP))
        assert.deepEqual([headers[ORIGIN], headers[CREDENTIALS]], [APP, 'true'])
        assert.equal((await head(app, get('/cars', OTHER))).headers[ORIGIN], undefined)
      }
    }
  })

  it('answers with an error if its function fails', async () => {
    const origin = () => {
      throw new HttpError(400, 'no')
    }
    const app = createApp(
      defineModule({
        controllers: [
          defineController({ prefix: '/cars', routes: [{ ...read, middleware: [cors({ origin })] }] }),
        ],
      }),
      { logger: false },
    )
    assert.equal((await ask(app, preflight('/cars')))[0], 400)
  })
})

describe('the origins that cors allows', () => {
  const stateful = /^https:\/\/\w+\.example$/g
  const cases: readonly (readonly [
    title: string,
    origin: CorsOptions['origin'],
    allowed: readonly string[],
    refused: readonly string[],
  ])[] = [
    ['true: all, by their names', true, [APP, OTHER, 'null', '__proto__', 'constructor'], []],
    [
      'a string',
      APP,
      [APP],
      [OTHER, 'http://app.example', `${APP}:8443`, `${APP}.evil.example`, 'HTTPS://APP.EXAMPLE'],
    ],
    [
      'a string with port',
      'http://localhost:5173',
      ['http://localhost:5173'],
      ['http://localhost', 'http://localhost:51730'],
    ],
    ['null by name only', 'null', ['null'], [APP, 'NULL']],
    ['the origin of an extension', 'chrome-extension://abc', ['chrome-extension://abc'], [APP]],
    [
      'an expression',
      /^https:\/\/app\.\w+$/,
      [APP, 'https://app.test'],
      [OTHER, `${APP}.evil.example`, 'null'],
    ],
    ['a list', [APP, /^https:\/\/\w+\.test$/], [APP, 'https://a.test'], [OTHER, 'null', '__proto__']],
    ['an empty list', [], [], [APP, 'null']],
    ['an expression that remembers (g)', stateful, [APP, APP, OTHER, APP], ['http://app.example']],
    ['an expression that sticks (y)', /https:\/\/app/y, [APP, APP], ['xhttps://app', OTHER]],
    ['a function', (origin) => origin.endsWith('.example'), [APP, OTHER], ['https://app.test', 'null']],
    ['a function that promises', async (origin) => origin === APP, [APP], [OTHER]],
    ['nothing but true from a function', ((origin: string) => origin) as never, [], [APP]],
  ]
  for (const [title, origin, allowed, refused] of cases) {
    it(title, async () => {
      const app = serve(origin === undefined ? {} : { origin })
      for (const each of allowed) {
        assert.deepEqual(await ask(app, get('/cars', each)), [200, { [ORIGIN]: each, vary: 'Origin' }], each)
        const [status, headers] = await ask(app, preflight('/cars', each))
        const methods = 'GET, HEAD, POST, OPTIONS'
        assert.deepEqual(
          [status, headers],
          [204, { [ORIGIN]: each, [METHODS]: methods, vary: PREFLIGHT }],
          each,
        )
      }
      for (const each of refused) {
        assert.deepEqual(await ask(app, get('/cars', each)), [200, { vary: 'Origin' }], each)
        assert.deepEqual(await ask(app, preflight('/cars', each)), [204, { vary: PREFLIGHT }], each)
      }
      assert.deepEqual(await ask(app, '/cars'), [200, { vary: 'Origin' }])
    })
  }
  it('leaves an expression that others use as it is', async () => {
    stateful.lastIndex = 3
    await ask(serve({ origin: stateful }), get('/cars', APP))
    assert.equal(stateful.lastIndex, 3)
  })
  it('gives a function the context of the request', async () => {
    const paths: unknown[] = []
    const app = serve({
      origin: (origin, context: ExecutionContext) => {
        paths.push([origin, context.originalPath])
        return true
      },
    })
    await app.inject(get('/cars?a=1', APP))
    await app.inject('/cars')
    assert.deepEqual(paths, [[APP, '/cars']])
  })
  it('runs no handler when a function fails', async () => {
    ran.length = 0
    for (const origin of [
      () => {
        throw new Error('no database')
      },
      () => Promise.reject(new Error('no database')),
    ]) {
      assert.deepEqual(await ask(serve({ origin }), get('/closed', APP)), [500, {}])
    }
    assert.deepEqual(ran, [])
  })
  it('does not ask about what is no origin', async () => {
    const asked: string[] = []
    const app = serve({ origin: (origin) => asked.push(origin) > 0 })
    const hostile = [
      '',
      ' ',
      `https://${'a'.repeat(600)}`,
      `${APP} ${OTHER}`,
      `${APP}, ${OTHER}`,
      'https://ä.example',
    ]
    for (const origin of hostile) {
      assert.deepEqual(await ask(app, get('/cars', origin)), [200, { vary: 'Origin' }], origin)
      const [status, headers] = await ask(app, preflight('/cars', origin))
      assert.deepEqual([status, headers], [204, { vary: PREFLIGHT }], origin)
    }
    const twice = { url: '/cars', headers: { origin: [APP, APP] } }
    assert.deepEqual(await ask(app, twice), [200, { vary: 'Origin' }])
    assert.deepEqual(asked, [])
  })
  it('cannot be made to write lines of its own', async () => {
    await assert.rejects(serve({ origin: true }).inject(get('/cars', `${APP}\r\nx-evil: 1`)))
    const header = `x-a, x b, x-c\u00e4, "x", , x-a, ${'x-long'.repeat(200)}`
    const [, headers] = await ask(serve(), preflight('/cars', APP, header))
    assert.equal(Reflect.get(headers, HEADERS), `x-a, ${'x-long'.repeat(200)}`)
  })
})

describe('the options of cors', () => {
  const ORIGINS =
    "'*', true, a function, or origins as browsers send them ('https://app.example', nothing behind the port) and regular expressions"
  const notOrigin = (found: string) => `invalid_option: origin${found}; give ${ORIGINS}`
  const NAMES = 'a list of header names'
  const wild = (name: string, fix: string) =>
    `invalid_option: ${name} is '*', which does not count for browsers when credentials is true; ${fix}`
  const untyped = cors as unknown as (options: unknown) => unknown
  const cases: readonly (readonly [options: unknown, ...problems: readonly string[]])[] = [
    ...(
      [
        [null, 'null'],
        [APP, `a string of ${APP.length} characters`],
        [7, '7'],
      ] as const
    ).map(
      ([options, found]) =>
        [
          options,
          `invalid_option: the options are ${found}; write cors({ origin: ['https://app.example'] })`,
        ] as const,
    ),
    [{ orign: APP }, 'unknown_option: there is no option "orign"; did you mean "origin"?'],
    ...[
      `${APP}/`,
      `${APP}/path`,
      'app.example',
      'https://App.example',
      'https://app.example:443',
      'https://münchen.example',
      'https://*.example',
    ].map((origin) => [{ origin }, notOrigin(` is "${origin}"`)] as const),
    [{ origin: 'https://u:p@app.example' }, notOrigin(' is a string of 23 characters')],
    [{ origin: '' }, notOrigin(' is an empty string')],
    [{ origin: false }, notOrigin(' is false')],
    [{ origin: [[APP]] }, notOrigin('[0] is a list of 1')],
    [{ origin: [APP, '*'] }, notOrigin('[1] is "*"')],
    [{ origin: [true] }, notOrigin('[0] is true')],
    [{ origin: { origin: APP } }, notOrigin(' is an object with origin')],
    [
      { methods: ['get'] },
      `invalid_option: methods[0] is "get"; give a list of methods, which are 'GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'`,
    ],
    [{ allowedHeaders: 'x-a' }, `invalid_option: allowedHeaders is "x-a"; give ${NAMES}`],
    [{ exposedHeaders: ['x a'] }, `invalid_option: exposedHeaders[0] is "x a"; give ${NAMES}`],
    [{ exposedHeaders: ['x\r\ny'] }, `invalid_option: exposedHeaders[0] is "x\\r\\ny"; give ${NAMES}`],
    [{ credentials: 'yes' }, 'invalid_option: credentials is "yes"; give true or false'],
    [{ maxAge: 1.5 }, 'invalid_option: maxAge is 1.5; give a number of seconds'],
    [{ maxAge: -1 }, 'invalid_option: maxAge is -1; give a number of seconds'],
    [{ credentials: true }, wild('origin', 'list the origins that may send credentials')],
    [{ credentials: true, origin: '*' }, wild('origin', 'list the origins that may send credentials')],
    [
      { credentials: true, origin: APP, allowedHeaders: ['*'], exposedHeaders: ['x-a', '*'] },
      wild('allowedHeaders', 'list the headers'),
      wild('exposedHeaders', 'list the headers'),
    ],
    [{ allowedHeaders: ['*'], exposedHeaders: ['*'] }],
    [{ credentials: true, origin: true }],
    [{ origin: undefined, maxAge: undefined }],
  ]
  for (const [options, ...problems] of cases) {
    it(JSON.stringify(options), () => {
      if (problems.length === 0) return assert.equal(typeof untyped(options), 'function')
      assert.throws(
        () => untyped(options),
        (error) => {
          assert.ok(error instanceof DefinitionError)
          const found = placeless(error.errors).map(({ code, where, message, fix }) => {
            assert.equal(where, 'cors')
            return `${code}: ${message}; ${fix}`
          })
          assert.deepEqual(found, problems)
          return true
        },
      )
    })
  }
})
