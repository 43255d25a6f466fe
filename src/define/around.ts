import type { ErrorHandler } from './error-handler.ts'
import type { AnyGuard } from './guard.ts'
import type { Interceptor } from './interceptor.ts'
import type { Middleware } from './middleware.ts'

/** What can stand around handlers, at every level. */
export interface Around {
  /** Run before input is validated, after those of the levels above. */
  readonly guards?: readonly AnyGuard[]
  /** Run around the handler, inside those of the levels above. */
  readonly interceptors?: readonly Interceptor[]
  /** Run around guards, validation and handler, inside those of the levels above. */
  readonly middleware?: readonly Middleware[]
  /** Asked for the answer to errors before those of the levels above. */
  readonly errorHandlers?: readonly ErrorHandler[]
}

/** What stands around a route, of all levels, in the order in which it runs; each guard once. */
export interface Surroundings {
  readonly guards: readonly AnyGuard[]
  readonly interceptors: readonly Interceptor[]
  readonly middleware: readonly Middleware[]
  /** Innermost first. */
  readonly errorHandlers: readonly ErrorHandler[]
}

/** Nothing around. */
export const NOTHING_AROUND: Surroundings = {
  guards: [],
  interceptors: [],
  middleware: [],
  errorHandlers: [],
}

/** What stands around something inside: what is outside, and what it adds itself. */
export function surround(outer: Surroundings, own: Around): Surroundings {
  const { guards = [], interceptors = [], middleware = [], errorHandlers = [] } = own
  return {
    guards: [...new Set([...outer.guards, ...guards])],
    interceptors: [...outer.interceptors, ...interceptors],
    middleware: [...outer.middleware, ...middleware],
    errorHandlers: [...errorHandlers, ...outer.errorHandlers],
  }
}
