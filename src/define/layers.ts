import type { ErrorHandler } from './error-handler.ts'
import type { AnyGuard } from './guard.ts'
import type { Interceptor } from './interceptor.ts'
import type { Middleware } from './middleware.ts'

/** What can stand around handlers, at every level. */
export interface Layers {
  /** Run before input is validated, after those of the levels above. */
  readonly guards?: readonly AnyGuard[]
  /** Run around the handler, inside those of the levels above. */
  readonly interceptors?: readonly Interceptor[]
  /** Run around guards, validation and handler, inside those of the levels above. */
  readonly middleware?: readonly Middleware[]
  /** Asked for the answer to errors before those of the levels above. */
  readonly errorHandlers?: readonly ErrorHandler[]
}
