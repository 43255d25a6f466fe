import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineModule,
  forbidden,
  HttpError,
  reply,
  unauthorized,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, FinishedResponse, Middleware, VersionPolicy } from 'octavo'
import { z } from 'zod'

import { serve } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

/** 2026-01-01, as seconds. */
const SINCE = '@1767225600'
const POLICY: VersionPolicy = {
  deprecated: '2026-01-01',
  links: { deprecation: 'https://api.example/v1', sunset: { href: '/sunset', type: 'text/plain' } },
}
const LINKS =
  '<https://api.example/v1>; rel="deprecation"; type="text/html", </sunset>; rel="sunset"; type="text/plain"'

/** What a response tells of the policy of its version: status, Deprecation, Link. */
async function told(app: App, request: Parameters<App['inject']>[0]): Promise<readonly unknown[]> {
  const { statusCode, headers } = await app.inject(request)
  return [statusCode, headers['deprecation'], headers['link']]
}

describe('the header Deprecation has the date of the policy', () => {
  const cases: readonly (readonly [string, VersionPolicy, string | undefined])[] = [
    ['a date is its first instant in UTC', { deprecated: '2026-01-01' }, SINCE],
    ['a moment with a zone', { deprecated: '2026-01-01T02:00:00+02:00' }, SINCE],
    ['a Date', { deprecated: new Date(Date.UTC(2026, 0, 1)) }, SINCE],
    ['parts of a second are cut', { deprecated: '2026-01-01T00:00:00.999Z' }, SINCE],
    ['in the future', { deprecated: '2999-12-31' }, '@32503593600'],
    ['before 1970', { deprecated: '1969-12-31T23:59:59Z' }, '@-1'],
    ['none without a date', { deprecated: true }, undefined],
    ['none when it is not deprecated', { deprecated: false, sunset: '2999-01-01' }, undefined],
  ]
  for (const [title, policy, expected] of cases) {
    it(title, async () => {
      const app = serve([['GET', '/cars', '1', 'cars']], URL, { versions: { '1': policy } })
      assert.deepEqual(await told(app, '/v1/cars'), [200, expected, undefined])
    })
  }

  it('an undated one is told by the links and the list', async () => {
    const app = serve([['GET', '/cars', '1', 'cars']], URL, {
      report: 'always',
      versions: { '1': { deprecated: true, links: { deprecation: '/why' } } },
    })
    const { headers } = await app.inject('/v1/cars')
    assert.deepEqual(
      [headers['deprecation'], headers['link'], headers['api-deprecated-versions']],
      [undefined, '</why>; rel="deprecation"; type="text/html"', '1'],
    )
  })
})

