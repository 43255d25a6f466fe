import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { AppOptions } from 'octavo'
import { createClient } from 'octavo/client'

const create = (options: AppOptions = {}) =>
  createApp(
    defineModule({
      controllers: [
        defineController({
          name: 'CarController',
          prefix: '/car',
          routes: [{ method: 'GET', name: 'list', handler: () => 'cars' }],
        }),
      ],
    }),
    { logger: false, docs: { ui: false }, ...options },
  )

describe('a route without a path has the path of its prefix', () => {
  for (const trailingSlash of ['ignore', 'strict', 'redirect'] as const) {
    it(`everywhere, with trailingSlash: '${trailingSlash}'`, async () => {
      const app = create({ trailingSlash })
      await app.ready()
      assert.equal(app.urlFor('car.list', {}), '/car')
      assert.deepEqual(app.routes().map(({ path }) => path)[0], '/car')
      assert.match(app.printRoutes(), /── car\n[│ ]+GET car\.list/)
      assert.deepEqual(Object.keys(app.openapi().paths), ['/car'])
      const seen: string[] = []
      const client = createClient<typeof app>({
        baseUrl: 'http://localhost',
        fetch: (url, init) => {
          seen.push(new URL(url).pathname)
          return app.fetch(new Request(url, init))
        },
      })
      await client.car.list({})
      assert.deepEqual(seen.at(-1), '/car')
      assert.equal((await app.inject('/car')).statusCode, 200)
      const { statusCode, headers } = await app.inject('/car/')
      assert.deepEqual(
        [statusCode, headers['location']],
        { ignore: [200, undefined], strict: [404, undefined], redirect: [308, '/car'] }[trailingSlash],
      )
    })
  }

  it('below the prefix of the application and a version', async () => {
    const app = create({ prefix: '/api', trailingSlash: 'strict' })
    app.enableVersioning(VersioningSchemes.URL, { versions: ['1'] })
    assert.equal(app.urlFor('car.list', {}), '/api/car')
    assert.equal((await app.inject('/api/car')).statusCode, 200)
  })
})
