import { toUSVString } from 'node:util'

import { parseSetCookie, type SetCookie } from 'cookie'

import type { RouteInfo } from '../../../define/context.ts'
import type { HttpError } from '../../../http/errors.ts'
import { isPromise, type Awaitable } from '../../../base/async.ts'
import type { FinishedResponse, HeaderMap } from '../../../http/http.ts'
import { RequestContext } from '../../pipeline/context.ts'
import { notSent } from '../../pipeline/failure.ts'
import type { Dispatch } from '../../dispatch.ts'
import type { RefusalSettings } from '../../options/settings.ts'
import { headersTooLarge, notHost, sentTwice } from '../../pipeline/check-head.ts'
import { DEFAULT_HOST } from './headers.ts'
import type { InjectRequest } from './request.ts'
import { openBytes, type ByteSource } from '../shared/byte-source.ts'
import { StreamBody } from '../shared/stream-body.ts'
import { isHost } from '../../request/host.ts'
import { isStream } from '../../../http/stream.ts'

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
export type Answered = Pick<RequestContext, 'route' | 'version'>

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
    const refused = settings.writeError(refusal)
    return toInjectResponse(refused, isStream(refused.body) ? null : refused.body, NOBODY)
  }
  const { context, response } = dispatch(raw)
  if (givenSignal !== undefined) {
    discardAtEnd(raw, context)
    return unlessAborted(givenSignal, () => injectLater(context, response, givenSignal))
  }
  if (isPromise(response) || isStream(response.body) || context.hasScope)
    return injectLater(context, response, undefined)
  void context.end()
  return toInjectResponse(response, response.body, context)
}

/** The context of a response to a request that was refused before it reached a route. */
export const NOBODY: Answered = { route: null, version: null }

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

/** Has a body that is a stream, and so brings a signal, end with its request. */
export function discardAtEnd(raw: InjectRequest, context: RequestContext): void {
  if (raw.body instanceof StreamBody) raw.body.endWith(context, raw.signal)
}

/** Why a socket would not let a request through. */
export function findRefusal(raw: InjectRequest, maxHeaders: number): HttpError | undefined {
  if (raw.sentTwice !== undefined) return sentTwice(raw.sentTwice)
  const { host } = raw.headers
  if (typeof host === 'string' && host !== DEFAULT_HOST && !isHost(host)) return notHost()
  return sizeOf(raw.headers) > maxHeaders ? headersTooLarge(maxHeaders) : undefined
}

/** Bytes of a head, about, as it would be sent. */
function sizeOf(headers: HeaderMap): number {
  let size = 0
  for (const name of Object.keys(headers)) size += name.length + String(headers[name]).length + 4
  return size
}

/** Returns the result of the work; rejects when the signal aborts before. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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
  answered: Answered,
): InjectResponse {
  try {
    return toAnswer(finished, content, answered)
  } catch (error) {
    const problem = notSent(answered instanceof RequestContext ? answered : undefined, error)
    return toAnswer(problem, isStream(problem.body) ? null : problem.body, answered)
  }
}

/** Not on demand: an answer is compared, copied and printed as the plain data that it is, and its bytes cost less than a getter. */
function toAnswer(
  { status, headers }: FinishedResponse,
  content: string | Uint8Array | null,
  { route, version }: Answered,
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
    json: () => parseJson(text, status),
  }
}

function parseJson(text: string, status: number): unknown {
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
