import type { Awaitable } from '../base/values.ts'
import type { Token } from './token.ts'

/** Marks upstreams. Never in data of users. */
export const FORWARDS: unique symbol = Symbol('octavo.forwards')

/** The key under which a route that forwards its requests injects its upstream. */
export const FORWARDED = '[upstream]'

/** An application that answers requests of the web platform, such as one of Octavo or Hono. */
export interface UpstreamApp {
  /** Answers a request. */
  fetch(request: Request): Awaitable<Response>
}

/** The target of `forward` of a route: an API behind the application. Made by `defineUpstream` of `octavo/upstream`. */
export interface ForwardTarget extends Token<UpstreamApp> {
  /** Distinguishes upstreams from other providers. */
  readonly [FORWARDS]: true
}

/** Whether a value was made by `defineUpstream`. */
export function isForwardTarget(value: unknown): value is ForwardTarget {
  return typeof value === 'object' && value !== null && FORWARDS in value
}

/** The replacement of an upstream: an application, or a function that answers requests. */
export type UpstreamStandIn = UpstreamApp | UpstreamApp['fetch']

/** Returns the value that `bind` binds an upstream to: a function or an application becomes its value. */
export function toUpstreamValue(to: object): object {
  if (typeof to === 'function') return { value: { fetch: to } }
  return 'fetch' in to && typeof to.fetch === 'function' ? { value: to } : to
}
