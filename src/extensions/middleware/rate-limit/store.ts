import { DefinitionError } from '../../../base/definition-error.ts'
import { once, type Awaitable, importInTurn } from '../../../base/values.ts'
import type { Logger } from '../../../define/context.ts'
import { createStoreGuard, createWorkerWarning } from '../../../server/stores/guard.ts'
import { isIoredis } from '../../../server/stores/redis.ts'

/** Loads rate-limiter-flexible. @throws `DefinitionError` if it cannot be loaded. */
export const loadLimiters = /* @__PURE__ */ once(async () => {
  try {
    const { default: limiters, ...names } = await importInTurn(() => import('rate-limiter-flexible'))
    // of a package of CommonJS, some bundlers know the default export alone
    return { ...limiters, ...names }
  } catch (cause) {
    throw new DefinitionError(
      [
        {
          code: 'missing_package',
          where: 'rateLimit',
          message:
            'requests are counted by rate-limiter-flexible, and the package rate-limiter-flexible cannot be loaded',
          fix: 'run "npm install rate-limiter-flexible", or give your bundle a `require` if it holds the package',
        },
      ],
      { cause },
    )
  }
})

/** The balance after a request was counted. */
interface Balance {
  readonly isWithin: boolean
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly reset: number
  /** Whether the window began with this request; not all stores know. */
  readonly isFirst: boolean
}

/** Counts requests: any limiter of rate-limiter-flexible. */
export interface RateLimiter {
  /** Counts points of a key. Rejects with the state of the key if it has none left, with an `Error` if the store fails. */
  consume(key: string, points?: number): Promise<unknown>
}

/** The spending of a request. */
interface Spent {
  readonly key: string
  readonly cost: number
  /** The most that may be spent in a window. */
  readonly limit: number
}

/** Counts a request. The result is that of `failed` if the store fails. */
export type Spend = (
  spent: Spent,
  log: Pick<Logger, 'warn' | 'info' | 'error'>,
  failed: (cause: unknown) => undefined,
) => Awaitable<Balance | undefined>

/** The options of the counting. */
export interface SpendOptions {
  readonly name: string
  /** Seconds. */
  readonly window: number
  /** A limiter, or a client of Redis; `undefined` counts in this process. */
  readonly store: RateLimiter | object | undefined
  readonly storeTimeout: number
  readonly maxKeys: number
}

/** Creates the counter. What it needs of rate-limiter-flexible is loaded when the application starts. */
export function createSpend(options: SpendOptions): Spend {
  const { store, storeTimeout } = options
  if (store === undefined) return createMemorySpend(options)
  const guard = createStoreGuard('rate limits', storeTimeout)
  if (isLimiter(store))
    return ({ key, cost }, log, failed) =>
      guard({ operation: 'consume', work: () => spend(store, key, cost), log }, failed)
  let made: Promise<RateLimiter> | undefined
  return async (spent, log, failed) => {
    const limiter = await (made ??= createRedisLimiter(store, options))
    return guard({ operation: 'consume', work: () => spendOf(limiter, spent), log }, failed)
  }
}

async function createRedisLimiter(client: object, { name, window }: SpendOptions): Promise<RateLimiter> {
  const { RateLimiterRedis } = await loadLimiters()
  return new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: !isIoredis(client),
    rejectIfRedisNotReady: true,
    points: UNLIMITED,
    duration: window,
    keyPrefix: `octavo:rate:${name}`,
  })
}

/** Counts in this process; the keys whose windows end first are forgotten when there are too many. */
function createMemorySpend({ name, window, maxKeys }: SpendOptions): Spend {
  const create = async () => {
    const { RateLimiterMemory } = await loadLimiters()
    return new RateLimiterMemory({ points: UNLIMITED, duration: window })
  }
  let made: ReturnType<typeof create> | undefined
  /** When the window of each key ends; all are equally long, so the first to end come first. */
  const ends = new Map<string, number>()
  const warnInWorker = createWorkerWarning(
    `Each worker counts the rate limit "${name}" in its own memory, so clients can exceed it: give rateLimit a store`,
  )
  return async (spent, log) => {
    warnInWorker(log)
    const { key } = spent
    const limiter = await (made ??= create())
    const balance = await spendOf(limiter, spent)
    if (!balance.isFirst) return balance
    const now = Date.now()
    ends.delete(key)
    ends.set(key, now + balance.reset)
    for (const [oldest, end] of ends) {
      if (end > now && ends.size <= maxKeys) break
      ends.delete(oldest)
      // what has ended the limiter forgets by itself
      if (end > now) void limiter.delete(oldest)
    }
    return balance
  }
}

/** Points that no client spends: the limiters made here only count, because clients may have different limits. */
const UNLIMITED = Number.MAX_SAFE_INTEGER

/** Counts with a limiter that was made here, and compares the count with the limit of the client. */
async function spendOf(limiter: RateLimiter, { key, cost, limit }: Spent): Promise<Balance> {
  const balance = await spend(limiter, key, cost)
  const remaining = limit - (UNLIMITED - balance.remaining)
  return { ...balance, isWithin: remaining >= 0, remaining: Math.max(0, remaining) }
}

async function spend(limiter: RateLimiter, key: string, cost: number): Promise<Balance> {
  try {
    return toBalance(await limiter.consume(key, cost), true)
  } catch (error) {
    // a limiter rejects with a result, which is no error, when there is not enough left
    if (error instanceof Error) throw error
    return toBalance(error, false)
  }
}

function toBalance(result: unknown, isWithin: boolean): Balance {
  const { remainingPoints, msBeforeNext, isFirstInDuration } = Object(result)
  if (typeof remainingPoints !== 'number' || typeof msBeforeNext !== 'number')
    throw new TypeError('The limiter gave no result of rate-limiter-flexible')
  return {
    isWithin,
    remaining: Math.max(0, remainingPoints),
    reset: Math.max(0, msBeforeNext),
    isFirst: isFirstInDuration === true,
  }
}

export function isLimiter(value: unknown): value is RateLimiter {
  return typeof Object(value).consume === 'function'
}
