import { isFunction, isObject, type Awaitable } from '../base/values.ts'
import type { OptionRule } from '../base/definition-error.ts'

/**
 * Where an application keeps state that its processes share. `createRedisStore` and `createMemoryStore` of `octavo/stores` return one, and
 * you can write one over any database. A method that throws, rejects or takes too long counts as a failing store.
 */
export interface Store {
  /** Returns the value of a key, `undefined` or `null` if there is none. */
  get(key: string): Awaitable<string | null | undefined>
  /**
   * Stores a value. Returns `false` if nothing was stored because a condition of the options isn't met. A condition and its write are one
   * step: of several calls at the same time, the condition holds for one.
   */
  set(key: string, value: string, options?: StoreSetOptions): Awaitable<boolean>
  /** Removes a key. Returns `false` if nothing was removed. */
  delete(key: string, options?: StoreDeleteOptions): Awaitable<boolean>
  /**
   * Adds an amount to a count in one step. A count begins at 0 and ends `ttl` milliseconds after its first increment. Rate limits need this
   * method, and nothing else does.
   */
  increment?(key: string, amount: number, ttl: number): Awaitable<StoreCount>
}

/** The options of `set` of a store. */
export interface StoreSetOptions {
  /** Milliseconds until the store forgets the key. @default it never does */
  readonly ttl?: number
  /** Stores the value only if the store has none for the key. */
  readonly ifAbsent?: boolean
  /** Stores the value only if the store has this one for the key. */
  readonly ifEqual?: string
  /** The client whose value must not be forgotten early. A store without room for it stores nothing and returns `false`. */
  readonly owner?: string
}

/** The options of `delete` of a store. */
export interface StoreDeleteOptions {
  /** Removes the key only if the store has this value for it. */
  readonly ifEqual?: string
}

/** A count after an increment. */
export interface StoreCount {
  /** The sum of all increments. */
  readonly total: number
  /** Milliseconds until the count ends. */
  readonly left: number
}

/** The stores of an application. Its definitions have no state of their own, so an application built from the same ones begins anew. */
export interface AppStores {
  /**
   * Returns the state of a definition in this application. The first call creates it, with the option `store` of `createApp`. Every call of a
   * definition has to pass an equal `create`.
   */
  of<T>(definition: object, create: (shared: Store | undefined) => T): T
}

/** The rule of an option `store`. */
export const STORE: OptionRule = [
  (value) =>
    // the set of a Map takes no options
    isObject(value) &&
    !(value instanceof Map) &&
    ['get', 'set', 'delete'].every((name) => isFunction(Reflect.get(value, name))),
  'a store, as createRedisStore of octavo/stores returns it',
]
