import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { metrics } from '@opentelemetry/api'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { createApp, defineController, defineModule } from 'octavo'
import { openTelemetry } from 'octavo/otel'
import type { OpenTelemetryOptions } from 'octavo/otel'

import { Reader } from './support.ts'

const cars = defineController({
  prefix: '/car',
  routes: [{ method: 'GET', path: '/{car_id:int}', handler: ({ params }) => params }],
})

/** Answers one request and closes the application. */
async function run(options: OpenTelemetryOptions, onStop?: () => void): Promise<void> {
  const app = createApp(defineModule({ controllers: [cars], ...(onStop && { onStop }) }), {
    logger: false,
    telemetry: openTelemetry({ outgoing: false, ...options }),
  })
  await app.inject('/car/7')
  await app.close()
}

/** A reader that counts how often it was asked to send. */
class Sender extends Reader {
  sent = 0
  protected override async onForceFlush(): Promise<void> {
    this.sent++
  }
}

describe('closing an application', () => {
  it('sends the spans that wait for others, those of onStop included', async () => {
    const exporter = new InMemorySpanExporter()
    // which sends a batch every hour
    const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 3_600_000 })
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] })
    await run({ tracerProvider }, () => tracerProvider.getTracer('test').startSpan('stop').end())
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ name }) => name),
      ['GET /car/{car_id}', 'stop'],
    )
  })

  it('sends the metrics, of the global provider too', async () => {
    const [given, registered] = [new Sender(), new Sender()]
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [registered] }))
    await run({ meterProvider: new MeterProvider({ readers: [given] }) })
    assert.deepEqual([given.sent, registered.sent], [1, 0])
    await run({})
    assert.deepEqual([given.sent, registered.sent], [1, 1])
    await run({ metrics: false })
    assert.equal(registered.sent, 1)
    metrics.disable()
  })

  it('does not fail if they cannot be sent', async () => {
    const processor = {
      onStart: () => undefined,
      onEnd: () => undefined,
      forceFlush: () => Promise.reject(new Error('The collector is down')),
      shutdown: async () => undefined,
    }
    await run({ tracerProvider: new BasicTracerProvider({ spanProcessors: [processor] }) })
  })
})
