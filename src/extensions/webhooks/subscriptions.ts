import type { Awaitable } from '../../base/values.ts'

/** Who wants events, and where. */
export interface Subscription {
  /** Identifies the subscription in your store. */
  readonly id: string
  /** Where events are sent. */
  readonly url: string
  /** One secret, or several while one replaces another. The receiver has one of them. */
  readonly secrets: string | readonly string[]
  /** The version of your history that its payloads have. @default the newest one */
  readonly version?: string | null | undefined
}

/** Your store of subscriptions. */
export interface Subscriptions<A = unknown> {
  /** Returns the subscriptions of an event that are not disabled. `audience` is what you pass to `send`, such as an account. */
  of(event: string, audience: A): Awaitable<Iterable<Subscription>>
  /** Returns a subscription, or nothing if it has ended or is disabled. It is called before each attempt. */
  find(id: string): Awaitable<Subscription | null | undefined>
  /** Disables a subscription, because its receiver answered 410. */
  disable(id: string): Awaitable<unknown>
}
