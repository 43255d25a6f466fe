import { checkOptionNames } from '../base/definition-error.ts'
import type { Awaitable } from '../base/values.ts'
import type { BodyStream } from '../http/http.ts'
import type { CookieOptions, ExecutionContext } from './context.ts'

/** The headers and cookies of a reply. */
export interface ReplyOptions {
  /** Headers by name in any case. A list sends several field lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** Cookies by name. An object is the value with its attributes. */
  readonly cookies?: Readonly<Record<string, string | (CookieOptions & { readonly value: string })>>
}

const REPLY: unique symbol = Symbol.for('octavo.reply')

/** Never there: symbols, because editors complete every other name. */
declare const STATUS: unique symbol
declare const DATA: unique symbol
/** Has messages compare a reply with replies: a `Response` has two members of the same names. */
declare const MADE: unique symbol

/** The marks of a reply: of the types that a handler may return, editors complete only the members of plain results. */
export interface ReplyOf<S extends number, D> {
  /** Distinguishes results of `reply` from raw replies. */
  readonly [REPLY]: 'data'
  /** For types alone: distinguishes replies from responses of the platform. */
  readonly [MADE]: true
  /** The status of the response. */
  readonly [STATUS]: S
  /** The body before the `response` schema parses it. */
  readonly [DATA]: D
}

/** A result with a status of its own. Made by `reply`. */
export interface Reply<S extends number, D> extends ReplyOf<S, D>, ReplyOptions {
  /** The status of the response. */
  readonly status: S
  /** The body before the `response` schema parses it. */
  readonly data: D
}

/** A reply with each of several statuses, one of which is chosen when the handler runs. */
export type EachReply<S extends number, D> = S extends number ? Reply<S, D> : never

declare const DECLARED_STATUS: unique symbol

/** No reply is one. A reply with a status that `response` does not declare is compared with this, so that the message lists those it does. */
export interface ReplyWithOneOf<Declared> {
  readonly [REPLY]: 'data'
  readonly [MADE]: true
  readonly [STATUS]: number
  readonly [DECLARED_STATUS]: Declared
}

/**
 * A reply, for a handler that may return P. While it is checked, TypeScript infers P from the first condition, and D from the argument alone.
 * `NoInfer` would be shown in messages.
 */
export type ReplyAmong<P, S extends number, D> = EachReply<S, [D][D extends unknown ? 0 : never]> &
  ([P] extends [never] ? P : unknown)

/** The data of a status among the results of a handler, which editors complete. */
export type DataIn<P, S> = P extends { readonly [STATUS]: infer Declared; readonly [DATA]: infer D }
  ? S extends Declared
    ? D
    : never
  : never

/** The mark of a raw reply. Without other members, a reply with a wrong status is compared with those that are declared. */
export interface Raw {
  /** Distinguishes raw replies from `reply`. */
  readonly [REPLY]: 'raw'
}

/** A result whose body is sent unchanged, as `text`, `html`, `redirect`, `stream`, `file` and `sse` return it. */
export interface RawReply extends Raw, ReplyOptions {
  /** The status, `undefined` for that of a plain value. */
  readonly status: number | undefined
  /** The body, or a function that creates the result for its request. The head is that of its result then. */
  readonly data: string | Uint8Array | BodyStream | ToReply | undefined
}

/** An event of a stream (the HTML standard, section 9.2). At least one member is needed. */
export interface ServerSentEvent {
  /** The data. Text is sent unchanged, line by line, and other values as JSON. */
  readonly data?: unknown
  /** The name that listeners are registered for. @default 'message' for clients */
  readonly event?: string
  /** The id that a client sends as `Last-Event-ID` when it reconnects. An empty one clears it. */
  readonly id?: string
  /** Milliseconds after which a client that lost the connection reconnects. */
  readonly retry?: number
  /** A comment, which listeners do not see. */
  readonly comment?: string
}

/** Never there: a symbol, because editors complete every other name. */
declare const EVENTS: unique symbol

/** The mark of a stream of events. */
export interface EventsOf<E> extends Raw {
  /** For types alone: the events. */
  readonly [EVENTS]: E
}

