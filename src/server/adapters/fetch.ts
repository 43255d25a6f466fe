import { isPromise } from '../../async.ts'
import type { Awaitable, FinishedResponse, RawBody } from '../../http.ts'
import { dropBody, isStream } from '../../stream.ts'
import type { Opened } from '../dispatch.ts'
import type { Settings } from '../options/settings.ts'
import { createHeadCheck } from '../pipeline/check-head.ts'
import type { RequestContext } from '../pipeline/context.ts'
import { logBroken, notSent } from '../pipeline/failure.ts'
import type { Enter } from './internals.ts'
import { clientWentAway, openBytes } from './shared/byte-source.ts'
import type { ByteSource } from './shared/byte-source.ts'
import { NO_BODY } from './shared/bytes-body.ts'
import { PlainRequest } from './shared/plain-request.ts'
import { StreamBody } from './shared/stream-body.ts'
import { createAddressReader } from './web/address.ts'
import type { Address } from './web/address.ts'
import { remoteAddressOf } from './web/remote-address.ts'
import { toResponse, toServed } from './web/response.ts'
import { isServed, ServedRequest } from './web/served-request.ts'

/** What `app.fetch` takes besides the request. */
export interface FetchInfo {
  /** The address of the client. */
  readonly remoteAddress?: string | undefined
}

/**
 * Answers web requests. Of the second argument, only the address of the client is used: `remoteAddress`, or as Deno and Bun pass it.
 * Whatever else a server passes is ignored.
 */
export interface FetchHandler {
  /** Answers a request. */
  (request: Request, info?: FetchInfo): Promise<Response>
  /** Answers a request for the server that has received it. If nothing takes time, the servers of Bun and Deno get no promise. */
  (request: Request, info: object): Promise<Response> | Response
}

/** Makes the web-standard handler of an application; `enter` opens it, or throws when it is closed. */
export function createFetch(enter: Enter, settings: Settings): FetchHandler {
  const addressOf = createAddressReader()
  const answerServed = createServed(settings, addressOf)
  const answerOther = createOther(settings, addressOf)
  const later = async (request: Request, info: object | undefined): Promise<Response> => {
    if (!isRequest(request))
      throw new TypeError("fetch: give a Request, such as new Request('http://localhost/car/7')")
    const opened = await enter()
    return isServed(info) ? answerServed(opened, request, info) : answerOther(opened, request, info)
  }
  function handle(request: Request, info?: FetchInfo): Promise<Response>
  function handle(request: Request, info: object): Awaitable<Response>
  function handle(request: Request, info?: object): Awaitable<Response> {
    if (!isServed(info) || !isRequest(request)) return later(request, info)
    const entered = enter()
    return isPromise(entered) ? later(request, info) : answerServed(entered, request, info)
  }
  return handle
}

/** By what is read first, for a `Request` may be of another library. */
function isRequest(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'url' in request
}

type Answer<Info> = (opened: Opened, request: Request, info: Info) => Awaitable<Response>

/** Answers requests as their servers pass them, from which no more is read than something asks for. */
function createServed(settings: Settings, addressOf: (url: string) => Address): Answer<object> {
  const findRefusal = createHeadCheck(settings.limits)
  const finish = (
    finished: FinishedResponse,
    context: RequestContext,
    { refusal }: ServedRequest,
    request: Request,
  ): Awaitable<Response> => {
    if (refusal === undefined) return send(finished, context, request, toServed)
    dropBody(finished.body)
    return send(settings.writeError(refusal), context, request, toServed)
  }
  return ({ dispatch }, request, info) => {
    const address = addressOf(request.url)
    const raw = new ServedRequest(request, info, address, settings.limits.headers)
    // a request that changes nothing has its headers measured when something reads them, which not every route does
    if (raw.method !== 'GET' && raw.method !== 'HEAD') void raw.headers
    const refusal = findRefusal(raw.target, address.host, true, NO_LINES) ?? raw.refusal
    if (refusal !== undefined) return toResponse(settings.writeError(refusal))
    const { context, response } = dispatch(raw)
    raw.endWith(context)
    return isPromise(response)
      ? Promise.resolve(response.then((settled) => finish(settled, context, raw, request)))
      : finish(response, context, raw, request)
  }
}

const NO_LINES: readonly string[] = []

/** Answers all other requests, which anybody may have made. */
function createOther(
  settings: Settings,
  addressOf: (url: string) => Address,
): Answer<FetchInfo | object | undefined> {
  const findRefusal = createHeadCheck(settings.limits)
  return ({ dispatch }, request, info) => {
    const { host, protocol, target } = addressOf(request.url)
    const lines = toLines(request.headers, host)
    const body = toBody(request)
    const refusal = findRefusal(target, host, true, lines)
    if (refusal !== undefined) {
      if (body instanceof StreamBody) body.discard()
      return toResponse(settings.writeError(refusal))
    }
    const { method, signal } = request
    // asked for when it is needed, because servers look it up then
    const remoteAddress = info === undefined ? undefined : () => remoteAddressOf(info, request)
    const raw = new PlainRequest({ method, target, protocol, lines, remoteAddress, body, signal })
    const { context, response } = dispatch(raw)
    if (body instanceof StreamBody) body.endWith(context, raw.signal)
    return isPromise(response)
      ? response.then((settled) => send(settled, context, request, toResponse))
      : send(response, context, request, toResponse)
  }
}

/** Ends a request and passes its response on; `request` has the signal of the client. */
function send(
  finished: FinishedResponse,
  context: RequestContext,
  request: Pick<Request, 'signal'>,
  toWeb: (finished: FinishedResponse) => Response,
): Awaitable<Response> {
  try {
    const { body, headers } = finished
    if (isStream(body)) {
      const source = openBytes(body, headers, context)
      return toResponse(finished, toWebStream(source, context, request.signal))
    }
    const ended = context.end()
    if (ended === undefined) return toWeb(finished)
    return ended.then(() => toWeb(finished)).catch((error) => toResponse(notSent(context, error)))
  } catch (error) {
    return toResponse(notSent(context, error))
  }
}

/** The body as a web stream that reads its source only when it is read itself. */
function toWebStream(
  source: ByteSource,
  context: RequestContext,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let stop: (() => void) | undefined
  const release = (): void => {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
    stop = undefined
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        stop = () => {
          source.cancel(signal.reason)
          controller.error(signal.reason)
        }
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
      },
      pull: async (controller) => {
        try {
          const bytes = await source.next()
          if (signal.aborted) return
          if (bytes !== undefined) return controller.enqueue(bytes)
          release()
          controller.close()
        } catch (error) {
          release()
          logBroken(context, error)
          throw error
        }
      },
      cancel: (reason) => {
        release()
        source.cancel(reason ?? clientWentAway())
      },
    },
    { highWaterMark: 0 },
  )
}

/** The field lines of a request; the host is that of the URL. */
function toLines(headers: Headers, host: string): readonly string[] {
  const lines = ['host', host]
  for (const [name, value] of headers) if (name !== 'host') lines.push(name, value)
  return lines
}

function toBody({ body, headers }: Request): RawBody {
  if (body === null) return NO_BODY
  const length = headers.get('content-length')
  return new StreamBody(body, length !== null && /^\d+$/.test(length) ? Number(length) : undefined)
}
