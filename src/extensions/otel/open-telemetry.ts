import {
  metrics as globalMetrics,
  trace,
  context,
  propagation,
  type MeterProvider,
  type TracerProvider,
} from '@opentelemetry/api'

import { checkOptions } from '../../base/definition-error.ts'
import type { Telemetry } from '../../server/options/app-options.ts'
import { withTraceIds } from './logs.ts'
import { createRequestMetrics, SCHEMA, SCOPE } from './metrics.ts'
import { observer } from './observed.ts'
import { OPTIONS, type OpenTelemetryOptions } from './options.ts'
import { createRequests } from './requests.ts'
import { createSteps } from './steps.ts'
import { settlesWithin, isObject } from '../../base/values.ts'
import { subscribeChannel } from '../../base/platform.ts'

/**
 * Creates what records requests with OpenTelemetry, for the option `telemetry` of `createApp`: a span and metrics for each request, by
 * the semantic conventions for HTTP, and the ids of the active span in log lines. An SDK that you register exports them. If an
 * instrumentation of `node:http` has a span for a request already, that span gets the route and the attributes.
 *
 * @example
 * createApp(AppModule, { telemetry: openTelemetry({ spans: ['guards', 'handler'] }) })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  checkOptions('openTelemetry', options, OPTIONS, [], "openTelemetry({ metrics: 'all' })")
  const { spans = [], metrics = true, outgoing = true, meterProvider } = options
  const { tracerProvider = trace.getTracerProvider() } = options
  if (outgoing) propagateOutgoing()
  const tracer = tracerProvider.getTracer(SCOPE, undefined, SCHEMA)
  return {
    request: createRequests({
      tracer,
      metrics: metrics === false ? undefined : createRequestMetrics(meterProvider, metrics === 'all'),
    }),
    observer,
    logger: withTraceIds,
    flush: () =>
      flush({
        tracerProvider,
        meterProvider: metrics === false ? undefined : (meterProvider ?? globalMetrics.getMeterProvider()),
      }),
    routes: createSteps(tracer, new Set(spans)),
  }
}

/** The providers of spans and metrics. */
interface Providers {
  readonly tracerProvider: TracerProvider
  /** `undefined` if no metrics are recorded. */
  readonly meterProvider: MeterProvider | undefined
}

/** Milliseconds that a collector may take which answers late or never. */
const LONGEST_FLUSH = 2_000

/** Has providers send their batches. Providers log their own failures. */
async function flush({ tracerProvider, meterProvider }: Providers): Promise<void> {
  const flushes = [tracerProvider, meterProvider].map(async (provider) => {
    const own = isProxy(provider) ? provider.getDelegate() : provider
    if (isObject(own) && 'forceFlush' in own && typeof own.forceFlush === 'function') await own.forceFlush()
  })
  await settlesWithin(Promise.allSettled(flushes), LONGEST_FLUSH)
}

function isProxy(provider: unknown): provider is { getDelegate(): unknown } {
  return isObject(provider) && 'getDelegate' in provider && typeof provider.getDelegate === 'function'
}

/** A request of undici that is about to be sent. */
interface OutgoingRequest {
  readonly headers: unknown
  addHeader(name: string, value: string): unknown
}

let isListening = false

/**
 * Has requests of undici, and so of `fetch` in Node, carry the active span and baggage. Those that carry a span already are left alone,
 * because an instrumentation of undici has its own span for them.
 */
function propagateOutgoing(): void {
  if (isListening) return
  isListening = true
  subscribeChannel('undici:request:create', (message) => {
    const request: unknown = isObject(message) ? Reflect.get(message, 'request') : undefined
    if (!isOutgoingRequest(request)) return
    const { headers } = request
    // a list of names and values, or a text in undici 5
    const carriesSpan = Array.isArray(headers)
      ? headers.some((each) => String(each).toLowerCase() === 'traceparent')
      : typeof headers === 'string' && /^traceparent:/im.test(headers)
    if (carriesSpan) return
    propagation.inject(context.active(), request, {
      set: (carrier, name, value) => void carrier.addHeader(name, value),
    })
  })
}

function isOutgoingRequest(value: unknown): value is OutgoingRequest {
  return isObject(value) && 'headers' in value && typeof Reflect.get(value, 'addHeader') === 'function'
}
