import { addedError } from '../../http/errors.ts'
import {
  andThen,
  requireSync,
  isPromise,
  isBoolean,
  isFunction,
  isMilliseconds,
  isPositive,
  isObject,
  isString,
  toRecord,
  LONGEST_TIMER,
} from '../../base/values.ts'
import {
  checkOptions,
  invalidOption,
  recordLocation,
  type Rules,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { withFits, type Interceptor } from '../../define/interceptor.ts'
import { isReply } from '../../define/reply.ts'
import { FINISHED } from '../../http/http.ts'
import { isOutcomeUnknown, isUnknownStatus } from '../../http/outcome.ts'
import { documenting } from '../../define/layers.ts'
import { createUuid } from '../../base/platform.ts'
import {
  describeIdempotency,
  inUse,
  reused,
  unavailable,
  unknownOutcome,
  type IdempotencyMethod,
} from './documented.ts'
import { guardStore, type GuardedStore } from './guarded-store.ts'
import { createMemoryStore, type Full, type MemoryStore } from './memory-store.ts'
import { toAddressKey } from '../../server/stores/client-key.ts'
import { isRedis } from '../../server/stores/redis.ts'
import { createRedisStore } from './redis-store.ts'
import {
  hash,
  ownerNamed,
  ownerOf,
  readKey,
  toFingerprint,
  toStoreKey,
  type HandlerInput,
  headOf,
  LOST,
  replay,
  statusSetIn,
  writeError,
  writeResult,
} from './request-key.ts'
import { fitIdempotency, rememberInterceptor } from './routes.ts'
import type { IdempotencyEntry, IdempotencyStore } from './store.ts'
import type { VersionSpec } from '../../versioning/version.ts'

/** The options of `idempotency`. */
export interface IdempotencyOptions {
  /** Whether requests without a key are refused with 400. @default false */
  readonly required?: boolean
  /** The methods whose requests can have a key. @default ['POST', 'PATCH'] */
  readonly methods?: readonly IdempotencyMethod[]
  /** Seconds for which a result is kept, and its key cannot be used for anything else. @default 86400 */
  readonly lifetime?: number
  /**
   * Seconds after which a run without a result counts as lost if its process has not renewed the lease, because it may have ended. It is
   * renewed while the handler runs. At most `lifetime`. @default 60
   */
  readonly lease?: number
  /**
   * The fate of a request whose first run was lost, or whose result has another `shape`: 409 until the lifetime ends, or the handler runs
   * again. Choose `'run'` only if a second run does no harm. @default 'refuse'
   */
  readonly afterLease?: 'refuse' | 'run'
  /**
   * Returns the id of the client. A key belongs to one client, so no other can read its result. @default the identity, or its `id` or `sub`
   */
  readonly client?: (context: ExecutionContext) => string | undefined
  /**
   * Names the shapes of the input and results of your handlers, such as the newest version of your history. Processes of two releases that
   * share a store neither compare nor replay those of the other one if their names differ. @default one shape
   */
  readonly shape?: string
  /** A client of Redis (`ioredis` or `redis`), or a store of your own. @default the memory of this process */
  readonly store?: IdempotencyStore | object
  /** Milliseconds until a store that does not answer has failed. @default 1000 */
  readonly storeTimeout?: number
  /** The fate of requests while the store fails: refused with 503, or answered without protection, which is logged. @default 'refuse' */
  readonly onStoreError?: 'refuse' | 'allow'
  /** The longest result that is kept, in characters of its text. @default 262144 */
  readonly maxResult?: number
  /** The memory that keys and results may take without a store, in bytes. @default 67108864 */
  readonly maxMemory?: number
}

const WHERE = 'idempotency'

const METHODS: readonly unknown[] = ['POST', 'PATCH', 'PUT', 'DELETE']

const isSeconds = (value: unknown): boolean => isPositive(value) && value <= 366 * 24 * 3600

const SECONDS = 'a number of seconds, at least 1 and at most 31622400'

const OPTIONS: Rules = {
  required: [isBoolean, 'true or false'],
  methods: [
    (value) => Array.isArray(value) && value.every((one) => METHODS.includes(one)),
    "a list of 'POST', 'PATCH', 'PUT', 'DELETE'",
  ],
  lifetime: [isSeconds, SECONDS],
  lease: [isSeconds, SECONDS],
  afterLease: [(value) => value === 'refuse' || value === 'run', "'refuse' or 'run'"],
  shape: [
    (value) => isString(value) && /^[\w.-]{1,100}$/.test(value),
    'a name of letters, digits, ".", "-" and "_", such as "2"',
  ],
  client: [isFunction, 'a function that returns the id of the client'],
  store: [
    (value) => isStore(value) || isRedis(value),
    'a client of Redis, or a store with begin, finish and fail',
  ],
  storeTimeout: [isMilliseconds, 'a number of milliseconds'],
  onStoreError: [(value) => value === 'refuse' || value === 'allow', "'refuse' or 'allow'"],
  maxResult: [isPositive, 'a number of characters, at least 1'],
  maxMemory: [isPositive, 'a number of bytes, at least 1'],
}

/** The settings of a run. */
interface Settings {
  readonly required: boolean
  readonly methods: readonly string[]
  /** Milliseconds, as `lease`. */
  readonly lifetime: number
  readonly lease: number
  readonly takesOver: boolean
  readonly runsUnprotected: boolean
  readonly maxResult: number
  readonly shape: string | undefined
  readonly owner: (context: ExecutionContext) => ReturnType<typeof ownerOf>
  readonly store: GuardedStore
  /** Digests texts that may hold personal data, before a store gets them. */
  readonly digest: (text: string) => string
  /** Names a run. */
  readonly toToken: () => string
}

/**
 * Creates an interceptor that runs the handler once for all requests with one `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
 * Later requests with the key get the result of the first one. Add it to a route, a controller, a module or the application.
 *
 * @example
 * createApp(AppModule, { interceptors: [idempotency({ store: redis })] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function idempotency(options: IdempotencyOptions = {}): Interceptor {
  checkOptions(WHERE, options, OPTIONS, leaseProblems(options), 'idempotency({ required: true })')
  const { required = false, methods = ['POST', 'PATCH'], lifetime = 86_400, lease = 60 } = options
  const { afterLease = 'refuse', onStoreError = 'refuse', storeTimeout = 1000 } = options
  const { client, shape, store, maxResult = 262_144, maxMemory = 67_108_864 } = options
  let count = 0
  const settings: Settings = {
    required,
    methods,
    lifetime: lifetime * 1000,
    lease: lease * 1000,
    takesOver: afterLease === 'run',
    runsUnprotected: onStoreError === 'allow',
    maxResult,
    shape,
    owner:
      client === undefined
        ? ownerOf
        : (context) => ownerNamed(requireSync('idempotency.client', client(context))),
    store: guardStore(toStore(store, maxMemory), storeTimeout),
    digest: store === undefined ? (text) => (text.length > SHORT ? hash(text) : text) : hash,
    // a count is enough in the memory of one process
    toToken: store === undefined ? () => String(++count) : createUuid,
  }
  const described = describeIdempotency(methods, required, onStoreError === 'refuse')
  const create = (version?: VersionSpec): Interceptor => {
    const interceptor: Interceptor = {
      kind: 'interceptor',
      name: 'Idempotency',
      inject: {},
      intercept: (context, next, _inject, input) =>
        settings.methods.includes(context.request.method)
          ? answer(settings, context, next, { input, version })
          : next(),
    }
    rememberInterceptor(interceptor, { methods, forVersion: create })
    return withFits(documenting(interceptor, described), fitIdempotency)
  }
  return recordLocation(create(), idempotency)
}

/** A run whose key is forgotten while it holds it would not keep a second one out. */
function leaseProblems(options: unknown): readonly DefinitionProblem[] {
  const { lifetime = 86_400, lease = 60 } = toRecord(options)
  if (!(Number(lease) > Number(lifetime))) return []
  const message = `lease is ${String(lease)} and longer than lifetime, which is ${String(lifetime)}`
  return [invalidOption(WHERE, message, 'give a lease that is at most lifetime')]
}

/** Texts that are no longer than this stay as they are in memory. */
const SHORT = 256

function isStore(value: unknown): value is IdempotencyStore {
  const { begin, finish, fail } = Object(value)
  return [begin, finish, fail].every(isFunction)
}

function toStore(store: object | undefined, maxMemory: number): IdempotencyStore | MemoryStore {
  if (store === undefined) return createMemoryStore(maxMemory)
  return isStore(store) ? store : createRedisStore(store)
}

type Next = Parameters<Interceptor['intercept']>[1]

/** Answers a request: runs the handler, replays its result, or refuses. Without promises where none is needed. */
function answer(
  settings: Settings,
  context: ExecutionContext,
  next: Next,
  { input, version }: { readonly input: HandlerInput; readonly version: VersionSpec | undefined },
): unknown {
  const { required, owner, store, lease, lifetime, takesOver, shape, digest, toToken } = settings
  const given = readKey(context, required)
  if (given === undefined) return next()
  const its = owner(context)
  const key = digest(toStoreKey(given, its))
  // a client that nobody knows is an address, because it can give itself any name
  const client = its.isKnown ? its.scope : toAddressKey(context.request.ip)
  return andThen(toFingerprint(context, input, version), (asked) => {
    const claim: Claim = { key, token: toToken(), fingerprint: withShape(shape, digest(asked)) }
    const { token, fingerprint } = claim
    const entry = store.begin(key, { token, fingerprint, lease, lifetime, takesOver }, context, client)
    return andThen(entry, (known) => proceed(settings, claim, known, context, next))
  })
}

/** The hold of a run on its key. */
interface Claim {
  readonly key: string
  readonly token: string
  readonly fingerprint: string
}

/** Does what the store knows of a key asks for. */
function proceed(
  settings: Settings,
  claim: Claim,
  entry: IdempotencyEntry | Full | undefined,
  context: ExecutionContext,
  next: Next,
): unknown {
  if (entry === undefined || entry.state === 'full') {
    if (!settings.runsUnprotected) throw unavailable(entry && Math.ceil(entry.left / 1000))
    context.log.warn({ route: context.route?.name }, 'A handler runs without its idempotency key being kept')
    return next()
  }
  if (entry.state === 'started') return run(settings, claim, context, next)
  const { lease, takesOver, shape } = settings
  const { fingerprint } = claim
  if (entry.fingerprint.startsWith(withShape(shape, ''))) return repeat(entry, fingerprint, lease, context)
  // input and results of another release cannot be compared with those of this one
  if (takesOver && (entry.state === 'finished' || entry.left <= 0)) return next()
  const unknown = entry.state === 'finished' ? { ...entry, result: LOST } : entry
  return repeat({ ...unknown, fingerprint }, fingerprint, lease, context)
}

/** Puts the shape before a fingerprint, which has none without it. */
function withShape(shape: string | undefined, fingerprint: string): string {
  return shape === undefined ? fingerprint : `${shape}:${fingerprint}`
}

/** Answers a request whose key is known. */
function repeat(
  entry: Exclude<IdempotencyEntry, { state: 'started' }>,
  fingerprint: string,
  lease: number,
  context: ExecutionContext,
): unknown {
  if (entry.fingerprint !== fingerprint) throw reused()
  if (entry.state === 'running') throw entry.left > 0 ? inUse() : unknownOutcome(Math.ceil(lease / 1000))
  const replayed = replay(entry.result, context)
  if (replayed !== undefined) return replayed.result
  throw addedError(
    'idempotent_response_lost',
    'The request was done, and its response was not kept, because it was too long, a stream or a file, or it was kept by another release',
  )
}

/** Runs the handler, and keeps its result before it is sent. */
function run(
  { store, lease, lifetime, maxResult, takesOver }: Settings,
  { key, token, fingerprint }: Claim,
  context: ExecutionContext,
  next: Next,
): unknown {
  const keep = (text: string | undefined): unknown => {
    if (text === undefined) return store.fail(key, token, context)
    const result = { text: text.length > maxResult ? LOST : text, lifetime, fingerprint }
    return store.finish(key, token, result, context)
  }
  const before = headOf(context)
  // it may have been done: the next request with the key is told so, unless a second run does no harm
  const unknown = (): string | undefined =>
    takesOver ? undefined : writeError(unknownOutcome(Math.ceil(lease / 1000)))
  const keepResult = (result: unknown): unknown => {
    const hasStatus = isReply(result) || (isObject(result) && FINISHED in result)
    const status: unknown = hasStatus ? Reflect.get(result, 'status') : undefined
    const isUnknown = isUnknownStatus(status ?? statusSetIn(context))
    return andThen(keep(isUnknown ? unknown() : writeResult(result, before, context)), () => result)
  }
  const keepError = (error: unknown): unknown =>
    andThen(keep(isOutcomeUnknown(error) ? unknown() : writeError(error)), () => {
      throw error
    })
  let result: unknown
  try {
    result = next()
  } catch (error) {
    return keepError(error)
  }
  if (!isPromise(result)) return keepResult(result)
  const { renew } = store
  if (renew === undefined) return result.then(keepResult, keepError)
  const stop = keepLease(lease, () => renew(key, token, lease, context))
  return result.then(
    (value) => {
      stop()
      return keepResult(value)
    },
    (error: unknown) => {
      stop()
      return keepError(error)
    },
  )
}

/** Tries of renewing a lease before it ends: a store that fails for a moment loses none. */
const TRIES = 3

/** Renews a lease of so many milliseconds while a handler runs. Call the returned function when it has ended. */
function keepLease(lease: number, renew: () => unknown): () => void {
  const timer = setInterval(
    () => {
      andThen(renew(), (isHeld) => {
        if (isHeld === false) clearInterval(timer)
      })
    },
    Math.min(lease / TRIES, LONGEST_TIMER),
  )
  // a request that is answered keeps the process alive by itself; not all platforms have the method
  timer.unref?.()
  return () => clearInterval(timer)
}
