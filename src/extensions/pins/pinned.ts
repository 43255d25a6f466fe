import {
  isPromise,
  isFunction,
  isMilliseconds,
  isPositive,
  isNonEmptyString,
  detachString,
  type Awaitable,
} from '../../base/values.ts'
import { checkOptions, missingOptions, type Rules } from '../../base/definition-error.ts'
import { addedError, httpError } from '../../http/errors.ts'
import type { HttpRequest } from '../../http/http.ts'
import { cutVersion } from '../../versioning/version.ts'
import type { DefaultVersion, VersionChoice } from '../../versioning/options.ts'
import { STORE, type Store } from '../../define/store.ts'
import { guardStore } from '../../server/stores/guarded-store.ts'

/** The options of `pinned`. */
export interface PinOptions {
  /**
   * Returns the id of the client that sends a request, or `undefined` for requests without one.
   *
   * @default the name that the option `client` of `createApp` gives it
   */
  readonly client?: (request: HttpRequest) => Awaitable<string | undefined>
  /** Where pins are kept, at keys such as `pin:acme`. */
  readonly store: Store
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
  store: STORE,
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
 *   store: createRedisStore(redis),
 * })
 * app.enableVersioning(VersioningSchemes.HEADER, { defaultVersion: pins, vary: ['x-account'] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function pinned(options: PinOptions): Pins {
  const missing = missingOptions(WHERE, options, ['store'], 'write pinned({ store })')
  checkOptions(WHERE, options, OPTIONS, missing)
  const { client, otherwise = null, onFirstUse = 'latestStable' } = options
  const { store, onStoreError = 'refuse', storeTimeout = 1000, ttl = 60_000, maxClients = 10_000 } = options
  const pins = guardStore(store, { name: 'pins', timeout: storeTimeout, toError: toStoreError })
  const memory = createPinMemory(maxClients, ttl)

  const load = async (id: string, ...[request, choice, context]: Asked): Promise<string> => {
    const key = keyOf(id)
    const stored = await pins.get(key, context)
    if (isNonEmptyString(stored)) return stored
    const first = detachString(await toFirst(onFirstUse, id, request, choice))
    if (await pins.set(key, first, { ifAbsent: true }, context)) return first
    // another process was faster
    return (await pins.get(key, context)) ?? first
  }
  const choose = (id: string | undefined, ...asked: Asked): Awaitable<string | null> => {
    if (!isNonEmptyString(id)) return fallBack(otherwise, asked)
    const [, choice, context] = asked
    const find = (pin: string): string => {
      context.isPinned = true
      return toKnown(pin, choice)
    }
    const version = memory.get(id)
    if (version !== undefined) return find(version)
    return memory
      .find(id, () => load(id, ...asked))
      .then(find, (error: unknown) => {
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
    // it has no request, and whoever asks for it gets the error
    await pins.set(keyOf(id), detachString(version), {}, { log: undefined })
    memory.set(id, version)
  }
  return Object.assign(chosen, { names: [onFirstUse, otherwise].filter(isNonEmptyString), upgrade })
}

type Asked = Parameters<DefaultVersion>

function keyOf(client: string): string {
  return `pin:${client}`
}

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

/** The store failed: it threw, did not answer in time or returned something else than a version. */
class StoreError extends Error {
  override readonly name = 'StoreError'
}

function toStoreError(cause: unknown): StoreError {
  return new StoreError('The store of pins fails', { cause })
}

/** The pins that a process remembers. */
interface PinMemory {
  /** Returns the version of a client, or `undefined` if the store has to be asked. */
  readonly get: (client: string) => string | undefined
  readonly set: (client: string, version: string) => void
  /** Asks the store, once for all requests of a client at the same time. If the store fails, the version that was known last counts. */
  readonly find: (client: string, load: () => Promise<string>) => Promise<string>
}

/** Longer ids are looked up with each request, so that the memory has a limit. */
const LONGEST_ID = 256

/** Milliseconds for which a pin that the store could not confirm is used again before the store is asked again. */
const RETRY = 1000

/** Creates the memory of at most `max` pins, which are the latest that were asked for, each for `ttl` milliseconds. */
function createPinMemory(max: number, ttl: number): PinMemory {
  const pins = new Map<string, { readonly version: string; readonly until: number }>()
  const underWay = new Map<string, Promise<string>>()

  function keep(client: string, version: string, time: number): void {
    if (client.length > LONGEST_ID) return
    pins.delete(client)
    const [oldest] = pins.keys()
    if (pins.size >= max && oldest !== undefined) pins.delete(oldest)
    pins.set(detachString(client), { version: detachString(version), until: Date.now() + time })
  }

  async function look(client: string, load: () => Promise<string>): Promise<string> {
    let time = ttl
    const version = await load().catch((error: unknown) => {
      const known = pins.get(client)
      if (known === undefined || !(error instanceof StoreError)) throw error
      time = Math.min(ttl, RETRY)
      return known.version
    })
    // an upgrade meanwhile has the last word
    if (!underWay.has(client)) return pins.get(client)?.version ?? version
    keep(client, version, time)
    return version
  }

  return {
    get: (client) => {
      const pin = pins.get(client)
      if (pin === undefined || pin.until <= Date.now()) return undefined
      // behind all others, because it was asked for last
      pins.delete(client)
      pins.set(client, pin)
      return pin.version
    },
    set: (client, version) => {
      underWay.delete(client)
      keep(client, version, ttl)
    },
    find: (client, load) => {
      const before = underWay.get(client)
      if (before !== undefined) return before
      const looking = look(client, load).finally(() => {
        if (underWay.get(client) === looking) underWay.delete(client)
      })
      underWay.set(client, looking)
      return looking
    },
  }
}
