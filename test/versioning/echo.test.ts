import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineVersioningScheme,
  HttpError,
  reply,
  text,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type {
  App,
  FinishedResponse,
  InjectOptions,
  Middleware,
  VersioningOptions,
  VersioningScheme,
} from 'octavo'

import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/cars', '1', 'one'],
  ['GET', '/cars', '2', 'two'],
  ['PUT', '/cars', VERSION_NEUTRAL, 'put'],
  ['GET', '/health', undefined, 'health'],
]

function under<O extends object>(scheme: VersioningScheme<O>, options: O & VersioningOptions): App {
  return serve(ROWS, scheme, options)
}

/** `[status, the header, Content-Type]` */
async function echoed(
  app: App,
  request: string | InjectOptions,
  header = 'api-version',
): Promise<readonly unknown[]> {
  const { statusCode, headers } = await app.inject(request)
  return [statusCode, headers[header], headers['content-type']]
}

const JSON_TYPE = 'application/json'
const PROBLEM = 'application/problem+json'

describe('echo: true names the version used', () => {
  const Account = defineVersioningScheme({ name: 'account', read: () => '1' })
  const cases: readonly (readonly [string, App, InjectOptions, string])[] = [
    ['URL', under(URL, { echo: true }), { url: '/v1/cars' }, 'api-version'],
    ['QUERY', under(QUERY, { echo: true }), { url: '/cars?version=1' }, 'api-version'],
    [
      'Accept',
      under(HEADER, { echo: true }),
      { url: '/cars', headers: { accept: '*/*;version=1' } },
      'api-version',
    ],
    [
      'a header of its own',
      under(HEADER, { headerParameter: 'X-Version', echo: true }),
      { url: '/cars', headers: { 'x-version': '1' } },
      'x-version',
    ],
    ['a scheme of your own', under(Account, { echo: true }), { url: '/cars' }, 'api-version'],
  ]
  for (const [title, app, request, header] of cases) {
    it(title, async () => {
      assert.deepEqual(await echoed(app, request, header), [200, '1', JSON_TYPE])
    })
  }
  it('of several schemes, the header that one of them has', async () => {
    const app = serve(ROWS)
    app.enableVersioning([[QUERY], [HEADER, { headerParameter: 'x-version' }]], { echo: true })
    assert.deepEqual(await echoed(app, '/cars?version=1', 'x-version'), [200, '1', JSON_TYPE])
  })

  const app = under(QUERY, { echo: true, defaultVersion: '1' })
  const others = [
    ['HEAD names it as GET does', 'HEAD', '/cars?version=2', [200, '2', JSON_TYPE]],
    ['the default version', 'GET', '/cars', [200, '1', JSON_TYPE]],
    ['a neutral route at a path with versions', 'PUT', '/cars?version=2', [200, '2', JSON_TYPE]],
    ['not an unknown version', 'GET', '/cars?version=9', [404, undefined, PROBLEM]],
    ['not a wrong method', 'DELETE', '/cars?version=1', [405, undefined, PROBLEM]],
    ['not a path without versions', 'GET', '/health?version=1', [200, undefined, JSON_TYPE]],
    ['not the automatic OPTIONS', 'OPTIONS', '/cars?version=1', [204, undefined, undefined]],
  ] as const
  for (const [title, method, url, expected] of others) {
    it(`${title}: ${method} ${url}`, async () => {
      assert.deepEqual(await echoed(app, { method, url }), expected)
    })
  }
  it('the version as it was declared, however it was asked for', async () => {
    const semver = serve([['GET', '/cars', '1.0', 'cars']], QUERY, { echo: true, format: 'semver' })
    assert.deepEqual(await echoed(semver, '/cars?version=1'), [200, '1.0', JSON_TYPE])
  })
})

