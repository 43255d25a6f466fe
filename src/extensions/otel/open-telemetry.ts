import { metrics as globalMetrics, trace } from '@opentelemetry/api'

import { checkOptions } from '../../base/check-options.ts'
import type { Telemetry } from '../../server/options/telemetry.ts'
import { flush } from './flush.ts'
import { withTraceIds } from './logs.ts'
import { createMetrics, SCHEMA, SCOPE } from './metrics.ts'
import { listenToChannels } from './observed.ts'
import { OPTIONS, type OpenTelemetryOptions } from './options.ts'
import { propagateOutgoing } from './outgoing.ts'
import { createRequests } from './requests.ts'
import { createSteps } from './steps.ts'

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
  listenToChannels()
  if (outgoing) propagateOutgoing()
  const tracer = tracerProvider.getTracer(SCOPE, undefined, SCHEMA)
  const steps = createSteps(tracer, new Set(spans))
  let isVersioned = false
  return {
    request: createRequests({
      tracer,
      metrics: metrics === false ? undefined : createMetrics(meterProvider, metrics === 'all'),
      hasVersions: () => isVersioned,
      endSteps: steps.end,
    }),
    logger: withTraceIds,
    flush: () =>
      flush({
        tracerProvider,
        meterProvider: metrics === false ? undefined : (meterProvider ?? globalMetrics.getMeterProvider()),
      }),
    routes: (routes) => {
      isVersioned ||= routes.some(({ version }) => version !== undefined)
      return steps.trace(routes)
    },
  }
}
