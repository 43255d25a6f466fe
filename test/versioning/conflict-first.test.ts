import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, defineVersioningScheme, VersioningSchemes } from 'octavo'
import type { App, InjectOptions } from 'octavo'
import { z } from 'zod'

import { ambiguous, ask, CARS, notFound, ok, serveSeveral, unsupported, varying } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [...CARS, ['GET', '/new', '2', 'new']]
const ALL = ['1', '2']

describe("conflict: 'first' takes the first scheme that finds a version", () => {
  const byPath = serveSeveral(ROUTES, [[URL], [HEADER, { headerParameter: 'x-version' }]], {
    conflict: 'first',
  })
  const byHeader = serveSeveral(ROUTES, [[HEADER, { headerParameter: 'x-version' }], [URL]], {
    conflict: 'first',
  })
  const get = (url: string, version?: string): InjectOptions => ({ url, headers: { 'x-version': version } })
  const headed = (answer: Answer): Answer => varying('x-version', answer)
  const cases: readonly (readonly [title: string, app: App, request: InjectOptions, expected: Answer])[] = [
    ['the path wins, and the header has decided nothing', byPath, get('/v1/cars', '2'), ok('cars@1')],
    ['the path wins though it is unknown', byPath, get('/v9/cars', '2'), unsupported(404, '9', ALL)],
    ['the header counts if the path names no version', byPath, get('/cars', '2'), headed(ok('cars@2'))],
    ['the header wins, behind a version in the path', byHeader, get('/v1/cars', '2'), headed(ok('cars@2'))],
    [
      'the header wins though it is unknown',
      byHeader,
      get('/v1/cars', '9'),
      headed(unsupported(406, '9', ALL)),
    ],
    ['the path counts if the header names no version', byHeader, get('/v1/cars'), headed(ok('cars@1'))],
    ['the path counts if the header is empty', byHeader, get('/v1/cars', ''), headed(ok('cars@1'))],
    ['the header wins behind an unknown version', byHeader, get('/v9/cars', '2'), headed(ok('cars@2'))],
    ['a neutral path answers in the version of the header', byHeader, get('/v1/ping', '2'), ok('ping@2')],
    [
      'a neutral path behind a version refuses an unknown version in the header',
      byHeader,
      get('/v1/ping', '9'),
      unsupported(406, '9', ['1', '2']),
    ],
    [
      'a never-versioned path stays without versions in front',
      byHeader,
      get('/v1/health', '9'),
      unsupported(406, '9', ['1', '2']),
    ],
    ['a path that no version has is an ordinary 404', byHeader, get('/v1/planes', '2'), notFound],
    [
      'a header that contradicts itself is ambiguous',
      byHeader,
      { url: '/v1/cars', headers: { 'x-version': ['1', '2'] } },
      headed(ambiguous({ in: 'header', name: 'x-version' }, ALL, ALL)),
    ],
  ]
  for (const [title, app, request, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(app, request), expected))
  }
  it('a list of preferences, behind a version in the path', async () => {
    const app = serveSeveral(ROUTES, [[HEADER], [URL]], { conflict: 'first' })
    const headers = { accept: 'a/b;version=1, a/b;version=2' }
    assert.deepEqual(
      [await ask(app, { url: '/v9/new', headers }), await ask(app, { url: '/v1/cars', headers })],
      [varying('accept', ok('new@2')), varying('accept', ok('cars@1'))],
    )
  })
  it('later schemes are not looked at, whether the first takes its time or not', async () => {
    const asked: string[] = []
    const First = defineVersioningScheme({
      name: 'first',
      read: async (request) => {
        await setImmediate()
        return request.header('x-first')
      },
    })
    const Second = defineVersioningScheme({
      name: 'second',
      read: (request) => {
        asked.push(request.path)
        return '2'
      },
    })
    const app = serveSeveral(ROUTES, [[QUERY], [First], [Second]], { conflict: 'first' })
    assert.deepEqual(
      [
        await ask(app, '/cars?version=1'),
        await ask(app, { url: '/cars', headers: { 'x-first': '1' } }),
        await ask(app, '/cars'),
        asked,
      ],
      [ok('cars@1'), ok('cars@1'), ok('cars@2'), ['/cars']],
    )
  })
})

