import type { ErrorHandler, Middleware } from '../../define/layers.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'
import { FINISHED, dropBody, isStream, type FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { finish } from './response-head.ts'
import { createErrorResponder, type Answering, type RespondToError } from './error-responder.ts'
import { respondWith } from './respond.ts'
import { asCounted, toFailure, Clock, noteLate, isInstance, logUnknown } from './failure.ts'
import { wantZod } from '../../schema/schema.ts'
import { HttpError } from '../../http/errors.ts'
import { quiet } from './interceptors.ts'

/** Puts middleware around a request. */
type WrapRequest = (
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
        head?.mergeInto(finished.headers, false, finished.isError)
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

/** A response whose length follows its body, which may have been changed, with the later headers of `context.response`. */
function measured(
  { status, headers, body }: FinishedResponse,
  before: FinishedResponse['body'] | undefined,
  context: RequestContext,
): FinishedResponse {
  // a copy: what the middleware keeps, in a cache for instance, must not get the cookies of this request
  const copy = { ...headers }
  for (const name in copy) if (typeof copy[name] === 'object') copy[name] = [...copy[name]]
  const head = context.takeHead()
  head?.mergeInto(copy, true)
  if (body !== before && (body === null || isStream(body))) delete copy['content-length']
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

/** Creates the responder to errors: the first handler that matches and returns something, innermost first, else a problem document. */
export function createRecover(handlers: readonly ErrorHandler[], answering: Answering): Recover {
  const plain = createErrorResponder(answering)
  const own = new Map(handlers.map((handler) => [handler, respondTo(handler, answering)]))
  const respond: RespondBy = (handler, ...given) => (own.get(handler) ?? plain)(...given)
  return (context, thrown) => {
    const error = asCounted(context, thrown)
    context.observe(error)
    // what was set for a response that is not sent
    context.head = undefined
    return handlers.some((handler) => matches(handler, error))
      ? ask(handlers, respond, context, error)
      : toFailure(context, error)
  }
}

type RespondBy = (handler: ErrorHandler, ...given: Parameters<RespondToError>) => ReturnType<RespondToError>

/** Responds by the schemas of a handler, if it has some, before those of the route. */
function respondTo({ response }: ErrorHandler, answering: Answering): RespondToError | undefined {
  if (response === undefined) return undefined
  // results of errors are parsed where nothing else may be
  wantZod()
  const declared = Object.entries(response).map(([status, schema]) => [Number(status), schema] as const)
  return createErrorResponder({ ...answering, responses: new Map([...answering.responses, ...declared]) })
}

async function ask(
  handlers: readonly ErrorHandler[],
  respond: RespondBy,
  context: RequestContext,
  thrown: unknown,
): Promise<FinishedResponse> {
  let error = thrown
  let isLogged = false
  for (const handler of handlers) {
    if (!matches(handler, error)) continue
    try {
      keepHeaders(context, error)
      // by class, an error is known to the handler; by status, it may be anything
      if (handler.match === 500 && !isInstance(error, HttpError) && !isLogged) {
        isLogged = true
        logUnknown(context, error)
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `matches` has just said so
      const result = await quiet(handler.handle(error as never, context))
      if (result !== undefined) return await respond(handler, result, statusOf(error), context)
    } catch (worse) {
      // the handlers further out see what this one made of it
      isLogged &&= worse === error
      error = asCounted(context, worse)
    }
    // what a handler has set without answering is not sent
    context.head = undefined
  }
  return toFailure(context, error, isLogged)
}

/** These belong to the body that the error would have. */
const OF_BODY = new Set(['content-type', 'content-length', 'content-encoding'])

/** Sets the headers of an error on the response to it. The handler sees them there and can replace or delete them. */
function keepHeaders(context: RequestContext, error: unknown): void {
  if (!(error instanceof HttpError) || error.headers === undefined) return
  const { headers } = context.response
  for (const [name, value] of Object.entries<string | readonly string[]>(error.headers)) {
    if (OF_BODY.has(name.toLowerCase())) continue
    headers.delete(name)
    // appended one by one, so that the lists of the error stay: it may be thrown again
    for (const line of typeof value === 'object' ? value : [value]) headers.append(name, line)
  }
}

function matches({ match }: ErrorHandler, error: unknown): boolean {
  return typeof match === 'number' ? statusOf(error) === match : isInstance(error, match)
}

/** The status of an error. A status that cannot be read is a mistake of the code that threw the error. */
function statusOf(error: unknown): number {
  try {
    return error instanceof HttpError ? error.status : 500
  } catch {
    return 500
  }
}
