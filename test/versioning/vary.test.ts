import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineVersioningScheme,
  HttpError,
  reply,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, InjectOptions } from 'octavo'
import { z } from 'zod'

import { serve, serveSeveral } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['POST', '/cars', undefined, 'create'],
  ['PUT', '/cars', VERSION_NEUTRAL, 'put'],
  ['GET', '/only', '1', 'only'],
  ['GET', '/{any}/deep', '1', 'deep'],
  ['GET', '/plain/{x}', undefined, 'overlaps'],
  ['GET', '/plain/{x}/deeper', undefined, 'apart'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]

describe('Vary has the headers that may decide the version', () => {
  const app = serve(ROUTES, HEADER, { headerParameter: 'X-Version' })
  const cases = [
    ['the answer of a version', 'GET', '/cars', '1', 200, 'x-version'],
    ['an unversioned answer', 'POST', '/cars', undefined, 200, 'x-version'],
    ['a neutral answer', 'PUT', '/cars', undefined, 200, 'x-version'],
    ['no version', 'GET', '/only', undefined, 400, 'x-version'],
    ['an unknown version', 'GET', '/cars', '9', 406, 'x-version'],
    ['an ambiguous version', 'GET', '/cars', '1, 2', 400, 'x-version'],
    ['a wrong method', 'DELETE', '/cars', '1', 405, 'x-version'],
    ['a wrong method without version', 'DELETE', '/cars', undefined, 405, 'x-version'],
    ['OPTIONS', 'OPTIONS', '/cars', '1', 204, 'x-version'],
    ['HEAD', 'HEAD', '/cars', '1', 200, 'x-version'],
    ['not a never-versioned path', 'GET', '/health', '1', 200, undefined],
    ['not a wrong method of a never-versioned path', 'PUT', '/health', '1', 405, undefined],
    ['not a neutral path', 'GET', '/ping', '9', 200, undefined],
    ['not OPTIONS of a never-versioned path', 'OPTIONS', '/health', '9', 204, undefined],
    ['not a path that no version has', 'GET', '/planes', '1', 404, undefined],
    ['not a malformed path', 'GET', '/%zz', '1', 400, undefined],
    ['a pattern that overlaps a versioned one', 'GET', '/plain/deep', '9', 200, 'x-version'],
    [
      'a pattern that overlaps a versioned one, whatever the path',
      'GET',
      '/plain/other',
      '9',
      200,
      'x-version',
    ],
    ['not a pattern that overlaps none', 'GET', '/plain/x/deeper', '9', 200, undefined],
  ] as const
  for (const [title, method, url, version, status, vary] of cases) {
    it(`${title}: ${method} ${url}`, async () => {
      const { statusCode, headers } = await app.inject({ method, url, headers: { 'x-version': version } })
      assert.deepEqual([statusCode, headers['vary']], [status, vary])
    })
  }

  it('the answer of the default version', async () => {
    const served = serve(ROUTES, HEADER, { defaultVersion: '1' })
    assert.deepEqual((await served.inject('/cars')).headers['vary'], 'accept')
  })
  it('the version that the default lacks', async () => {
    const served = serve(ROUTES, HEADER, { defaultVersion: '2', versions: ['2', '1'] })
    const { statusCode, headers } = await served.inject('/only')
    assert.deepEqual([statusCode, headers['vary']], [406, 'accept'])
  })
  it('a redirect', async () => {
    const served = serve(ROUTES, HEADER, { defaultVersion: '1' }, { trailingSlash: 'redirect' })
    const { statusCode, headers } = await served.inject('/cars/')
    assert.deepEqual([statusCode, headers['vary']], [308, 'accept'])
  })
  it('not where the version is part of the URL', async () => {
    const answers = await Promise.all([
      serve(ROUTES, URL).inject('/v1/cars'),
      serve(ROUTES, URL).inject('/v9/cars'),
      serve(ROUTES, QUERY).inject('/cars?version=1'),
      serve(ROUTES, QUERY).inject('/cars?version=9'),
      serve(ROUTES, HOST).inject({ url: '/cars', host: 'v1.example.com' }),
      serve(ROUTES, HOST).inject('/cars'),
      serve(ROUTES.slice(0, 1)).inject('/cars'),
    ])
    assert.deepEqual(
      answers.map(({ headers }) => headers['vary']),
      answers.map(() => undefined),
    )
  })
})

