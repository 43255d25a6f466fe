import { HttpError, httpError } from '../../errors.ts'
import { isPromise } from '../../async.ts'
import { FINISHED } from '../../http.ts'
import type { FinishedResponse } from '../../http.ts'
import type { RequestContext } from './context.ts'
import type { Recover } from './error-handlers.ts'
import { dropBody } from '../../stream.ts'
import { isInstance, logUnknown } from './failure.ts'
import type { Run } from './guards.ts'

/** A route whose answer is waited for no longer than so many milliseconds. */
export interface Timed {
  /** What answers the errors inside of the route; none that comes after the answer. */
  readonly recover: Recover
  /** Answers 503 in the place of what takes too long; outermost of all that the route has. */
  readonly limit: (run: Run) => Run
}

/** Timers of Node hold no more. */
const LONGEST = 2_147_483_647

/**
 * Makes what limits the time of a route; 0 milliseconds are no limit. What is answered at once has no timer.
 *
 * When the time is over, the signal of the request is aborted and the 503 is answered, by the error handlers of the route if they
 * match. What its code is still at goes on: what lives for the request is disposed after that, and its outcome is dropped.
 */
export function createTimed(milliseconds: number, recover: Recover): Timed {
  if (milliseconds === 0) return { recover, limit: (run) => run }
  const time = Math.min(milliseconds, LONGEST)
  /** Requests that were answered without their route. */
  const late = new WeakSet<RequestContext>()
  const answer = (context: RequestContext): Promise<FinishedResponse> | FinishedResponse => {
    const detail = `There was no answer within ${milliseconds} milliseconds`
    const response = recover(context, httpError('handler_timeout', detail))
    return isPromise(response) ? Promise.resolve(response) : response
  }
  const orLate = (
    context: RequestContext,
    response: PromiseLike<FinishedResponse>,
  ): Promise<FinishedResponse> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        late.add(context)
        context.endAfter(response)
        context.abort(new DOMException('The request took too long to be answered', 'TimeoutError'))
        resolve(answer(context))
      }
      const timer = setTimeout(stop, time)
      const settle = (finished: FinishedResponse): void => {
        clearTimeout(timer)
        if (late.has(context)) dropBody(finished.body)
        else resolve(finished)
      }
      const fail = (error: unknown): void => {
        clearTimeout(timer)
        if (late.has(context)) noteLate(context, error)
        else reject(error)
      }
      response.then(settle, fail)
    })
  return {
    recover: (context, error) => {
      if (!late.has(context)) return recover(context, error)
      noteLate(context, error)
      return toUnsent()
    },
    limit: (run) => (context, values) => {
      const response = run(context, values)
      return isPromise(response) ? orLate(context, response) : response
    },
  }
}

/** A response that nobody gets. */
function toUnsent(): FinishedResponse {
  return { [FINISHED]: true, status: 503, headers: {}, body: null }
}

/** Logs what fails after the answer, but for what was told to stop, and what would have been an answer. */
function noteLate(context: RequestContext, error: unknown): void {
  if (!isStopped(error) && !isInstance(error, HttpError)) logUnknown(context, error)
}

function isStopped(error: unknown): boolean {
  try {
    return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  } catch {
    return false
  }
}
