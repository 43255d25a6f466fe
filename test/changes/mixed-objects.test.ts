import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  fieldNames,
  model,
  reshape,
} from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Charge = model('Charge', { id: z.string(), status: z.enum(['paid', 'open']) })
const Range = model('Range', { from: z.string(), until: z.string(), note: z.string().optional() })
const Filter = derive(Range, (range) => range.extend({ status: Charge.shape.status.optional() }))

const changes = [
  defineVersionChange({
    version: '2',
    title: 'A range has two ends',
    change: [
      reshape({
        of: Range,
        fields: { period: { was: z.string() }, from: { was: absent }, until: { was: absent } },
        up: ({ period }) => ({ from: period.split('/')[0] ?? '', until: period.split('/')[1] ?? '' }),
        down: ({ from, until }) => ({ period: `${from}/${until}` }),
      }),
    ],
  }),
  defineVersionChange({
    version: '2',
    title: 'Charges are paid, not settled',
    change: [
      reshape({
        of: Charge,
        fields: {
          status: {
            was: z.enum(['settled', 'open']),
            up: (old) => (old === 'settled' ? 'paid' : old),
            down: (now) => (now === 'paid' ? 'settled' : now),
          },
        },
      }),
    ],
  }),
]

function open(): { readonly app: App; readonly seen: unknown[] } {
  const seen: unknown[] = []
  const controller = defineController({
    prefix: '/search',
    routes: [
      {
        method: 'POST',
        input: { body: Filter },
        status: 200,
        response: Filter,
        handler: ({ body }) => {
          seen.push(body)
          return body
        },
      },
    ],
  })
  const app = serve(controller, {
    docs: {},
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: { Charge, Range }, changes }),
    },
  })
  return { app, seen }
}

describe('an object with fields of two models', () => {
  it('has both converted if one of them is optional there', async () => {
    const { app, seen } = open()
    const json = { period: 'may/june', status: 'settled' }
    const answer = await app.inject({ method: 'POST', url: '/v1/search', json })
    assert.deepEqual(seen, [{ from: 'may', until: 'june', status: 'paid' }])
    assert.deepEqual(answer.json(), json)
    const without = await app.inject({ method: 'POST', url: '/v1/search', json: { period: 'may/june' } })
    assert.deepEqual(without.json(), { period: 'may/june' })
  })

  it('demands the fields of then that the other model demands', async () => {
    const { app, seen } = open()
    const answer = await app.inject({ method: 'POST', url: '/v1/search', json: { status: 'open' } })
    assert.equal(answer.statusCode, 422)
    assert.deepEqual(
      Object(answer.json()).errors.map((each: { path: unknown }) => each.path),
      [['period']],
    )
    assert.deepEqual(seen, [])
    await app.ready()
    const { paths } = JSON.parse(JSON.stringify(app.openapi({ version: '1' })))
    const { schema } = paths['/v1/search'].post.requestBody.content['application/json']
    assert.deepEqual(schema.required, ['period'])
  })
})

describe('a model in the members that an object does not name', () => {
  const change = changes[1] ?? assert.fail()
  const Named = z.object({ total: z.int() }).catchall(Charge)

  it('is converted in both directions', () => {
    const history = defineVersions({
      versions: ['2', '1'],
      models: { Charge },
      changes: [change],
      messages: [Named],
    })
    const newest: unknown = { total: 1, first: { id: '7', status: 'paid' } }
    const older: unknown = { total: 1, first: { id: '7', status: 'settled' } }
    assert.deepEqual(history.migrate(Named, newest as never, { to: '1' }), older)
    assert.deepEqual(history.migrate(Named, older as never, { from: '1' }), newest)
  })
})

describe('names of fields that are the keys of a record', () => {
  it('cannot be converted, which is a mistake at the start', async () => {
    const renamed = defineVersionChange({
      version: '2',
      title: 'Starts',
      change: [reshape({ of: Range, fields: { from: { was: 'start' } } })],
    })
    const controller = defineController({
      prefix: '/search',
      routes: [
        { method: 'GET', response: z.record(fieldNames(Range), z.string()), handler: () => ({}) as never },
      ],
    })
    const app = serve(controller, {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: { Range }, changes: [renamed] }),
      },
    })
    await assert.rejects(async () => app.ready(), /inside the keys of a record/)
  })
})
