import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { context, SpanKind, trace } from '@opentelemetry/api'
import { RPCType, setRPCMetadata } from '@opentelemetry/core'
import type { RPCMetadata } from '@opentelemetry/core'
import { defineController } from 'octavo'
import type { App } from 'octavo'
import { openTelemetry } from 'octavo/otel'

import { serve } from '../support/serve.ts'
import { readMetrics, registerSdk, takeSpans } from './support.ts'

registerSdk()

const cars = defineController({
  prefix: '/car',
  routes: [{ method: 'GET', path: '/{car_id:int}', handler: ({ params }) => params }],
})

/** Sends requests as an HTTP instrumentation does: with its span active, and a place for the route. */
async function instrumented(app: App, urls: readonly string[]): Promise<RPCMetadata> {
  const span = trace.getTracer('http').startSpan('GET', { kind: SpanKind.SERVER })
  const metadata: RPCMetadata = { type: RPCType.HTTP, span }
  const active = setRPCMetadata(trace.setSpan(context.active(), span), metadata)
  await context.with(active, async () => {
    for (const url of urls) await app.inject(url)
  })
  span.end()
  return metadata
}

describe('the span of an HTTP instrumentation', () => {
  it('gets the route and the attributes, and no span is added', async () => {
    const app = serve(cars, { telemetry: openTelemetry() })
    const { route } = await instrumented(app, ['/car/7'])
    const [span, ...others] = await takeSpans()
    assert.equal(route, '/car/{car_id}')
    assert.deepEqual([span?.name, others], ['GET /car/{car_id}', []])
    assert.deepEqual(
      [
        span?.attributes['http.route'],
        span?.attributes['url.path'],
        span?.attributes['http.response.status_code'],
      ],
      ['/car/{car_id}', '/car/7', 200],
    )
    // which that instrumentation records
    assert.equal((await readMetrics()).get('http.server.request.duration'), undefined)
    await app.close()
  })

  it('belongs to one request, so that one inside of it has its own', async () => {
    const app = serve(cars, { telemetry: openTelemetry() })
    await instrumented(app, ['/car/7', '/nothing'])
    const [inner, outer] = await takeSpans(2)
    assert.deepEqual([inner?.name, outer?.name], ['GET', 'GET /car/{car_id}'])
    assert.equal(inner?.parentSpanContext?.spanId, outer?.spanContext().spanId)
    await app.close()
  })
})
