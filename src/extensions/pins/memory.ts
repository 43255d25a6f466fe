import type { HttpRequest } from '../../http/http.ts'
import { flatCopy } from '../../base/values.ts'
import { StoreError } from './pin-store.ts'

/** The pins that a process remembers. */
export interface PinMemory {
  /** Returns the version of a client, or `undefined` if the store has to be asked. */
  readonly get: (client: string) => string | undefined
  readonly set: (client: string, version: string) => void
  /** Asks the store, once for all requests of a client at the same time. If the store fails, the version that was known last counts. */
  readonly find: (client: string, request: HttpRequest, load: () => Promise<string>) => Promise<string>
}

/** The version of a client. */
interface Pin {
  readonly version: string
  /** When the store is asked again, in milliseconds since 1970. */
  readonly until: number
}

/** Longer ids are looked up with each request, so that the memory of the cache has a limit. */
const LONGEST_ID = 256

/** Milliseconds for which a pin that the store could not confirm is used again before the store is asked again. */
const RETRY = 1000

/** Creates the memory of at most `maxClients` pins, each for `ttl` milliseconds. */
export function createPinMemory(maxClients: number, ttl: number): PinMemory {
  const cache = createCache<Pin>(maxClients)
  const underWay = new Map<string, Promise<string>>()
  /** A request whose path is looked up twice, as for `Allow`, asks the store once also if the store fails. */
  const asked = new WeakMap<HttpRequest, Promise<string>>()

  function keep(client: string, version: string, time: number): void {
    if (client.length > LONGEST_ID) return
    cache.set(flatCopy(client), { version: flatCopy(version), until: Date.now() + time })
  }

  async function confirm(client: string, load: () => Promise<string>): Promise<readonly [string, number]> {
    try {
      return [await load(), ttl]
    } catch (error) {
      const known = cache.get(client)
      if (known === undefined || !(error instanceof StoreError)) throw error
      return [known.version, Math.min(ttl, RETRY)]
    }
  }

  function start(client: string, load: () => Promise<string>): Promise<string> {
    const isCurrent = (): boolean => underWay.get(client) === looking
    const looking = confirm(client, load)
      .then(([version, time]) => {
        // an upgrade meanwhile has the last word
        if (!isCurrent()) return cache.get(client)?.version ?? version
        keep(client, version, time)
        return version
      })
      .finally(() => {
        if (isCurrent()) underWay.delete(client)
      })
    underWay.set(client, looking)
    return looking
  }

  return {
    get: (client) => {
      const pin = cache.get(client)
      return pin !== undefined && pin.until > Date.now() ? pin.version : undefined
    },
    set: (client, version) => {
      underWay.delete(client)
      keep(client, version, ttl)
    },
    find: (client, request, load) => {
      const before = asked.get(request)
      if (before !== undefined) return before
      const shared = underWay.get(client) ?? start(client, load)
      asked.set(request, shared)
      return shared
    },
  }
}

/** Values by key, of which those that were not asked for lately are dropped. */
interface Cache<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
}

/**
 * Creates a cache of at most `max` values in two generations. What is not asked for while a whole generation comes is dropped, so the half
 * that was used last always stays. A value of the young generation costs one look, whereas an exact order would cost two changes.
 */
function createCache<V>(max: number): Cache<V> {
  const generation = Math.ceil(max / 2)
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  const set = (key: string, value: V): void => {
    if (young.size >= generation && !young.has(key)) {
      old = young
      young = new Map()
    }
    old.delete(key)
    young.set(key, value)
  }
  return {
    set,
    get: (key) => {
      const found = young.get(key)
      if (found !== undefined) return found
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
  }
}
