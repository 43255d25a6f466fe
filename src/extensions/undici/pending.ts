import { errors } from 'undici'

import type { Exchange } from './exchange.ts'

/** The requests of a dispatcher that are under way, and its end. */
export interface Pending {
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
export function createPending(): Pending {
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
