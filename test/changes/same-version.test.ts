import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { expectTypeOf } from 'expect-type'
import { defineController, VersioningSchemes } from 'octavo'
import { before, defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import type { VersionChange } from 'octavo/changes'
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

  it('are refused if functions get a model that the other reshapes, which is as it is since the version', async () => {
    const Home = model('Home', { city: z.string() })
    const Owner = model('Owner', { id: z.string(), home: Home, size: z.number() })
    const moved = defineVersionChange({
      version: '2',
      title: 'Towns are cities',
      change: [
        reshape({ of: Home, fields: { city: { was: 'town' } } }),
        reshape({ of: Owner, fields: { id: { was: 'key' } } }),
      ],
    })
    const sized = (reads: readonly 'home'[], version: '1' | '2') =>
      defineVersionChange({
        version,
        title: 'Sizes are numbers',
        change: [
          reshape({
            of: before(moved, Owner),
            reads,
            fields: { size: { was: z.string(), up: Number, down: String } },
          }),
        ],
      })
    const start = (change: VersionChange<'1' | '2'>): object =>
      defineVersions({ versions: ['2', '1', '0'], models: { Home, Owner }, changes: [moved, change] })
    const owners = defineController({
      prefix: '/o',
      routes: [{ method: 'GET', response: Owner, handler: () => ({}) as never }],
    })
    const ready = async (change: VersionChange<'1' | '2'>): Promise<unknown> =>
      serve(owners, {
        versioning: { scheme: VersioningSchemes.URL, history: start(change) as never },
      }).ready()
    await assert.rejects(
      ready(sized(['home'], '2')),
      /before names the change "towns-are-cities" of the same version/,
    )
    await ready(sized([], '2'))
    await ready(sized(['home'], '1'))
  })
})
