import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { defineController, defineGuard, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { rateLimit } from 'octavo/middleware'
import { openTelemetry } from 'octavo/otel'
import type { OpenTelemetryOptions } from 'octavo/otel'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { readMetrics, registerSdk, takeSpans } from './support.ts'

registerSdk()

const Car = model('Car', { id: z.int(), title: z.string() })
const titled = defineVersionChange({
  id: 'titled',
  version: '2',
  title: 'Cars have a title',
  description: 'It was called name.',
  change: [reshape({ of: Car, fields: { title: { was: 'name' } } })],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [titled] })

const IsKnown = defineGuard({ name: 'IsKnown', canActivate: async () => true })
const cars = defineController({
  prefix: '/car',
  guards: [IsKnown],
  routes: [
    {
      method: 'POST',
      name: 'create',
      input: { body: Car },
      response: Car,
      handler: ({ body }) => body,
    },
    { method: 'GET', path: '/{id:int}', handler: ({ params }) => params },
  ],
})

function createCars(options: OpenTelemetryOptions): App {
  return serve(cars, {
    telemetry: openTelemetry(options),
    versioning: { scheme: VersioningSchemes.URL, history },
  })
}

/** The names of spans in the order in which they began, each with that of its parent. */
function namesOf(spans: readonly ReadableSpan[]): readonly string[] {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]))
  return spans.map((span) => `${names.get(span.parentSpanContext?.spanId ?? '') ?? '-'} > ${span.name}`)
}

const ALL = { spans: ['guards', 'input', 'handler', 'migrations'] } as const

describe('the spans of steps', () => {
  it('are children of the span of the request', async () => {
    const app = createCars(ALL)
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/v1/car',
      json: { id: 7, name: 'Ann' },
    })
    assert.equal(statusCode, 200)
    const spans = await takeSpans(6)
    const server = 'POST /car'
    assert.deepEqual(namesOf(spans), [
      `${server} > guard IsKnown`,
      `${server} > migration up`,
      `${server} > input`,
      `${server} > handler`,
      `${server} > migration down`,
      `- > ${server}`,
    ])
    assert.equal(spans[3]?.attributes['code.function.name'], 'car.create')
    await app.close()
  })

  it('are left out unless they are asked for', async () => {
    const app = createCars({ spans: ['handler'] })
    await app.inject('/v2/car/7')
    assert.deepEqual(namesOf(await takeSpans(2)), ['GET /car/{id} > handler', '- > GET /car/{id}'])
    await app.close()
  })

  it('of input that is refused is an error, and no handler follows', async () => {
    const app = createCars(ALL)
    const { statusCode } = await app.inject({ method: 'POST', url: '/v2/car', json: { id: 'x' } })
    assert.equal(statusCode, 422)
    const spans = await takeSpans(3)
    assert.deepEqual(namesOf(spans), ['POST /car > guard IsKnown', 'POST /car > input', '- > POST /car'])
    assert.deepEqual(
      spans.map(({ status }) => status.code),
      [0, 2, 0],
    )
    assert.equal(spans[2]?.attributes['api.problem'], 'validation_failed')
    await app.close()
  })

  it('change nothing in documents', async () => {
    const documentOf = async (telemetry: AppOptions['telemetry']): Promise<object> => {
      const limited = defineController({
        prefix: '/limited',
        guards: [rateLimit({ limit: 1, window: 1, by: () => 'all' })],
        routes: [{ method: 'GET', handler: () => 1 }],
      })
      const app = serve(limited, telemetry && { telemetry })
      await app.ready()
      const document = app.openapi()
      await app.close()
      return document
    }
    const document = await documentOf(openTelemetry(ALL))
    assert.match(JSON.stringify(document), /TooManyRequests/)
    assert.deepEqual(document, await documentOf(undefined))
  })
})

describe('changes between versions', () => {
  it('are counted on spans, and by their ids as a metric', async () => {
    const app = createCars({ metrics: 'all' })
    for (const url of ['/v1/car', '/v2/car']) {
      const json = { id: 7, name: 'Ann', title: 'Ann' }
      await app.inject({ method: 'POST', url, json })
    }
    const spans = await takeSpans(2)
    assert.deepEqual(
      spans.map(({ attributes }) => [
        attributes['api.version'],
        attributes['api.change'],
        attributes['api.change.count'],
      ]),
      [
        ['1', ['titled'], 1],
        ['2', undefined, undefined],
      ],
    )
    assert.deepEqual((await readMetrics()).get('api.change'), {
      unit: '{request}',
      points: [{ attributes: { 'api.change': 'titled', 'api.version': '1' }, value: 1 }],
    })
    await app.close()
  })
})
