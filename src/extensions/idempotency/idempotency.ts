import { addedError } from '../../http/errors.ts'
import {
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
import type { ExecutionContext, Logger } from '../../define/context.ts'
import { withFits, type Interceptor } from '../../define/interceptor.ts'
import { STORE, type AppStores, type Store } from '../../define/store.ts'
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
import { openKeys, type Claim, type HeldKey, type Keys, type KnownKey } from './keys.ts'
import { toAddressKey } from '../../server/stores/client-key.ts'
import { createWorkerWarning } from '../../server/stores/guard.ts'
import { openMemory } from '../../server/stores/memory.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
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
  /** Where keys and results are kept. @default the store of `createApp`, or the memory of this process */
  readonly store?: Store
  /** Milliseconds until a store that does not answer has failed. @default 1000 */
  readonly storeTimeout?: number
  /** The fate of requests while the store fails: refused with 503, or answered without protection, which is logged. @default 'refuse' */
  readonly onStoreError?: 'refuse' | 'allow'
  /** The longest result that is kept, in characters of its text. @default 262144 */
  readonly maxResult?: number
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
  store: STORE,
  storeTimeout: [isMilliseconds, 'a number of milliseconds'],
  onStoreError: [(value) => value === 'refuse' || value === 'allow', "'refuse' or 'allow'"],
  maxResult: [isPositive, 'a number of characters, at least 1'],
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
  readonly store: Store | undefined
  readonly storeTimeout: number
}

const WORKER =
  'Each worker keeps its own idempotency keys in memory, so a handler can run twice: give createApp a store'

/** The keys of the routes that have an interceptor, in an application. */
interface OpenKeys extends Keys {
  readonly warnInWorker: (log: Logger) => void
  readonly warnFull: (log: Logger) => void
}

/**
 * Creates an interceptor that runs the handler once for all requests with one `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
 * Later requests with the key get the result of the first one. Add it to a route, a controller, a module or the application.
 *
 * @example
 * createApp(AppModule, { store, interceptors: [idempotency()] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function idempotency(options: IdempotencyOptions = {}): Interceptor {
  checkOptions(WHERE, options, OPTIONS, leaseProblems(options), 'idempotency({ required: true })')
  const { required = false, methods = ['POST', 'PATCH'], lifetime = 86_400, lease = 60 } = options
  const { afterLease = 'refuse', onStoreError = 'refuse', storeTimeout = 1000 } = options
  const { client, shape, store, maxResult = 262_144 } = options
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
    store,
    storeTimeout,
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

/** Milliseconds between two warnings that a client has no room. */
const QUIET = 60_000

/** Opens the keys in an application, once for all versions of a route. */
function openIn(settings: Settings, stores: AppStores): OpenKeys {
  return stores.of(settings, (shared) => {
    const store = settings.store ?? shared
    let quietUntil = 0
    return {
      ...openKeys(store ?? openMemory({}), settings),
      warnInWorker: store === undefined ? createWorkerWarning(WORKER) : () => undefined,
      warnFull: (log) => {
        const now = Date.now()
        if (now < quietUntil) return
        quietUntil = now + QUIET
        log.warn({}, 'A client has no room for more idempotency keys')
      },
    }
  })
}

type Next = Parameters<Interceptor['intercept']>[1]

/** Answers a request: runs the handler, replays its result, or refuses. One without a key needs no promise. */
function answer(
  settings: Settings,
  context: ExecutionContext,
  next: Next,
  of: { readonly input: HandlerInput; readonly version: VersionSpec | undefined },
): unknown {
  const given = readKey(context, settings.required)
  return given === undefined ? next() : answerWithKey(settings, given, context, next, of)
}

