import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'

import { checkOptions, invalidOption } from '../../check-options.ts'
import type { Rules } from '../../check-options.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { documenting, RETRY_AFTER } from '../../define/layers.ts'
import type { AnsweredProblem } from '../../define/layers.ts'
import type { Middleware } from '../../define/middleware.ts'
import type { DefinitionProblem } from '../../definition-error.ts'
import { addedError } from '../../added-errors.ts'
import type { HttpError } from '../../errors.ts'
import type { Awaitable, FinishedResponse } from '../../http.ts'
import { isProduction } from '../../platform.ts'
import { isCount, isFunction, isMilliseconds, isPositive, LONGEST_TIMER } from '../../values.ts'
import { createSpend, isLimiter, isRedis, LimiterLoadError } from './store.ts'
import type { Balance, RateLimiter, Spend } from './store.ts'

/** What `rateLimit` takes. */
export interface RateLimitOptions {
  /** The points that a client may spend in a window. A request costs 1 unless `cost` returns another number. */
  readonly limit: number
  /** How long a window is, in seconds. It begins with the first request of a client. */
  readonly window: number
  /** The name of the limit in headers. Limits with equal names share their counts in one Redis. @default 'default' */
  readonly name?: string
  /**
   * Returns the key of a client, or `undefined` for the default. @default the address, of IPv6 the /64 network; see the option `trustProxy`
   */
  readonly key?: (context: ExecutionContext) => Awaitable<string | undefined>
  /** What a request costs. @default 1 */
  readonly cost?: number | ((context: ExecutionContext) => Awaitable<number>)
  /** Selects the requests that are not counted. @default none */
  readonly skip?: (context: ExecutionContext) => Awaitable<boolean>
  /** A client of Redis (`ioredis` or `redis`), or a limiter of rate-limiter-flexible. @default this process counts for itself */
  readonly store?: RateLimiter | object
  /** Milliseconds until a store that does not answer has failed. @default 1000 */
  readonly storeTimeout?: number
  /** What becomes of requests while the store fails: answered all the same, or refused with 503. @default 'allow' */
  readonly onStoreError?: 'allow' | 'refuse'
  /** How many clients are remembered without a store; those who came first are forgotten first. @default 100000 */
  readonly maxKeys?: number
}

const WHERE = 'rateLimit'

const OPTIONS: Rules = {
  limit: [isPositive, 'a number of requests, at least 1'],
  window: [
    (value) => isPositive(value) && value * 1000 <= LONGEST_TIMER,
    'a whole number of seconds, at least 1 and at most 2147483',
  ],
  name: [
    (value) => typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value),
    'a word of letters, digits and _.:-',
  ],
  key: [isFunction, 'a function'],
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
 * Creates middleware that returns 429 `rate_limited` with `Retry-After` to clients that exceed a limit. All responses have `RateLimit` and
 * `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). Each call creates a separate limit. The same middleware in several places
 * has one count.
 *
 * @example
 * createApp(AppModule, { middleware: [rateLimit({ limit: 100, window: 60 })] }) // requests a minute, for each address
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions(WHERE, options, OPTIONS, storeProblems(options))
  const { limit, window, name = 'default', key, cost = 1, skip, store } = options
  const { storeTimeout = 1000, onStoreError = 'allow', maxKeys = 100_000 } = options
  const policy = `"${name}";q=${limit};w=${window}`
  const toHeaders = ({ remaining, reset }: Balance): Record<string, string> => ({
    'ratelimit-policy': policy,
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(reset / 1000)}`,
  })
  const costOf = typeof cost === 'function' ? cost : () => cost
  const count = createCount(
    createSpend({ name, limit, window, store, storeTimeout, maxKeys }),
    onStoreError === 'refuse',
  )
  const addressOf = createAddressOf()
  const limited: Middleware = async (context, next) => {
    if (skip !== undefined && (await skip(context))) return next()
    const own = await key?.(context)
    const price: unknown = await costOf(context)
    if (!isCount(price)) throw new TypeError('rateLimit: cost gave no number that is 0 or more')
    const client = own === undefined ? `ip:${addressOf(context)}` : `key:${own}`
    const balance = await count(context, toShortKey(client), price)
    if (balance === undefined) return next()
    const told = toHeaders(balance)
    if (balance.isWithin) return tell(await next(), told)
    const seconds = Math.max(1, Math.ceil(balance.reset / 1000))
    throw limitReached({ ...told, 'retry-after': String(seconds) })
  }
  return documenting(limited, { problems: toProblems(onStoreError === 'refuse') })
}

