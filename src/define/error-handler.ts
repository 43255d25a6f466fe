import type { HttpError } from '../http/errors.ts'
import type { ExecutionContext } from './context.ts'
import { placed } from '../base/source-location.ts'

/** A class of errors, abstract or not. */
export type ErrorClass<E = unknown> = abstract new (...args: never) => E

/** An error handler as `defineErrorHandler` returns it. */
export interface ErrorHandler {
  /** Distinguishes error handlers from other definitions. */
  readonly kind: 'error-handler'
  /** The class or status of the errors that it handles. */
  readonly match: ErrorClass | number
  /** Returns the response to an error, `undefined` to pass it on. */
  handle(error: never, context: ExecutionContext): unknown
}

/** The errors that a match lets through: those of a class, or those that end as a status; 500 is for unknown errors too. */
export type Matched<M> = M extends ErrorClass<infer E> ? E : M extends 500 ? unknown : HttpError

/**
 * Defines a handler that responds to errors. The innermost handler that matches and returns a value wins: route, controller, routers
 * around it, module, application. A returned value is sent with the status of the error (500 for unknown errors), and `reply` with its
 * own. `undefined` passes the error on. The response keeps the headers of an `HttpError`, such as `WWW-Authenticate`, `Allow` and
 * `Retry-After`, unless the handler sets or deletes them.
 *
 * @example
 * const outOfStock = defineErrorHandler({
 *   match: OutOfStock,
 *   handle: (error) => reply(409, { article: error.article }),
 * })
 */
export function defineErrorHandler<const M extends ErrorClass | number>(options: {
  /** A class, or a status from 400 to 599. Only handlers of the application match 404 and 405 of unknown paths. */
  readonly match: M
  /** Returns the response, `undefined` to pass the error on. */
  readonly handle: (error: Matched<M>, context: ExecutionContext) => unknown
}): ErrorHandler {
  return placed({ ...options, kind: 'error-handler' }, defineErrorHandler)
}
