import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { expectTypeOf } from 'expect-type'
import { defineController, VersioningSchemes } from 'octavo'
import { absent, defineVersionChange, defineVersions, fieldNames, model, reshape } from 'octavo/changes'
import type { InAt, StateOf } from 'octavo/changes'
import { z } from 'zod'
import { objectsOf } from '../inside/parts.ts'
import { serve } from '../support/serve.ts'

const Car = model('Car', {
  id: z.string(),
  year: z.number(),
  colour: z.string(),
  owner: z.string().optional(),
})
const Sort = fieldNames(Car)
const change = defineVersionChange({
  version: '2',
  title: 'Years have a name',
  change: [
    reshape({
      of: Car,
      fields: { year: { was: 'built' }, owner: { was: absent }, plate: { was: z.string() } },
      down: () => ({ plate: '' }),
    }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
const app = serve(
  defineController({
    prefix: '/car',
    routes: [
      {
        method: 'GET',
        input: { query: z.object({ sort: Sort.optional(), fields: z.array(Sort).default(['id']) }) },
        handler: ({ query }) => query,
      },
    ],
  }),
  { versioning: { scheme: VersioningSchemes.URL, history }, docs: {} },
)

describe('fieldNames', () => {
  it('takes the names of each version', async () => {
    assert.deepEqual((await app.inject('/v2/car?sort=year')).json(), { sort: 'year', fields: ['id'] })
    assert.deepEqual((await app.inject('/v1/car?sort=built&fields=built&fields=colour')).json(), {
      sort: 'year',
      fields: ['year', 'colour'],
    })
    assert.equal((await app.inject('/v1/car?sort=year')).statusCode, 422)
    assert.equal((await app.inject('/v1/car?sort=owner')).statusCode, 422)
    assert.equal((await app.inject('/v1/car?sort=plate')).statusCode, 422)
  })

  it('is documented with the names of each version', async () => {
    await app.ready()
    assert.match(JSON.stringify(app.openapi({ version: '1' })), /"enum":\["id","built","colour"\]/)
    assert.match(JSON.stringify(app.openapi({ version: '2' })), /"enum":\["id","year","colour","owner"\]/)
  })

  it('has the types of each version', () => {
    expectTypeOf<z.infer<typeof Sort>>().toEqualTypeOf<'id' | 'year' | 'colour' | 'owner'>()
    expectTypeOf<InAt<typeof Sort, StateOf<typeof history, '1'>>>().toEqualTypeOf<'id' | 'built' | 'colour'>()
  })

  it('is found in the keys of records and in catchalls, to explain where changes land', () => {
    const schema = z.object({ by: z.record(Sort, z.number()) }).catchall(Sort)
    assert.deepEqual(
      objectsOf([], [schema]).map(({ position }) => position),
      ['messages', 'messages.by{}', 'messages{}'],
    )
  })

  it('is found in objects that all refer to each other', () => {
    const names = Array.from({ length: 24 }, (_, number) => `o${number}`)
    const objects: Record<string, z.ZodType> = {}
    for (const name of names)
      objects[name] = z.object({
        get all() {
          return z.object(objects).extend({ sort: Sort })
        },
      })
    const found = objectsOf([], [z.object(objects)])
    assert.equal(new Set(found.map(({ schema }) => schema)).size, 2 * names.length + 2)
  })

  it('takes a model alone', () => {
    // @ts-expect-error a plain schema is no model
    assert.throws(() => fieldNames(z.object({ id: z.string() })), /fieldNames was given/)
  })
})