describe('Vary of responses that report on versions', () => {
  const clock = (): number => Date.parse('2026-06-01')

  it('a retired version', async () => {
    const versions = [{ version: '1', sunset: '2026-01-01', retired: 'gone' as const }, '2']
    const app = serve([...ROUTES, ['GET', '/new', '2', 'new']], HEADER, { versions, clock })
    const ask = async (url: string): Promise<readonly unknown[]> => {
      const { statusCode, headers } = await app.inject({ url, headers: { accept: '*/*;version=1' } })
      return [statusCode, headers['vary']]
    }
    assert.deepEqual(await ask('/cars'), [410, 'accept'])
    assert.deepEqual(await ask('/new'), [410, 'accept'])
    assert.deepEqual(await ask('/health'), [200, undefined])
  })
  it('the nearest earlier version', async () => {
    const app = serve(ROUTES, HEADER, { unknown: 'floor', versions: ['1'] })
    const { statusCode, headers } = await app.inject({ url: '/cars', headers: { accept: '*/*;version=7' } })
    assert.deepEqual([statusCode, headers['vary']], [200, 'accept'])
  })
})

describe('Vary and a function that chooses the default version', () => {
  const defaultVersion = (request: { header: (name: string) => string | undefined }): string | null =>
    request.header('x-account') === 'old' ? '1' : null
  const vary = ['X-Account', 'Accept-Language']

  it('the headers that it reads, where it was asked', async () => {
    const app = serve(ROUTES, HEADER, { headerParameter: 'X-Version', defaultVersion, vary })
    const cases = [
      ['/cars', undefined, 'old', 200, 'x-version, x-account, accept-language'],
      ['/cars', undefined, undefined, 400, 'x-version, x-account, accept-language'],
      ['/cars', '1', 'old', 200, 'x-version'],
      ['/cars', '9', 'old', 406, 'x-version'],
      ['/health', undefined, 'old', 200, undefined],
    ] as const
    for (const [url, version, account, status, expected] of cases) {
      const headers = { 'x-version': version, 'x-account': account }
      const response = await app.inject({ url, headers })
      assert.deepEqual([response.statusCode, response.headers['vary']], [status, expected])
    }
  })
  it('under URL, QUERY and HOST those alone', async () => {
    const app = serve(ROUTES, QUERY, { defaultVersion, vary })
    const ask = async (url: string): Promise<unknown> => {
      const { headers } = await app.inject({ url, headers: { 'x-account': 'old' } })
      return headers['vary']
    }
    assert.deepEqual(
      [await ask('/cars'), await ask('/cars?version=1'), await ask('/health')],
      ['x-account, accept-language', undefined, undefined],
    )
    const byPath = serve(ROUTES, URL, { defaultVersion, vary })
    const answers = [
      await byPath.inject({ url: '/cars', headers: { 'x-account': 'old' } }),
      await byPath.inject('/v1/cars'),
    ]
    assert.deepEqual(
      answers.map(({ statusCode, headers }) => [statusCode, headers['vary']]),
      [
        [200, 'x-account, accept-language'],
        [200, undefined],
      ],
    )
  })
  it('not where a version is the default', async () => {
    const app = serve(ROUTES, HEADER, { defaultVersion: '1', vary })
    assert.equal((await app.inject('/cars')).headers['vary'], 'accept')
  })
})

describe('Vary of several schemes', () => {
  /** What `GET /cars` varies on. */
  async function varies(app: App, headers: InjectOptions['headers'], url = '/cars'): Promise<unknown> {
    return (await app.inject({ url, ...(headers === undefined ? {} : { headers }) })).headers['vary']
  }
  const named = { headerParameter: 'X-Version' }

  it('every header that may decide', async () => {
    const app = serve(ROUTES)
    app.enableVersioning([[QUERY], [HEADER, named], [HEADER]], { defaultVersion: '1' })
    const both = 'x-version, accept'
    assert.deepEqual(
      [
        await varies(app, {}),
        await varies(app, { 'x-version': '1' }),
        await varies(app, { accept: '*/*;version=1' }),
        await varies(app, {}, '/cars?version=1'),
        await varies(app, {}, '/cars?version=9'),
        await varies(app, { 'x-version': '1' }, '/cars?version=2'),
        await varies(app, {}, '/health'),
      ],
      [both, both, both, both, both, both, undefined],
    )
  })
})

