import assert from 'node:assert/strict'
import { it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const P = model('P', { n: z.string() })

// in a file of its own, because zod is loaded once for a process
it('serves the items of a removed route in an application without other schemas', async () => {
  const change = defineVersionChange({
    version: '2',
    title: 'Names differ',
    change: [reshape({ of: P, fields: { n: { was: 'm' } } })],
  })
  const PController = defineController({
    prefix: '/p',
    routes: [{ method: 'GET', version: '<2', items: P, handler: () => [{ n: 'a' }] }],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { P }, changes: [change] })
  const app = serve(PController, { versioning: { scheme: VersioningSchemes.URL, history } })
  assert.equal((await app.inject('/v1/p')).body, '{"m":"a"}\n')
})
