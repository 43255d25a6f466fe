import { stringify } from 'node:querystring'

import type { Dispatcher } from 'undici'

import { isAsyncIterable, type BodyStream, type RawBody } from '../../http/http.ts'
import { BytesBody, NO_BODY, StreamBody } from '../../server/adapters/shared/stream-body.ts'
import { DEFAULT_HOST } from '../../server/adapters/inject/headers.ts'
import { InjectRequest } from '../../server/adapters/inject/request.ts'
import { headerProblem } from '../../server/pipeline/response-head.ts'

/** Where a request goes, as its origin says. */
export interface Origin {
  readonly host: string
  readonly protocol: 'http' | 'https'
}

/** A body as undici's web classes encode it. */
export type EncodeWeb = (body: FormData | Blob | URLSearchParams) => Encoded

/** A body as a `Response` of Node or of undici encodes it. */
interface Encoded {
  readonly body: AsyncIterable<Uint8Array> | null
  readonly headers: { get(name: string): string | null }
}

/**
 * Converts the options of undici to a request. `fail` is called when a streamed body fails. @throws `TypeError` for what cannot be sent.
 */
export function toRequest(
  options: Dispatcher.DispatchOptions,
  origin: Origin,
  encodeWeb: EncodeWeb,
  fail: (error: unknown) => void,
): InjectRequest {
  const { method } = options
  if (method === 'CONNECT' || options.upgrade)
    throw new TypeError('app.dispatcher: neither CONNECT nor upgrades are possible without a socket')
  const lines = toLines(options.headers)
  const declared = String(lines['content-length'])
  const length = /^\d+$/.test(declared) ? Number(declared) : undefined
  const { body, type } = toBody(options.body, length, encodeWeb, fail)
  lines['host'] ??= origin.host
  if (type !== undefined) lines['content-type'] ??= type
  if (body.length !== undefined && (body.length > 0 || EXPECTS_BODY.has(method)))
    lines['content-length'] ??= String(body.length)
  const { protocol } = origin
  return new InjectRequest({ method, protocol }, toTarget(options), lines, body, undefined)
}

const EXPECTS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY'])

/** The host that requests without an origin ask for. */
export const NO_ORIGIN: Origin = { host: DEFAULT_HOST, protocol: 'http' }

/** Reads an origin. @throws `TypeError` when it is no URL */
export function toOrigin(origin: string | URL): Origin {
  const { host, protocol } = new URL(origin)
  return { host, protocol: protocol === 'https:' ? 'https' : 'http' }
}

function toTarget({ path, query }: Dispatcher.DispatchOptions): string {
  const target = query === undefined ? path : withQuery(path, stringify(query))
  if (!/^[\u0021-\u007e]+$/.test(target))
    throw new TypeError('app.dispatcher: the path has a character that is not allowed')
  return target
}

function withQuery(path: string, query: string): string {
  if (/[?#]/.test(path)) throw new TypeError('app.dispatcher: give query, or ? in the path, not both')
  return query === '' ? path : `${path}?${query}`
}

type Lines = Record<string, string | string[]>

/** Every field line by lower-case name, whatever shape the headers have. */
function toLines(headers: Dispatcher.DispatchOptions['headers']): Lines {
  // without prototype: `__proto__` is a name like any other
  const found: Lines = Object.create(null)
  if (headers === undefined || headers === null) return found
  if (Array.isArray(headers)) {
    for (let at = 0; at + 1 < headers.length; at += 2) addLines(found, String(headers[at]), headers[at + 1])
  } else if (isPairs(headers)) {
    for (const [name, value] of headers) addLines(found, name, value)
  } else {
    for (const name of Object.keys(headers)) addLines(found, name, headers[name])
  }
  return found
}

function isPairs(headers: object): headers is Iterable<[string, unknown]> {
  return Symbol.iterator in headers
}

function addLines(found: Lines, name: string, value: unknown): void {
  if (value === undefined) return
  if (Array.isArray(value)) {
    for (const item of value) addLines(found, name, item)
    return
  }
  const lower = name.toLowerCase()
  const text = typeof value === 'string' ? value : formatHeader(value)
  const problem = headerProblem({ [lower]: text })
  if (problem !== undefined) throw new TypeError(`app.dispatcher: ${problem}`)
  const before = found[lower]
  found[lower] = before === undefined ? text : [before, text].flat()
}

function formatHeader(value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  throw new TypeError(`app.dispatcher: a ${typeof value} cannot be sent as a header`)
}

interface Body {
  readonly body: RawBody
  /** The content type that the body brings. */
  readonly type: string | undefined
}

const NONE: Body = { body: NO_BODY, type: undefined }

function toBody(
  given: unknown,
  length: number | undefined,
  encodeWeb: EncodeWeb,
  fail: (error: unknown) => void,
): Body {
  if (given === undefined || given === null) return NONE
  const bytes = toHeld(given)
  if (bytes !== undefined) return bytes.length === 0 ? NONE : { body: new BytesBody(bytes), type: undefined }
  const streamed = (stream: BodyStream): RawBody => new StreamBody(stream, length, fail)
  if (isAsyncIterable(given)) return { body: streamed(given), type: undefined }
  if (isWeb(given)) {
    const { body, headers } = encodeWeb(given)
    return body === null ? NONE : { body: streamed(body), type: headers.get('content-type') ?? undefined }
  }
  if (typeof given === 'object' && Symbol.iterator in given)
    return { body: streamed(eachLater(given)), type: undefined }
  throw new TypeError(`app.dispatcher: a ${typeof given} cannot be sent as a body`)
}

/** The bytes of a body that is there. */
function toHeld(given: unknown): Uint8Array | undefined {
  if (typeof given === 'string') return Buffer.from(given)
  if (given instanceof Uint8Array) return given
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
  return given instanceof ArrayBuffer ? new Uint8Array(given) : undefined
}

/** By name: undici has classes of its own. */
function isWeb(given: unknown): given is FormData | Blob | URLSearchParams {
  const name: unknown =
    typeof given === 'object' && given !== null ? Reflect.get(given, Symbol.toStringTag) : undefined
  return name === 'FormData' || name === 'Blob' || name === 'File' || name === 'URLSearchParams'
}

async function* eachLater(chunks: object): AsyncGenerator<Uint8Array> {
  if (isChunks(chunks)) yield* chunks
}

function isChunks(value: object): value is Iterable<Uint8Array> {
  return Symbol.iterator in value
}
