import type { Awaitable } from '../base/values.ts'
import type { HttpError } from '../http/errors.ts'
import type { FinishedResponse, Method } from '../http/http.ts'
import type { ExecutionContext } from './context.ts'
import type { ErrorHandler } from './error-handler.ts'
import type { AnyGuard } from './guard.ts'
import type { Interceptor } from './interceptor.ts'

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

/** The middleware, guards, interceptors and error handlers of a level. */
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

/** A header as documents describe it. The schema is JSON Schema. */
export interface DescribedHeader {
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
}

/** A header of requests. */
interface RequestHeader extends DescribedHeader {
  readonly name: string
  /** Whether requests without it are refused. */
  readonly required: boolean
}

/** A problem that is answered with, as documents describe it. */
export interface AnsweredProblem {
  /** The name of the response in documents, such as `TooManyRequests`. Equal names are one response. */
  readonly name: string
  /** The problem that is sent, whose status and document are shown. */
  readonly example: HttpError
  readonly description: string
  /** The headers of the response, by name. */
  readonly headers?: Readonly<Record<string, DescribedHeader>> | undefined
}

/** The documented effects of a middleware, guard or interceptor besides its routes: each route that it is added to shows them. */
export interface Documented {
  /** The methods of requests that it is for. @default all */
  readonly methods?: readonly Method[]
  /** The headers that it reads. Routes that declare one of them are documented by their own declaration. */
  readonly requestHeaders?: readonly RequestHeader[]
  /** The headers that it adds to responses with a status below 300, by name. */
  readonly responseHeaders?: Readonly<Record<string, DescribedHeader>>
  /** Whether it adds them only to results that are objects. @default false */
  readonly marksObjects?: boolean
  /** The answers of its own without a body: descriptions by status. */
  readonly empty?: Readonly<Record<string, string>>
  /** Whether a request with an `Idempotency-Key` can be sent again. Clients send one on their own then. */
  readonly takesKeys?: boolean
  /** The problems that it answers with by itself. */
  readonly problems?: readonly AnsweredProblem[]
}

const documented = new WeakMap<object, readonly Documented[]>()

/**
 * Returns the middleware, guard or interceptor, which documents describe by this from now on. Several entries are for different methods.
 *
 * @internal
 */
export function documenting<T extends object>(part: T, ...entries: readonly Documented[]): T {
  documented.set(part, entries)
  return part
}

/**
 * Returns the documented effects of middleware, guards and interceptors, for requests of a method.
 *
 * @internal
 */
export function documentedOf(parts: readonly object[], method?: Method): readonly Documented[] {
  return parts
    .flatMap((part) => documented.get(part) ?? [])
    .filter(({ methods }) => method === undefined || methods === undefined || methods.includes(method))
}

/** The header of problems that go away by themselves. */
export const RETRY_AFTER: Readonly<Record<string, DescribedHeader>> = {
  'Retry-After': {
    description: 'After how many seconds to try again (RFC 9110 section 10.2.3)',
    schema: { type: 'string' },
  },
}
