import { Dispatcher, Response as UndiciResponse, errors } from 'undici'

import { isPromise } from '../../base/values.ts'
import type { App } from '../../server/app/app.ts'
import type { Opened } from '../../server/dispatch.ts'
import { discardAtEnd, findRefusal } from '../../server/adapters/inject/inject.ts'
import { StreamBody } from '../../server/adapters/shared/stream-body.ts'
import { Exchange } from './exchange.ts'
import { internalsOf, withRouteMap, type AppInternals } from '../../server/adapters/internals.ts'
import { NO_ORIGIN, toOrigin, toRequest, type EncodeWeb, type Origin } from './request.ts'

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
    discardAtEnd(request, context)
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
