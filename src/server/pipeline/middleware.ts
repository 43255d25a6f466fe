import type { Middleware } from '../../define/layers.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'
import { FINISHED, dropBody, isStream, type FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { finish } from './response-head.ts'
import { respondWith } from './respond.ts'
import { asCounted, toFailure, Clock, noteLate } from './failure.ts'

/** Puts middleware around a request. */
export type WrapRequest = (
  context: RequestContext,
  next: () => Awaitable<FinishedResponse>,
) => Awaitable<FinishedResponse>

/**
 * Puts middleware together; the first is outermost. What is passed as `next` must neither throw nor reject. `undefined` when there is
 * none.
 */
export function createMiddleware(
  middleware: readonly Middleware[],
  recover: Recover,
): WrapRequest | undefined {
  if (middleware.length === 0) return undefined
  const [outermost, ...rest] = middleware.map((one) => toWrapper(one, recover))
  if (outermost === undefined) return undefined
  return rest.reduce<WrapRequest>(
    (outer, inner) => (context, next) => outer(context, () => inner(context, next)),
    outermost,
  )
}

function toWrapper(middleware: Middleware, recover: Recover): WrapRequest {
  return (context, next) => {
    const call = createCall(context, next)
    const settle = (result: unknown): Awaitable<FinishedResponse> => {
      try {
        const response = toResponse(result, call, context)
        return isPromise(response)
          ? response.then((settled) => dropUnread(call.body(), settled), lose)
          : dropUnread(call.body(), response)
      } catch (error) {
        return lose(error)
      }
    }
    const lose = (error: unknown): Awaitable<FinishedResponse> => {
      call.cancel()
      return recover(context, error)
    }
    try {
      const result = middleware(context, call.next)
      return isPromise(result) && !isFinished(result)
        ? Promise.resolve(result).then(settle, lose)
        : settle(result)
    } catch (error) {
      return lose(error)
    }
  }
}

/** One way inwards, taken at most once. */
interface Call {
  readonly next: () => Awaitable<FinishedResponse>
  /** Returns the response that came back, or `undefined` if `next` was not called. */
  readonly response: () => Awaitable<FinishedResponse> | undefined
  /** The body that came back, before anybody changed it. */
  readonly body: () => FinishedResponse['body'] | undefined
  /** Cancels the body of a response that is not sent. */
  readonly cancel: () => void
}

function createCall(context: RequestContext, inner: () => Awaitable<FinishedResponse>): Call {
  let response: Awaitable<FinishedResponse> | undefined
  let body: FinishedResponse['body'] | undefined
  return {
    response: () => response,
    body: () => body,
    next: () => {
      if (response !== undefined) throw new Error('A middleware called next() twice')
      // what was set before is for the response, whatever happens further inside
      const head = context.takeHead()
      const receive = (finished: FinishedResponse): FinishedResponse => {
        head?.mergeInto(finished.headers)
        body = finished.body
        return finished
      }
      const finished = inner()
      response = isPromise(finished) ? finished.then(receive) : receive(finished)
      return response
    },
    cancel: () => void cancelBody(response),
  }
}

async function cancelBody(response: Awaitable<FinishedResponse> | undefined): Promise<void> {
  const lost = await response
  dropBody(lost?.body)
}

function toResponse(result: unknown, call: Call, context: RequestContext): Awaitable<FinishedResponse> {
  const received = call.response()
  if (result === undefined && received !== undefined) {
    return isPromise(received)
      ? received.then((settled) => measured(settled, call.body(), context))
      : measured(received, call.body(), context)
  }
  if (isFinished(result)) return measured(result, call.body(), context)
  return respondWith(result, 200, context)
}

/** Cancels a returned stream that a result without a stream replaced. */
function dropUnread(
  before: FinishedResponse['body'] | undefined,
  response: FinishedResponse,
): FinishedResponse {
  if (!isStream(response.body)) dropBody(before)
  return response
}

/** A response whose length is that of its body, which may have been changed, and with what was set on `context.response` since. */
function measured(
  { status, headers, body }: FinishedResponse,
  before: FinishedResponse['body'] | undefined,
  context: RequestContext,
): FinishedResponse {
  // a copy: what the middleware keeps, in a cache for instance, must not get the cookies of this request
  const copy = { ...headers }
  const head = context.takeHead()
  head?.mergeInto(copy, true)
  if (isStream(body) && body !== before) delete copy['content-length']
  if (typeof body === 'object' || typeof body === 'string')
    return finish(head?.view.status ?? status, copy, body ?? undefined)
  throw new TypeError(
    `A middleware gave a body that is a ${typeof body}, neither text, bytes, a stream nor null`,
  )
}

export function isFinished(value: unknown): value is FinishedResponse {
  return typeof value === 'object' && value !== null && FINISHED in value
}

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
