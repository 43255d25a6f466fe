import { HttpError, httpError } from '../../http/errors.ts'
import { LONGEST_TIMER } from '../../base/values.ts'
import type { RequestContext } from './context.ts'
import { DEFAULT_TIMEOUTS } from '../options/app-options.ts'
import { isAbort, isInstance, logUnknown } from './failure.ts'

/** Waits for a step of a request. Rejects with a 503 if it takes too long; `drop` gets what comes after that. */
export type Limit = <T>(
  context: RequestContext,
  step: PromiseLike<T>,
  drop?: (late: T) => void,
) => PromiseLike<T>

/**
 * Creates the time limit of the steps of a route; 0 milliseconds are no limit. Each guard and the handler with its interceptors have the
 * whole time. Input is read outside of it, because a slow client is no slow handler. A step that is done at once has no timer.
 *
 * If a step is late, the signal of the request is aborted, and the 503 is answered, by the error handlers of the route if they match.
 * The code of the step goes on: what lives for the request is disposed after it, and its outcome is dropped.
 */
export function createLimit(milliseconds: number): Limit {
  if (milliseconds === 0) return (_context, step) => step
  return <T>(context: RequestContext, step: PromiseLike<T>, drop: (late: T) => void = ignore) =>
    new Promise<T>((resolve, reject) => {
      const clock = new Clock(milliseconds, context, (error) => {
        context.endAfter(step)
        reject(error)
      })
      clock.start()
      const settle = (value: T): void => {
        clock.stop()
        if (clock.isLate) drop(value)
        else resolve(value)
      }
      const fail = (error: unknown): void => {
        clock.stop()
        if (clock.isLate) noteLate(context, error)
        else reject(error)
      }
      step.then(settle, fail)
    })
}

/** The time limit of a step. A class because one is made for every step that takes time. */
export class Clock {
  readonly #milliseconds: number
  readonly #context: RequestContext
  readonly #stop: (error: HttpError) => void
  #timer: NodeJS.Timeout | undefined
  /** Whether the time was over before the step was. */
  isLate = false

  constructor(milliseconds: number, context: RequestContext, stop: (error: HttpError) => void) {
    this.#milliseconds = milliseconds
    this.#context = context
    this.#stop = stop
  }

  start(): void {
    const timer = setTimeout(end, Math.min(this.#milliseconds, LONGEST_TIMER), this)
    // a time that nobody has set must not be what keeps a process open
    if (this.#milliseconds === DEFAULT_TIMEOUTS.handler) timer.unref?.()
    this.#timer = timer
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  end(): void {
    // a step may read the body as it arrives, and the client be slow
    if (this.#context.isArriving) return this.start()
    this.isLate = true
    this.#context.abort(new DOMException('The request took too long to be answered', 'TimeoutError'))
    const detail = `There was no answer within ${this.#milliseconds} milliseconds`
    this.#stop(httpError('handler_timeout', detail))
  }
}

// in a function of its own: a closure would be made for every step
function end(clock: Clock): void {
  clock.end()
}

/** Logs errors after the response, except those of aborted work and those that would be responses. */
export function noteLate(context: RequestContext, error: unknown): void {
  if (!isAbort(error, context.signal) && !isInstance(error, HttpError)) logUnknown(context, error)
}

function ignore(): void {}
