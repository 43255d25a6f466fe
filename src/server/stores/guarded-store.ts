import type { Store, StoreCount, StoreDeleteOptions, StoreSetOptions } from '../../define/store.ts'
import type { Logger } from '../../define/context.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'
import { createStoreGuard } from './guard.ts'

/** The log of a call of a guarded store, and its time. */
export interface StoreCaller {
  /** The log of failures, `undefined` if the caller logs the error. */
  readonly log: Pick<Logger, 'error' | 'info'> | undefined
  /** Milliseconds until the call has failed. @default the time limit of the store */
  readonly time?: number
  /** Gets the call of a `set`, which may store the value after its time. */
  readonly begun?: (call: Awaitable<unknown>) => void
}

/** A store that answers in time or fails with an error of the feature that asks. What a store does at once is done at once. */
export interface GuardedStore {
  readonly get: (key: string, caller: StoreCaller) => Awaitable<string | undefined>
  /** Returns whether the conditions are met. */
  readonly set: (
    key: string,
    value: string,
    options: StoreSetOptions,
    caller: StoreCaller,
  ) => Awaitable<boolean>
  readonly delete: (key: string, options: StoreDeleteOptions, caller: StoreCaller) => Awaitable<boolean>
  readonly increment: (key: string, amount: number, ttl: number, caller: StoreCaller) => Awaitable<StoreCount>
}

/** The guard of the store of a feature. */
export interface GuardOptions {
  /** The entries that the feature has in the store, such as `'sessions'`. */
  readonly name: string
  /** Milliseconds until a call has failed. */
  readonly timeout: number
  /** Returns the error of a failed call. @default the cause */
  readonly toError?: (cause: unknown) => unknown
}

/** Guards a store for a feature: every call has a time limit, is measured, and is logged when it begins to fail. */
export function guardStore(
  store: Store,
  { name, timeout, toError = (cause) => cause }: GuardOptions,
): GuardedStore {
  const guard = createStoreGuard(name, timeout)
  const fail = (cause: unknown): never => {
    throw toError(cause)
  }
  const read = async (key: string, pending: PromiseLike<unknown>): Promise<string | undefined> => {
    // a connection that breaks takes the commands under way with it, and a read has no effect that could happen twice
    const first = Promise.resolve(pending).catch(() => store.get(key))
    return toValue(await first)
  }
  return {
    get: (key, { log, time }) => {
      const work = (): Awaitable<string | undefined> => {
        const value = store.get(key)
        return isPromise(value) ? read(key, value) : toValue(value)
      }
      return guard({ operation: 'get', work, log, time }, fail)
    },
    set: (key, value, options, { log, time, begun }) => {
      const hasCondition = options.ifAbsent === true || options.ifEqual !== undefined
      const check = (isStored: unknown): boolean => {
        if (typeof isStored !== 'boolean')
          throw new TypeError('set of the store returned neither true nor false')
        if (!isStored && !hasCondition) throw new Error('The store did not store')
        return isStored
      }
      const work = (): Awaitable<boolean> => {
        const isStored = store.set(key, value, options)
        begun?.(isStored)
        return isPromise(isStored) ? isStored.then(check) : check(isStored)
      }
      return guard({ operation: 'set', work, log, time }, fail)
    },
    delete: (key, options, { log, time }) =>
      guard({ operation: 'delete', work: () => store.delete(key, options), log, time }, fail),
    increment: (key, amount, ttl, { log, time }) => {
      const work = (): Awaitable<StoreCount> => {
        const count = store.increment?.(key, amount, ttl)
        return isPromise(count) ? count.then(toCount) : toCount(count)
      }
      return guard({ operation: 'increment', work, log, time }, fail)
    },
  }
}

function toValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw new TypeError(`get of the store returned a value of type ${typeof value}, not a string`)
}

function toCount(value: unknown): StoreCount {
  const { total, left } = Object(value)
  if (Number.isFinite(total) && Number.isFinite(left)) return { total, left }
  throw new TypeError('increment of the store returned no total and left')
}
