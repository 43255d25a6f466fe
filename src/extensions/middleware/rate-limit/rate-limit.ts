import {
  checkOptions,
  invalidOption,
  missingOptions,
  placed,
  type Rules,
  type DefinitionProblem,
} from '../../../base/definition-error.ts'
import type { ExecutionContext } from '../../../define/context.ts'
import {
  documenting,
  RETRY_AFTER,
  type AnsweredProblem,
  type Middleware,
  type Guard,
} from '../../../define/layers.ts'
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
import { isRedis } from '../../../server/stores/redis.ts'
import { createSpend, isLimiter, loadLimiters, type RateLimiter } from './store.ts'

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
  /** A client of Redis (`ioredis` or `redis`), or a limiter of rate-limiter-flexible. @default this process counts for itself */
  readonly store?: RateLimiter | object
  /** Milliseconds until a store that does not answer has failed. @default 1000 */
  readonly storeTimeout?: number
  /** The fate of requests while the store fails: answered all the same, or refused with 503. @default 'allow' */
  readonly onStoreError?: 'allow' | 'refuse'
  /** How many clients are remembered without a store; those who came first are forgotten first. @default 100000 */
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
  store: [
    (value) => isLimiter(value) || isRedis(value),
    'a client of Redis, or a limiter of rate-limiter-flexible, such as new RateLimiterRedis(…)',
  ],
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
  checkOptions(WHERE, options, OPTIONS, storeProblems(options))
  const ask = createAsk(options)
  const limited: Middleware = async (context, next) => {
    const answer = await ask(context)
    if (answer === undefined) return next()
    if (answer.refusal === undefined) return addHeaders(await next(), answer.headers)
    throw limitReached(answer.refusal, answer.headers)
  }
  const canActivate = async (context: ExecutionContext): Promise<true> => {
    const answer = await ask(context)
    if (answer === undefined) return true
    addHeadersLater(context, answer.headers)
    if (answer.refusal === undefined) return true
    throw limitReached(answer.refusal)
  }
  const { name = 'default', onStoreError, store } = options
  // the name of a function is read-only, but can be defined
  Object.defineProperty(limited, 'name', { value: `rateLimit(${name})` })
  const limit = Object.assign(limited, { kind: 'guard', inject: {}, canActivate } as const)
  const problems = toProblems(onStoreError === 'refuse')
  const load = isLimiter(store) ? undefined : loadLimiters
  return placed(documenting(limit, { problems, responseHeaders: HEADERS, load }), rateLimit)
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
  const { limit, window, name = 'default', by, cost = 1, skip, store } = options
  const { storeTimeout = 1000, onStoreError = 'allow', maxKeys = 100_000 } = options
  const limitOf = typeof limit === 'function' ? limit : () => limit
  const costOf = typeof cost === 'function' ? cost : () => cost
  const spend = createSpend({ name, window, store, storeTimeout, maxKeys })
  const failed = (cause: unknown): undefined => {
    if (onStoreError === 'refuse') throw notCounted(cause)
  }
  const addressOf = createAddressOf()
  return async (given) => {
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
    const balance = await spend({ key: toShortKey(client), cost: price, limit: quota }, given.log, failed)
    if (balance === undefined) return undefined
    const reset = Math.ceil(balance.reset / 1000)
    const headers = {
      'ratelimit-policy': `"${name}";q=${quota};w=${window}`,
      ratelimit: `"${name}";r=${balance.remaining};t=${reset}`,
    }
    return { headers, refusal: balance.isWithin ? undefined : { name, seconds: Math.max(1, reset) } }
  }
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
function toProblems(refuses: boolean): readonly AnsweredProblem[] {
  const tooMany = {
    name: 'TooManyRequests',
    example: limitReached({ name: 'default', seconds: 1 }),
    description: 'There were too many requests',
    headers: { ...HEADERS, ...RETRY_AFTER },
  }
  const uncounted = {
    name: 'RateLimitUnavailable',
    example: notCounted(),
    description: 'Requests cannot be counted at the moment',
  }
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

/** Adds to what limits further inside have told. */
function addHeaders(response: FinishedResponse, headers: Readonly<Record<string, string>>): FinishedResponse {
  for (const [name, value] of Object.entries(headers)) {
    const inner = [response.headers[name] ?? []].flat()
    response.headers[name] = [value, ...inner].join(', ')
  }
  return response
}

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

/** A limiter has a limit and a window of its own, which clients are told. */
function storeProblems(options: unknown): readonly DefinitionProblem[] {
  const { store, limit, window } = Object(options)
  const fix = 'write rateLimit({ limit: 100, window: 60 })'
  const missing = missingOptions(WHERE, options, ['limit', 'window'], fix)
  if (!isLimiter(store)) return missing
  if (isFunction(limit))
    return [
      invalidOption(
        WHERE,
        'limit is a function, and the store has a limit of its own',
        'give a client of Redis',
      ),
    ]
  const { points, duration } = Object(store)
  const differs = [
    ['limit', limit, 'points', points],
    ['window', window, 'duration', duration],
  ].filter(([, ours, , theirs]) => typeof theirs === 'number' && theirs !== ours)
  return [
    ...missing,
    ...differs.map(([ours, , theirs]) =>
      invalidOption(WHERE, `${ours} is not the ${theirs} of the store`, 'write the same number in both'),
    ),
  ]
}
