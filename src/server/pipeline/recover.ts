import { isPromise, type Awaitable } from '../../base/async.ts'
import type { FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { asCounted, toFailure } from './failure.ts'

/** Turns whatever was thrown into a response. Never throws and never rejects. */
export type Recover = (context: RequestContext, error: unknown) => Awaitable<FinishedResponse>

/** Responds where there are no error handlers. */
export const recoverUnhandled: Recover = (context, thrown) => {
  const error = asCounted(context, thrown)
  context.observe(error)
  // what was set for a response that is not sent
  context.head = undefined
  return toFailure(context, error)
}

/** Does what may throw or reject; the response to its error when it does. */
export function recovered(
  recover: Recover,
  context: RequestContext,
  work: () => Awaitable<FinishedResponse>,
): Awaitable<FinishedResponse> {
  try {
    const response = work()
    return isPromise(response) ? response.then(undefined, (error) => recover(context, error)) : response
  } catch (error) {
    return recover(context, error)
  }
}
