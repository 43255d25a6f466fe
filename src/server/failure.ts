import { randomUUID } from 'node:crypto'

import { httpError, HttpError, toProblem } from '../errors.ts'
import type { FinishedResponse } from '../http.ts'
import type { RequestContext } from './context.ts'
import { headerProblem } from './response-head.ts'

/** The response to whatever was thrown: the problem that an `HttpError` describes, a plain 500 for everything else. */
export function toFailure(context: RequestContext, method: string, error: unknown): FinishedResponse {
  return (error instanceof HttpError ? problemOf(error) : undefined) ?? unknownError(context, method, error)
}

/** Tells a stream that nobody reads it. */
export function cancelStream(body: object): void {
  if ('cancel' in body && typeof body.cancel === 'function') {
    // a stream that cannot be cancelled has no one left to tell
    void Promise.resolve(body.cancel()).catch(() => undefined)
  } else if ('destroy' in body && typeof body.destroy === 'function') body.destroy()
  else if ('return' in body && typeof body.return === 'function') {
    void Promise.resolve(body.return()).catch(() => undefined)
  }
}

/** The problem document of an error; `undefined` when it cannot be written, for then it is a mistake of its thrower. */
function problemOf(error: HttpError): FinishedResponse | undefined {
  try {
    const response = toProblem(error)
    return headerProblem(response.headers) === undefined ? response : undefined
  } catch {
    return undefined
  }
}

/** A 500 that says nothing of its cause; the log has it all under the same id. */
function unknownError(context: RequestContext, method: string, error: unknown): FinishedResponse {
  const requestId = randomUUID()
  const route = context.route?.name
  context.log.error({ err: error, requestId, method, route, version: context.version }, 'A request failed')
  return toProblem(
    httpError('internal_error', 'The request could not be answered; the log has the reason', { requestId }),
  )
}
