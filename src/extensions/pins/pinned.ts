import {
  isPromise,
  isFunction,
  isMilliseconds,
  isPositive,
  isNonEmptyString,
  flatCopy,
  describeValue,
  type Awaitable,
} from '../../base/values.ts'
import { checkOptions, missingOptions, type Rules } from '../../base/definition-error.ts'
import { addedError, httpError } from '../../http/errors.ts'
import type { HttpRequest } from '../../http/http.ts'
import { cutVersion } from '../../versioning/version.ts'
import type { DefaultVersion, DefaultVersionContext, VersionChoice } from '../../versioning/options.ts'
import { createStoreGuard } from '../../server/stores/guard.ts'

/** The options of `pinned`. */
export interface PinOptions {
  /**
   * Returns the id of the client that sends a request, or `undefined` for requests without one.
   *
   * @default the name that the option `client` of `createApp` gives it
   */
  readonly client?: (request: HttpRequest) => Awaitable<string | undefined>
  /** Returns the version that your store has for a client, or `undefined` for a client that has none. */
  readonly get: (client: string) => Awaitable<string | null | undefined>
  /**
   * Stores the version of a client: of its first call, or of an upgrade. If it returns a known version on a first call, that one counts,
   * because another process was faster. `false` as the result says that nothing was stored.
   */
  readonly set: (client: string, version: string, reason: 'firstUse' | 'upgrade') => unknown
  /**
   * The version that a client without a pin is pinned to: a version, `'latest'`, `'latestStable'`, `'oldest'`, or a function that
   * chooses one of these. @default 'latestStable'
   */
  readonly onFirstUse?: string | ((client: string, request: HttpRequest) => Awaitable<string>)
  /** The version of requests without a client, as `defaultVersion` takes it. A selector chooses among all versions. @default null */
  readonly otherwise?: string | null | DefaultVersion
  /**
   * The response while the store fails, to clients whose pin is not remembered: 503 `pin_unavailable`, or one in the version of `otherwise`.
   * @default 'refuse'
   */
  readonly onStoreError?: 'refuse' | 'otherwise'
  /** Milliseconds until a store that does not answer has failed. @default 1000 */
  readonly storeTimeout?: number
  /** Milliseconds that a process remembers a pin. An upgrade in another process counts after that time at the latest. @default 60000 */
  readonly ttl?: number
  /** The most clients whose pins a process remembers. The clients that called last stay. @default 10000 */
  readonly maxClients?: number
}

/** A `defaultVersion` function that keeps each client in its version. */
export interface Pins extends DefaultVersion {
  /**
   * Pins a client to another version and stores it. Rejects if your store fails, and then nothing changes.
   *
   * @example
   * await pins.upgrade('acme', '2')
   */
  upgrade(client: string, version: string): Promise<void>
}

const WHERE = 'pinned'

const VERSION = "a version, 'latest', 'latestStable', 'oldest'"

const OPTIONS: Rules = {
  client: [isFunction, 'a function that returns the id of the client of a request'],
  get: [isFunction, 'a function that returns the version of a client'],
  set: [isFunction, 'a function that stores the version of a client'],
  onFirstUse: [(value) => isNonEmptyString(value) || isFunction(value), `${VERSION} or a function`],
  otherwise: [
    (value) => value === null || isNonEmptyString(value) || isFunction(value),
    `${VERSION}, a function of the request, or null`,
  ],
  onStoreError: [(value) => value === 'refuse' || value === 'otherwise', "'refuse' or 'otherwise'"],
  storeTimeout: [isMilliseconds, 'a number of milliseconds'],
  ttl: [isMilliseconds, 'a number of milliseconds'],
  maxClients: [isPositive, 'a number of clients, at least 1'],
}

