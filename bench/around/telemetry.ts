import { context, propagation, SpanKind, trace } from '@opentelemetry/api'
import type { TextMapGetter } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { HttpRequest, Telemetry } from 'octavo'
import { openTelemetry } from 'octavo/otel'

/** Exports no span. */
const processor: SpanProcessor = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] })
const tracer = tracerProvider.getTracer('octavo')

/** A span of each request, which is not exported. */
export const spans: Telemetry = openTelemetry({ tracerProvider, metrics: false, outgoing: false })

const HEADERS: TextMapGetter<HttpRequest> = {
  get: (request, name) => request.header(name),
  keys: (request) => Object.keys(request.headers),
}

/** The attributes of each span, which the comparison knows beforehand. */
const ATTRIBUTES = {
  'http.request.method': 'GET',
  'url.path': '/car/7',
  'url.scheme': 'http',
  'user_agent.original': 'octavo-inject',
  'client.address': '127.0.0.1',
  'server.address': 'localhost',
  'server.port': 80,
  'network.peer.address': '127.0.0.1',
}

/** The same calls of the API with the same attributes, and no work besides. */
export const apiAlone: Telemetry = {
  request: ({ request }, answer) => {
    const parent = propagation.extract(context.active(), request, HEADERS)
    const span = tracer.startSpan('GET', { kind: SpanKind.SERVER, attributes: { ...ATTRIBUTES } }, parent)
    const end = <T>(response: T): T => {
      span.setAttributes({ 'http.response.status_code': 200, 'http.route': '/car/{id}' })
      span.updateName('GET /car/{id}')
      span.end()
      return response
    }
    const response = context.with(trace.setSpan(parent, span), answer)
    return 'then' in response ? response.then(end) : end(response)
  },
}
