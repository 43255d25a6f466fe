/*
 * Prints spans and metrics. Replace the exporters to send them to a collector. The main module imports it with OTEL=console. A package that
 * patches others, such as @opentelemetry/auto-instrumentations-node, has to be first: `node --import ./telemetry.ts main.ts`.
 */
import { context, metrics, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor, ConsoleSpanExporter } from '@opentelemetry/sdk-trace-base'

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
// spans continue the trace of the caller
propagation.setGlobalPropagator(
  new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
)
const spans = new BasicTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())],
})
const meters = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: new ConsoleMetricExporter() })],
})
trace.setGlobalTracerProvider(spans)
metrics.setGlobalMeterProvider(meters)

/** Sends what is left. */
export async function stop(): Promise<void> {
  await Promise.all([spans.shutdown(), meters.shutdown()])
}
