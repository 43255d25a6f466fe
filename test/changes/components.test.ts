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

it('a refined model is shown by older documents as by the newest one', async () => {
  const Car = model('RefinedCar', { year: z.number() })
  const change = defineVersionChange({
    version: '2',
    title: 'Years have a name',
    change: [reshape({ of: Car, fields: { year: { was: 'built' } } })],
  })
  const refined = Car.refine(({ year }) => year > 1900)
  const routes = [
    { method: 'GET', path: '/all', response: z.array(refined), handler: () => [] },
    { method: 'GET', path: '/one', response: Car, handler: () => ({ year: 2000 }) },
  ] as const
  const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
  const app = serve(routes, { versioning: { scheme: VersioningSchemes.URL, history } })
  await app.ready()
  const shown = ['2', '1'].map((version) => {
    const { get } = app.openapi({ version }).paths[`/v${version}/all`] ?? {}
    return Object(get?.responses['200']).content['application/json'].schema.items
  })
  const ref = { $ref: '#/components/schemas/RefinedCar' }
  assert.deepEqual(shown, [ref, ref])
})
