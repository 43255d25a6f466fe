import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Telemetry } from 'octavo/edge'
import { openTelemetry } from 'octavo/otel'

/** The spans of the route `/traced` that have ended. */
export const traced: object[] = []

const keeping: SpanProcessor = {
  onStart: () => undefined,
  onEnd: (span) => {
    const { name, attributes, parentSpanContext } = span
    const { traceId, spanId } = span.spanContext()
    const parent = parentSpanContext?.spanId
    if (name === 'GET /traced') traced.push({ traceId, spanId, parent, name, attributes })
  },
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
}

/** Registers what an SDK does, and creates the telemetry of the application. */
export function createTelemetry(): Telemetry {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return openTelemetry({ tracerProvider: new BasicTracerProvider({ spanProcessors: [keeping] }) })
}

/** The id of the span that is active. */
export const activeSpan = (): string | undefined => trace.getActiveSpan()?.spanContext().spanId
