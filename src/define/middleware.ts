import type { Awaitable } from '../base/async.ts'
import type { FinishedResponse } from '../http/http.ts'
import type { ExecutionContext } from './context.ts'

/**
 * Wraps the rest of a request. `next()` resolves to the finished response, also for errors and, in middleware of the application, for
 * unknown paths. You can change, replace or return it. It may return any result that a handler may, and `undefined` after `next()` passes
 * the response unchanged.
 *
 * @example
 * const poweredBy: Middleware = async (context, next) => {
 *   const response = await next()
 *   response.headers['x-powered-by'] = 'octavo'
 *   return response
 * }
 */
export type Middleware = (context: ExecutionContext, next: () => Awaitable<FinishedResponse>) => unknown
