import { Dispatcher, Response as UndiciResponse, errors } from 'undici'
import { stringify } from 'node:querystring'

import { isPromise } from '../../base/values.ts'
import type { App } from '../../server/app/app.ts'
import type { Opened } from '../../server/dispatch.ts'
import { endWith, findRefusal } from '../../server/adapters/inject/inject.ts'
import { StreamBody, BytesBody, NO_BODY } from '../../server/adapters/shared/stream-body.ts'
import { Exchange } from './exchange.ts'
import { internalsOf, withRouteMap, type AppInternals } from '../../server/adapters/internals.ts'
import { isAsyncIterable, type BodyStream, type RawBody } from '../../http/http.ts'
import { DEFAULT_HOST } from '../../server/adapters/inject/headers.ts'
import { InjectRequest } from '../../server/adapters/inject/request.ts'
import { headerProblem } from '../../server/pipeline/response-head.ts'

/** Sends a request into the application and its answer to the exchange. */
type Send = (options: Dispatcher.DispatchOptions, exchange: Exchange) => void

/** A type that Node's own `fetch` takes as a dispatcher: that of another undici, or anything where the platform names none. */
type OfPlatform = RequestInit extends { dispatcher?: infer D } ? NonNullable<D> : unknown

/** A dispatcher for undici and for Node's own `fetch`. */
export type AppDispatcher = Dispatcher & OfPlatform

/**
 * Creates a dispatcher of undici that reaches the application without a socket, for code that uses undici or Node's own `fetch`.
 *
 * @example
 * const response = await fetch('http://cars.internal/car/7', { dispatcher: createDispatcher(app) })
 *
 * @throws `TypeError` for anything but an application.
 */
export function createDispatcher(app: App): AppDispatcher {
  const internals = internalsOf(app, 'createDispatcher')
  const dispatcher = new InProcessDispatcher(createSend(internals))
  // one object for the types of both
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return withRouteMap(dispatcher, internals) as unknown as AppDispatcher
}

const SEND: unique symbol = Symbol('send')
const PENDING: unique symbol = Symbol('pending')

class InProcessDispatcher extends Dispatcher {
  // not private fields, which are not there through the proxy that `compose` makes
  readonly [SEND]: Send
  readonly [PENDING] = createPending()

  constructor(send: Send) {
    super()
    this[SEND] = send
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const exchange = new Exchange(handler)
    const refusal = this[PENDING].refusal()
    if (refusal !== undefined) {
      exchange.fail(refusal)
      return false
    }
    exchange.start()
    if (!exchange.isSettled) this[SEND](options, exchange)
    if (!exchange.isSettled) this[PENDING].hold(exchange)
    return true
  }

  override close(): Promise<void>
  override close(callback: () => void): void
  override close(callback?: () => void): Promise<void> | void {
    return callLater(this[PENDING].close(), callback)
  }

