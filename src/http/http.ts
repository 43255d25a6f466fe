import { ignoreFailure, isObject, type Awaitable } from '../base/values.ts'
import type { EventEmitter } from 'node:events'
import type { Writable } from 'node:stream'

/** The request methods Octavo routes, in the order they are listed in documents and `Allow` headers. */
export const METHODS = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** A request method a route can declare. */
export type Method = (typeof METHODS)[number]

/** The place of each method in a method table. Marked as pure so that bundles of the client leave it out. */
export const METHOD_INDEX: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ METHODS.map((method, index) => [method, index]),
)

/** Headers by lower-case name; several field lines of one name are a list. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>

/** The bytes of a request, read at most once. */
export interface RawBody {
  /** The declared length in bytes, `undefined` if the body is chunked. `0` means that there is no body. */
  readonly length: number | undefined
  /**
   * Reads the whole body.
   *
   * @throws `HttpError` 413 when it is longer than `limit` bytes.
   */
  read(limit: number): Promise<Uint8Array>
  /** `read(limit).then(use)` with a promise less, on platforms that read a body by one call. */
  readThen?<T>(limit: number, use: (bytes: Uint8Array) => Awaitable<T>): Promise<T>
  /**
   * Reads the body as it arrives and no faster than its chunks are asked for, instead of `read`.
   *
   * @throws `HttpError` while it is read: 413 when it is longer than `limit` bytes, 400 when it ends early.
   */
  chunks(limit: number): AsyncIterable<Uint8Array>
}

/** Where the target of a request is found. */
export interface TargetSource {
  /** The request target as it was sent: origin form, absolute form or `*` (RFC 9112 section 3.2). */
  readonly target: string
  /** The URL that ends with the target, if the platform has one: JavaScriptCore takes long to cut texts. */
  readonly url?: string
  /** Where the target begins in `url`. */
  readonly start?: number
}

/** A request in the place of one that an application has received. */
export interface HostRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Names in lower case and values in turn, one pair for each field line. */
  readonly headers: readonly string[]
  /** `undefined` for the body as it came. */
  readonly body: Uint8Array | null | undefined
}

/** A response of an application, as far as it has arrived. */
export interface HostResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array | BodyStream | null
}

/** An application that Octavo runs inside of, for one of its requests. */
export interface HostApp {
  /** Has it answer the request as it came. Its response is sent as it is, with these headers besides. Resolves to the status. */
  leave(headers: FinishedResponse['headers']): Promise<number>
  /** Has it answer another request, or the one that came for `undefined`. Its response is not sent. */
  answer(request: HostRequest | undefined): Promise<HostResponse>
}

/** A request as every adapter (`inject`, `handler`, `listen`) presents it. */
export interface RawRequest extends TargetSource {
  readonly method: string
  readonly headers: HeaderMap
  /** Reads one header, its lines joined, if the platform finds it without reading all `headers`. */
  header?(name: string): string | undefined
  /** The values of one header, one for each field line, in order. */
  lines(name: string): readonly string[]
  readonly remoteAddress: string | undefined
  readonly protocol: 'http' | 'https'
  readonly body: RawBody
  /** Takes the body, instead of `body.read`, if all of it has arrived, has no content coding and is within `limit` bytes. */
  takeArrived?(limit: number): Uint8Array | undefined
  /** Whether the body is being read and the client still sends it. */
  readonly isArriving: boolean
  /** The path that the application is mounted below, as Express has it in `baseUrl`, or `undefined` for none. */
  readonly base?: string | undefined
  /** Has the request passed on if the application serves nothing at its path. There is something behind it only if this is a function. */
  readonly pass?: (() => void) | undefined
  /** Whether it is passed on, so that its answer is not sent. */
  readonly isPassed?: boolean
  /** The version of a request that names none, as the application around this one knows it. */
  readonly version?: string | undefined
  /** The request that this one is part of. */
  readonly within?: object | undefined
  /** The application around this one, which answers the requests of routes that forward to `host`. */
  readonly host?: HostApp | undefined
  /** The second argument of `fetch` for an application behind this one: `{ incoming, outgoing }` of Node, or what the platform has passed. */
  readonly env?: object | undefined
  /** The third one, on platforms that have it. */
  readonly execution?: object | undefined
  /** Hands the connection over to what is passed, with a response of status 101. Requests that don't ask for an upgrade have none. */
  readonly handOver?: ((take: unknown) => void) | undefined
  /** Has the platform keep the process until the work is done, on platforms that end it with its last response. */
  waitUntil?(work: Promise<unknown>): void
  /** Aborted when the client goes away before the response is complete. */
  readonly signal: AbortSignal
  /** Aborts the signal, because the client no longer waits for the response. */
  abort(reason: unknown): void
  /** Calls `leave` when the signal would abort, without a signal, which takes as long as the rest of a small request. One caller at a time. */
  whenGone?(leave: (reason: unknown) => void): void
}

