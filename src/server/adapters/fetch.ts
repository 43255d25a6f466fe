import { isPromise } from '../../async.ts'
import type { HttpError } from '../../errors.ts'
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
import { remoteAddressOf } from './web/remote-address.ts'
import { toResponse, toServed } from './web/response.ts'
import { isServed, ServedRequest } from './web/served-request.ts'
import type { Address } from './web/served-request.ts'

/** What `app.fetch` takes besides the request. */
export interface FetchInfo {
  /** The address of the client. */
  readonly remoteAddress?: string | undefined
}

/**
 * Answers web requests. Of the second argument, only the address of the client is used: `remoteAddress`, or as Deno and Bun pass it.
 * Whatever else a server passes is ignored.
 */
export type FetchHandler = (request: Request, info?: FetchInfo | object) => Promise<Response>

/** Makes the web-standard handler of an application; `enter` opens it, or throws when it is closed. */
export function createFetch(enter: Enter, settings: Settings): FetchHandler {
  const answer = createAnswer(settings)
  return (request, info) => {
    try {
      if (!isRequest(request))
        throw new TypeError("fetch: give a Request, such as new Request('http://localhost/car/7')")
      const entered = enter()
      // not an async function: each promise less is a turn of the microtask queue less
      return Promise.resolve(
        isPromise(entered)
          ? entered.then((opened) => answer(opened, request, info))
          : answer(entered, request, info),
      )
    } catch (error) {
      return Promise.reject(error)
    }
  }
}

/** By what is read first, for a `Request` may be of another library. */
function isRequest(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'url' in request
}

type Answer = (opened: Opened, request: Request, info: FetchInfo | object | undefined) => Awaitable<Response>

function createAnswer(settings: Settings): Answer {
  const findRefusal = createHeadCheck(settings.limits)
  const addressOf = createAddressReader()
  const refuse = (refusal: HttpError): Response => toResponse(settings.writeError(refusal))
  const answerServed = ({ dispatch }: Opened, request: Request, info: object): Awaitable<Response> => {
    const address = addressOf(request.url)
    const raw = new ServedRequest(request, info, address, settings.limits.headers)
    // headers that a request without effects may do without are not read only to be measured
    if (raw.method !== 'GET' && raw.method !== 'HEAD') void raw.headers
    const refusal = findRefusal(raw.target, address.host, true, NO_LINES) ?? raw.refusal
    if (refusal !== undefined) return refuse(refusal)
    const { context, response } = dispatch(raw)
    raw.endWith(context)
    return isPromise(response)
      ? response.then((settled) => finishServed(settled, context, raw, request))
      : finishServed(response, context, raw, request)
  }
  const finishServed = (
    finished: FinishedResponse,
    context: RequestContext,
    { refusal }: ServedRequest,
    request: Request,
  ): Awaitable<Response> => {
    if (refusal === undefined) return send(finished, context, request, toServed)
    dropBody(finished.body)
    return send(settings.writeError(refusal), context, request, toServed)
  }
  return (opened, request, info) => {
    if (isServed(info)) return answerServed(opened, request, info)
    const { host, protocol, target } = addressOf(request.url)
    const lines = toLines(request.headers, host)
    const body = toBody(request)
    const refusal = findRefusal(target, host, true, lines)
    if (refusal !== undefined) {
      if (body instanceof StreamBody) body.discard()
      return refuse(refusal)
    }
    const { method, signal } = request
    // asked for when it is needed, because servers look it up then
    const remoteAddress = info === undefined ? undefined : () => remoteAddressOf(info, request)
    const raw = new PlainRequest({ method, target, protocol, lines, remoteAddress, body, signal })
    const { context, response } = opened.dispatch(raw)
    if (body instanceof StreamBody) body.endWith(context, raw.signal)
    return isPromise(response)
      ? response.then((settled) => send(settled, context, request, toResponse))
      : send(response, context, request, toResponse)
  }
}

const NO_LINES: readonly string[] = []

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

/** Makes the function that reads a URL. The origins of requests differ seldom, so the last one is kept. */
function createAddressReader(): (url: string) => Address {
  let origin = ''
  let known: Address = { host: '', protocol: 'http', target: '/' }
  return (url) => {
    if (origin !== '' && url.startsWith(origin) && url[origin.length] === '/') {
      const hash = url.indexOf('#')
      const { host, protocol } = known
      return { host, protocol, target: url.slice(origin.length, hash === -1 ? undefined : hash) }
    }
    known = readAddress(url)
    origin = known.host === '' ? '' : url.slice(0, url.indexOf('://') + 3 + known.host.length)
    return known
  }
}

/** Host, protocol and request target of a URL; the fragment stays with the client. */
function readAddress(url: string): Address {
  const [, scheme = 'http', host = '', rest = url] = /^(https?):\/\/([^/?#]*)([^#]*)/i.exec(url) ?? []
  return {
    host,
    protocol: scheme.toLowerCase() === 'https' ? 'https' : 'http',
    target: rest.startsWith('/') ? rest : `/${rest}`,
  }
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
