import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { expectTypeOf } from 'expect-type'
import { defineController, VersioningSchemes } from 'octavo'
import { before, defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const User = model('User', { id: z.string(), firstName: z.string() })

const named = defineVersionChange({
  version: '2',
  title: 'Names are first names',
  change: [reshape({ of: User, fields: { firstName: { was: 'name' } } })],
})
const short = defineVersionChange({
  version: '2',
  title: 'Full names are names',
  change: [reshape({ of: before(named, User), fields: { name: { was: 'fullName' } } })],
})
const numbered = defineVersionChange({
  version: '2',
  title: 'Full names are text',
  change: [
    reshape({ of: before(short, User), fields: { fullName: { was: z.number(), up: String, down: Number } } }),
  ],
})

const orders = [
  [named, short, numbered],
  [numbered, short, named],
  [short, numbered, named],
  [numbered, named, short],
] as const

describe('changes of one version that are written against each other', () => {
  it('are applied in the order that before gives them, however they are listed', async () => {
    for (const changes of orders) {
      const history = defineVersions({ versions: ['2', '1'], models: { User }, changes })
      const old = history.migrate(User, { id: '7', firstName: '12' }, { to: '1' })
      expectTypeOf(old).toEqualTypeOf<{ id: string; fullName: number }>()
      assert.deepEqual(old, { id: '7', fullName: 12 })
      const newest = history.migrate(User, old, { from: '1' })
      assert.deepEqual(newest, { id: '7', firstName: '12' })
      const controller = defineController({
        prefix: '/user',
        routes: [{ method: 'GET', response: User, handler: () => ({ id: '7', firstName: '12' }) }],
      })
      const app = serve(controller, { versioning: { scheme: VersioningSchemes.URL, history } })
      const answer = await app.inject('/v1/user')
      assert.deepEqual(answer.json(), { id: '7', fullName: 12 })
    }
  })
})
