import { FINISHED } from '../../http.ts'
import type { BodyStream, FinishedResponse } from '../../http.ts'
import { dropBody, isAsyncIterable } from '../../stream.ts'
import type { ResponseHeaders } from './response-head.ts'

/** The response with its length, or without body where the status allows none (RFC 9110 section 6.4.1). */
export function finish(status: number, headers: ResponseHeaders, body: unknown): FinishedResponse {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    if (isAsyncIterable(body)) dropBody(body)
    throw new RangeError(`The handler answered with the status ${status}, which is not from 200 to 599`)
  }
  if (isBodyless(status)) {
    if (isAsyncIterable(body)) dropBody(body)
    delete headers['content-type']
    delete headers['content-length']
    return { [FINISHED]: true, status, headers, body: null }
  }
  if (typeof headers['content-type'] === 'object')
    return refuse(body, 'The handler gave several content types')
  if (isAsyncIterable(body)) return withStream(status, headers, body)
  if (typeof body === 'string' || body instanceof Uint8Array) {
    headers['content-length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
    return { [FINISHED]: true, status, headers, body }
  }
  headers['content-length'] = '0'
  return { [FINISHED]: true, status, headers, body: null }
}

/** A length that a handler gives beside a stream says where the response ends on its connection. */
function withStream(status: number, headers: ResponseHeaders, body: BodyStream): FinishedResponse {
  const length = headers['content-length']
  if (length === undefined || (typeof length === 'string' && /^\d{1,15}$/.test(length)))
    return { [FINISHED]: true, status, headers, body }
  return refuse(body, 'The handler gave a Content-Length that is not a number of bytes')
}

function refuse(body: unknown, reason: string): never {
  if (isAsyncIterable(body)) dropBody(body)
  throw new TypeError(reason)
}

/** Whether responses of a status have no content (RFC 9110 section 6.4.1). */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}
