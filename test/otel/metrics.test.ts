import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'

import { metrics } from '@opentelemetry/api'
import type { Attributes } from '@opentelemetry/api'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { METRIC_HTTP_SERVER_REQUEST_DURATION } from '@opentelemetry/semantic-conventions'
import {
  METRIC_HTTP_SERVER_ACTIVE_REQUESTS,
  METRIC_HTTP_SERVER_REQUEST_BODY_SIZE,
  METRIC_HTTP_SERVER_RESPONSE_BODY_SIZE,
} from '@opentelemetry/semantic-conventions/incubating'
import { defineController } from 'octavo'
import type { OpenTelemetryOptions } from 'octavo/otel'
import { openTelemetry } from 'octavo/otel'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { ADAPTERS } from './adapters.ts'
import { readMetrics, Reader } from './support.ts'

let reader = new Reader()

beforeEach(() => {
  reader = new Reader()
  metrics.disable()
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
})

after(() => metrics.disable())

const cars = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'POST',
      path: '/{car_id:int}',
      input: { body: z.object({ name: z.string() }) },
      status: 201,
      handler: () => 'abc',
    },
    {
      method: 'GET',
      path: '/parts',
      handler: async function* parts() {
        yield 'wheel'
        yield 'tür'
      },
    },
  ],
})

/** Has one request answered, and returns the metrics. */
async function record(
  adapter: string,
  path: string,
  body: string | undefined,
  options: OpenTelemetryOptions,
) {
  const app = serve(cars, { telemetry: openTelemetry({ ...options, outgoing: false }) })
  const headers =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }
  await ADAPTERS[adapter]?.ask(app, {
    method: body === undefined ? 'GET' : 'POST',
    path,
    headers,
    ...(body !== undefined && { body }),
  })
  await app.close()
  return readMetrics(reader)
}

/** The attributes and the sum of the only point of a metric. */
function only(found: Awaited<ReturnType<typeof readMetrics>>, name: string) {
  const { unit, points } = found.get(name) ?? {}
  assert.equal(points?.length, 1, name)
  const value = z.object({ sum: z.number(), count: z.number() }).safeParse(points?.[0]?.value)
  return {
    unit,
    attributes: points?.[0]?.attributes,
    sum: value.data?.sum ?? points?.[0]?.value,
    count: value.data?.count,
  }
}

for (const [adapter, { protocol }] of Object.entries(ADAPTERS)) {
  describe(`metrics of requests over ${adapter}`, () => {
    const arrived = (method: string): Attributes => ({ 'http.request.method': method, 'url.scheme': 'http' })
    const version = protocol === undefined ? {} : { 'network.protocol.version': protocol }

    it('follow the conventions', async () => {
      const found = await record(adapter, '/car/7', '{"name":"Ann"}', { metrics: 'all' })
      const attributes = {
        ...arrived('POST'),
        ...version,
        'http.route': '/car/{car_id}',
        'http.response.status_code': 201,
      }
      const duration = only(found, METRIC_HTTP_SERVER_REQUEST_DURATION)
      assert.deepEqual([duration.unit, duration.attributes, duration.count], ['s', attributes, 1])
      assert.ok(Number(duration.sum) > 0 && Number(duration.sum) < 5)
      assert.deepEqual(only(found, METRIC_HTTP_SERVER_REQUEST_BODY_SIZE), {
        unit: 'By',
        attributes,
        sum: 14,
        count: 1,
      })
      assert.deepEqual(only(found, METRIC_HTTP_SERVER_RESPONSE_BODY_SIZE), {
        unit: 'By',
        attributes,
        sum: 5,
        count: 1,
      })
      assert.deepEqual(only(found, METRIC_HTTP_SERVER_ACTIVE_REQUESTS), {
        unit: '{request}',
        attributes: arrived('POST'),
        sum: 0,
        count: undefined,
      })
    })

    it('have buckets for bodies of up to 100 MB', async () => {
      const found = await record(adapter, '/car/7', '{"name":"Ann"}', { metrics: 'all' })
      for (const name of [METRIC_HTTP_SERVER_REQUEST_BODY_SIZE, METRIC_HTTP_SERVER_RESPONSE_BODY_SIZE])
        assert.deepEqual(
          Object(found.get(name)?.points[0]?.value).buckets.boundaries,
          [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8],
        )
    })

    it('count the bytes of a stream', async () => {
      const found = await record(adapter, '/car/parts', undefined, { metrics: 'all' })
      assert.equal(only(found, METRIC_HTTP_SERVER_RESPONSE_BODY_SIZE).sum, 9)
    })

    it('have one set of attributes for unknown paths', async () => {
      const found = await record(adapter, '/nothing', undefined, {})
      assert.deepEqual([...found.keys()], [METRIC_HTTP_SERVER_REQUEST_DURATION])
      assert.deepEqual(only(found, METRIC_HTTP_SERVER_REQUEST_DURATION).attributes, {
        ...arrived('GET'),
        ...version,
        'http.response.status_code': 404,
        'api.problem': 'route_not_found',
      })
    })
  })
}

describe('metrics', () => {
  it('are not recorded without the option', async () => {
    assert.equal((await record('inject', '/car/7', '{"name":"Ann"}', { metrics: false })).size, 0)
  })
})