function limitReached(headers?: Readonly<Record<string, string>>): HttpError {
  return addedError('rate_limited', 'The limit of requests is reached', { headers })
}

function notCounted(cause?: unknown): HttpError {
  return addedError('rate_limit_unavailable', 'Requests cannot be counted at the moment', { cause })
}

/** What documents tell of the responses. */
function toProblems(refuses: boolean): readonly AnsweredProblem[] {
  const tooMany = {
    name: 'TooManyRequests',
    example: limitReached(),
    description: 'There were too many requests',
    headers: RETRY_AFTER,
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
  'rateLimit: request.ip is empty, so all clients share one limit. Set addressHeader or trustProxy, pass remoteAddress to app.fetch, or give key'

/** Adds to what limits further inside have told. */
function tell(response: FinishedResponse, told: Readonly<Record<string, string>>): FinishedResponse {
  for (const [name, value] of Object.entries(told)) {
    const inner = [response.headers[name] ?? []].flat()
    response.headers[name] = [value, ...inner].join(', ')
  }
  return response
}

type Count = (context: ExecutionContext, key: string, cost: number) => Promise<Balance | undefined>

/** Counts, or `undefined` if the store fails and that is no reason to refuse. The log tells when that begins and when it ends. */
function createCount(spend: Spend, refuses: boolean): Count {
  let isFailing = false
  return async (context, key, cost) => {
    try {
      const balance = await spend(key, cost)
      if (isFailing) context.log.info({}, 'The store of the rate limit works again')
      isFailing = false
      return balance
    } catch (error) {
      if (error instanceof LimiterLoadError) throw error
      if (!isFailing) context.log.error({ err: error }, 'The store of the rate limit fails')
      isFailing = true
      if (!refuses) return undefined
      throw notCounted(error)
    }
  }
}

/** A limiter has a limit and a window of its own, which clients are told. */
function storeProblems(options: unknown): readonly DefinitionProblem[] {
  const { store, limit, window } = Object(options)
  const missing = Object.entries({ limit, window })
    .filter(([, value]) => value === undefined)
    .map(([name]) =>
      invalidOption(WHERE, `${name} is missing`, 'write rateLimit({ limit: 100, window: 60 })'),
    )
  if (!isLimiter(store)) return missing
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

/** Groups of an IPv6 address that name a network: a /64, which one household or machine has for itself (RFC 6177). */
const NETWORK_GROUPS = 4

/**
 * What a client's address is counted under: an IPv4 address as it is, also where it is written as IPv6, and of an IPv6 address the
 * network, for whoever has one address there has 2^64.
 */
function toAddressKey(address: string): string {
  const [ip = ''] = address.split('%', 1)
  if (!isIPv6(ip)) return ip
  const groups = toGroups(ip)
  const [mark, high = 0, low = 0] = groups.slice(5)
  const isMapped = mark === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')
}

/** The eight groups of a valid IPv6 address (RFC 4291 section 2.2). */
function toGroups(ip: string): readonly number[] {
  const [head = '', tail] = ip.split('::')
  const before = readGroups(head)
  if (tail === undefined) return before
  const behind = readGroups(tail)
  return [...before, ...Array<number>(8 - before.length - behind.length).fill(0), ...behind]
}

function readGroups(text: string): readonly number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/** Characters of a key that are kept as they are; of a longer one a digest. */
const LONGEST = 128

/** A key of bounded length. */
function toShortKey(key: string): string {
  return key.length <= LONGEST ? key : createHash('sha256').update(key).digest('base64url')
}
