import { isPromise, once, type Awaitable } from '../../base/values.ts'
import { dropBody, isStream, type FinishedResponse } from '../../http/http.ts'
import type { Opened } from '../dispatch.ts'
import type { RefusalSettings } from '../options/settings.ts'
import { createHeadCheck, notSent } from '../pipeline/failure.ts'
import type { RequestContext } from '../pipeline/context.ts'
import type { Start } from './internals.ts'
import { createOriginReader } from './web/address.ts'
import { isFromServer, WebRequest, type Platform } from './web/request.ts'
import { toResponse } from './web/response.ts'

/** The third argument of `app.fetch`, as Cloudflare Workers pass it. */
export interface FetchExecution {
  /** Keeps the worker until work that goes on after the response is done. */
  waitUntil?(work: Promise<unknown>): void
}

/** The arguments of `app.fetch` besides the request. */
export interface FetchInfo extends FetchExecution {
  /** The address of the client. */
  readonly remoteAddress?: string | undefined
}

/**
 * Answers web requests. Of the second argument, the address of the client is used: `remoteAddress`, or as Deno and Bun pass it. The
 * `waitUntil` of the third one, or else of the second, keeps the work of `context.waitUntil` going. Whatever else a server passes is ignored.
 */
export interface FetchHandler {
  /** Answers a request. */
  (request: Request, info?: FetchInfo, execution?: FetchExecution): Promise<Response>
  /** Answers a request for the server that has received it. If nothing takes time, the servers of Bun and Deno get no promise. */
  (request: Request, info: object, execution?: FetchExecution): Promise<Response> | Response
}

/** Creates the web-standard handler of an application; `enter` opens it, or throws when it is closed. */
export function createFetch(enter: Start, settings: RefusalSettings): FetchHandler {
  const answer = createAnswer(settings)
  const later = async (
    request: Request,
    info: object | undefined,
    platform: Platform | undefined,
  ): Promise<Response> => {
    if (!isRequest(request))
      throw new TypeError("fetch: give a Request, such as new Request('http://localhost/car/7')")
    return answer(await enter(), request, info, platform)
  }
  function handle(request: Request, info?: FetchInfo, execution?: FetchExecution): Promise<Response>
  function handle(request: Request, info: object, execution?: FetchExecution): Awaitable<Response>
  function handle(
    request: Request,
    info?: object & FetchExecution,
    execution?: FetchExecution,
  ): Awaitable<Response> {
    const platform = execution ?? info
    if (!isFromServer(info) || !isRequest(request)) return later(request, info, platform)
    const entered = enter()
    return isPromise(entered) ? later(request, info, platform) : answer(entered, request, info, platform)
  }
  return handle
}

/** By what is read first, for a `Request` may be of another library. */
function isRequest(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'url' in request
}

type Answer = (
  opened: Opened,
  request: Request,
  info: object | undefined,
  platform: Platform | undefined,
) => Awaitable<Response>

function createAnswer(settings: RefusalSettings): Answer {
  const findRefusal = createHeadCheck(settings.limits)
  const originOf = createOriginReader()
  const finish = (
    finished: FinishedResponse,
    context: RequestContext,
    raw: WebRequest,
  ): Awaitable<Response> => {
    if (raw.refusal === undefined) return send(finished, context, raw)
    dropBody(finished.body)
    return send(settings.writeError(raw.refusal), context, raw)
  }
  // in a function of its own: a closure would cost every request
  const finishLater = (
    response: PromiseLike<FinishedResponse>,
    context: RequestContext,
    raw: WebRequest,
  ): Promise<Response> => Promise.resolve(response.then((settled) => finish(settled, context, raw)))
  return ({ dispatch }, request, info, platform) => {
    const { url } = request
    const origin = originOf(url)
    const raw = new WebRequest(request, url, origin, info, settings.limits.headers)
    raw.platform = platform
    const { isServed, method } = raw
    // a request that changes nothing has its headers measured when something reads them, which not every route does
    if (!isServed || (method !== 'GET' && method !== 'HEAD')) raw.measure()
    // to be told when nobody reads it; servers see to that themselves
    if (!isServed) void raw.body
    const refusal = findRefusal(url.length - raw.start, origin.host, true, NO_LINES) ?? raw.refusal
    if (refusal !== undefined) {
      raw.discard()
      return toResponse(settings.writeError(refusal), isServed)
    }
    const { context, response } = dispatch(raw)
    raw.endWith(context)
    return isPromise(response) ? finishLater(response, context, raw) : finish(response, context, raw)
  }
}

/** Those of a `Request` are looked at when they are read. */
const NO_LINES: readonly string[] = []

/** Loaded when the first body is streamed. */
const loadStreams = once(() => import('./web/stream.ts'))

/** Ends a request and passes its response on. */
function send(finished: FinishedResponse, context: RequestContext, raw: WebRequest): Awaitable<Response> {
  try {
    if (isStream(finished.body)) return sendLater(finished, context, raw)
    const ended = context.end()
    return ended === undefined ? toResponse(finished, raw.isServed) : sendLater(finished, context, raw, ended)
  } catch (error) {
    return toResponse(notSent(context, error), raw.isServed)
  }
}

// in a function of its own: a closure would cost every request
async function sendLater(
  finished: FinishedResponse,
  context: RequestContext,
  { isServed, request }: WebRequest,
  ended?: Promise<void>,
): Promise<Response> {
  try {
    await ended
    const { body, headers } = finished
    if (!isStream(body)) return toResponse(finished, isServed)
    const { toWebStream } = await loadStreams()
    return toResponse(finished, isServed, toWebStream(body, headers, { context, signal: request.signal }))
  } catch (error) {
    return toResponse(notSent(context, error), isServed)
  }
}