/** The reason of the signal of a request that is given up without another reason. */
export function clientWentAway(): DOMException {
  return new DOMException('The client went away', 'AbortError')
}

/** Chunks of a streamed response body. */
export type BodyStream = AsyncIterable<Uint8Array | string>

/** Marks finished responses, copies by spreading included, so that data of the same shape is not taken for one. */
export const FINISHED: unique symbol = Symbol.for('octavo.finished')

/** A response that is ready to be written. Every adapter turns it into a response of its platform. */
export interface FinishedResponse {
  /** Distinguishes finished responses from data of the same shape. */
  readonly [FINISHED]: true
  /** The status to send. */
  status: number
  /** By lower-case name; a list is one field line for each entry. */
  headers: Record<string, string | string[]>
  /** The body to send, `null` for none. */
  body: string | Uint8Array | BodyStream | null
  /** Whether Octavo wrote an error, which has the same form in every version. */
  readonly isError?: boolean
}

/** The query of a request: a name that is repeated has a list. */
export type QueryRecord = Readonly<Record<string, string | readonly string[]>>

/** A request as handlers, guards and versioning schemes see it. Inject it with the token of the same name. */
export interface HttpRequest {
  /** The method as it was sent. */
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** The path as it was sent: percent-encoded, with its version segment. */
  readonly path: string
  /** The decoded query, before schemas read it. */
  readonly query: QueryRecord
  /** By lower-case name; several field lines are joined with `, ` (cookies with `; `). */
  readonly headers: Readonly<Record<string, string>>
  /** The value of one header; the name in any case. */
  header(name: string): string | undefined
  /** The values of one header, one for each field line; the name in any case. */
  headerLines(name: string): readonly string[]
  /** The decoded cookies by name. */
  readonly cookies: Readonly<Record<string, string>>
  /** The host and port of the request. `X-Forwarded-Host` counts under `trustProxy` only. */
  readonly host: string
  /** The address of the client; `X-Forwarded-For` counts under `trustProxy` only. */
  readonly ip: string
  /** `X-Forwarded-Proto` counts under `trustProxy` only. */
  readonly protocol: 'http' | 'https'
  /** The body as text. The body is read once and kept, so this works after validation too. */
  text(): Promise<string>
  /** The body as JSON. */
  json(): Promise<unknown>
  /** The body as bytes. */
  bytes(): Promise<Uint8Array>
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** The same request as a web `Request`, made when it is first asked for. */
  readonly web: Request
}

/** Milliseconds from `Retry-After`, which has seconds or a date (RFC 9110 section 10.2.3). */
export function readRetryAfter(header: string | readonly string[] | null = null): number | undefined {
  const text = [header ?? ''].join()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now())
}

/** Whether a request asks for leave to make another one: a CORS preflight (the Fetch standard, section 3.3.2). */
export function isPreflight(request: HttpRequest): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.header('origin') !== undefined &&
    request.header('access-control-request-method') !== undefined
  )
}

/** The reason phrases of statuses, as node:http has them, which not every platform has. */
export const PHRASES: Readonly<Record<number, string>> = {
  100: 'Continue',
  101: 'Switching Protocols',
  102: 'Processing',
  103: 'Early Hints',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  207: 'Multi-Status',
  208: 'Already Reported',
  226: 'IM Used',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  305: 'Use Proxy',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a Teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  509: 'Bandwidth Limit Exceeded',
  510: 'Not Extended',
  511: 'Network Authentication Required',
}

/** Where the chunks of a streamed body come from. */
export interface ChunkSource {
  readonly next: () => Promise<{
    readonly done?: boolean | undefined
    readonly value?: Uint8Array | string | undefined
  }>
  /** Cancels the source, also while a chunk is awaited. */
  readonly cancel: () => void
}

/** Whether a body has to be read chunk by chunk. */
export function isStream(body: FinishedResponse['body']): body is BodyStream {
  return body !== null && typeof body === 'object' && !(body instanceof Uint8Array)
}

/** Node and web readable streams and async generators all are async iterables. */
export function isAsyncIterable(value: unknown): value is BodyStream {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Whether the value is a web stream, of this realm or of a ponyfill. */
export function isWebStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof value === 'object' && value !== null && 'getReader' in value
}

