import { createContextKey, type Context, type Span } from '@opentelemetry/api'

import { isObject } from '../../base/values.ts'

/** The values that an HTTP instrumentation leaves in the context for frameworks: its span, and the route that it waits for. */
export interface RpcMetadata {
  readonly span: Span
  route?: string
}

/** The key that `@opentelemetry/core` keeps it under. Keys are symbols of the whole process, so the package is not needed. */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA')

/** Each belongs to one request. Another one, such as of `inject` in a handler, has a span of its own. */
const adopted = new WeakSet<object>()

/** The span that an HTTP instrumentation has started for this request; `undefined` if there is none. */
export function adopt(context: Context): RpcMetadata | undefined {
  const found = context.getValue(RPC_METADATA)
  if (!isMetadata(found) || adopted.has(found)) return undefined
  adopted.add(found)
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

/** The response of a request that came over node:http; `undefined` for others. */
export function findResponse(connection: object): NodeResponse | undefined {
  const response: unknown = Reflect.get(connection, 'response')
  return isResponse(response) ? response : undefined
}

function isResponse(value: unknown): value is NodeResponse {
  return isObject(value) && 'headersSent' in value && 'prependOnceListener' in value
}