  override destroy(error?: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(given?: Error | null | (() => void), callback?: () => void): Promise<void> | void {
    if (typeof given === 'function') return callLater(this[PENDING].destroy(null), given)
    return callLater(this[PENDING].destroy(given), callback)
  }
}

/** The promise; or nothing, and the call of who would rather be called. */
function callLater(done: Promise<void>, call: (() => void) | undefined): Promise<void> | void {
  if (call === undefined) return done
  // oxlint-disable-next-line promise/no-callback-in-promise -- undici has both ways
  void done.then(call)
}

function createSend({ start: enter, settings }: AppInternals): Send {
  const readOrigin = createOriginReader()
  const run = ({ dispatch }: Opened, options: Dispatcher.DispatchOptions, exchange: Exchange): void => {
    if (exchange.isSettled) return
    const fail = (error: unknown): void => exchange.abort(error)
    const request = toRequest(options, readOrigin(options.origin), encode, fail)
    const refusal = findRefusal(request, settings.limits.headers)
    if (refusal !== undefined) {
      if (request.body instanceof StreamBody) request.body.discard()
      return exchange.answer(settings.writeError(refusal), undefined)
    }
    exchange.begin(request)
    const { context, response } = dispatch(request)
    endWith(request, context)
    if (isPromise(response)) void response.then((finished) => exchange.answer(finished, context))
    else exchange.answer(response, context)
  }
  return (options, exchange) => {
    try {
      const entered = enter()
      if (!isPromise(entered)) return run(entered, options, exchange)
      entered
        .then((opened) => run(opened, options, exchange))
        .then(undefined, (error: unknown) => exchange.fail(error))
    } catch (error) {
      exchange.fail(error)
    }
  }
}

/** Reads origins, of which most requests have the same. */
function createOriginReader(): (origin: string | URL | undefined) => Origin {
  let known: string | undefined
  let read = NO_ORIGIN
  return (origin) => {
    if (origin === undefined) return NO_ORIGIN
    const text = typeof origin === 'string' ? origin : origin.origin
    if (text !== known) {
      read = toOrigin(text)
      known = text
    }
    return read
  }
}

/** Encodes by the classes that made the body: those of the package are not Node's own. */
function encode(body: FormData | Blob | URLSearchParams): ReturnType<EncodeWeb> {
  if (!(body instanceof FormData) && Reflect.get(body, Symbol.toStringTag) === 'FormData') {
    // what undici made is read by undici, and its responses are as Node's are
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return new UndiciResponse(body as never)
  }
  return new Response(body)
}

/** The requests of a dispatcher that are under way, and its end. */
interface Pending {
  /** Keeps a request until its handler has been told the end. */
  readonly hold: (exchange: Exchange) => void
  /** Why a new request is refused, or `undefined` while the dispatcher is open. */
  readonly refusal: () => Error | undefined
  /** Refuses new requests; resolves when none is under way any more. */
  readonly close: () => Promise<void>
  /** Closes, and aborts what is under way. */
  readonly destroy: (error: Error | null | undefined) => Promise<void>
}

const { ClientClosedError, ClientDestroyedError } = errors

/** Those with requests under way: no socket holds these, so that without this they could be collected with their handlers. */
const busy = new Set<Pending>()

/** Creates the register of a dispatcher; it fails requests with undici's own errors. */
function createPending(): Pending {
  const exchanges = new Set<Exchange>()
  let closed: Promise<void> | undefined
  let settled: (() => void) | undefined
  let isDestroyed = false
  const release = (exchange: Exchange): void => {
    exchanges.delete(exchange)
    if (exchanges.size > 0) return
    busy.delete(pending)
    settled?.()
  }
  const close = (): Promise<void> =>
    (closed ??= new Promise((resolve) => {
      settled = resolve
      if (exchanges.size === 0) resolve()
    }))
  const pending: Pending = {
    hold: (exchange) => {
      exchanges.add(exchange)
      busy.add(pending)
      exchange.onSettled = release
    },
    refusal: () => {
      if (closed === undefined) return undefined
      return isDestroyed ? new ClientDestroyedError() : new ClientClosedError()
    },
    close,
    destroy: (error) => {
      isDestroyed = true
      const done = close()
      for (const exchange of exchanges) exchange.abort(error ?? new ClientDestroyedError())
      return done
    },
  }
  return pending
}

/** Where a request goes, as its origin says. */
interface Origin {
  readonly host: string
  readonly protocol: 'http' | 'https'
}

/** A body as undici's web classes encode it. */
type EncodeWeb = (body: FormData | Blob | URLSearchParams) => Encoded

/** A body as a `Response` of Node or of undici encodes it. */
interface Encoded {
  readonly body: AsyncIterable<Uint8Array> | null
  readonly headers: { get(name: string): string | null }
}

/**
 * Converts the options of undici to a request. `fail` is called when a streamed body fails. @throws `TypeError` for what cannot be sent.
 */
function toRequest(
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
const NO_ORIGIN: Origin = { host: DEFAULT_HOST, protocol: 'http' }

/** Reads an origin. @throws `TypeError` when it is no URL */
function toOrigin(origin: string | URL): Origin {
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
