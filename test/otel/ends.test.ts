import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createMetrics } from 'octavo/metrics'
import { openTelemetry } from 'octavo/otel'
import { Registry } from 'prom-client'

import { createMixed, sendMixed, WAYS } from './mixed.ts'
import { readMetrics, Reader } from './support.ts'

describe('requests that end in every way', () => {
  it('end each span, and leave no active request', async () => {
    const open = new Set<string>()
    const twice: string[] = []
    let started = 0
    const processor: SpanProcessor = {
      onStart: (span) => {
        started++
        open.add(span.spanContext().spanId)
      },
      onEnd: (span) => {
        if (!open.delete(span.spanContext().spanId)) twice.push(span.name)
      },
      forceFlush: async () => undefined,
      shutdown: async () => undefined,
    }
    const reader = new Reader()
    const { registry } = createMetrics({ registry: new Registry(), processMetrics: false })
    const telemetry = openTelemetry({
      metrics: 'all',
      outgoing: false,
      spans: ['guards', 'input', 'handler'],
      tracerProvider: new BasicTracerProvider({ spanProcessors: [processor] }),
      meterProvider: new MeterProvider({ readers: [reader] }),
    })
    await sendMixed(createMixed(telemetry), createMixed(telemetry), WAYS.length * 2)
    assert.ok(started > WAYS.length * 2)
    assert.deepEqual([open.size, twice], [0, []])
    const active = (await readMetrics(reader)).get('http.server.active_requests')
    assert.deepEqual(
      active?.points.filter(({ value }) => value !== 0),
      [],
    )
    assert.match(await registry.metrics(), /^http_requests_active 0$/m)
  })
})
