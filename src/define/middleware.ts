import type { Awaitable, FinishedResponse } from '../http.ts'
import type { ExecutionContext } from './context.ts'

/**
 * Runs around everything further inside. `next()` gives the finished response, also for errors and, in the application's own
 * middleware, for paths that do not exist: to change, replace or pass on. May return what a handler may; returning nothing after
 * `next()` passes the response on.
 *
 * @example
 * const poweredBy: Middleware = async (context, next) => {
 *   const response = await next()
 *   response.headers['x-powered-by'] = 'octavo'
 *   return response
 * }
 */
export type Middleware = (context: ExecutionContext, next: () => Awaitable<FinishedResponse>) => unknown