describe('the header of an echo', () => {
  it('stays if the handler sets it', async () => {
    const controller = defineController({
      prefix: '/cars',
      version: '1',
      routes: [
        { method: 'GET', name: 'a', handler: () => reply(200, 1, { headers: { 'Api-Version': 'own' } }) },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    app.enableVersioning(QUERY, { echo: true })
    assert.deepEqual(await echoed(app, '/cars?version=1'), [200, 'own', JSON_TYPE])
  })
  it('is absent without the option', async () => {
    assert.deepEqual(await echoed(under(QUERY, {}), '/cars?version=1'), [200, undefined, JSON_TYPE])
  })
})

/** Routes whose responses have every kind of content type. */
function typed(options: VersioningOptions, middleware: readonly Middleware[] = []): App {
  const controller = defineController({
    prefix: '/',
    version: '1',
    routes: [
      { method: 'GET', path: '/json', name: 'a', handler: () => 1 },
      { method: 'GET', path: '/text', name: 'b', handler: () => text('x') },
      { method: 'GET', path: '/none', name: 'c', handler: () => undefined },
      {
        method: 'GET',
        path: '/own',
        name: 'd',
        handler: () => reply(200, 1, { headers: { 'content-type': 'application/json; Version=7' } }),
      },
      {
        method: 'GET',
        path: '/fails',
        name: 'e',
        handler: () => {
          throw new HttpError(409)
        },
      },
      { method: 'GET', path: '/web', name: 'f', handler: () => Response.json(1) },
    ],
  })
  const app = createApp(defineModule({ controllers: [controller] }), { logger: false, middleware })
  app.enableVersioning(QUERY, options)
  return app
}

describe("echo: 'contentType'", () => {
  const app = typed({ echo: 'contentType' })
  const cases = [
    ['JSON', '/json', [200, undefined, 'application/json; version=1']],
    ['beside other parameters', '/text', [200, undefined, 'text/plain; charset=utf-8; version=1']],
    ['a web response', '/web', [200, undefined, 'application/json; version=1']],
    ['what the handler says stays', '/own', [200, undefined, 'application/json; Version=7']],
    ['not a problem', '/fails', [409, undefined, PROBLEM]],
    ['not without a body', '/none', [204, undefined, undefined]],
  ] as const
  for (const [title, path, expected] of cases) {
    it(`${title}: ${path}`, async () => {
      assert.deepEqual(await echoed(app, `${path}?version=1`), expected)
    })
  }
  it('HEAD as GET', async () => {
    const answer = await echoed(app, { method: 'HEAD', url: '/json?version=1' })
    assert.deepEqual(answer, [200, undefined, 'application/json; version=1'])
  })
  it('with the parameter that requests have', async () => {
    const served = under(HEADER, { echo: 'contentType', versionParameter: 'v' })
    const request = { url: '/cars', headers: { accept: '*/*;v=2' } }
    assert.deepEqual(await echoed(served, request), [200, undefined, 'application/json; v=2'])
  })
  it('a response that is kept and sent again has it once', async () => {
    let kept: FinishedResponse | undefined
    const keeping: Middleware = async (_context, next) => {
      const response = await next()
      kept ??= response
      return kept
    }
    const served = typed({ echo: 'contentType' }, [keeping])
    await echoed(served, '/json?version=1')
    const again = await echoed(served, '/json?version=1')
    assert.deepEqual(again, [200, undefined, 'application/json; version=1'])
  })
})

describe("unknown: 'floor' always names the version that answers", () => {
  const listed = { versions: ['1', '2'], unknown: 'floor' } as const

  it('the version that answers is told where it is not the one asked for', async () => {
    const app = under(QUERY, listed)
    assert.deepEqual(await echoed(app, '/cars?version=7'), [200, '2', JSON_TYPE])
    assert.deepEqual(await echoed(app, '/cars?version=2'), [200, undefined, JSON_TYPE])
  })
  it('under every scheme', async () => {
    assert.deepEqual(await echoed(under(URL, listed), '/v7/cars'), [200, '2', JSON_TYPE])
    const request = { url: '/cars', headers: { 'x-version': '7' } }
    const app = under(HEADER, { headerParameter: 'x-version', ...listed })
    assert.deepEqual(await echoed(app, request, 'x-version'), [200, '2', JSON_TYPE])
  })
  it('in errors of the route too', async () => {
    assert.deepEqual(await echoed(typed(listed), '/fails?version=7'), [409, '1', PROBLEM])
  })
  it("in a header where a content type cannot, under echo: 'contentType'", async () => {
    const app = typed({ ...listed, echo: 'contentType' })
    assert.deepEqual(await echoed(app, '/json?version=7'), [200, undefined, 'application/json; version=1'])
    assert.deepEqual(await echoed(app, '/fails?version=7'), [409, '1', PROBLEM])
    assert.deepEqual(await echoed(app, '/none?version=7'), [204, '1', undefined])
  })
  it('not a neutral route at a path without versions', async () => {
    const app = serve([['GET', '/ping', VERSION_NEUTRAL, 'ping']], QUERY, listed)
    assert.deepEqual(await echoed(app, '/ping?version=7'), [200, undefined, JSON_TYPE])
  })
})

describe('the content type under several schemes', () => {
  it('is written by the scheme that reads media types', async () => {
    const app: App = createApp(
      defineModule({
        controllers: [
          defineController({ prefix: '/cars', version: '2', routes: [{ method: 'GET', handler: () => 1 }] }),
        ],
      }),
      { logger: false },
    )
    app.enableVersioning([[URL], [HEADER, { mediaType: 'application/vnd.shop.v{version}+json' }]], {
      echo: 'contentType',
    })
    const { headers } = await app.inject('/v2/cars')
    assert.equal(headers['content-type'], 'application/vnd.shop.v2+json')
  })
})