describe('several schemes: what handlers and clients see', () => {
  const Echo = defineController({
    name: 'echo',
    prefix: '',
    version: ['1', '2'],
    routes: [
      {
        method: 'GET',
        path: '/echo/{id}',
        name: 'paths',
        handler: (_input, { path, originalPath, version }) => ({ path, originalPath, version }),
      },
      {
        method: 'GET',
        path: '/strict',
        name: 'strict',
        input: { query: z.strictObject({ q: z.string().optional() }) },
        handler: ({ query }) => query,
      },
    ],
  })
  const module = defineModule({ controllers: [Echo] })
  const create = (): App<typeof module> => createApp(module, { logger: false, prefix: '/api' })

  it('the path without and with its version segment, below a prefix', async () => {
    const app = create()
    app.enableVersioning([[URL], [QUERY]])
    assert.deepEqual(
      [
        await ask(app, '/api/v2/echo/7?version=2'),
        await ask(app, '/api/echo/7?version=1'),
        await ask(app, '/api/v1/echo/7/'),
      ],
      [
        seen({ path: '/api/echo/7', originalPath: '/api/v2/echo/7', version: '2' }),
        seen({ path: '/api/echo/7', originalPath: '/api/echo/7', version: '1' }),
        seen({ path: '/api/echo/7/', originalPath: '/api/v1/echo/7/', version: '1' }),
      ],
    )
  })
  it('the version stands behind the prefix', async () => {
    const app = create()
    app.enableVersioning([[URL], [QUERY]])
    assert.deepEqual(
      [await ask(app, '/v1/api/echo/7'), (await ask(app, '/api/v9/echo/7?version=1')).status],
      [notFound, 400],
    )
  })
  it('where slashes count, a path that ends with its version names none', async () => {
    const rows: readonly Row[] = [
      ['GET', '/', '1', 'root'],
      ['GET', '/cars', '1', 'cars'],
    ]
    const app = serveSeveral(rows, [[URL], [QUERY]], {}, { trailingSlash: 'strict' })
    assert.deepEqual(
      [
        await ask(app, '/v1/?version=1'),
        await ask(app, '/v1?version=1'),
        await ask(app, '/v1/cars?version=1'),
        await ask(app, '/v1/cars/?version=1'),
      ],
      [ok('root@1'), notFound, ok('cars@1'), notFound],
    )
  })
  it('a redirect of slashes keeps version and query', async () => {
    const app = serveSeveral(ROUTES, [[URL], [QUERY]], {}, { trailingSlash: 'redirect' })
    const { statusCode, headers } = await app.inject('/v1/cars/?version=1')
    assert.deepEqual([statusCode, headers['location']], [308, '/v1/cars?version=1'])
  })
  it('strict schemas see no version parameter of any scheme', async () => {
    const app = create()
    app.enableVersioning([[QUERY], [QUERY, { versionParameter: 'api-version' }], [URL]])
    assert.deepEqual(
      [
        await ask(app, '/api/strict?version=1&api-version=1&q=x'),
        await ask(app, '/api/v1/strict?api-version=1'),
        (await ask(app, '/api/strict?version=1&other=1')).status,
      ],
      [seen({ q: 'x' }), seen({}), 422],
    )
  })
  it('inject writes the version where the first scheme reads it', async () => {
    const byHeader = create()
    byHeader.enableVersioning([[HEADER, { headerParameter: 'x-version' }], [URL]])
    const byPath = create()
    byPath.enableVersioning([[URL], [HEADER, { headerParameter: 'x-version' }]])
    const request = { url: '/api/echo/7', version: '2' }
    assert.deepEqual(
      [await ask(byHeader, request), await ask(byPath, request)],
      [
        varying('x-version', seen({ path: '/api/echo/7', originalPath: '/api/echo/7', version: '2' })),
        varying('x-version', seen({ path: '/api/echo/7', originalPath: '/api/v2/echo/7', version: '2' })),
      ],
    )
  })
  it('urlFor writes the version with the first scheme that can put it into an address', () => {
    const address = (enable: (app: ReturnType<typeof create>) => void): string => {
      const app = create()
      enable(app)
      return app.urlFor('echo.paths', { id: '7' }, { version: '2' })
    }
    assert.deepEqual(
      [
        address((app) => app.enableVersioning([[HEADER], [QUERY], [URL]])),
        address((app) => app.enableVersioning([[HEADER], [URL], [QUERY]])),
        address((app) => app.enableVersioning([[HOST], [HEADER]])),
      ],
      ['/api/echo/7?version=2', '/api/v2/echo/7', '/api/echo/7'],
    )
  })
})

describe('enableVersioning a second time', () => {
  it('the second call replaces the first', async () => {
    const app = serveSeveral(ROUTES, [[URL], [QUERY]], { defaultVersion: '2' })
    app.enableVersioning(HEADER, { defaultVersion: '1' })
    assert.deepEqual(
      [await ask(app, '/cars?version=2'), await ask(app, '/v2/cars')],
      [varying('accept', ok('cars@1')), notFound],
    )
  })
  it('it replaces what createApp was given', async () => {
    const app = createApp(defineModule({ controllers: [] }), { logger: false, versioning: { scheme: URL } })
    app.enableVersioning([[QUERY]], { required: true })
    await app.ready()
    await app.close()
  })
  it('an error once the application is ready, and once it has answered', async () => {
    const ready = serveSeveral(ROUTES, [[URL]])
    await ready.ready()
    const answered = serveSeveral(ROUTES, [[URL]])
    await answered.inject('/v1/cars')
    for (const app of [ready, answered]) {
      assert.throws(() => app.enableVersioning([[QUERY]]), /call it before the first request/)
      assert.deepEqual(await ask(app, '/v1/cars'), ok('cars@1'))
    }
  })
})

function seen(body: object): Answer {
  return { status: 200, body }
}
