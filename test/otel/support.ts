import { after } from 'node:test'

import { context, metrics, propagation, trace } from '@opentelemetry/api'
import type { Attributes } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

import { until } from '../node/process/load.ts'

const exporter = new InMemorySpanExporter()

/** A reader that is asked for metrics. */
export class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {
    // nothing is sent anywhere
  }
  protected override async onShutdown(): Promise<void> {
    // as above
  }
}

let reader = new Reader()

/** Registers an SDK, as an application does with `--import`, until the tests of a file have ended. */
export function registerSdk(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  )
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
  reader = new Reader()
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  after(() => {
    exporter.reset()
    for (const api of [context, propagation, trace, metrics]) api.disable()
  })
}

/** Takes the spans that have ended since they were taken last, as soon as there are so many. */
export async function takeSpans(count = 1): Promise<readonly ReadableSpan[]> {
  await until(() => exporter.getFinishedSpans().length >= count, `${count} spans have ended`)
  const spans = exporter.getFinishedSpans()
  exporter.reset()
  return spans
}

/** Takes the only span that has ended. */
export async function takeSpan(): Promise<ReadableSpan> {
  const [span, ...others] = await takeSpans()
  if (span === undefined || others.length > 0) throw new Error(`${others.length + 1} spans have ended`)
  return span
}

/** A point of a metric: its attributes, and how often or how much. */
export interface Point {
  readonly attributes: Attributes
  readonly value: unknown
}

/** The points of each metric, by its name, with its unit. */
export type Metrics = ReadonlyMap<string, { readonly unit: string; readonly points: readonly Point[] }>

/** Reads what was recorded so far. */
export async function readMetrics(from: Reader = reader): Promise<Metrics> {
  const { resourceMetrics } = await from.collect()
  return new Map(
    resourceMetrics.scopeMetrics
      .flatMap((scope) => scope.metrics)
      .map(({ descriptor, dataPoints }) => [
        descriptor.name,
        { unit: descriptor.unit, points: dataPoints.map(({ attributes, value }) => ({ attributes, value })) },
      ]),
  )
}