/** A result that is a stream of events. Made by `sse`. */
export interface EventsReply<E> extends RawReply, EventsOf<E> {
  /** Distinguishes raw replies from `reply`. */
  readonly [REPLY]: 'raw'
}

/** Converts an event or item of a stream by the declaration of its route. */
export type Shape = (value: unknown) => Awaitable<unknown>

/** Works a result out for the request that it answers. `shape` is for events, if the route declares them. */
export type ToReply = (context: ReplyContext, shape?: Shape) => Awaitable<RawReply>

/** The context of a result: that of handlers, with more about the request. */
export interface ReplyContext extends ExecutionContext {
  /** Has something done when the response has ended; at once when it has. The application closes after it. */
  atEnd(work: () => Awaitable<void>): void
  /** Has something done when the application begins to close; at once when it has. Returns the function that forgets it. */
  whenClosing(work: () => void): () => void
  /** Hands the connection over to what is passed, with a result of status 101. Requests that don't ask for an upgrade have none. */
  readonly handOver: ((take: unknown) => void) | undefined
}

/** The options of `text` and `html`. */
export interface RawOptions extends ReplyOptions {
  /** The status of the response. @default as for a plain value: the route's own, else 200 */
  readonly status?: number
}

/** The options of `accepted`. */
export interface AcceptedOptions<D> extends ReplyOptions {
  /** The address of the route that knows how far the work is. */
  readonly location: string
  /** Seconds after which the client may ask there, or the moment. @default none is named */
  readonly retryAfter?: number | Date
  /** The body. @default none */
  readonly data?: D
}

/** The options of `stream`. */
export interface StreamOptions extends RawOptions {
  /** The content type. @default 'application/octet-stream' */
  readonly type?: string
}

const REPLY_OPTIONS: ReadonlySet<string> = new Set(['headers', 'cookies'])
/** The names of `RawOptions`. */
export const RAW_OPTIONS: ReadonlySet<string> = new Set([...REPLY_OPTIONS, 'status'])
const STREAM_OPTIONS: ReadonlySet<string> = new Set([...RAW_OPTIONS, 'type'])
const ACCEPTED_OPTIONS: ReadonlySet<string> = new Set([...REPLY_OPTIONS, 'location', 'retryAfter', 'data'])

/**
 * Returns a result with a status of its own, typed against the route's `response`.
 *
 * @example
 * handler: ({ params }) => cars.get(params.car_id) ?? reply(404, { detail: 'No such car' })
 */
export function reply<S extends number, D = undefined, P = unknown>(
  status: S,
  data?: D | DataIn<P, S>,
  options: ReplyOptions = {},
): ReplyAmong<P, S, D> {
  checkOptionNames('reply', options, REPLY_OPTIONS)
  const { headers, cookies } = options
  // `data` is left out exactly when D is undefined. Written out, because a spread takes longer
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { [REPLY]: 'data', status, data, headers, cookies } as ReplyAmong<P, S, D>
}

/**
 * Returns a plain text result.
 *
 * @example
 * handler: () => text('pong') // → 200, text/plain
 */
export function text(body: string, options: RawOptions = {}): RawReply {
  return typed('text', body, 'text/plain; charset=utf-8', options)
}

/**
 * Returns an HTML result. The text is sent unchanged, so escape text from outside.
 *
 * @example
 * handler: () => html('<h1>It works</h1>') // → 200, text/html
 */
export function html(body: string, options: RawOptions = {}): RawReply {
  return typed('html', body, 'text/html; charset=utf-8', options)
}

function typed(where: string, body: string, type: string, options: RawOptions): RawReply {
  checkOptionNames(where, options, RAW_OPTIONS)
  const { status, ...head } = options
  return raw(status, body, type, head)
}

/**
 * Returns a redirect. The address is percent-encoded if necessary.
 *
 * @example
 * handler: () => redirect('/car/welcome') // → 302, Location: /car/welcome
 *
 * @throws `RangeError` when `status` is not 301, 302, 303, 307 or 308.
 */
