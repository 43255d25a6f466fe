import assert from 'node:assert/strict'
import { it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'

it('an unknown version before a path without versions is answered with those that exist', async () => {
  const health = defineController({ prefix: '/health', routes: [{ method: 'GET', handler: () => 'ok' }] })
  const cars = defineController({
    prefix: '/car',
    version: ['1', '2'],
    routes: [{ method: 'GET', handler: () => 'ok' }],
  })
  const app = createApp(defineModule({ controllers: [health, cars] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, versionParameter: 'v' },
  })
  const response = await app.inject('/v9/health')
  const { code, requested, supported } = JSON.parse(response.body)
  assert.deepEqual([code, requested, supported], ['unsupported_version', '9', ['1', '2']])
})
