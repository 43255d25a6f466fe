import type { Awaitable } from '../http.ts'
import type { ExecutionContext, RouteContext } from './context.ts'
import type { Injected, Tokens } from './token.ts'
import { placed } from '../place.ts'

/** An interceptor as `defineInterceptor` returns it. */
export interface Interceptor {
  /** Distinguishes interceptors from other definitions. */
  readonly kind: 'interceptor'
  /** The name in messages. */
  readonly name: string
  /** The tokens that `intercept` needs. */
  readonly inject: Tokens
  /** Wraps the handler: `next` runs it and resolves to its result. */
  intercept(context: ExecutionContext, next: () => Awaitable<unknown>, inject: never): unknown
}

/** What `defineInterceptor` takes. */
export interface InterceptorOptions<D> {
  /** Names the interceptor in messages. */
  readonly name: string
  /** What `intercept` needs, by the keys under which it receives them. */
  readonly inject?: D
  /**
   * Runs around the handler, after validation. `next()` runs what is inside and gives its value (await it); what this returns goes on in
   * its place. Without `next()` the handler does not run.
   */
  readonly intercept: (context: RouteContext, next: () => Awaitable<unknown>, inject: Injected<D>) => unknown
}

/**
 * Describes what happens around a handler. Interceptors accumulate as guards do; the first one is outermost.
 *
 * @example
 * const Envelope = defineInterceptor({
 *   name: 'Envelope',
 *   intercept: async (context, next) => ({ data: await next(), version: context.version }),
 * })
 */
export function defineInterceptor<D extends Tokens = {}>(options: InterceptorOptions<D>): Interceptor {
  return placed({ inject: {}, ...options, kind: 'interceptor' }, defineInterceptor)
}
