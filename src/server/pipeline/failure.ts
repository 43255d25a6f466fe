import { httpError, HttpError, toProblem } from '../../http/errors.ts'
import type { FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { logError } from '../logging/safe-logger.ts'
import { headerProblem } from './response-head.ts'

/**
 * The response to whatever was thrown: an `HttpError` in the format of the application, a plain 500 for everything else, which is logged
 * unless it was before.
 */
export function toFailure(context: RequestContext, error: unknown, isLogged = false): FinishedResponse {
  const known = written(context, error)
  if (known !== undefined) return known
  if (!isLogged) logUnknown(context, error)
  const { requestId } = context
  return context.writeError(
    httpError('internal_error', 'The request could not be answered; the log has the reason', { requestId }),
  )
}

/** An error as it counts: a 499 if it is the abort of the client, which has left before the response. */
export function asCounted(context: RequestContext, error: unknown): unknown {
  // to ask for the signal makes it, which most errors don't need
  if (!mayBeAbort(error) || !context.hasLeft || !isAbort(error, context.signal)) return error
  const detail = 'The client closed the request before the response'
  return httpError('client_closed_request', detail, { cause: error })
}

function mayBeAbort(error: unknown): boolean {
  try {
    return !(error instanceof HttpError) || error.cause !== undefined
  } catch {
    return false
  }
}

/** Errors that are looked through for an abort, each the cause of the one before. */
const MAX_CAUSES = 16

/** Whether an error, or what caused it, is the abort of a signal. */
export function isAbort(error: unknown, { reason }: AbortSignal): boolean {
  try {
    let cause = error
    for (let depth = 0; depth < MAX_CAUSES; depth++) {
      if (cause === reason) return true
      if (typeof cause !== 'object' || cause === null) return false
      const { name, code, cause: next }: ErrorLike = cause
      if (name === 'AbortError' || code === 'ABORT_ERR') return true
      cause = next
    }
  } catch {
    // a hostile one, which is no abort
  }
  return false
}

interface ErrorLike {
  readonly name?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

/** The answer in the place of one that cannot be sent, which is logged where there is a request to log it for. */
export function notSent(context: RequestContext | undefined, error: unknown): FinishedResponse {
  const answer = httpError('internal_error', 'The response cannot be sent; the log has the reason')
  if (context === undefined) return toProblem(answer)
  logError(context, { err: error }, 'A response cannot be sent')
  return context.writeError(answer)
}

/** Logs an unexpected error. */
export function logUnknown(context: RequestContext, error: unknown): void {
  const { method, route, version } = context
  logError(context, { err: error, method, route: route?.name, version }, 'A request failed')
}

/** Logs that a response broke off after its head was sent. */
export function logBroken(context: RequestContext | undefined, error: unknown): void {
  logError(context, { err: error }, 'A response broke off')
}

/** Whether something thrown is of a class. A hostile proxy throws if it is asked, and is of none. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof type
  } catch {
    return false
  }
}

/** The response to an `HttpError`, or `undefined` if it cannot be written, for then it is a mistake of its thrower. */
function written(context: RequestContext, error: unknown): FinishedResponse | undefined {
  try {
    if (!(error instanceof HttpError)) return undefined
    const response = context.writeError(error)
    return headerProblem(response.headers) === undefined ? response : undefined
  } catch {
    return undefined
  }
}
