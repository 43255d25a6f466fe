import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, HttpError, VersioningSchemes } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { idempotency } from 'octavo/idempotency'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const User = model('User', {
  id: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  created: z.date(),
})
const CreateUser = derive(User, (user) => user.omit({ id: true, created: true }))
const change = defineVersionChange({
  version: '2',
  title: 'Names have two parts',
  change: [
    reshape({
      of: User,
      fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
      up: ({ name }) => ({ firstName: name.split(' ')[0] ?? '', lastName: name.split(' ')[1] ?? '' }),
      down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
    }),
    reshape({
      of: User,
      fields: { created: { was: z.int(), up: (time) => new Date(time), down: (date) => date.getFullYear() } },
    }),
    operation({ route: 'user.create', status: { was: 200 } }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [change] })

let runs = 0
const user = defineController({
  prefix: '/user',
  interceptors: [idempotency()],
  routes: [
    {
      method: 'POST',
      name: 'create',
      input: { body: CreateUser },
      response: { 201: User },
      handler: ({ body }) => {
        runs++
        if (body.firstName === 'Nil') throw new HttpError(409, 'Taken', { code: 'taken' })
        return { ...body, id: String(runs), created: new Date(2020, 5, 1) }
      },
    },
  ],
})
const app = serve(user, { versioning: { scheme: VersioningSchemes.URL, history } })
const send = async (version: string, json: object, key: string) => {
  const headers = { 'idempotency-key': key }
  const response = await app.inject({ method: 'POST', url: `/v${version}/user`, json, headers })
  return [response.statusCode, response.json(), response.headers['idempotency-replayed']] as const
}

describe('a key in several versions', () => {
  const newest = { firstName: 'Ann', lastName: 'Lee' }
  const oldest = { name: 'Ann Lee' }

  it('is one write, whichever version comes first, and each gets the result of its own', async () => {
    const created = new Date(2020, 5, 1)
    for (const [first, key] of [
      ['1', '"first-000000000001"'],
      ['2', '"first-000000000002"'],
    ] as const) {
      const before = runs
      const expected = {
        '1': [200, { id: String(before + 1), name: 'Ann Lee', created: created.getFullYear() }],
        '2': [201, { id: String(before + 1), ...newest, created: created.toISOString() }],
      } as const
      const second = first === '1' ? '2' : '1'
      const ask = async (version: '1' | '2') => send(version, version === '1' ? oldest : newest, key)
      assert.deepEqual(await ask(first), [...expected[first], undefined])
      assert.deepEqual(await ask(second), [...expected[second], 'true'])
      assert.deepEqual(await ask(first), [...expected[first], 'true'])
      assert.equal(runs, before + 1)
    }
  })

  it('is a 422 for another value, in every version', async () => {
    assert.equal((await send('1', { name: 'Bob Lee' }, '"first-000000000001"'))[0], 422)
    assert.equal((await send('2', { ...newest, lastName: 'Low' }, '"first-000000000001"'))[0], 422)
  })

  it('replays errors too', async () => {
    const before = runs
    const key = '"error-000000000001"'
    const [status, problem] = await send('2', { firstName: 'Nil', lastName: 'No' }, key)
    assert.deepEqual([status, Object(problem).code], [409, 'taken'])
    assert.deepEqual(await send('1', { name: 'Nil No' }, key), [status, problem, 'true'])
    assert.equal(runs, before + 1)
  })
})