async function answerWithKey(
  settings: Settings,
  given: string,
  context: ExecutionContext,
  next: Next,
  { input, version }: { readonly input: HandlerInput; readonly version: VersionSpec | undefined },
): Promise<unknown> {
  const its = settings.owner(context)
  // a digest, because keys, ids and input may be personal data
  const key = hash(toStoreKey(given, its))
  // interceptors get no other context
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const keys = openIn(settings, (context as RequestContext).stores)
  keys.warnInWorker(context.log)
  const claim: Claim = {
    key,
    token: createUuid(),
    fingerprint: withShape(settings.shape, hash(await toFingerprint(context, input, version))),
    // a client that nobody knows is an address, because it can give itself any name
    owner: its.isKnown ? its.scope : toAddressKey(context.request.ip),
  }
  let entry: HeldKey | KnownKey | undefined
  let isFull = false
  try {
    entry = await keys.begin(claim, context)
    isFull = entry === undefined
  } catch {
    // the guard of the store has logged it
  }
  if (isFull) keys.warnFull(context.log)
  if (entry !== undefined)
    return 'renew' in entry
      ? run(settings, entry, context, next)
      : repeat(settings, entry, claim.fingerprint, context, next)
  if (!settings.runsUnprotected) throw unavailable(isFull ? FULL_SECONDS : undefined)
  context.log.warn({ route: context.route?.name }, 'A handler runs without its idempotency key being kept')
  return next()
}

/** Seconds after which a client without room may try again. Its keys end much later, or much sooner. */
const FULL_SECONDS = 60

/** Puts the shape before a fingerprint, which has none without it. */
function withShape(shape: string | undefined, fingerprint: string): string {
  return shape === undefined ? fingerprint : `${shape}:${fingerprint}`
}

/** Answers a request whose key is known. */
function repeat(
  { lease, takesOver, shape }: Settings,
  { fingerprint, left, result }: KnownKey,
  asked: string,
  context: ExecutionContext,
  next: Next,
): unknown {
  // input and results of another release cannot be compared with those of this one
  const isOther = !fingerprint.startsWith(withShape(shape, ''))
  if (isOther && takesOver && left <= 0) return next()
  if (!isOther && fingerprint !== asked) throw reused()
  if (result === undefined) throw left > 0 ? inUse() : unknownOutcome(Math.ceil(lease / 1000))
  const replayed = isOther ? undefined : replay(result, context)
  if (replayed !== undefined) return replayed.result
  throw addedError(
    'idempotent_response_lost',
    'The request was done, and its response was not kept, because it was too long, a stream or a file, or it was kept by another release',
  )
}

/** Runs the handler, and keeps its result before it is sent. */
async function run(
  { lease, maxResult, takesOver }: Settings,
  held: HeldKey,
  context: ExecutionContext,
  next: Next,
): Promise<unknown> {
  let stop: (() => Promise<unknown>) | undefined
  const keep = async (text: string | undefined): Promise<void> => {
    await stop?.()
    const kept = text === undefined ? held.release() : held.finish(text.length > maxResult ? LOST : text)
    // the client gets its response also if the store fails, which its guard has logged
    await kept.catch(() => undefined)
  }
  const before = headOf(context)
  // it may have been done: the next request with the key is told so, unless a second run does no harm
  const unknown = (): string | undefined =>
    takesOver ? undefined : writeError(unknownOutcome(Math.ceil(lease / 1000)))
  let result: unknown
  try {
    result = next()
    if (isPromise(result)) {
      stop = keepLease(lease, held.renew)
      result = await result
    }
  } catch (error) {
    await keep(isOutcomeUnknown(error) ? unknown() : writeError(error))
    throw error
  }
  const isUnknown = isUnknownStatus(statusOf(result) ?? statusSetIn(context))
  await keep(isUnknown ? unknown() : writeResult(result, before, context))
  return result
}

function statusOf(result: unknown): unknown {
  const hasStatus = isReply(result) || (isObject(result) && FINISHED in result)
  return hasStatus ? Reflect.get(result, 'status') : undefined
}

/** Tries of renewing a lease before it ends: a store that fails for a moment loses none. */
const TRIES = 3

/** Renews a lease of so many milliseconds while a handler runs, one renewal at a time. Call the returned function when it has ended. */
function keepLease(lease: number, renew: () => Promise<boolean>): () => Promise<unknown> {
  let renewal: Promise<unknown> | undefined
  const timer = setInterval(
    () => {
      renewal ??= renew()
        .then(
          (isHeld) => {
            if (!isHeld) clearInterval(timer)
            return undefined
          },
          // the next one may work
          () => undefined,
        )
        .finally(() => {
          renewal = undefined
        })
    },
    Math.min(lease / TRIES, LONGEST_TIMER),
  )
  // a request that is answered keeps the process alive by itself; not all platforms have the method
  timer.unref?.()
  return async () => {
    clearInterval(timer)
    await renewal
  }
}
