import { createRequire } from 'node:module'

import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'

// what an application loads with --import; each worker inherits it
const printing: SpanExporter = {
  export: (spans, done) => {
    for (const span of spans) {
      const { name, kind, attributes, instrumentationScope, status } = span
      const { spanId: id } = span.spanContext()
      const { name: by } = instrumentationScope
      console.log(JSON.stringify({ span: name, kind, attributes, by, id, status: status.code }))
    }
    done({ code: 0 })
  },
  shutdown: async () => undefined,
}
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(printing)] }),
)
if (process.env['INSTRUMENTED'] === 'yes')
  registerInstrumentations({ instrumentations: [new HttpInstrumentation()] })
// has the instrumentation see node:http, as the first `require` of an application does
createRequire(import.meta.url)('node:http')
