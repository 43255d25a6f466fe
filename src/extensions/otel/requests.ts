import {
  context as active,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  createContextKey,
  type Attributes,
  type Context,
  type Span,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api'

import { andThen, isObject, type Awaitable } from '../../base/values.ts'
import type { ObservedContext } from '../../define/observer.ts'
import { readHttpError } from '../../http/errors.ts'
import {
  isStream,
  openStream,
  type FinishedResponse,
  type HttpRequest,
  type BodyStream,
  type ChunkSource,
} from '../../http/http.ts'
import type { RequestConnection } from '../../server/options/app-options.ts'
import { createReadAttributes, type RequestAttributes } from './attributes.ts'
import type { RequestMetrics } from './metrics.ts'
import { errorTypeOf, Observed, problemCode } from './observed.ts'
import { endRefusedInput } from './steps.ts'
import { uriTemplate } from '../../router/path/template.ts'

interface RequestParts {
  readonly tracer: Tracer
  readonly metrics: RequestMetrics | undefined
}

/** A request that is observed. */
interface Started {
  readonly context: ObservedContext
  readonly request: HttpRequest
  readonly connection: RequestConnection
  readonly attributes: RequestAttributes
  readonly observed: Observed
  readonly span: Span
  /** The context that is active while the request is answered. */
  readonly active: Context
  /** Set if the span is that of an HTTP instrumentation, which ends it and records the duration. */
  readonly adopted: RpcMetadata | undefined
  readonly startedAt: number
  /** Whether there is a response. */
  isAnswered: boolean
}

/** Headers as propagators read them. */
const HEADERS: TextMapGetter<HttpRequest> = {
  get: (request, name) => request.header(name),
  keys: (request) => Object.keys(request.headers),
}

/** Creates the function that observes requests. What fails while it observes never fails a request. */
export function createRequests(
  parts: RequestParts,
): (
  context: ObservedContext,
  answer: () => Awaitable<FinishedResponse>,
  connection: RequestConnection,
) => Awaitable<FinishedResponse> {
  const start = createStart(parts)
  return (context, answer, connection) => {
    let started: Started
    try {
      started = start(context, connection)
    } catch {
      return answer()
    }
    return andThen(active.with(started.active, answer), (response) => {
      try {
        finishSpan(parts, started, response)
      } catch {
        // such as a processor of spans that throws
      }
      return response
    })
  }
}

function createStart({
  tracer,
  metrics,
}: RequestParts): (context: ObservedContext, connection: RequestConnection) => Started {
  const readAttributes = createReadAttributes()
  return (context, connection) => {
    const startedAt = performance.now()
    const { request } = context
    const attributes = readAttributes(request, connection)
    const outer = active.active()
    const adopted = adopt(outer)
    const parent = adopted === undefined ? propagation.extract(outer, request, HEADERS) : outer
    const span =
      adopted?.span ?? tracer.startSpan(spanName(attributes), { kind: SpanKind.SERVER, attributes }, parent)
    if (adopted !== undefined) span.setAttributes(attributes)
    metrics?.start(attributes)
    const started: Started = {
      context,
      request,
      connection,
      attributes,
      observed: new Observed(),
      span,
      active: adopted === undefined ? trace.setSpan(parent, span) : parent,
      adopted,
      startedAt,
      isAnswered: false,
    }
    context.telemetry = started.observed
    if (adopted !== undefined) describeLeft(started)
    return started
  }
}

/** The status of a request whose client has left. */
const LEFT = 499

/** Describes the span of an instrumentation if the client leaves, before it is ended, which is before the handler knows. */
function describeLeft(started: Started): void {
  const { connection } = started
  const response: unknown = Reflect.get(connection, 'response')
  // the request may not have come over node:http
  if (!isResponse(response)) return
  response.prependOnceListener('close', () => {
    if (started.isAnswered || connection.isPassed === true) return
    // the instrumentation reads the status there
    if (!response.headersSent) response.statusCode = LEFT
    describe(started, responseAttributes(started, response.statusCode, false))
  })
}

/** The name of a span: its method, and the route once it is known. */
function spanName({ 'http.request.method': method }: RequestAttributes, route?: string): string {
  const name = method === '_OTHER' ? 'HTTP' : method
  return route === undefined ? name : `${name} ${route}`
}

/** Ends the span when the response does, which is later for one that is streamed. */
function finishSpan(parts: RequestParts, started: Started, response: FinishedResponse): void {
  const { body, headers } = response
  started.isAnswered = true
  endRefusedInput(started.observed)
  if (isStream(body)) {
    // the span of an instrumentation has ended before the stream if the client leaves
    if (started.adopted !== undefined) describe(started, responseAttributes(started, response.status, false))
    response.body = new ObservedBody(body, started.active, (bytes, error) => {
      if (error !== undefined) {
        started.observed.hasFailed = true
        started.observed.failure = error
      }
      endSpan(parts, started, response.status, { bytes, isBroken: error !== undefined })
    })
    return
  }
  const bytes = body === null ? 0 : Number(headers['content-length'] ?? 0)
  endSpan(parts, started, response.status, { bytes, isBroken: false })
}

/** How a response ended: how long its body was, and whether it broke off. */
interface SpanEnd {
  readonly bytes: number
  readonly isBroken: boolean
}

function endSpan(parts: RequestParts, started: Started, status: number, { bytes, isBroken }: SpanEnd): void {
  const { context, connection, span, adopted, observed, attributes, request } = started
  // something else answers, and has a route of its own
  const isPassed = connection.isPassed === true
  const added = isPassed ? {} : responseAttributes(started, status, isBroken)
  const changes = [...(context.alteredBy ?? [])]
  if (!isPassed && span.isRecording()) {
    describe(started, added, changes)
    if (isBroken || status >= 500) {
      if (observed.hasFailed && readHttpError(observed.failure) === undefined)
        recordFailure(span, observed.failure)
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
  }
  if (adopted === undefined) span.end()
  const length = request.header('content-length')
  parts.metrics?.end(attributes, {
    added,
    duration: adopted === undefined && !isPassed ? performance.now() - started.startedAt : undefined,
    requestSize: length === undefined ? undefined : Number(length),
    responseSize: bytes,
    changes,
  })
}

/** Returns the attributes that the response adds to those of spans and metrics. */
function responseAttributes(
  { context, connection, observed }: Started,
  status: number,
  isBroken: boolean,
): Attributes {
  const { route, version } = context
  const added: Attributes = { 'http.response.status_code': status }
  if (route !== null) added['http.route'] = (connection.base ?? '') + uriTemplate(route.path)
  const errorType = errorTypeOf(observed, isBroken ? 500 : status)
  if (errorType !== undefined) added['error.type'] = errorType
  const problem = problemCode(observed, status)
  if (problem !== undefined) added['api.problem'] = problem
  if (version !== null) added['api.version'] = version
  if (observed.versionStatus !== undefined) added['api.version.status'] = observed.versionStatus
  return added
}

/** Writes onto the span what is known at the end. */
function describe(
  { context: { client }, span, adopted, attributes }: Started,
  added: Attributes,
  changes: readonly string[] = [],
): void {
  const { 'http.route': route } = added
  span.setAttributes(added)
  // on spans alone, because names are many
  if (client !== undefined) span.setAttribute('api.client', client)
  if (changes.length > 0)
    span.setAttributes({ 'api.change': [...changes], 'api.change.count': changes.length })
  if (typeof route !== 'string') return
  span.updateName(spanName(attributes, route))
  // for the name and the metrics of the HTTP instrumentation
  if (adopted !== undefined) adopted.route = route
}

function recordFailure(span: Span, failure: unknown): void {
  try {
    span.recordException(failure instanceof Error ? failure : String(failure))
  } catch {
    span.recordException('a value that throws when it is read')
  }
}

const ADOPTED: unique symbol = Symbol('octavo.adopted')

/** The values that an HTTP instrumentation leaves in the context for frameworks: its span, and the route that it waits for. */
interface RpcMetadata {
  readonly span: Span
  route?: string
  /** Set by the request that it belongs to. Another one, such as of `inject` in a handler, has a span of its own. */
  [ADOPTED]?: true
}

/** The key that `@opentelemetry/core` keeps it under. Keys are symbols of the whole process, so the package is not needed. */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA')

/** The span that an HTTP instrumentation has started for this request; `undefined` if there is none. */
function adopt(context: Context): RpcMetadata | undefined {
  const found = context.getValue(RPC_METADATA)
  if (!isMetadata(found) || found[ADOPTED] === true) return undefined
  found[ADOPTED] = true
  return found
}

function isMetadata(value: unknown): value is RpcMetadata {
  return (
    isObject(value) && 'type' in value && value.type === 'http' && 'span' in value && isObject(value.span)
  )
}

/** A response of node:http, whose end is that of the span of an instrumentation. */
interface NodeResponse {
  readonly headersSent: boolean
  statusCode: number
  prependOnceListener(event: 'close', listener: () => void): unknown
}

function isResponse(value: unknown): value is NodeResponse {
  return isObject(value) && 'headersSent' in value && 'prependOnceListener' in value
}

/** How a streamed body ended: with how many bytes, and the error that broke it off. */
type StreamEnd = (bytes: number, error?: unknown) => void

/**
 * A streamed body whose source runs in the context of its request, also after the handler has returned. A class, because adapters open
 * the iterator and destroy the body of the same object.
 */
class ObservedBody implements AsyncIterable<Uint8Array | string> {
  readonly #body: BodyStream
  readonly #context: Context
  readonly #onEnd: StreamEnd
  #source: ChunkSource | undefined
  #bytes = 0
  #hasEnded = false

  constructor(body: BodyStream, context: Context, onEnd: StreamEnd) {
    this.#body = body
    this.#context = context
    this.#onEnd = onEnd
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array | string> {
    this.#open()
    return { next: () => active.with(this.#context, () => this.#next()) }
  }

  /** Abandons the source because it has no reader. */
  destroy(): void {
    this.#end()
    active.with(this.#context, () => this.#open().cancel())
  }

  #open(): ChunkSource {
    try {
      return (this.#source ??= active.with(this.#context, () => openStream(this.#body)))
    } catch (error) {
      this.#end(error)
      throw error
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array | string>> {
    try {
      const { done, value } = await this.#open().next()
      if (done === true || value === undefined) {
        this.#end()
        return { done: true, value: undefined }
      }
      this.#bytes += typeof value === 'string' ? Buffer.byteLength(value) : value.length
      return { value }
    } catch (error) {
      this.#end(error)
      throw error
    }
  }

  #end(error?: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onEnd(this.#bytes, error)
  }
}
