import {
  checkOptions,
  DefinitionError,
  invalidOption,
  missingOptions,
  recordLocation,
  type Rules,
} from '../../../base/definition-error.ts'
import type { ExecutionContext } from '../../../define/context.ts'
import { documenting, RETRY_AFTER, type Middleware, type Guard } from '../../../define/layers.ts'
import { ownProblem, type AnyProblem } from '../../../define/problem.ts'
import { addedError, type HttpError } from '../../../http/errors.ts'
import {
  isCount,
  isFunction,
  isMilliseconds,
  isPositive,
  LONGEST_TIMER,
  type Awaitable,
} from '../../../base/values.ts'
import type { FinishedResponse } from '../../../http/http.ts'
import { isProduction } from '../../../base/platform.ts'
import { toAddressKey, toShortKey } from '../../../server/stores/client-key.ts'
import { STORE, type AppStores, type Store, type StoreCount } from '../../../define/store.ts'
import { createWorkerWarning } from '../../../server/stores/guard.ts'
import { guardStore, type GuardedStore } from '../../../server/stores/guarded-store.ts'
import { openMemory } from '../../../server/stores/memory.ts'
import type { RequestContext } from '../../../server/pipeline/context.ts'

/** The options of `rateLimit`. The type parameter is the type of `context.identity`, as guards before it leave it. */
export interface RateLimitOptions<I = never> {
  /**
   * The points that a client may spend in a window, or a function that returns them, for example by the plan of the client. With `Infinity`
   * a client is not limited. A request costs 1 unless `cost` returns another number.
   */
  readonly limit: number | ((context: ExecutionContext<I>) => Awaitable<number>)
  /** How long a window is, in seconds. It begins with the first request of a client. */
  readonly window: number
  /** The name of the limit in headers. Limits with equal names share their counts in one Redis. @default 'default' */
  readonly name?: string
  /**
   * Returns whose requests are counted together, or `undefined` for the default. Among guards it knows the identity that those before it
   * found. @default the address, of IPv6 the /64 network; see the option `trustProxy`
   */
  readonly by?: (context: ExecutionContext<I>) => Awaitable<string | number | bigint | undefined>
  /** The cost of a request. @default 1 */
  readonly cost?: number | ((context: ExecutionContext<I>) => Awaitable<number>)
  /** Selects the requests that are not counted. @default none */
  readonly skip?: (context: ExecutionContext<I>) => Awaitable<boolean>
  /** Where requests are counted, by its method `increment`. @default the option `store` of `createApp` */
  readonly store?: Store
  /** Milliseconds until a store that does not answer has failed. @default 1000 */
  readonly storeTimeout?: number
  /** The fate of requests while the store fails: answered all the same, or refused with 503. @default 'allow' */
  readonly onStoreError?: 'allow' | 'refuse'
  /** How many clients are remembered without a store. Those whose windows end first are forgotten first. @default 100000 */
  readonly maxKeys?: number
}

/** A limit, to be listed as middleware or as a guard. */
export interface RateLimit extends Middleware, Guard {
  /** Distinguishes guards from other definitions. */
  readonly kind: 'guard'
  /** The name in messages. */
  readonly name: string
}

const WHERE = 'rateLimit'

/** Integers of structured fields have at most 15 digits (RFC 9651 section 3.3.1). */
const MAX_QUOTA = 999_999_999_999_999

const isQuota = (value: unknown): value is number => isCount(value) && value <= MAX_QUOTA

const OPTIONS: Rules = {
  limit: [
    (value) => (isQuota(value) && value > 0) || isFunction(value),
    `a number of requests, at least 1 and at most ${MAX_QUOTA}, or a function`,
  ],
  window: [
    (value) => isPositive(value) && value * 1000 <= LONGEST_TIMER,
    'a whole number of seconds, at least 1 and at most 2147483',
  ],
  name: [
    (value) => typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value),
    'a word of letters, digits and _.:-',
  ],
  by: [isFunction, 'a function'],
  cost: [(value) => isCount(value) || isFunction(value), 'a number that is not negative, or a function'],
  skip: [isFunction, 'a function'],
  store: [(value) => STORE[0](value) && canCount(Object(value)), `${STORE[1]}, with a function increment`],
  storeTimeout: [isMilliseconds, 'a number of milliseconds'],
  onStoreError: [(value) => value === 'allow' || value === 'refuse', "'allow' or 'refuse'"],
  maxKeys: [isPositive, 'a number of clients, at least 1'],
}

