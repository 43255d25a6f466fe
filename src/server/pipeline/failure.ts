import { httpError, HttpError, problemResponse } from '../../http/errors.ts'
import type { FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { logError } from '../logging/logger.ts'
import { headerProblem } from './response-head.ts'
import { isHost } from '../request/host.ts'
import { DEFAULT_TIMEOUTS, type Limits } from '../options/app-options.ts'
import { LONGEST_TIMER, type Awaitable } from '../../base/values.ts'

/**
 * The response to whatever was thrown: an `HttpError` in the format of the application, a plain 500 for everything else, which is logged
 * unless it was before.
 */
export function toFailure(context: RequestContext, error: unknown, isLogged = false): FinishedResponse {
  return written(context, error) ?? toUnknown(context, error, isLogged)
}

function toUnknown(context: RequestContext, error: unknown, isLogged: boolean): FinishedResponse {
  if (!isLogged) logUnknown(context, error)
  const { requestId } = context
  return context.writeError(
    httpError('internal_error', 'The request could not be answered; the log has the reason', { requestId }),
  )
}

/** An error as it counts: a 499 if it is the abort of the client, which has left before the response. */
export function asCounted(context: RequestContext, error: unknown): unknown {
  // to ask for the signal makes it, which most errors don't need
  return mayBeAbort(error) ? asLeft(context, error) : error
}

function asLeft(context: RequestContext, error: unknown): unknown {
  if (!context.hasLeft || !isAbort(error, context.signal)) return error
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
  if (context === undefined) return problemResponse(answer)
  logError(context, { err: error }, 'A response cannot be sent')
  return context.writeError(answer)
}

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

/**
 * Finds why a request does not get as far as the application. `needsHost`: it must name its host, as all but HTTP/1.0 must; `length`: that of the target in characters; `lines`:
 * names and values in turn, as they were sent.
 */
export type FindRefusal = (
  length: number,
  host: string | undefined,
  needsHost: boolean,
  lines: readonly string[],
) => HttpError | undefined

/**
 * Headers that must not come twice: readers that disagree on which of them counts can be played against each other. Guards see to
 * `Authorization`.
 */
const SINGLE = ['host', 'content-type', 'content-length'] as const

/**
 * Whether a request is one of RTSP: the parser takes its first line for one of HTTP, and does not say which it was. All have a `CSeq` (RFC 7826
 * section 18.20), and none a Host.
 */
function isOfRtsp(lines: readonly string[]): boolean {
  return lines.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'cseq')
}

/** Creates the check of heads, which is the same for HTTP/1.1 and HTTP/2. */
export function createHeadCheck(limits: Required<Limits>): FindRefusal {
  // in a list, because every line of every request is looked up
  const byLength: (number | undefined)[] = []
  for (const [index, { length }] of SINGLE.entries()) byLength[length] = index
  // the hosts of requests differ seldom
  let known = ''
  return (length, host, needsHost, lines) => {
    // Node would refuse this by itself, without saying why (RFC 9112 section 3.2)
    if (host === undefined) {
      if (needsHost) return httpError('missing_host', 'The request has no Host header')
      if (isOfRtsp(lines)) return httpError('malformed_request', 'The request is one of RTSP, not of HTTP')
    }
    if (length > limits.url) return urlTooLong(limits.url)
    // two separating characters after each
    let size = 2 * lines.length
    let seen = 0
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const name = lines[at] ?? ''
      size += name.length + (lines[at + 1] ?? '').length
      const index = byLength[name.length]
      if (index === undefined || SINGLE[index] !== name.toLowerCase()) continue
      if ((seen & (1 << index)) !== 0) return sentTwice(name)
      seen |= 1 << index
    }
    if (size > limits.headers) return headersTooLarge(limits.headers)
    if (host === undefined || host === known) return undefined
    if (!isHost(host)) return notHost()
    known = host
    return undefined
  }
}

export function serverClosing(): HttpError {
  return httpError('closing', 'The server is shutting down')
}

/** The error of a Host header that holds something else. */
export function notHost(): HttpError {
  return httpError('malformed_request', 'The Host header is not a host')
}

/** The error of a header that must not be repeated. */
export function sentTwice(name: string): HttpError {
  return httpError('malformed_request', `The request has several ${toTitle(name)} headers`)
}

/** The error of a request target over its limit. */
export function urlTooLong(limit: number): HttpError {
  return httpError('url_too_long', `The request target is longer than ${limit} characters`)
}

export function headersTooLarge(limit: number): HttpError {
  return httpError('headers_too_large', `The headers are longer than ${limit} bytes`)
}

/** `content-type` as `Content-Type`. */
function toTitle(name: string): string {
  return name.toLowerCase().replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

/** Waits for a step of a request, and goes on with `use`. Rejects with a 503 if it takes too long; `drop` gets what comes after that. */
export type Limit = <T, R>(
  context: RequestContext,
  step: PromiseLike<T>,
  use: (value: T, context: RequestContext) => Awaitable<R>,
  drop?: (late: T) => void,
) => Promise<R>

/**
 * Creates the time limit of the steps of a route; 0 milliseconds are no limit. Each guard and the handler with its interceptors have the
 * whole time. Input is read outside of it, because a slow client is no slow handler. A step that is done at once has no timer.
 *
 * If a step is late, the signal of the request is aborted, and the 503 is answered, by the error handlers of the route if they match.
 * The code of the step goes on: what lives for the request is disposed after it, and its outcome is dropped.
 */
export function createLimit(milliseconds: number): Limit {
  if (milliseconds === 0)
    return (context, step, use) => Promise.resolve(step).then((value) => use(value, context))
  return <T, R>(
    context: RequestContext,
    step: PromiseLike<T>,
    use: (value: T, context: RequestContext) => Awaitable<R>,
    drop: (late: T) => void = ignore,
  ) =>
    new Promise<R>((resolve, reject) => {
      const clock = new Clock(milliseconds, context, (error) => {
        context.endAfter(step)
        reject(error)
      })
      clock.start()
      const settle = (value: T): void => {
        clock.stop()
        if (clock.isLate) return drop(value)
        // a promise more would cost every request that takes time
        try {
          resolve(use(value, context))
        } catch (error) {
          reject(error)
        }
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

/** Logs errors after the response, except errors of aborted work and errors that are responses. */
export function noteLate(context: RequestContext, error: unknown): void {
  if (!isAbort(error, context.signal) && !isInstance(error, HttpError)) logUnknown(context, error)
}

function ignore(): void {}
