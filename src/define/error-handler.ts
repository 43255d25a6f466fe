import type { HttpError } from '../http/errors.ts'
import type { ExecutionContext } from './context.ts'
import { DefinitionError, placed } from '../base/definition-error.ts'
import { describeValue, isRecord } from '../base/values.ts'
import { isSchema, type Schema } from '../schema/schema.ts'
import type { ErrorResult } from './infer.ts'

/** A class of errors, abstract or not. */
export type ErrorClass<E = unknown> = abstract new (...args: never) => E

/** The schemas of an error handler's results by their status. */
export type ErrorResponses = Readonly<Record<number, Schema>>

/** An error handler as `defineErrorHandler` returns it. */
export interface ErrorHandler {
  /** Distinguishes error handlers from other definitions. */
  readonly kind: 'error-handler'
  /** The class or status of the errors that it handles. */
  readonly match: ErrorClass | number
  /** The schemas of its results by their status. */
  readonly response?: ErrorResponses
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
 *   response: { 409: z.object({ article: z.int() }) },
 *   handle: (error) => reply(409, { article: error.article }),
 * })
 *
 * @throws `DefinitionError` for a `response` that is not of schemas by statuses from 400 to 599.
 */
export function defineErrorHandler<
  const M extends ErrorClass | number,
  const R extends ErrorResponses = never,
>(options: {
  /** A class, or a status from 400 to 599. Only handlers of the application match 404 and 405 of unknown paths. */
  readonly match: M
  /**
   * The schemas of the results by their status, which parse them. Documents show them, the same ones in every version. Without it, they
   * show the errors of routes that the handler may answer without content.
   */
  readonly response?: R
  /** Returns the response, `undefined` to pass the error on. */
  readonly handle: (error: Matched<M>, context: ExecutionContext) => ErrorResult<R>
}): ErrorHandler {
  const wrong = wrongResponse(Object(options).response)
  if (wrong !== undefined)
    throw new DefinitionError([
      {
        code: 'invalid_response',
        where: 'defineErrorHandler',
        message: wrong,
        fix: 'write response: { 409: OutOfStock } with zod schemas and statuses from 400 to 599',
      },
    ])
  return placed({ ...options, kind: 'error-handler' }, defineErrorHandler)
}

function wrongResponse(response: unknown): string | undefined {
  if (response === undefined) return undefined
  if (!isRecord(response) || isSchema(response)) return `response is ${describeValue(response)}`
  const [status, schema] =
    Object.entries(response).find(([key, value]) => !isSchema(value) || !/^[45]\d\d$/.test(key)) ?? []
  return status === undefined ? undefined : `response has ${describeValue(schema)} for the status ${status}`
}