/**
 * Creates a limit, which returns 429 `rate_limited` with `Retry-After` to clients that exceed it. List it as middleware, to count requests
 * before anything else is done with them, or as a guard, to count them by the identity that guards before it found. Responses have `RateLimit`
 * and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11). Each call creates a separate limit. The same limit in several places has
 * one count.
 *
 * @example
 * createApp(AppModule, { middleware: [rateLimit({ limit: 100, window: 60 })] }) // requests a minute, for each address
 *
 * @example
 * const quota = rateLimit<User>({ by: ({ identity }) => identity.id, limit: ({ identity }) => identity.plan.requests, window: 86_400 })
 * createApp(AppModule, { guards: [SignedIn, quota] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function rateLimit<I = never>(options: RateLimitOptions<I>): RateLimit {
  const missing = missingOptions(
    WHERE,
    options,
    ['limit', 'window'],
    'write rateLimit({ limit: 100, window: 60 })',
  )
  checkOptions(WHERE, options, OPTIONS, missing)
  // each call is a limit of its own, even with equal options
  const own = { ...options }
  const ask = createAsk(own)
  const limited: Middleware = async (context, next) => {
    const answer = await ask(context)
    if (answer === undefined) return next()
    if (answer.refusal !== undefined) throw limitReached(answer.refusal, answer.headers)
    const response = await next()
    // before what limits further inside have told
    for (const [name, value] of Object.entries(answer.headers))
      response.headers[name] = [value, response.headers[name] ?? []].flat().join(', ')
    return response
  }
  const canActivate = async (context: ExecutionContext): Promise<true> => {
    const answer = await ask(context)
    if (answer === undefined) return true
    addHeadersLater(context, answer.headers)
    if (answer.refusal === undefined) return true
    throw limitReached(answer.refusal)
  }
  const { name = 'default', onStoreError } = own
  // the name of a function is read-only, but can be defined
  Object.defineProperty(limited, 'name', { value: `rateLimit(${name})` })
  const limit = Object.assign(limited, { kind: 'guard', inject: {}, canActivate } as const)
  const problems = toProblems(onStoreError === 'refuse')
  const load = async (stores: AppStores): Promise<unknown> => openCounts(own, stores)
  return recordLocation(documenting(limit, { problems, responseHeaders: HEADERS, load }), rateLimit)
}

/** The headers of a limit, and who is refused by it. */
interface LimitedAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly refusal: Refusal | undefined
}

interface Refusal {
  /** The name of the limit that is exceeded. */
  readonly name: string
  readonly seconds: number
}

/** Creates the function that counts a request, `undefined` for one that is not counted. */
function createAsk<I>(
  options: RateLimitOptions<I>,
): (context: ExecutionContext) => Promise<LimitedAnswer | undefined> {
  const { limit, window, name = 'default', by, cost = 1, skip, onStoreError = 'allow' } = options
  const limitOf = typeof limit === 'function' ? limit : () => limit
  const costOf = typeof cost === 'function' ? cost : () => cost
  const addressOf = createAddressOf()
  const counted = new WeakSet<object>()
  return async (given) => {
    // middleware and guards get no other context
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { stores, raw, isTrial } = given as RequestContext
    if (isTrial === true || (raw.within !== undefined && counted.has(raw.within))) return undefined
    counted.add(given)
    // guards before this one leave the identity, as they do for handlers
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const context = given as ExecutionContext<I>
    if (skip !== undefined && (await skip(context))) return undefined
    const quota: unknown = await limitOf(context)
    if (quota === Infinity) return undefined
    if (!isQuota(quota))
      throw new TypeError(
        `rateLimit: limit returned no whole number from 0 to ${MAX_QUOTA}, and not Infinity`,
      )
    const own: unknown = await by?.(context)
    if (!isClient(own)) throw new TypeError('rateLimit: by returned no string or number, and not undefined')
    const price: unknown = await costOf(context)
    if (!isCount(price)) throw new TypeError('rateLimit: cost returned no whole number that is 0 or more')
    const client = own === undefined ? `ip:${addressOf(given)}` : `key:${own}`
    const { counts, warnInWorker } = openCounts(options, stores)
    warnInWorker(given.log)
    const key = `rate:${name}:${toShortKey(client)}`
    let count: StoreCount
    try {
      count = await counts.increment(key, price, window * 1000, given)
    } catch (error) {
      if (onStoreError === 'refuse') throw error
      return undefined
    }
    const reset = Math.ceil(Math.max(0, count.left) / 1000)
    const headers = {
      'ratelimit-policy': `"${name}";q=${quota};w=${window}`,
      ratelimit: `"${name}";r=${Math.max(0, quota - count.total)};t=${reset}`,
    }
    return { headers, refusal: count.total <= quota ? undefined : { name, seconds: Math.max(1, reset) } }
  }
}

