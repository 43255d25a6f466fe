import type { Logger } from '../../define/context.ts'
import { httpError, HttpError, toProblem } from '../../errors.ts'
import type { FinishedResponse } from '../../http.ts'
import type { RequestContext } from './context.ts'
import { headerProblem } from './response-head.ts'

/**
 * The response to whatever was thrown: the problem that an `HttpError` describes, a plain 500 for everything else, which is logged
 * unless it was before.
 */
export function toFailure(context: RequestContext, error: unknown, isLogged = false): FinishedResponse {
  const known = error instanceof HttpError ? problemOf(error) : undefined
  if (known !== undefined) return known
  if (!isLogged) logUnknown(context, error)
  const { requestId } = context
  return toProblem(
    httpError('internal_error', 'The request could not be answered; the log has the reason', { requestId }),
  )
}

/** The answer in the place of one that cannot be sent, which is logged where there is a request to log it for. */
export function notSent(context: { readonly log: Logger } | undefined, error: unknown): FinishedResponse {
  context?.log.error({ err: error }, 'A response cannot be sent')
  return toProblem(httpError('internal_error', 'The response cannot be sent; the log has the reason'))
}

/** Logs an error that nobody expected. */
export function logUnknown({ log, method, route, version }: RequestContext, error: unknown): void {
  log.error({ err: error, method, route: route?.name, version }, 'A request failed')
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