/** The members of a `Response` of any realm, be it that of the platform, of an installed undici or of a ponyfill. */
export interface WebResponse extends Pick<Response, 'status' | 'arrayBuffer'> {
  readonly headers: Pick<Headers, 'forEach'> & Partial<Pick<Headers, 'getSetCookie'>>
  /** Where `fetch` has found it; empty for a response that a program has made. */
  readonly url?: string
  readonly body?: Response['body'] | undefined
  readonly bodyUsed?: boolean
}

/** Whether the value is a `Response`. Asked for plain objects and lists without touching `Response`, which Node loads when it is first named. */
export function isWebResponse(result: unknown): result is WebResponse {
  if (!isObject(result) || Array.isArray(result)) return false
  const prototype: unknown = Object.getPrototypeOf(result)
  if (prototype === Object.prototype || prototype === null) return false
  if (!('status' in result) || typeof result.status !== 'number' || !('headers' in result)) return false
  const { headers } = result
  return isObject(headers) && hasMethod(headers, 'forEach') && hasMethod(result, 'arrayBuffer')
}

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}

/** Opens a streamed body. @throws `TypeError` when something else reads it already. */
export function openStream(body: BodyStream): ChunkSource {
  if (isWebStream(body)) {
    // the iterator of a web stream would wait for the next chunk before it cancels
    const reader: ReadableStreamDefaultReader<Uint8Array | string> = body.getReader()
    return { next: () => reader.read(), cancel: () => ignoreFailure(() => reader.cancel()) }
  }
  const iterator = body[Symbol.asyncIterator]()
  const cancel = (): void =>
    ignoreFailure(() => {
      // a stream of Node
      if ('destroy' in body && typeof body.destroy === 'function') return body.destroy()
      return iterator.return?.()
    })
  return {
    next: async () => {
      const { done, value } = await iterator.next()
      return done === true ? { done } : { value }
    },
    cancel,
  }
}

/** Keeps a failing Node stream without a reader from ending the process. A reader still receives the error. */
export function ignoreErrors(body: unknown): void {
  if (isEmitter(body) && !body.listeners('error').includes(ignoreError)) body.on('error', ignoreError)
}

/** Asked without the module, which takes Bun longer to load than a tenth of Octavo. */
function isEmitter(value: unknown): value is Pick<EventEmitter, 'on' | 'listeners'> {
  if (typeof value !== 'object' || value === null || !('on' in value && 'listeners' in value)) return false
  return typeof value.on === 'function' && typeof value.listeners === 'function'
}

/** Cancels a streamed body. */
export function dropBody(body: FinishedResponse['body'] | undefined): void {
  // a stream that cannot be cancelled has no one left to tell
  ignoreFailure(() => {
    if (body === undefined || !isStream(body)) return undefined
    ignoreErrors(body)
    if ('cancel' in body && typeof body.cancel === 'function') return body.cancel()
    if ('destroy' in body && typeof body.destroy === 'function') return body.destroy()
    return 'return' in body && typeof body.return === 'function' ? body.return() : undefined
  })
}

/** Whether the memory behind bytes was transferred elsewhere. Such bytes look empty, and most that is done with them throws. */
export function isDetached(bytes: Uint8Array | string): boolean {
  if (typeof bytes === 'string' || bytes.length > 0) return false
  try {
    // nothing of memory that is there, and an error of memory that is not
    return bytes.buffer.slice(0, 0).byteLength > 0
  } catch {
    return true
  }
}

/** Resolves when the written data was consumed, or when the target closes. */
export function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      target.off('drain', go).off('close', go)
      resolve()
    }
    if (target.destroyed) resolve()
    else target.once('drain', go).once('close', go)
  })
}

/** A source that fails while it is given up has no one left to tell. */
function ignoreError(): void {}

/** The text without white space at its ends, which is spaces and tabs (RFC 9110 section 5.6.3). */
export function trimSpace(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '')
}

/** Whether content of a type is JSON: by its name, or by the suffix that any type may have (RFC 6839 section 3.1). */
export function isJsonType(text: string): boolean {
  if (text === 'application/json') return true
  const [range = ''] = text.split(';', 1)
  const type = trimSpace(range).toLowerCase()
  return type === 'application/json' || type.endsWith('+json')
}

/** Headers that hold for the bytes of one content (RFC 9530, RFC 9421), so that no other content can have them. */
export const CONTENT_DIGESTS: readonly string[] = [
  'content-digest',
  'repr-digest',
  'digest',
  'content-md5',
  'signature',
  'signature-input',
]

/** The header that a field of `headers` reads: `userAgent` and `user_agent` read `user-agent`. */
export function headerName(field: string): string {
  return field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}
