import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, reply, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Problem = model('Problem', { reason: z.string() })
const Plain = z.object({ total: z.number() })

/** The older version calls the reason `cause`. */
function open(response: object, answer: () => unknown): App {
  const change = defineVersionChange({
    version: '2',
    title: 'A reason',
    change: [reshape({ of: Problem, fields: { reason: { was: 'cause' } } })],
  })
  const controller = defineController({
    prefix: '/total',
    routes: [
      { method: 'GET', response: response as { 200: typeof Plain }, handler: () => answer() as never },
    ],
  })
  return serve(controller, {
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: { Problem }, changes: [change] }),
    },
  })
}

describe('a status that no change reaches', () => {
  const cases: readonly (readonly [string, object, number, unknown])[] = [
    ['beside a default', { 200: Plain, default: Problem }, 200, { total: 7 }],
    ['beside its range', { 200: Plain, 404: Plain, '4XX': Problem }, 404, { total: 7 }],
    ['with a list', { 200: z.array(Plain), default: Problem }, 200, [{ total: 7 }]],
    ['with a pair', { 200: z.tuple([Plain, Plain]), default: Problem }, 200, [{ total: 7 }, { total: 8 }]],
    ['in its own range', { '4XX': Plain, default: Problem }, 409, { total: 7 }],
  ]
  for (const [where, response, status, data] of cases) {
    it(`is answered as it is, ${where}`, async () => {
      const app = open(response, () => reply(status, data))
      const answer = await app.inject('/v1/total')
      assert.equal(answer.statusCode, status)
      assert.deepEqual(answer.json(), data)
    })
  }

  it('may be bytes', async () => {
    const app = open({ 200: z.instanceof(Uint8Array), default: Problem }, () => Buffer.from('bytes'))
    const answer = await app.inject('/v1/total')
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.body, 'bytes')
  })

  it('leaves the default and the range to be converted', async () => {
    for (const [key, status] of [
      ['default', 409],
      ['4XX', 404],
      ['5XX', 503],
    ] as const) {
      const app = open({ 200: Plain, [key]: Problem }, () => reply(status, { reason: 'why' }))
      const answer = await app.inject('/v1/total')
      assert.deepEqual(answer.json(), { cause: 'why' })
      assert.equal(answer.statusCode, status)
    }
  })
})
