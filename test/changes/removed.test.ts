import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import { createClient } from 'octavo/client'
import { defineVersions, model } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Car = model('Car', { id: z.string() })
const controller = defineController({
  prefix: '/car',
  routes: [
    { method: 'GET', name: 'old', version: '<3', response: Car, handler: () => ({ id: '7' }) },
    {
      method: 'POST',
      name: 'now',
      response: { 201: z.string() },
      handler: (_, context) => context.urlFor('car.old'),
    },
  ],
})
const app = serve(controller, {
  docs: {},
  versioning: {
    scheme: VersioningSchemes.URL,
    history: defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [] }),
  },
})

describe('a route that ended before the newest version', () => {
  const cases = [
    ['3', 404, 500, undefined],
    ['2', 200, 201, '/v2/car'],
    ['1', 200, 201, '/v1/car'],
  ] as const
  for (const [version, status, linked, url] of cases) {
    it(`is served in version ${version}: ${status}`, async () => {
      assert.equal((await app.inject(`/v${version}/car`)).statusCode, version === '3' ? 405 : status)
      const link = await app.inject({ method: 'POST', url: `/v${version}/car` })
      assert.equal(link.statusCode, linked)
      if (url !== undefined) assert.equal(link.json(), url)
    })

    it(`is offered to documents and clients of version ${version}: ${url !== undefined}`, async () => {
      await app.ready()
      const operations = Object.keys(Object(app.openapi({ version }).paths)[`/v${version}/car`])
      assert.equal(operations.includes('get'), url !== undefined)
      const client: { readonly url: (name: string) => Promise<string> } = Object(
        createClient({ baseUrl: 'http://a.test', version, fetch: app.fetch }),
      )
      const found = client.url('car.old').then(String, String)
      assert.match(
        await found,
        url === undefined ? /no route "car\.old" in version 3/ : /^http:\/\/a\.test\/v\d\/car$/,
      )
    })
  }
})
