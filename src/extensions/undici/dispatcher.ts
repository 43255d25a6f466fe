import { Dispatcher, errors } from 'undici'

import { internalsOf, withRouteMap } from '../../server/adapters/internals.ts'
import type { App } from '../../server/app/app.ts'
import { toRequest } from './dispatched-request.ts'
import { Exchange } from './dispatch-exchange.ts'

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
  // one object for the types of both
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return withRouteMap(new FetchDispatcher(app), internals) as unknown as AppDispatcher
}

/** Requests under way: no socket holds them, so that without this they could be collected with their handlers. */
const underWay = new Set<Exchange>()

// no private fields, which are not there through the proxy that `compose` makes
const STATE: unique symbol = Symbol('state')

/** The client is this process. */
const CLIENT = { remoteAddress: '127.0.0.1' }

class FetchDispatcher extends Dispatcher {
  readonly [STATE]: { readonly app: App; readonly open: Set<Exchange>; refusal?: () => Error }

  constructor(app: App) {
    super()
    this[STATE] = { app, open: new Set() }
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { app, open, refusal } = this[STATE]
    const exchange = new Exchange(handler)
    if (refusal !== undefined) {
      exchange.fail(refusal())
      return false
    }
    open.add(exchange)
    underWay.add(exchange)
    void exchange.settled.then(() => open.delete(exchange) && underWay.delete(exchange))
    void exchange.run(() => app.fetch(toRequest(options, exchange), CLIENT))
    return true
  }

  override close(): Promise<void>
  override close(callback: () => void): void
  override close(callback?: () => void): Promise<void> | void {
    const { open, refusal = () => new errors.ClientClosedError() } = this[STATE]
    this[STATE].refusal = refusal
    const closed = Promise.all([...open].map(({ settled }) => settled)).then(() => undefined)
    if (callback === undefined) return closed
    // oxlint-disable-next-line promise/no-callback-in-promise -- undici has both ways
    void closed.then(callback)
  }

  override destroy(error?: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(given?: Error | null | (() => void), callback?: () => void): Promise<void> | void {
    const { open } = this[STATE]
    this[STATE].refusal = () => new errors.ClientDestroyedError()
    const error = typeof given === 'function' ? null : given
    for (const exchange of open) exchange.fail(error ?? new errors.ClientDestroyedError())
    const done = typeof given === 'function' ? given : callback
    return done === undefined ? this.close() : this.close(done)
  }
}
