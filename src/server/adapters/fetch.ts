import { isPromise } from '../../async.ts'
import { PHRASES } from '../../http.ts'
import type { FinishedResponse, RawBody } from '../../http.ts'
import { clientWentAway, openBytes } from './shared/byte-source.ts'
import type { ByteSource } from './shared/byte-source.ts'
import type { RequestContext } from '../pipeline/context.ts'
import { logBroken, notSent } from '../pipeline/failure.ts'
import { createHeadCheck } from '../pipeline/check-head.ts'
import { NO_BODY } from './shared/bytes-body.ts'
import type { Enter } from './internals.ts'
import { PlainRequest } from './shared/plain-request.ts'
import type { Settings } from '../options/settings.ts'
import { StreamBody } from './shared/stream-body.ts'
import { isStream } from '../../stream.ts'

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
  const findRefusal = createHeadCheck(settings.limits)
  return async (request, info) => {
    if (!isRequest(request))
      throw new TypeError("fetch: give a Request, such as new Request('http://localhost/car/7')")
    const entered = enter()
    const { dispatch } = isPromise(entered) ? await entered : entered
    const { host, protocol, target } = splitUrl(request.url)
    const lines = toLines(request.headers, host)
    const body = toBody(request)
    const refusal = findRefusal(target, host, true, lines)
    if (refusal !== undefined) {
      if (body instanceof StreamBody) body.discard()
      return toPlain(settings.writeError(refusal))
    }
    const { method, signal } = request
    // asked for when it is needed, because servers look it up then
    const remoteAddress = info === undefined ? undefined : () => remoteAddressOf(info, request)
    const raw = new PlainRequest({ method, target, protocol, lines, remoteAddress, body, signal })
    const { context, response } = dispatch(raw)
    if (body instanceof StreamBody) body.endWith(context, raw.signal)
    return toResponse(isPromise(response) ? await response : response, context, signal)
  }
}

/** By what is read first, for a `Request` may be of another library. */
function isRequest(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'url' in request
}

async function toResponse(
  finished: FinishedResponse,
  context: RequestContext,
  signal: AbortSignal,
): Promise<Response> {
  const { body, headers } = finished
  try {
    if (isStream(body)) {
      const source = openBytes(body, headers, context)
      return new Response(toWebStream(source, context, signal), toInit(finished))
    }
    const ended = context.end()
    if (ended !== undefined) await ended
    return toPlain(finished)
  } catch (error) {
    return toPlain(notSent(context, error))
  }
}

function toPlain(finished: FinishedResponse): Response {
  const { body } = finished
  // bytes, for a text would bring a content type
  return new Response(
    typeof body === 'string' ? Buffer.from(body) : isStream(body) ? null : body,
    toInit(finished),
  )
}

function toInit({ status, headers }: FinishedResponse): ResponseInit {
  const lines = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // how a body is framed is up to the server
    if (name === 'transfer-encoding') continue
    if (typeof value === 'string') lines.set(name, value)
    else for (const line of value) lines.append(name, line)
  }
  const init = { status, statusText: PHRASES[status] ?? '', headers: lines }
  // workerd would encode once more what is encoded; other platforms know nothing of it
  return headers['content-encoding'] === undefined ? init : { ...init, ...ENCODED }
}

const ENCODED = { encodeBody: 'manual' } as const

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

/** Host, protocol and request target of a URL; the fragment stays with the client. */
function splitUrl(url: string): { host: string; protocol: 'http' | 'https'; target: string } {
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

/** The address of the client, from `FetchInfo`, the information of Deno or the server of Bun. */
function remoteAddressOf(info: unknown, request: Request): string | undefined {
  const { remoteAddress, remoteAddr, requestIP } = Object(info)
  if (typeof remoteAddress === 'string') return remoteAddress
  const found: unknown =
    typeof requestIP === 'function' ? Reflect.apply(requestIP, info, [request]) : remoteAddr
  const { address, hostname } = Object(found)
  return [address, hostname].find((text) => typeof text === 'string')
}
