import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'

import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import * as Sentry from '@sentry/node'
import { Channels, createApp, defineController, defineModule } from 'octavo'
import type { RequestError } from 'octavo'
import { openTelemetry } from 'octavo/otel'

import { startSentry } from './support.ts'

const cars = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'GET',
      path: '/{id:int}',
      handler: async () => {
        await Promise.resolve()
        throw new Error('The garage is on fire')
      },
    },
  ],
})

describe('Sentry beside another SDK', () => {
  it('has the trace of that SDK in its events', async () => {
    const exporter = new InMemorySpanExporter()
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
    const { dsn, items } = await startSentry()
    Sentry.init({ dsn, integrations: [Sentry.openTelemetryIntegration()] })
    subscribe(Channels.error, (message) => {
      Sentry.captureException((message as RequestError).error)
    })
    const app = createApp(defineModule({ controllers: [cars] }), {
      logger: false,
      telemetry: openTelemetry(),
    })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    assert.equal((await fetch(`${url}/car/7`)).status, 500)
    await app.close()
    await Sentry.close(2000)
    const [span, ...others] = exporter.getFinishedSpans().map((each) => each.spanContext())
    assert.deepEqual(others, [])
    const event = items.find(({ type }) => type === 'event')?.body
    assert.deepEqual(
      [event.contexts.trace.trace_id, event.contexts.trace.span_id],
      [span?.traceId, span?.spanId],
    )
  })
})
