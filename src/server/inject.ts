import { parseSetCookie } from 'cookie'
import type { SetCookie } from 'cookie'

import type { RouteInfo } from '../define/context.ts'
import { httpError, toProblem } from '../errors.ts'
import type { FinishedResponse, RawRequest } from '../http.ts'
import { MAX_HEADER_BYTES } from './dispatch.ts'
import type { Dispatch } from './dispatch.ts'
import { openStream } from './stream.ts'

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

/** Answers a request without a socket. Rejects when a streamed body fails, or when the request's signal aborts. */
export async function inject(dispatch: Dispatch, raw: RawRequest): Promise<InjectResponse> {
  raw.signal.throwIfAborted()
  const size = Object.entries(raw.headers).reduce(
    (sum, [name, value]) => sum + name.length + String(value).length + 4,
    0,
  )
  if (size > MAX_HEADER_BYTES) {
    const refused = toProblem(
      httpError('headers_too_large', `The headers are longer than ${MAX_HEADER_BYTES} bytes`),
    )
    return toInjectResponse(refused, null, null, raw.signal)
  }
  const { context, response } = dispatch(raw)
  return unlessAborted(raw.signal, async () => {
    try {
      return await toInjectResponse(await response, context.route, context.version, raw.signal)
    } finally {
      await context.end()
    }
  })
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

async function toInjectResponse(
  { status, headers, body }: FinishedResponse,
  route: RouteInfo | null,
  version: string | null,
  signal: AbortSignal,
): Promise<InjectResponse> {
  const bytes = await toBytes(body, signal)
  const text = bytes.toString('utf8')
  const json = (): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      throw new SyntaxError(`The body of this ${status} is not JSON: ${JSON.stringify(text.slice(0, 100))}`)
    }
  }
  const cookies = [headers['set-cookie'] ?? []].flat().map((line) => parseSetCookie(line))
  return {
    statusCode: status,
    headers,
    cookies,
    body: text,
    payload: text,
    bytes,
    rawPayload: bytes,
    route,
    version,
    json,
  }
}

async function toBytes(body: FinishedResponse['body'], signal: AbortSignal): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body)
  const source = openStream(body)
  if (signal.aborted) source.cancel()
  signal.addEventListener('abort', source.cancel)
  const chunks: Uint8Array[] = []
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next())
      chunks.push(typeof chunk.value === 'string' ? Buffer.from(chunk.value) : toChunk(chunk.value))
    return Buffer.concat(chunks)
  } catch (error) {
    source.cancel()
    throw error
  } finally {
    signal.removeEventListener('abort', source.cancel)
  }
}

function toChunk(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new TypeError(`A chunk of a streamed body is a ${typeof value}, neither text nor bytes`)
}