describe('Vary keeps the names of the handler', () => {
  const controller = defineController({
    prefix: '/',
    version: '1',
    routes: [
      {
        method: 'GET',
        path: '/origin',
        name: 'a',
        handler: () => reply(200, 1, { headers: { Vary: 'Origin' } }),
      },
      {
        method: 'GET',
        path: '/accept',
        name: 'b',
        handler: () => reply(200, 1, { headers: { vary: 'Origin, ACCEPT' } }),
      },
      { method: 'GET', path: '/star', name: 'c', handler: () => reply(200, 1, { headers: { vary: '*' } }) },
      {
        method: 'GET',
        path: '/web',
        name: 'd',
        handler: () => new Response('x', { headers: { vary: 'Origin' } }),
      },
      {
        method: 'GET',
        path: '/throws',
        name: 'e',
        handler: () => {
          throw new HttpError(409, 'x', { headers: { vary: 'Origin' } })
        },
      },
      {
        method: 'GET',
        path: '/fails',
        name: 'f',
        handler: () => {
          throw new Error('x')
        },
      },
      {
        method: 'GET',
        path: '/input',
        name: 'g',
        input: { query: z.object({ x: z.number() }) },
        handler: () => 1,
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
  app.enableVersioning(HEADER, { defaultVersion: '1' })
  const cases = [
    ['names are merged', '/origin', 200, 'Origin, accept'],
    ['names are not repeated', '/accept', 200, 'Origin, ACCEPT'],
    ['* stays alone', '/star', 200, '*'],
    ['a web response', '/web', 200, 'Origin, accept'],
    ['an HttpError', '/throws', 409, 'Origin, accept'],
    ['an unknown error', '/fails', 500, 'accept'],
    ['invalid input', '/input', 422, 'accept'],
  ] as const
  for (const [title, url, status, vary] of cases) {
    it(`${title}: ${url}`, async () => {
      const { statusCode, headers } = await app.inject(url)
      assert.deepEqual([statusCode, headers['vary']], [status, vary])
    })
  }
})

describe('Vary where the version could not be found out', () => {
  const rows: readonly Row[] = [
    ['GET', '/cars', '1', 'cars'],
    ['GET', '/health', undefined, 'health'],
  ]
  const defaultVersion = (): never => {
    throw new HttpError(404, 'No such account')
  }
  const later = async (): Promise<never> => Promise.reject(new Error('no connection'))
  const Own = defineVersioningScheme({ name: 'own', read: defaultVersion, vary: ['x-own'] })
  const vary = ['X-Account']
  const cases: readonly (readonly [title: string, app: App, url: string, expected: unknown])[] = [
    ['a function', serve(rows, QUERY, { defaultVersion, vary }), '/cars', [404, 'x-account']],
    ['a promise', serve(rows, HEADER, { defaultVersion: later, vary }), '/cars', [500, 'accept, x-account']],
    [
      'an unknown version',
      serve(rows, URL, { defaultVersion: () => '9', vary }),
      '/cars',
      [500, 'x-account'],
    ],
    ['an own scheme', serve(rows, Own), '/cars', [404, 'x-own']],
    ['beside versions in the path', serveSeveral(rows, [[URL], [Own]]), '/v1/cars', [404, 'x-own']],
    ['no header', serve(rows, QUERY, { defaultVersion }), '/cars', [404, undefined]],
  ]
  for (const [title, app, url, expected] of cases) {
    it(title, async () => {
      const { statusCode, headers } = await app.inject(url)
      assert.deepEqual([statusCode, headers['vary']], expected)
    })
  }
  it('not on a path without versions', async () => {
    const { headers } = await serve(rows, QUERY, { defaultVersion, vary }).inject('/health')
    assert.equal(headers['vary'], undefined)
  })
})
