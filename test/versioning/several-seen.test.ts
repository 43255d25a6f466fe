import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { z } from 'zod'

import { ask, CARS, notFound, ok, serveSeveral, varying } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [...CARS, ['GET', '/new', '2', 'new']]

describe('schemes together: what handlers and clients see', () => {
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
      return app.urlFor('echo.paths', { id: '7' })
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
