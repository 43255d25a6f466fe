import assert from 'node:assert/strict'
import { it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

it('a model that is read and written is one component of an older document', async () => {
  const Car = model('Car', { year: z.number() })
  const change = defineVersionChange({
    version: '2',
    title: 'Years have a name',
    change: [reshape({ of: Car, fields: { year: { was: 'built' } } })],
  })
  const GarageController = defineController({
    prefix: '/garage',
    routes: [
      {
        method: 'POST',
        input: { body: Car },
        response: z.object({ cars: z.array(Car) }),
        handler: ({ body }) => ({ cars: [body] }),
      },
    ],
  })
  const app = serve(GarageController, {
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] }),
    },
  })
  await app.ready()
  const { paths, components } = app.openapi({ version: '1' })
  assert.deepEqual(components?.schemas?.['Car'], {
    type: 'object',
    properties: { built: { type: 'number' } },
    required: ['built'],
  })
  const ref = { $ref: '#/components/schemas/Car' }
  const text = JSON.stringify(paths)
  assert.equal(text.split(JSON.stringify(ref)).length - 1, 2)
})