describe('the header Link', () => {
  const titled: VersionPolicy = { links: { sunset: { href: 'a', title: 'say "no" \\ go' } } }

  it('quotes and backslashes in titles are escaped, and links need no deprecation', async () => {
    const app = serve([['GET', '/cars', '1', 'cars']], URL, { versions: { '1': titled } })
    const link = '<a>; rel="sunset"; type="text/html"; title="say \\"no\\" \\\\ go"'
    assert.deepEqual(await told(app, '/v1/cars'), [200, undefined, link])
  })

  it('what undoes a deprecation or a sunset undoes its link', async () => {
    const links = { deprecation: '/why', sunset: '/until' }
    const controller = defineController({
      prefix: '/',
      version: '1',
      policy: { deprecated: true, sunset: '2030-01-01', links },
      routes: [
        { method: 'GET', path: '/kept', policy: { deprecated: false }, handler: () => 1 },
        { method: 'GET', path: '/free', policy: { deprecated: false, sunset: false }, handler: () => 1 },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    app.enableVersioning(URL)
    const linked = await Promise.all(
      ['/v1/kept', '/v1/free'].map(async (url) => (await app.inject(url)).headers['link']),
    )
    assert.deepEqual(linked, ['</until>; rel="sunset"; type="text/html"', undefined])
  })

  const own = '<https://x.example>; rel="next"'
  const cases = [
    ['a text', () => reply(200, 1, { headers: { link: own } }), `${own}, ${LINKS}`],
    ['in capitals', () => reply(200, 1, { headers: { Link: own } }), `${own}, ${LINKS}`],
    ['several lines', () => reply(200, 1, { headers: { link: ['<a>', '<b>'] } }), `<a>, <b>, ${LINKS}`],
    ['a web response', () => new Response('x', { headers: { link: own } }), `${own}, ${LINKS}`],
    ['one of them', () => reply(200, 1, { headers: { link: LINKS.split(', ')[0] ?? '' } }), LINKS],
  ] as const
  for (const [title, handler, link] of cases) {
    it(`is added to that of the handler: ${title}`, async () => {
      const controller = defineController({
        prefix: '/cars',
        version: '1',
        routes: [{ method: 'GET', name: 'a', handler }],
      })
      const app: App = createApp(defineModule({ controllers: [controller] }), { logger: false })
      app.enableVersioning(URL, { versions: { '1': POLICY } })
      assert.deepEqual(await told(app, '/v1/cars'), [200, SINCE, link])
    })
  }

  it('headers of the handler stay', async () => {
    const controller = defineController({
      prefix: '/cars',
      version: '1',
      routes: [
        {
          method: 'GET',
          name: 'a',
          handler: () => reply(200, 1, { headers: { Deprecation: '@1', Sunset: 'x' } }),
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    app.enableVersioning(URL, { versions: { '1': { deprecated: '2026-01-01', sunset: '2027-01-01' } } })
    const { headers } = await app.inject('/v1/cars')
    assert.deepEqual([headers['deprecation'], headers['sunset']], ['@1', 'x'])
  })
})

class Broken extends Error {}

/** Routes of version 1 that end in every way, and one of version 2. */
function outcomes(options: AppOptions = {}): App {
  const unknown = defineGuard({
    name: 'unknown',
    canActivate: () => {
      throw unauthorized('x')
    },
  })
  const refused = defineGuard({
    name: 'refused',
    canActivate: () => {
      throw forbidden('x')
    },
  })
  const broken = defineErrorHandler({ match: Broken, handle: () => reply(409, { mended: true }) })
  const thrower = (error: Error) => () => {
    throw error
  }
  const old = defineController({
    name: 'old',
    prefix: '/',
    version: '1',
    routes: [
      { method: 'GET', path: '/ok', name: 'ok', handler: () => 1 },
      { method: 'POST', path: '/none', name: 'none', handler: () => undefined },
      {
        method: 'GET',
        path: '/moved',
        name: 'moved',
        handler: () => Response.redirect('http://x.example/', 302),
      },
      {
        method: 'GET',
        path: '/input',
        name: 'input',
        input: { query: z.object({ x: z.string() }) },
        handler: () => 1,
      },
      { method: 'GET', path: '/teapot', name: 'teapot', handler: thrower(new HttpError(418, 'x')) },
      { method: 'GET', path: '/fails', name: 'fails', handler: thrower(new Error('x')) },
      { method: 'GET', path: '/401', name: 'a', guards: [unknown], handler: () => 1 },
      { method: 'GET', path: '/403', name: 'b', guards: [refused], handler: () => 1 },
      {
        method: 'GET',
        path: '/mended',
        name: 'c',
        errorHandlers: [broken],
        handler: thrower(new Broken('x')),
      },
      {
        method: 'GET',
        path: '/unsendable',
        name: 'd',
        handler: () => reply(200, 1, { headers: { x: '\n' } }),
      },
      {
        method: 'GET',
        path: '/stream',
        name: 'stream',
        handler: async function* stream() {
          yield 'x'
        },
      },
    ],
  })
  const fresh = defineController({
    name: 'fresh',
    prefix: '/',
    version: '2',
    routes: [{ method: 'GET', path: '/ok', name: 'ok', handler: () => 2 }],
  })
  const app = createApp(defineModule({ controllers: [old, fresh] }), { logger: false, ...options })
  app.enableVersioning(QUERY, { versions: { '1': POLICY } })
  return app
}

describe('responses of a route report on its version', () => {
  const app = outcomes()
  const cases = [
    ['success', 'GET', '/ok?version=1', 200, true],
    ['HEAD as GET', 'HEAD', '/ok?version=1', 200, true],
    ['without body', 'POST', '/none?version=1', 204, true],
    ['a redirect of the handler', 'GET', '/moved?version=1', 302, true],
    ['a stream', 'GET', '/stream?version=1', 200, true],
    ['invalid input', 'GET', '/input?version=1', 422, true],
    ['an HttpError', 'GET', '/teapot?version=1', 418, true],
    ['an unknown error', 'GET', '/fails?version=1', 500, true],
    ['a guard that does not know the client', 'GET', '/401?version=1', 401, true],
    ['a guard that refuses', 'GET', '/403?version=1', 403, true],
    ['an error handler', 'GET', '/mended?version=1', 409, true],
    ['another version', 'GET', '/ok?version=2', 200, false],
    ['not a wrong method', 'DELETE', '/ok?version=1', 405, false],
    ['not an unknown version', 'GET', '/ok?version=9', 404, false],
    ['not no version', 'GET', '/ok', 400, false],
    ['not a version without the path', 'GET', '/teapot?version=2', 404, false],
    ['not an unknown path', 'GET', '/nowhere?version=1', 404, false],
    ['not the automatic OPTIONS', 'OPTIONS', '/ok?version=1', 204, false],
    ['not a response that could not be sent', 'GET', '/unsendable?version=1', 500, false],
  ] as const
  for (const [title, method, url, status, isTold] of cases) {
    it(`${title}: ${method} ${url}`, async () => {
      const expected = isTold ? [SINCE, LINKS] : [undefined, undefined]
      assert.deepEqual(await told(app, { method, url }), [status, ...expected])
    })
  }

  it('not a redirect to the other spelling of the path: what it leads to tells', async () => {
    const redirecting = outcomes({ trailingSlash: 'redirect' })
    assert.deepEqual(await told(redirecting, '/ok/?version=1'), [308, undefined, undefined])
    assert.deepEqual(await told(redirecting, '/ok?version=1'), [200, SINCE, LINKS])
  })
})

describe('middleware and the headers of a version', () => {
  it('an answer in place of the response is told of the version too', async () => {
    const replaced: Middleware = async (_context, next) => {
      await next()
      return { replaced: true }
    }
    assert.deepEqual(await told(outcomes({ middleware: [replaced] }), '/ok?version=1'), [200, SINCE, LINKS])
  })
  it('an answer without a route is not', async () => {
    const early: Middleware = () => ({ early: true })
    const answer = await told(outcomes({ middleware: [early] }), '/ok?version=1')
    assert.deepEqual(answer, [200, undefined, undefined])
  })
  it('a response that is kept and sent again has nothing twice', async () => {
    let kept: FinishedResponse | undefined
    const keeping: Middleware = async (_context, next) => {
      const response = await next()
      kept ??= response
      return kept
    }
    const app = outcomes({ middleware: [keeping] })
    const answers = [
      await told(app, '/ok?version=1'),
      await told(app, '/ok?version=1'),
      await told(app, '/ok?version=1'),
    ]
    assert.deepEqual(
      answers,
      answers.map(() => [200, SINCE, LINKS]),
    )
  })
})

describe('routes that take the policy of a version', () => {
  const rows = [
    ['GET', '/cars', '1', 'exact'],
    ['POST', '/cars', undefined, 'unversioned'],
    ['GET', '/ranged', '>=1 <3', 'ranged'],
    ['GET', '/many', ['1', '2'], 'many'],
  ] as const
  const listed = [{ version: '1', ...POLICY }, '2', '3']

  it('a range, and a list, by the version that is asked for', async () => {
    const app = serve(rows, QUERY, { versions: listed })
    const tells = async (url: string): Promise<unknown> => (await app.inject(url)).headers['deprecation']
    assert.deepEqual(
      [
        await tells('/ranged?version=1'),
        await tells('/ranged?version=2'),
        await tells('/many?version=1'),
        await tells('/many?version=2'),
      ],
      [SINCE, undefined, SINCE, undefined],
    )
  })
  it('the default version, asked for or not', async () => {
    const app = serve(rows, QUERY, { versions: listed, defaultVersion: '1' })
    assert.deepEqual(await told(app, '/cars'), [200, SINCE, LINKS])
    assert.deepEqual(await told(app, '/cars?version=1'), [200, SINCE, LINKS])
  })
  it('a route without version that answers as the default', async () => {
    const app = serve(rows, QUERY, { versions: listed, defaultVersion: '1' })
    assert.deepEqual(await told(app, { method: 'POST', url: '/cars' }), [200, SINCE, LINKS])
    const other = serve(rows, QUERY, { versions: listed, defaultVersion: '2' })
    assert.deepEqual(await told(other, { method: 'POST', url: '/cars' }), [200, undefined, undefined])
  })
  it('a route without version that answers the version which a function chose', async () => {
    const defaultVersion = (request: { header: (name: string) => string | undefined }): string | null =>
      request.header('x-pin') ?? null
    const app = serve(rows, QUERY, { versions: listed, defaultVersion })
    const post = (pin?: string): Promise<readonly unknown[]> =>
      told(app, { method: 'POST', url: '/cars', headers: { 'x-pin': pin } })
    assert.deepEqual(await post('1'), [200, SINCE, LINKS])
    assert.deepEqual(await post('2'), [200, undefined, undefined])
    assert.deepEqual(await post(), [200, undefined, undefined])
  })
  it('not a path that was never versioned', async () => {
    const app = serve([...rows, ['GET', '/health', undefined, 'health']], HEADER, {
      versions: listed,
      defaultVersion: '1',
    })
    assert.deepEqual(await told(app, '/health'), [200, undefined, undefined])
  })
  it('another spelling of the version, in the path and in the list', async () => {
    const app = serve([['GET', '/cars', '1', 'cars']], URL, {
      format: 'semver',
      versions: { '1.0.0': POLICY },
    })
    assert.deepEqual(await told(app, '/v1.0/cars/'), [200, SINCE, LINKS])
    assert.deepEqual(await told(app, '/v1/cars'), [200, SINCE, LINKS])
  })
})
