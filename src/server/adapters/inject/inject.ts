import { toUSVString } from 'node:util'
import { parseSetCookie, type SetCookie } from 'cookie'
import type { RouteInfo } from '../../../define/context.ts'
import type { HttpError } from '../../../http/errors.ts'
import { isPromise, type Awaitable } from '../../../base/values.ts'
import { isStream, clientWentAway, type FinishedResponse, type HeaderMap } from '../../../http/http.ts'
import { RequestContext } from '../../pipeline/context.ts'
import { notSent, headersTooLarge, notHost, sentTwice } from '../../pipeline/failure.ts'
import type { Dispatch } from '../../dispatch.ts'
import type { RefusalSettings } from '../../options/settings.ts'
import { DEFAULT_HOST } from './inject-headers.ts'
import type { InjectRequest } from './inject-request.ts'
import { openBytes, StreamBody, type ByteSource } from '../shared/stream-body.ts'
import { isHost } from '../../request/host.ts'
import { Readable } from 'node:stream'

/** The answer of `inject`. */
export interface InjectResponse {
  /** The status of the response. */
  readonly statusCode: number
  /** By lower-case name; `set-cookie` is a list when there are several. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The cookies that were set, in order. */
  readonly cookies: readonly SetCookie[]
  /** The body as text. */
  readonly body: string
  /** The body as bytes. */
  readonly bytes: Uint8Array
  /** The route that answered, or `null` if none did. */
  readonly route: RouteInfo | null
  /** The version that answered, or `null` if none did. */
  readonly version: string | null
  /** The body as JSON. @throws `SyntaxError` that names the status and the start of the body when it is none. */
  readonly json: () => unknown
}

/** The members of a request's context that are part of its answer. */
type InjectedContext = Pick<RequestContext, 'route' | 'version'>

/**
 * Answers a request without a socket. Rejects when a streamed body fails, or when the
 * request's signal aborts.
 */
export function inject(
  dispatch: Dispatch,
  raw: InjectRequest,
  settings: RefusalSettings,
): Awaitable<InjectResponse> {
  const { givenSignal } = raw
  givenSignal?.throwIfAborted()
  const refusal = findRefusal(raw, settings.limits.headers)
  if (refusal !== undefined) {
    raw.release()
    const refused = settings.writeError(refusal)
    return toInjectResponse(refused, isStream(refused.body) ? null : refused.body, NOBODY)
  }
  const { context, response } = dispatch(raw)
  if (givenSignal !== undefined) {
    endBodyWith(raw, context)
    return unlessAborted(givenSignal, () => injectLater(context, response, givenSignal))
  }
  if (isPromise(response) || isStream(response.body) || context.hasScope)
    return injectLater(context, response, undefined)
  void context.end()
  return toInjectResponse(response, response.body, context)
}

/** The context of a response to a request that was refused before it reached a route. */
const NOBODY: InjectedContext = { route: null, version: null }

async function injectLater(
  context: RequestContext,
  response: Awaitable<FinishedResponse>,
  signal: AbortSignal | undefined,
): Promise<InjectResponse> {
  const finished = isPromise(response) ? await response : response
  const { body } = finished
  if (isStream(body)) {
    const source = openBytes(body, finished.headers, context)
    return toInjectResponse(finished, await readBytes(source, signal), context)
  }
  const ended = context.end()
  if (ended !== undefined) await ended
  return toInjectResponse(finished, body, context)
}

/** Has a body that is a stream end with its request, and what listens to the signal of the caller. */
function endBodyWith(raw: InjectRequest, context: RequestContext): void {
  if (raw.body instanceof StreamBody) raw.body.endWith(context, raw.signal)
  if (raw.givenSignal !== undefined) context.atEnd(() => raw.release())
}

/** Why a socket would not let a request through. */
function findRefusal(raw: InjectRequest, maxHeaders: number): HttpError | undefined {
  if (raw.sentTwice !== undefined) return sentTwice(raw.sentTwice)
  const { host } = raw.headers
  if (typeof host === 'string' && host !== DEFAULT_HOST && !isHost(host)) return notHost()
  return headSize(raw.headers) > maxHeaders ? headersTooLarge(maxHeaders) : undefined
}

/** Bytes of a head, about, as it would be sent. */
function headSize(headers: HeaderMap): number {
  let size = 0
  for (const name of Object.keys(headers)) size += name.length + String(headers[name]).length + 4
  return size
}

