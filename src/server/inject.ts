import { toUSVString } from 'node:util'

import { parseSetCookie } from 'cookie'
import type { SetCookie } from 'cookie'

import type { RouteInfo } from '../define/context.ts'
import { toProblem } from '../errors.ts'
import type { HttpError } from '../errors.ts'
import { isPromise } from '../http.ts'
import type { Awaitable, BodyStream, FinishedResponse, HeaderMap } from '../http.ts'
import type { RequestContext } from './context.ts'
import type { Dispatch } from './dispatch.ts'
import { headersTooLarge, isHost, notHost, sentTwice } from './head.ts'
import { DEFAULT_HOST } from './inject-headers.ts'
import type { InjectRequest } from './inject-request.ts'
import { isStream, openStream } from './stream.ts'

/** The answer of `inject`. */
export interface InjectResponse {
  readonly statusCode: number
  /** By lower-case name; `set-cookie` is a list when there are several. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The cookies that were set, in order. */
  readonly cookies: readonly SetCookie[]
  /** The body as text. */
  readonly body: string
  /** The same as `body`. */
  readonly payload: string
  readonly bytes: Uint8Array
  /** The same as `bytes`. */
  readonly rawPayload: Uint8Array
  /** The route that answered; `null` when none did. */
  readonly route: RouteInfo | null
  /** The version that answered; `null` when none did. */
  readonly version: string | null
  /** The body as JSON. @throws `SyntaxError` that names the status and the start of the body when it is none. */
  readonly json: () => unknown
}

/** What of a request's context is part of its answer. */
type Answered = Pick<RequestContext, 'route' | 'version'>

/**
 * Answers a request without a socket, whose headers have at most `maxHeaders` bytes. Rejects when a streamed body fails, or when the
 * request's signal aborts.
 */
export function inject(
  dispatch: Dispatch,
  raw: InjectRequest,
  maxHeaders: number,
): Awaitable<InjectResponse> {
  const { givenSignal } = raw
  givenSignal?.throwIfAborted()
  const refusal = findRefusal(raw, maxHeaders)
  if (refusal !== undefined) {
    const refused = toProblem(refusal)
    return toInjectResponse(refused, isStream(refused.body) ? null : refused.body, NOBODY)
  }
  const { context, response } = dispatch(raw)
  if (givenSignal !== undefined)
    return unlessAborted(givenSignal, () => injectLater(context, response, givenSignal))
  if (isPromise(response) || isStream(response.body) || context.hasScope)
    return injectLater(context, response, undefined)
  void context.end()
  return toInjectResponse(response, response.body, context)
}

const NOBODY: Answered = { route: null, version: null }

async function injectLater(
  context: RequestContext,
  response: Awaitable<FinishedResponse>,
  signal: AbortSignal | undefined,
): Promise<InjectResponse> {
  try {
    const finished = isPromise(response) ? await response : response
    const { body } = finished
    return toInjectResponse(finished, isStream(body) ? await readStream(body, signal) : body, context)
  } finally {
    const ended = context.end()
    if (ended !== undefined) await ended
  }
}

/** Why a socket would not let a request through. */
function findRefusal(raw: InjectRequest, maxHeaders: number): HttpError | undefined {
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

/** Not on demand: an answer is compared, copied and printed as the plain data that it is, and its bytes cost less than a getter. */
function toInjectResponse(
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
    payload: text,
    bytes,
    rawPayload: bytes,
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

async function readStream(body: BodyStream, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const source = openStream(body)
  if (signal?.aborted === true) source.cancel()
  signal?.addEventListener('abort', source.cancel)
  const chunks: Uint8Array[] = []
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next())
      chunks.push(typeof chunk.value === 'string' ? Buffer.from(chunk.value) : toChunk(chunk.value))
    return Buffer.concat(chunks)
  } catch (error) {
    source.cancel()
    throw error
  } finally {
    signal?.removeEventListener('abort', source.cancel)
  }
}

function toChunk(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new TypeError(`A chunk of a streamed body is a ${typeof value}, neither text nor bytes`)
}
