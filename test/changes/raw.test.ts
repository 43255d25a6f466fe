import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, reply, sse, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Car = model('Car', { year: z.number() })
const change = defineVersionChange({
  version: '2',
  title: 'Years have a name',
  change: [reshape({ of: Car, fields: { year: { was: 'built' } } })],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })

async function* events(): AsyncGenerator<{ data: object }> {
  yield { data: { year: 7 } }
}

const results: Readonly<Record<string, () => unknown>> = {
  'a Response': () => Response.json({ year: 7 }),
  bytes: () => new TextEncoder().encode('{"year":7}'),
  'a stream': async function* () {
    yield '{"year":7}'
  },
  events: () => sse(events()),
}

describe('a result that cannot be turned', () => {
  for (const [name, make] of Object.entries(results)) {
    it(`is refused in older versions: ${name}`, async () => {
      const CarController = defineController({
        prefix: '/car',
        // what documents show is not what is returned here
        routes: [{ method: 'GET', response: Car, handler: () => make() as never }],
      })
      const app = serve(CarController, { versioning: { scheme: VersioningSchemes.URL, history } })
      const response = await app.inject('/v1/car')
      assert.equal(response.statusCode, 500)
      assert.equal(JSON.parse(response.body).code, 'migration_failed')
      assert.doesNotMatch(response.body, /year/)
      await app.close()
    })
  }
})

describe('a digest that a handler gives its result', () => {
  it('is not sent with a body of an older version, which has other bytes', async () => {
    const controller = defineController({
      prefix: '/cars',
      routes: [
        {
          method: 'GET',
          name: 'one',
          response: Car,
          handler: () =>
            reply(200, { year: 7 }, { headers: { 'content-digest': 'sha-256=:AA==:', etag: '"a"' } }),
        },
      ],
    })
    const app = serve(controller, { versioning: { scheme: VersioningSchemes.URL, history } })
    const sent: unknown[] = []
    for (const version of ['1', '2']) {
      const { headers, body } = await app.inject(`/v${version}/cars`)
      sent.push([headers['content-digest'], body])
    }
    assert.deepEqual(sent, [
      [undefined, '{"built":7}'],
      ['sha-256=:AA==:', '{"year":7}'],
    ])
    await app.close()
  })
})
