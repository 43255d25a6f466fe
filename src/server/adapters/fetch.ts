import { isPromise, once, type Awaitable, importInTurn } from '../../base/values.ts'
import { dropBody, isStream, PHRASES, type FinishedResponse } from '../../http/http.ts'
import type { RunningApp } from '../dispatch.ts'
import type { RefusalSettings } from '../options/settings.ts'
import { createHeadCheck, notSent } from '../pipeline/failure.ts'
import type { RequestContext } from '../pipeline/context.ts'
import type { Start } from './internals.ts'
import { createOriginReader } from './web/url-origin.ts'
import { isFromServer, WebRequest, type Platform } from './web/web-request.ts'
import { JSON_TYPE } from '../pipeline/response-head.ts'

/** The third argument of `app.fetch`, as Cloudflare Workers pass it. */
export interface FetchExecution {
  /** Keeps the worker until work that goes on after the response is done. */
  waitUntil?(work: Promise<unknown>): void
}

/** The arguments of `app.fetch` besides the request. */
export interface FetchInfo extends FetchExecution {
  /** The address of the client. */
  readonly remoteAddress?: string | undefined
  /** The request that this one is part of, so that limits count both once. @internal */
  readonly within?: object | undefined
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
  const answer = createWebAnswer(settings)
  const later = async (
    request: Request,
    info: object | undefined,
    platform: Platform | undefined,
  ): Promise<Response> => {
    if (!isWebRequest(request))
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
    if (!isFromServer(info) || !isWebRequest(request)) return later(request, info, platform)
    const entered = enter()
    return isPromise(entered) ? later(request, info, platform) : answer(entered, request, info, platform)
  }
  return handle
}

/** By what is read first, for a `Request` may be of another library. */
function isWebRequest(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'url' in request
}

type WebAnswer = (
  opened: RunningApp,
  request: Request,
  info: object | undefined,
  platform: Platform | undefined,
) => Awaitable<Response>

function createWebAnswer(settings: RefusalSettings): WebAnswer {
  const findRefusal = createHeadCheck(settings.limits)
  const originOf = createOriginReader()
  const finish = (
    finished: FinishedResponse,
    context: RequestContext,
    raw: WebRequest,
  ): Awaitable<Response> => {
    if (raw.refusal === undefined) return sendResponse(finished, context, raw)
    dropBody(finished.body)
    return sendResponse(settings.writeError(raw.refusal), context, raw)
  }
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
      return toWebResponse(settings.writeError(refusal), isServed)
    }
    const { context, response } = dispatch(raw)
    raw.endWith(context)
    return isPromise(response)
      ? Promise.resolve(response.then((settled) => finish(settled, context, raw)))
      : finish(response, context, raw)
  }
}

/** Those of a `Request` are looked at when they are read. */
const NO_LINES: readonly string[] = []

/** Loads what streams bodies: when the application is ready, or with the first such body. */
export const loadStreams = /* @__PURE__ */ once(() => importInTurn(() => import('./web/stream.ts')))

/** Ends a request and passes its response on. */
export function sendResponse(
  finished: FinishedResponse,
  context: RequestContext,
  raw: WebRequest,
): Awaitable<Response> {
  try {
    if (isStream(finished.body)) return sendLater(finished, context, raw)
    const ended = context.end()
    return ended === undefined
      ? toWebResponse(finished, raw.isServed)
      : sendLater(finished, context, raw, ended)
  } catch (error) {
    return toWebResponse(notSent(context, error), raw.isServed)
  }
}

async function sendLater(
  finished: FinishedResponse,
  context: RequestContext,
  { isServed, request }: WebRequest,
  ended?: Promise<void>,
): Promise<Response> {
  try {
    await ended
    const { body, headers } = finished
    if (!isStream(body)) return toWebResponse(finished, isServed)
    const { toWebStream } = await loadStreams()
    return toWebResponse(finished, isServed, toWebStream(body, headers, { context, signal: request.signal }))
  } catch (error) {
    return toWebResponse(notSent(context, error), isServed)
  }
}

/**
 * The response of the Fetch standard; `stream` is its body if that is a stream. The servers of Bun and Deno count the bytes of a body and
 * know the reason phrases. Without both, Deno sends a text with a content type in a third of the time.
 */
function toWebResponse(
  finished: FinishedResponse,
  isOfServer: boolean,
  stream: ReadableStream<Uint8Array> | null = null,
): Response {
  const { body, headers, status } = finished
  if (isOfServer && typeof body === 'string' && isPlainJson(headers))
    return new Response(body, { status, headers: (jsonLines ??= toJsonLines()) })
  const sent = isStream(body) ? stream : body
  const init = { status, headers: webHeaderLines(headers, isOfServer && sent !== null && sent === body) }
  // a text without a content type would bring its own
  const isBare = typeof sent === 'string' && headers['content-type'] === undefined
  const content = isBare ? Buffer.from(sent) : sent
  if (isOfServer) return new Response(content, init)
  // workerd would encode once more what is encoded; other platforms know nothing of it
  const encoding = headers['content-encoding'] === undefined ? undefined : ENCODED
  return new Response(content, { ...init, ...encoding, statusText: PHRASES[status] ?? '' })
}

const ENCODED = { encodeBody: 'manual' } as const

type WebHeaderLines = Headers | Readonly<Record<string, string>>

/** The field lines of a response, without how its body is framed, which is up to the server; `isCounted` if it counts the bytes too. */
function webHeaderLines(headers: FinishedResponse['headers'], isCounted: boolean): WebHeaderLines {
  const lines: Record<string, string> = {}
  let lists: Headers | undefined
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name === 'transfer-encoding' || (isCounted && name === 'content-length'))
      continue
    if (typeof value === 'string') lines[name] = value
    // a record holds no lists
    else for (const line of value) (lists ??= new Headers()).append(name, line)
  }
  if (lists !== undefined) {
    for (const name in lines) lists.set(name, lines[name] ?? '')
    return lists
  }
  return lines
}

/** Whether the headers are those of most responses, for which nothing has to be collected. */
function isPlainJson(headers: FinishedResponse['headers']): boolean {
  for (const name in headers) {
    if (name === 'content-type' ? headers[name] !== JSON_TYPE : name !== 'content-length') return false
  }
  return headers['content-type'] !== undefined
}

/** The lines of most responses. Bun copies headers in half the time that it takes to read a record, and Deno the other way round. */
let jsonLines: WebHeaderLines | undefined

function toJsonLines(): WebHeaderLines {
  const lines = { 'content-type': JSON_TYPE }
  return 'Bun' in globalThis ? new Headers(lines) : lines
}
