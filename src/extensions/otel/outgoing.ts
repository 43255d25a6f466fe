import { context, propagation } from '@opentelemetry/api'

import { subscribeChannel } from '../../base/platform.ts'
import { isObject } from '../../base/values.ts'

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
export function propagateOutgoing(): void {
  if (isListening) return
  isListening = true
  subscribeChannel('undici:request:create', (message) => {
    const request = requestOf(message)
    if (request === undefined || carriesSpan(request)) return
    propagation.inject(context.active(), request, {
      set: (carrier, name, value) => void carrier.addHeader(name, value),
    })
  })
}

function requestOf(message: unknown): OutgoingRequest | undefined {
  const request: unknown = isObject(message) ? Reflect.get(message, 'request') : undefined
  return isRequest(request) ? request : undefined
}

function isRequest(value: unknown): value is OutgoingRequest {
  return isObject(value) && 'headers' in value && typeof Reflect.get(value, 'addHeader') === 'function'
}

/** Headers are a list of names and values, or a text in undici 5. */
function carriesSpan({ headers }: OutgoingRequest): boolean {
  if (typeof headers === 'string') return /^traceparent:/im.test(headers)
  return Array.isArray(headers) && headers.some((each) => String(each).toLowerCase() === 'traceparent')
}