/** The counts of a limit in an application. */
interface Counts {
  readonly counts: GuardedStore
  readonly warnInWorker: (log: ExecutionContext['log']) => void
}

/** Opens the counts of a limit in an application, once. @throws `DefinitionError` if the store of the application has no counts. */
function openCounts<I>(options: RateLimitOptions<I>, stores: AppStores): Counts {
  return stores.of(options, (shared) => {
    const { store = shared, name = 'default', storeTimeout = 1000, maxKeys } = options
    if (store !== undefined && !canCount(store)) throw new DefinitionError([NO_COUNTS])
    const memory = openMemory(maxKeys === undefined ? {} : { maxKeys })
    return {
      counts: guardStore(store ?? memory, {
        name: 'rate limits',
        timeout: storeTimeout,
        toError: notCounted,
      }),
      warnInWorker:
        store === undefined
          ? createWorkerWarning(
              `Each worker counts the rate limit "${name}" in its own memory, so clients can exceed it: give createApp a store`,
            )
          : () => undefined,
    }
  })
}

const NO_COUNTS = invalidOption(
  WHERE,
  'the store of the application has no function increment',
  'add one to it, or give rateLimit a store that has one',
)

function canCount({ increment }: Partial<Store>): boolean {
  return isFunction(increment)
}

/** Whether clients can be told apart by the value. Objects are all one text, so they would share one count. */
function isClient(value: unknown): value is string | number | bigint | undefined {
  return (
    value === undefined || typeof value === 'string' || typeof value === 'bigint' || Number.isFinite(value)
  )
}

function limitReached({ name, seconds }: Refusal, headers: Readonly<Record<string, string>> = {}): HttpError {
  return addedError('rate_limited', 'The limit of requests is reached', {
    headers: { ...headers, 'retry-after': String(seconds) },
    // as the draft names it, section 5.1
    'violated-policies': [name],
  })
}

function notCounted(cause?: unknown): HttpError {
  return addedError('rate_limit_unavailable', 'Requests cannot be counted at the moment', { cause })
}

const HEADERS = {
  RateLimit: {
    description:
      'What is left of each limit, and the seconds until it is renewed (draft-ietf-httpapi-ratelimit-headers-11)',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'The quota of each limit and its window in seconds (draft-ietf-httpapi-ratelimit-headers-11)',
    schema: { type: 'string' },
  },
} as const

/** Describes the responses for documents. */
function toProblems(refuses: boolean): readonly AnyProblem[] {
  const reached = limitReached({ name: 'default', seconds: 1 })
  const tooMany = ownProblem('TooManyRequests', reached, 'There were too many requests', {
    ...HEADERS,
    ...RETRY_AFTER,
  })
  const uncounted = ownProblem(
    'RateLimitUnavailable',
    notCounted(),
    'Requests cannot be counted at the moment',
  )
  return refuses ? [tooMany, uncounted] : [tooMany]
}

/** Creates the function that returns what the address of a client is counted under. Without an address, all clients are one. */
function createAddressOf(): (context: ExecutionContext) => string {
  let hasWarned = false
  return ({ request, log }) => {
    if (request.ip !== '') return toAddressKey(request.ip)
    if (!isProduction()) throw new TypeError(NO_ADDRESS)
    if (!hasWarned) log.warn({}, NO_ADDRESS)
    hasWarned = true
    return ''
  }
}

const NO_ADDRESS =
  'rateLimit: request.ip is empty, so all clients share one limit. Set addressHeader or trustProxy, pass remoteAddress to app.fetch, or give by'

/** A request on its way, whose headers are written when everything else is done. */
interface Sealed {
  writeHeaders?: ((response: FinishedResponse) => void) | undefined
}

/** Has the response tell of a limit, whatever becomes of it: a guard does not see it. Limits are told in the order in which they counted. */
function addHeadersLater(
  context: ExecutionContext & Sealed,
  headers: Readonly<Record<string, string>>,
): void {
  const write = context.writeHeaders
  context.writeHeaders = (response) => {
    write?.(response)
    for (const [name, value] of Object.entries(headers))
      response.headers[name] = [response.headers[name] ?? [], value].flat().join(', ')
  }
}