/** Returns the result of the work; rejects when the signal aborts before. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}

/** The answer to a request. What cannot be sent becomes a 500, as over a socket. */
function toInjectResponse(
  finished: FinishedResponse,
  content: string | Uint8Array | null,
  answered: InjectedContext,
): InjectResponse {
  try {
    return toPlainResponse(finished, content, answered)
  } catch (error) {
    const problem = notSent(answered instanceof RequestContext ? answered : undefined, error)
    return toPlainResponse(problem, isStream(problem.body) ? null : problem.body, answered)
  }
}

/** Not on demand: an answer is compared, copied and printed as the plain data that it is, and its bytes cost less than a getter. */
function toPlainResponse(
  { status, headers }: FinishedResponse,
  content: string | Uint8Array | null,
  { route, version }: InjectedContext,
): InjectResponse {
  const bytes = content === null ? Buffer.alloc(0) : Buffer.from(content)
  // half surrogate pairs do not survive the way to bytes
  const text = typeof content === 'string' ? toUSVString(content) : bytes.toString('utf8')
  const cookies = headers['set-cookie']
  return {
    statusCode: status,
    headers,
    cookies: cookies === undefined ? [] : [cookies].flat().map((line) => parseSetCookie(line)),
    body: text,
    bytes,
    route,
    version,
    json: () => parseAnswerJson(text, status),
  }
}

function parseAnswerJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SyntaxError(`The body of this ${status} is not JSON: ${JSON.stringify(text.slice(0, 100))}`)
  }
}

async function readBytes(source: ByteSource, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const stop = (): void => source.cancel(signal?.reason)
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop)
  const chunks: Uint8Array[] = []
  try {
    for (let bytes = await source.next(); bytes !== undefined; bytes = await source.next()) chunks.push(bytes)
    return Buffer.concat(chunks)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** The answer of `inject` with `stream: true`: its head, and its body as it comes. */
export interface InjectStream extends Pick<
  InjectResponse,
  'statusCode' | 'headers' | 'cookies' | 'route' | 'version'
> {
  /**
   * The body, produced as fast as it is read. Read it or destroy it: the request is under way until then. Destroying it is what a
   * client does that goes away. It is destroyed with the error of its source, or the reason of the signal.
   */
  readonly stream: Readable
}

/** Answers a request without a socket as soon as its head is there. */
export async function injectStream(
  dispatch: Dispatch,
  raw: InjectRequest,
  settings: RefusalSettings,
): Promise<InjectStream> {
  const { givenSignal: signal } = raw
  signal?.throwIfAborted()
  const refusal = findRefusal(raw, settings.limits.headers)
  if (refusal !== undefined) {
    raw.release()
    const refused = settings.writeError(refusal)
    return toInjectStream(refused, toBodyStream(refused), NOBODY)
  }
  const { context, response } = dispatch(raw)
  endBodyWith(raw, context)
  const opened = (async () => {
    const finished = await response
    const { body, headers } = finished
    if (!isStream(body)) {
      await context.end()
      return toInjectStream(finished, toBodyStream(finished), context)
    }
    const source = openBytes(body, headers, context)
    if (signal?.aborted === true) {
      source.cancel(signal.reason)
      throw signal.reason
    }
    return toInjectStream(finished, readFrom(source, signal), context)
  })()
  return signal === undefined ? opened : unlessAborted(signal, () => opened)
}

function toInjectStream(
  { status, headers }: FinishedResponse,
  stream: Readable,
  { route, version }: InjectedContext,
): InjectStream {
  const cookies = [headers['set-cookie'] ?? []].flat().map((line) => parseSetCookie(line))
  return { statusCode: status, headers, cookies, route, version, stream }
}

function toBodyStream({ body }: FinishedResponse): Readable {
  return Readable.from(body === null || isStream(body) ? [] : [Buffer.from(body)], { objectMode: false })
}

function readFrom(source: ByteSource, signal: AbortSignal | undefined): Readable {
  const stream = new Readable({
    read: () => {
      source.next().then(
        (bytes) => void stream.push(bytes ?? null),
        (error: Error) => void stream.destroy(error),
      )
    },
    destroy: (error, callback) => {
      signal?.removeEventListener('abort', stop)
      source.cancel(error ?? clientWentAway())
      callback(error)
    },
  })
  const stop = (): void => void stream.destroy(signal?.reason)
  signal?.addEventListener('abort', stop)
  return stream
}
