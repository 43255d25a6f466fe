import { isPromise } from '../async.ts'
import { checkOptions, invalidOption } from '../check-options.ts'
import type { Rules } from '../check-options.ts'
import type { DefinitionProblem } from '../definition-error.ts'
import { httpError } from '../errors.ts'
import type { Awaitable, HttpRequest } from '../http.ts'
import { isFunction, isPositive, isText } from '../values.ts'
import { cutVersion } from '../versioning/cut-version.ts'
import type { DefaultVersion, DefaultVersionContext, VersionChoice } from '../versioning/options.ts'
import { createCache } from './cache.ts'
import { createPinStore, StoreError } from './pin-store.ts'

/** The options of `pinned`. */
export interface PinOptions {
  /** Returns the id of the client that sends a request, or `undefined` for requests without one. */
  readonly client: (request: HttpRequest) => Awaitable<string | undefined>
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

/** A longer timer would fire at once. */
const LONGEST_TIMER = 2_147_483_647

/** Longer ids are looked up with each request, so that the memory of the cache has a limit. */
const LONGEST_ID = 256

/** Milliseconds for which a pin that the store could not confirm is used again before the store is asked again. */
const RETRY = 1000

const VERSION = "a version, 'latest', 'latestStable', 'oldest'"

const OPTIONS: Rules = {
  client: [isFunction, 'a function that returns the id of the client of a request'],
  get: [isFunction, 'a function that returns the version of a client'],
  set: [isFunction, 'a function that stores the version of a client'],
  onFirstUse: [(value) => isText(value) || isFunction(value), `${VERSION} or a function`],
  otherwise: [
    (value) => value === null || isText(value) || isFunction(value),
    `${VERSION}, a function of the request, or null`,
  ],
  onStoreError: [(value) => value === 'refuse' || value === 'otherwise', "'refuse' or 'otherwise'"],
  storeTimeout: [isMilliseconds, 'a number of milliseconds'],
  ttl: [isMilliseconds, 'a number of milliseconds'],
  maxClients: [isPositive, 'a number of clients, at least 1'],
}

function isMilliseconds(value: unknown): boolean {
  return isPositive(value) && value <= LONGEST_TIMER
}

/** The version of a client. */
interface Pin {
  readonly version: string
  /** When the store is asked again, in milliseconds since 1970. */
  readonly until: number
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
  checkOptions(WHERE, options, OPTIONS, missingProblems(options))
  const { client, otherwise = null, onFirstUse = 'latestStable' } = options
  const { onStoreError = 'refuse', ttl = 60_000, maxClients = 10_000 } = options
  const store = createPinStore(options)
  const cache = createCache<Pin>(maxClients)
  /** The look-ups under way: all requests of a client wait for one. */
  const underWay = new Map<string, Promise<Pin>>()
  /** A request whose path is looked up twice, as for `Allow`, asks the store once also if the store fails. */
  const asked = new WeakMap<HttpRequest, Promise<Pin>>()

  const remember = (id: string, pin: Pin): Pin => {
    if (id.length <= LONGEST_ID) cache.set(id, pin)
    return pin
  }

  const choose = (
    id: string | undefined,
    request: HttpRequest,
    choice: VersionChoice,
    context: DefaultVersionContext,
  ): Awaitable<string | null> => {
    if (!isText(id)) return fallBack(request, choice, context)
    const pin = cache.get(id)
    if (pin !== undefined && pin.until > Date.now()) return versionOf(pin, choice)
    return lookUp(id, request, choice, context).then(
      (found) => versionOf(found, choice),
      (error) => {
        if (!(error instanceof StoreError)) throw error
        if (onStoreError === 'otherwise') return fallBack(request, choice, context)
        throw httpError('pin_unavailable', 'The version of this client cannot be found at the moment', {
          cause: error.cause,
        })
      },
    )
  }

  const fallBack: DefaultVersion = (request, choice, context) =>
    typeof otherwise === 'string'
      ? (choice.find(otherwise) ?? otherwise)
      : (otherwise?.(request, choice, context) ?? null)

  const lookUp = (
    id: string,
    request: HttpRequest,
    choice: VersionChoice,
    context: DefaultVersionContext,
  ): Promise<Pin> => {
    const before = asked.get(request)
    if (before !== undefined) return before
    const shared = underWay.get(id) ?? start(id, request, choice, context)
    asked.set(request, shared)
    return shared
  }

  const start = (
    id: string,
    request: HttpRequest,
    choice: VersionChoice,
    context: DefaultVersionContext,
  ): Promise<Pin> => {
    const isCurrent = (): boolean => underWay.get(id) === looking
    const looking = find(id, request, choice, context)
      // an upgrade meanwhile has the last word
      .then((pin) => (isCurrent() ? remember(id, pin) : (cache.get(id) ?? pin)))
      .finally(() => {
        if (isCurrent()) underWay.delete(id)
      })
    underWay.set(id, looking)
    return looking
  }

  const find = async (
    id: string,
    request: HttpRequest,
    choice: VersionChoice,
    context: DefaultVersionContext,
  ): Promise<Pin> => {
    try {
      const stored = await store.get(id, context)
      const version = stored ?? (await store.add(id, await toFirst(id, request, choice), choice, context))
      return { version, until: Date.now() + ttl }
    } catch (error) {
      const remembered = cache.get(id)
      if (remembered === undefined || !(error instanceof StoreError)) throw error
      return { ...remembered, until: Date.now() + Math.min(ttl, RETRY) }
    }
  }

  const toFirst = async (id: string, request: HttpRequest, choice: VersionChoice): Promise<string> => {
    const name: unknown = typeof onFirstUse === 'string' ? onFirstUse : await onFirstUse(id, request)
    const version = isText(name) ? choice.find(name) : undefined
    if (version !== undefined) return version
    const given = isText(name) ? JSON.stringify(cutVersion(name)) : typeof name
    throw new Error(`onFirstUse of pinned gave ${given}, not a known version`)
  }

  const upgrade: Pins['upgrade'] = async (id, version) => {
    await store.upgrade(id, version)
    underWay.delete(id)
    remember(id, { version, until: Date.now() + ttl })
  }

  const chosen: DefaultVersion = (request, choice, context) => {
    const id = client(request)
    return isPromise(id)
      ? id.then((settled) => choose(settled, request, choice, context))
      : choose(id, request, choice, context)
  }
  return Object.assign(chosen, { names: [onFirstUse, otherwise].filter(isText), upgrade })
}

/** @throws `HttpError` 410 if the application does not know the version of the pin any more. */
function versionOf({ version }: Pin, choice: VersionChoice): string {
  const known = choice.find(version)
  if (known !== undefined) return known
  throw httpError('retired_version', 'The version of this client is not served any more', {
    requested: cutVersion(version),
    supported: choice.supported(),
  })
}

function missingProblems(options: unknown): readonly DefinitionProblem[] {
  const given = Object(options)
  return ['client', 'get', 'set']
    .filter((name) => given[name] === undefined)
    .map((name) => invalidOption(WHERE, `${name} is missing`, 'write pinned({ client, get, set })'))
}
