import type { MeterProvider, TracerProvider } from '@opentelemetry/api'

import type { Rules } from '../../base/definition-error.ts'
import { isObject } from '../../base/values.ts'

/** A step of a request that may have a span of its own. */
export type TracedStep = 'guards' | 'input' | 'handler' | 'migrations'

/** The options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** The steps of requests that get a span of their own, below the span of the request. @default [] */
  readonly spans?: readonly TracedStep[]
  /**
   * Which metrics are recorded: `true` for those that the conventions recommend, `'all'` also for active requests, sizes of bodies and
   * counts of changes, `false` for none. @default true
   */
  readonly metrics?: boolean | 'all'
  /** Whether requests that the process sends with `fetch` or undici carry the active span and baggage. @default true */
  readonly outgoing?: boolean
  /** Creates the spans. @default the global provider, which an SDK registers */
  readonly tracerProvider?: TracerProvider
  /** Creates the metrics. @default the global provider, which an SDK registers, when the first request arrives */
  readonly meterProvider?: MeterProvider
}

const STEPS: readonly unknown[] = ['guards', 'input', 'handler', 'migrations'] satisfies TracedStep[]

export const OPTIONS: Rules = {
  spans: [
    (value) => Array.isArray(value) && value.every((step) => STEPS.includes(step)),
    "a list of 'guards', 'input', 'handler' and 'migrations'",
  ],
  metrics: [(value) => value === 'all' || typeof value === 'boolean', "true, 'all' or false"],
  outgoing: [(value) => typeof value === 'boolean', 'true or false'],
  tracerProvider: [isObject, 'a TracerProvider'],
  meterProvider: [isObject, 'a MeterProvider'],
}
