import {
  isPromise,
  isFunction,
  isMilliseconds,
  isPositive,
  isNonEmptyString,
  type Awaitable,
} from '../../base/values.ts'
import { checkOptions, missingOptions, type Rules } from '../../base/definition-error.ts'
import { addedError } from '../../http/extension-errors.ts'
import { httpError } from '../../http/errors.ts'
import type { HttpRequest } from '../../http/http.ts'
import { cutVersion } from '../../versioning/version.ts'
import type { DefaultVersion, VersionChoice } from '../../versioning/options.ts'
import { createPinMemory } from './memory.ts'
import { createPinStore, StoreError } from './pin-store.ts'

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

/** The arguments of a `defaultVersion` function. */
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
