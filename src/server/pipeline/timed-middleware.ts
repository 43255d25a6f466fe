import type { Middleware } from '../../define/layers.ts'
import { isPromise, type Awaitable } from '../../base/async.ts'
import { FINISHED, type FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { dropBody } from '../../http/stream.ts'
import { createMiddleware, type WrapRequest } from './middleware.ts'
import type { Recover } from './recover.ts'
import { Clock, noteLate } from './timeout.ts'

/** Creates the middleware of a route, which has the whole time, too. What it waits for further inside does not count. */
export function createTimedMiddleware(
  milliseconds: number,
  middleware: readonly Middleware[],
  recover: Recover,
): WrapRequest | undefined {
  if (milliseconds === 0) return createMiddleware(middleware, recover)
  /** Requests that were answered without their middleware. */
  const late = new WeakSet<RequestContext>()
  const wrap = createMiddleware(middleware, (context, error) => {
    if (!late.has(context)) return recover(context, error)
    noteLate(context, error)
    return toUnsent()
  })
  if (wrap === undefined) return undefined
  return (context, next) => {
    let isInside = false
    let answer: (response: Awaitable<FinishedResponse>) => void = ignore
    const clock = new Clock(milliseconds, context, (error) => {
      late.add(context)
      answer(recover(context, error))
    })
    const response = wrap(context, () => {
      if (clock.isLate) return toUnsent()
      const inner = next()
      if (!isPromise(inner)) return inner
      clock.stop()
      isInside = true
      return inner.then((finished) => {
        clock.start()
        return finished
      })
    })
    if (!isPromise(response)) return response
    if (!isInside) clock.start()
    return new Promise((resolve) => {
      answer = (instead) => {
        context.endAfter(response)
        resolve(instead)
      }
      const settle = (finished: FinishedResponse): void => {
        clock.stop()
        if (clock.isLate) dropBody(finished.body)
        else resolve(finished)
      }
      response.then(settle, ignore)
    })
  }
}

/** A response that is never sent. */
function toUnsent(): FinishedResponse {
  return { [FINISHED]: true, status: 503, headers: {}, body: null }
}

function ignore(): void {}