/**
 * Creates a `defaultVersion` function that pins each client to the version of its first call, until you upgrade it. A version in the request
 * wins and changes no pin.
 *
 * @example
 * const pins = pinned({
 *   client: (request) => request.header('x-account'),
 *   get: (client) => accounts.versionOf(client),
 *   set: (client, version) => accounts.setVersion(client, version),
 * })
 * app.enableVersioning(VersioningSchemes.HEADER, { defaultVersion: pins, vary: ['x-account'] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function pinned(options: PinOptions): Pins {
  const missing = missingOptions(WHERE, options, ['get', 'set'], 'write pinned({ get, set })')
  checkOptions(WHERE, options, OPTIONS, missing)
  const { client, otherwise = null, onFirstUse = 'latestStable' } = options
  const { onStoreError = 'refuse', ttl = 60_000, maxClients = 10_000 } = options
  const store = createPinStore(options)
  const memory = createPinMemory(maxClients, ttl)

  const choose = (id: string | undefined, ...asked: Asked): Awaitable<string | null> => {
    if (!isNonEmptyString(id)) return fallBack(otherwise, asked)
    const [request, choice, context] = asked
    const find = (pin: string): string => {
      context.isPinned = true
      return toKnown(pin, choice)
    }
    const version = memory.get(id)
    if (version !== undefined) return find(version)
    const load = async (): Promise<string> =>
      (await store.get(id, context)) ??
      store.add(id, await toFirst(onFirstUse, id, request, choice), choice, context)
    return memory.find(id, request, load).then(find, (error) => {
      if (!(error instanceof StoreError)) throw error
      if (onStoreError === 'otherwise') return fallBack(otherwise, asked)
      const detail = 'The version of this client cannot be found at the moment'
      throw addedError('pin_unavailable', detail, { cause: error.cause })
    })
  }
  const chosen: DefaultVersion = (request, choice, context) => {
    const id = client === undefined ? context.client : client(request)
    return isPromise(id)
      ? id.then((settled) => choose(settled, request, choice, context))
      : choose(id, request, choice, context)
  }
  const upgrade: Pins['upgrade'] = async (id, version) => {
    await store.upgrade(id, version)
    memory.set(id, version)
  }
  return Object.assign(chosen, { names: [onFirstUse, otherwise].filter(isNonEmptyString), upgrade })
}

type Asked = Parameters<DefaultVersion>

function fallBack(
  otherwise: NonNullable<PinOptions['otherwise']> | null,
  asked: Asked,
): Awaitable<string | null> {
  if (!isNonEmptyString(otherwise)) return otherwise === null ? null : otherwise(...asked)
  const [, choice] = asked
  return choice.find(otherwise) ?? otherwise
}

/** The version of a client that calls first. @throws `Error` if a function chose no known version. */
async function toFirst(
  onFirstUse: NonNullable<PinOptions['onFirstUse']>,
  client: string,
  request: HttpRequest,
  choice: VersionChoice,
): Promise<string> {
  const name: unknown = isNonEmptyString(onFirstUse) ? onFirstUse : await onFirstUse(client, request)
  const version = isNonEmptyString(name) ? choice.find(name) : undefined
  if (version !== undefined) return version
  const given = isNonEmptyString(name) ? JSON.stringify(cutVersion(name)) : typeof name
  throw new Error(`onFirstUse of pinned gave ${given}, not a known version`)
}

/** @throws `HttpError` 410 if the application does not know the version of the pin any more. */
function toKnown(version: string, choice: VersionChoice): string {
  const known = choice.find(version)
  if (known !== undefined) return known
  throw httpError('retired_version', 'The version of this client is not served any more', {
    requested: cutVersion(version),
    supported: choice.supported(),
    // the client may upgrade its pin at any time
    headers: { 'cache-control': 'no-store' },
  })
}

/** The pins that a process remembers. */
interface PinMemory {
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
function createPinMemory(maxClients: number, ttl: number): PinMemory {
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

/** The store failed: it threw, did not answer in time or returned something else than a version. */
class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** Where pins are stored. Each method rejects with a `StoreError` if the store fails. */
interface PinStore {
  readonly get: (client: string, context: DefaultVersionContext) => Promise<string | undefined>
  /** Stores the version of a first call. Returns the version that counts. */
  readonly add: (
    client: string,
    version: string,
    choice: VersionChoice,
    context: DefaultVersionContext,
  ) => Promise<string>
  readonly upgrade: (client: string, version: string) => Promise<void>
}

interface StoreOptions {
  readonly get: (client: string) => Awaitable<string | null | undefined>
  readonly set: (client: string, version: string, reason: 'firstUse' | 'upgrade') => unknown
  readonly storeTimeout?: number
}

/** Guards the functions of the user. */
function createPinStore({ get, set, storeTimeout = 1000 }: StoreOptions): PinStore {
  const guard = createStoreGuard('pins', storeTimeout)

  async function call(
    operation: 'get' | 'set',
    work: () => unknown,
    check: (result: unknown) => void,
    context?: DefaultVersionContext,
  ): Promise<unknown> {
    const checked = async (): Promise<unknown> => {
      const result = await work()
      check(result)
      return result
    }
    // an upgrade has no request, and whoever asks for it gets the error
    return guard({ operation, work: checked, log: context?.log }, (cause) => {
      throw new StoreError('The store of pins fails', { cause })
    })
  }

  return {
    get: async (client, context) => {
      const version = await call('get', () => get(client), checkVersion, context)
      return isNonEmptyString(version) ? version : undefined
    },
    add: async (client, version, choice, context) => {
      const result = await call(
        'set',
        () => set(flatCopy(client), flatCopy(version), 'firstUse'),
        checkStored,
        context,
      )
      // some stores return words such as OK
      return isNonEmptyString(result) ? (choice.find(result) ?? version) : version
    },
    upgrade: async (client, version) => {
      await call('set', () => set(flatCopy(client), flatCopy(version), 'upgrade'), checkStored)
    },
  }
}

function checkVersion(version: unknown): void {
  if (version === undefined || version === null || isNonEmptyString(version)) return
  throw new TypeError(`get of pinned gave ${describeValue(version)}, not a version`)
}

function checkStored(result: unknown): void {
  if (result === false) throw new Error('The store did not store')
}
