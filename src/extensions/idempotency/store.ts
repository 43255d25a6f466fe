import type { ExecutionContext } from '../../define/context.ts'
import type { Awaitable } from '../../base/values.ts'

/** The values that a store gets when a request begins. */
export interface IdempotencyStart {
  /** A random text that names this run of the handler. Only the run that holds a key may finish it. */
  readonly token: string
  /** A hash of method, route and input. */
  readonly fingerprint: string
  /** Milliseconds for which the run holds the key. */
  readonly lease: number
  /** Milliseconds until the key is forgotten. */
  readonly lifetime: number
  /** Whether a run whose lease has ended loses the key to this one, if the fingerprint is the same. */
  readonly takesOver: boolean
}

/** The state of a key in a store. */
export type IdempotencyEntry =
  | {
      /** The key is new, or taken over: the handler runs. */
      readonly state: 'started'
    }
  | {
      /** Another run holds the key. */
      readonly state: 'running'
      /** The fingerprint of that run. */
      readonly fingerprint: string
      /** Milliseconds until its lease ends, 0 or less if it has ended. */
      readonly left: number
    }
  | {
      /** The handler has run. */
      readonly state: 'finished'
      /** The fingerprint of that run. */
      readonly fingerprint: string
      /** The text that `finish` was given. */
      readonly result: string
    }

/**
 * Where idempotency keys are kept. `begin` has to be atomic: of several calls with one key at the same time, one gets `started`. A method
 * that throws or rejects counts as a failing store.
 */
export interface IdempotencyStore {
  /** Starts a key, or returns what is known of it. */
  begin(key: string, start: IdempotencyStart, context: ExecutionContext): Awaitable<IdempotencyEntry>
  /**
   * Extends the lease of a run by so many milliseconds from now, and its lifetime if that ends sooner. Returns `false` if the run does not
   * hold the key any more. Without this method, handlers have to end within their lease.
   */
  renew?(key: string, token: string, lease: number, context: ExecutionContext): Awaitable<unknown>
  /** Keeps the result of a run until `lifetime` ends. Returns `false` if the run does not hold the key any more. */
  finish(key: string, token: string, result: IdempotencyResult, context: ExecutionContext): Awaitable<unknown>
  /** Forgets a key without a result, if the run still holds it, so that the next request runs the handler. */
  fail(key: string, token: string, context: ExecutionContext): Awaitable<unknown>
}

/** The result of a run in a store. */
export interface IdempotencyResult {
  /** The result as text, which the store returns as it is. */
  readonly text: string
  /** The fingerprint that `begin` was given: a store that has lost the key keeps the result with it. */
  readonly fingerprint: string
  /** Milliseconds until the key is forgotten. */
  readonly lifetime: number
}
