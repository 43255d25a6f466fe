import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, sse, stream, VersioningSchemes } from 'octavo'
import type { ServerSentEvent } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

const Part = model('Part', { label: z.string() })
const Car = model('Car', { id: z.string(), built: z.date(), parts: z.array(Part) })
const parts = defineVersionChange({
  version: '3',
  title: 'Parts have a label',
  change: [reshape({ of: Part, fields: { label: { was: 'name' } } })],
})
const cars = defineVersionChange({
  version: '2',
  title: 'Ids are text',
  change: [
    reshape({
      of: Car,
      fields: { id: { was: z.number(), up: String, down: Number }, built: { was: 'made' } },
    }),
  ],
})
const history = defineVersions({ versions: ['3', '2', '1'], models: { Car, Part }, changes: [parts, cars] })

const car = { id: '7', built: new Date(0), parts: [{ label: 'wheel', secret: 1 }], secret: 1 }
const AT = '1970-01-01T00:00:00.000Z'
const SHAPES: Readonly<Record<string, object>> = {
  3: { id: '7', built: AT, parts: [{ label: 'wheel' }] },
  2: { id: '7', built: AT, parts: [{ name: 'wheel' }] },
  1: { id: 7, made: AT, parts: [{ name: 'wheel' }] },
}

const logged: string[] = []

/** An application with one route in the three versions. */
function serve(route: object) {
  const error = (details: object): void => {
    const { err } = Object(details)
    logged.push(String(err?.cause?.message ?? err?.message))
  }
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error }
  const controller = Reflect.apply(defineController, undefined, [
    { prefix: '/feed', routes: [{ method: 'GET', name: 'watch', ...route }] },
  ])
  return createApp(defineModule({ controllers: [controller] }), {
    versioning: { scheme: VersioningSchemes.URL, history },
    logger,
  })
}

const sent = (list: readonly ServerSentEvent[]) => () => Reflect.apply(sse, undefined, [list])

for (const validateResponses of [true, false]) {
  const checks = validateResponses ? 'with checks' : 'without checks'
  // without checks nothing leaves out what is not declared
  const value = validateResponses ? car : { id: '7', built: new Date(0), parts: [{ label: 'wheel' }] }

  describe(`streams of older versions ${checks}`, () => {
    for (const version of ['3', '2', '1']) {
      const shape = SHAPES[version]

      it(`carry events as version ${version} knows them`, async () => {
        const app = serve({
          validateResponses,
          events: { car: Car, gone: z.string(), list: z.array(Car) },
          handler: sent([
            { event: 'car', id: '1', data: value },
            { comment: 'note' },
            { event: 'gone', data: '7' },
            { event: 'list', data: [value] },
          ]),
        })
        const { body } = await app.inject(`/v${version}/feed`)
        const data = body
          .split('\n')
          .flatMap((line) =>
            line.startsWith('data: {') || line.startsWith('data: [') ? [JSON.parse(line.slice(6))] : [],
          )
        assert.deepEqual(data, [shape, [shape]])
        assert.match(body, /^event: car\nid: 1\ndata: .*\n\n: note\n\nevent: gone\ndata: 7\n\nevent: list\n/)
      })

      it(`carry items as version ${version} knows them`, async () => {
        const app = serve({ validateResponses, items: Car, handler: () => [value, value] })
        const { body } = await app.inject(`/v${version}/feed`)
        assert.deepEqual(
          body
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
          [shape, shape],
        )
      })
    }
  })
}

describe('streams of older versions', () => {
  it('see what a transform of the newest schema makes', async () => {
    const app = serve({
      items: z.object({ car: Car, note: z.string().default('none') }),
      handler: () => [{ car }],
    })
    const { body } = await app.inject('/v1/feed')
    assert.deepEqual(JSON.parse(body), { car: SHAPES[1], note: 'none' })
  })

  it('say what the newest schema does not allow', async () => {
    logged.length = 0
    const app = serve({ items: Car, handler: () => [{ ...car, id: {} }] })
    const response = await app.inject('/v1/feed')
    assert.deepEqual([response.statusCode, JSON.parse(response.body).code], [500, 'response_invalid'])
    assert.deepEqual(logged, [
      'feed.watch: GET /feed sent an item that its items do not allow: id: Invalid input: expected string, received object',
    ])
  })

  it('refuse raw results in the place of what is declared', async () => {
    for (const validateResponses of [true, false]) {
      const app = serve({ items: Car, validateResponses, handler: () => stream(['{"id":"7"}\n']) })
      const response = await app.inject('/v1/feed')
      assert.equal(response.statusCode, 500)
      assert.doesNotMatch(response.body, /"7"/)
    }
  })

  it('stay as they are if nothing is declared', async () => {
    const Query = z.object({ car: Car.optional() })
    const app = serve({ method: 'POST', input: { body: Query }, handler: sent([{ data: { id: '7' } }]) })
    const response = await app.inject({ method: 'POST', url: '/v1/feed', body: {} })
    assert.equal(response.body, 'data: {"id":"7"}\n\n')
  })

  it('are an error at the start if they cannot be turned', async () => {
    const events = { car: z.intersection(Car, z.object({ x: z.number() })) }
    await assert.rejects(
      async () => serve({ events, handler: sent([]) }).ready(),
      /events\.car holds a model inside an intersection, and a change reaches it/,
    )
  })
})
