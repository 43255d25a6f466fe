import { HttpError, addedError } from '../../http/errors.ts'
import { clientWentAway } from '../../http/http.ts'

/** The codes of undici and of sockets that mean a time limit. */
const TIMEOUTS: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])

/** The error codes of a response that is not HTTP, or that differs from its head. */
const INVALID: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
])

/** Those of a connection that has ended before there was a response. */
const RESETS: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Those of a connection that was never there. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** The error that a client gets because of one of the connection. Its cause, for the log alone, names the upstream. */
export function toUpstreamError(name: string, error: unknown): HttpError {
  if (error instanceof HttpError) return error
  const options = { cause: error }
  if (hasCode(error, TIMEOUTS))
    return addedError('upstream_timeout', `${name} has not answered in time`, options)
  if (hasCode(error, INVALID) || (error instanceof Error && error.name === 'HTTPParserError'))
    return invalidResponse(name, error)
  return addedError('upstream_unreachable', `${name} cannot be reached`, options)
}

/** The error of a response that cannot be passed on. */
export function invalidResponse(name: string, cause: unknown): HttpError {
  return addedError('upstream_invalid', `${name} has sent a response that cannot be used`, { cause })
}

/** The error of a request for which no connection was free in time. */
export function noConnection(): Error {
  return Object.assign(new Error('No connection was free in time'), { code: 'ETIMEDOUT' })
}

/** The error of a request that cannot even wait for a connection. */
export function queueFull(name: string): HttpError {
  return addedError('overloaded', `Too many requests wait for ${name}`, { headers: { 'retry-after': '1' } })
}

/** Whether a connection ended before anything of a response came: such a request can be sent again if it is idempotent. */
export function isReset(error: unknown): boolean {
  return hasCode(error, RESETS)
}

/** Whether nothing of a request was sent. */
export function isUnconnected(error: unknown): boolean {
  return hasCode(error, UNCONNECTED)
}

export function toAbortReason(reason: unknown): Error {
  return reason instanceof Error ? reason : clientWentAway()
}

/** Errors of several addresses, and of `fetch`, have those that matter inside. */
function hasCode(error: unknown, codes: ReadonlySet<unknown>): boolean {
  if (typeof error !== 'object' || error === null) return false
  if ('code' in error && codes.has(error.code)) return true
  return 'cause' in error && error.cause !== error && hasCode(error.cause, codes)
}