export function redirect(url: string, status = 302, options: ReplyOptions = {}): RawReply {
  if (![301, 302, 303, 307, 308].includes(status)) {
    throw new RangeError(`redirect: ${status} is not a redirect status; use 301, 302, 303, 307 or 308`)
  }
  checkOptionNames('redirect', options, REPLY_OPTIONS)
  return {
    ...options,
    [REPLY]: 'raw',
    status,
    data: undefined,
    headers: { ...options.headers, location: toLocation(url) },
  }
}

/**
 * Returns a 202 for work that goes on after the response, with the address that knows how far it is. Documents show both headers if the
 * route declares a `response` of 202.
 *
 * @example
 * handler: (_input, { urlFor }) => accepted({ location: urlFor('export.status', { id }), retryAfter: 2 })
 *
 * @throws `RangeError` when `retryAfter` is neither a moment nor a number of 0 or more.
 */
export function accepted<D = undefined>(given: AcceptedOptions<D>): Reply<202, D> {
  checkOptionNames('accepted', given, ACCEPTED_OPTIONS)
  const { location, retryAfter, data, headers, ...options } = given
  const retry = retryAfter === undefined ? {} : { 'retry-after': toRetryAfter(retryAfter) }
  // `data` is left out exactly when D is undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return reply(202, data as D, {
    ...options,
    headers: { ...headers, ...retry, location: toLocation(location) },
  })
}

/** Seconds, or an HTTP date (RFC 9110 section 10.2.3). */
function toRetryAfter(given: number | Date): string {
  const isFit = Number.isFinite(Number(given)) && Number(given) >= 0
  if (!isFit)
    throw new RangeError(`accepted: retryAfter is ${String(given)}; give seconds of 0 or more, or a Date`)
  return typeof given === 'number' ? String(Math.ceil(given)) : given.toUTCString()
}

/**
 * Returns a result that is sent in chunks, no faster than the client reads: those of a Node or web stream, or of an iterable. When the
 * client disconnects, streams are destroyed or cancelled and generators return.
 *
 * @example
 * handler: () => stream(rows(), { type: 'text/csv', headers: { 'content-disposition': 'attachment' } })
 *
 * @throws `TypeError` when the source is none of these.
 */
export function stream(
  source: BodyStream | Iterable<Uint8Array | string>,
  options: StreamOptions = {},
): RawReply {
  checkOptionNames('stream', options, STREAM_OPTIONS)
  const { status, type = 'application/octet-stream', ...head } = options
  return raw(status, toBodyStream(source), type, head)
}

function toBodyStream(source: BodyStream | Iterable<Uint8Array | string>): BodyStream {
  if (typeof source === 'object' && source !== null && !(source instanceof Uint8Array)) {
    if (Symbol.asyncIterator in source) return source
    if (Symbol.iterator in source) return inTurn(source)
  }
  throw new TypeError('stream: the source is neither a stream nor an iterable of chunks')
}

async function* inTurn(chunks: Iterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  yield* chunks
}

/**
 * A result that is worked out for the request it answers.
 *
 * @internal
 */
export function replyTo(toReply: ToReply): RawReply {
  return { [REPLY]: 'raw', status: undefined, data: toReply }
}

/**
 * A result whose body is sent as it stands, with the head that is given and no other.
 *
 * @internal
 */
export function rawReply(
  status: number | undefined,
  data: RawReply['data'],
  options: ReplyOptions,
): RawReply {
  return { ...options, [REPLY]: 'raw', status, data }
}

/** Whether a handler's result was made by `reply`, `text`, `html` or `redirect`. */
export function isReply(value: unknown): value is Reply<number, unknown> | RawReply {
  return typeof value === 'object' && value !== null && REPLY in value
}

/** Whether the body of a reply is sent as it stands. */
export function isRaw(value: Reply<number, unknown> | RawReply): value is RawReply {
  return value[REPLY] === 'raw'
}

function raw(
  status: number | undefined,
  data: string | BodyStream,
  type: string,
  options: ReplyOptions,
): RawReply {
  return { ...options, [REPLY]: 'raw', status, data, headers: { 'content-type': type, ...options.headers } }
}

/** Leaves a URL's own characters and escapes alone, and encodes what a header cannot carry. */
function toLocation(url: string): string {
  return url
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[^\u0021-\u007e]+/g, (part) => encodeURIComponent(part))
}
