import { shared } from '../base/copies.ts'
import {
  describeValue,
  isFunction,
  isNonEmptyString,
  isRecord,
  isString,
  type Awaitable,
} from '../base/values.ts'
import type { HttpError } from '../http/errors.ts'
import type { FinishedResponse, Method } from '../http/http.ts'
import type { Interceptor } from './interceptor.ts'
import type { ExecutionContext, RouteContext, Added, Dropped, Injected, Tokens } from './context.ts'
import {
  checkOptions,
  missingOptions,
  recordLocation,
  DefinitionError,
  type Rules,
} from '../base/definition-error.ts'
import { isSchema, type Schema } from '../schema/schema.ts'
import type { AppStores } from './store.ts'
import type { ErrorResult } from './infer.ts'
import { isProblems, PROBLEMS_EXPECTED, type AnyProblem, type DescribedHeader } from './problem.ts'

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

interface RequestHeader extends DescribedHeader {
  readonly name: string
  /** Whether requests without it are refused. */
  readonly required: boolean
}

/** An operation that may become a tool of agents. */
export interface ToolCandidate {
  /** The operation id, such as `car.getOne`. */
  readonly operationId: string
  /** The method in upper case. */
  readonly method: string
  /** The tags of the operation. */
  readonly tags: readonly string[]
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
  readonly problems?: readonly AnyProblem[]
  /** Returns the name of the tool that an operation of the application is, `undefined` if it is none. */
  readonly toolOf?: (candidate: ToolCandidate) => string | undefined
  /** Loads code that its first request needs. The application does not start without it. */
  readonly load?: ((stores: AppStores, app: object) => Promise<unknown>) | undefined
}

const documented = /* @__PURE__ */ shared(
  'layers.documented',
  () => new WeakMap<object, readonly Documented[]>(),
)

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

/** Returns the answer to a preflight of routes that a middleware was added to. `methods` are those of them at the path. */
export type AnswerPreflight = (context: ExecutionContext, methods: readonly Method[]) => unknown

const preflights = new WeakMap<Middleware, AnswerPreflight>()

/** Has a middleware answer the preflights of its routes, which no route answers itself. */
export function answeringPreflights(part: Middleware, answer: AnswerPreflight): Middleware {
  preflights.set(part, answer)
  return part
}

/** Returns the answer to preflights of the innermost of several middleware that has one. It also decides about other requests. */
export function preflightOf(parts: readonly Middleware[]): AnswerPreflight | undefined {
  const last = parts.findLast((part) => preflights.has(part))
  return last && preflights.get(last)
}

/** The header of problems that go away by themselves. */
export const RETRY_AFTER: Readonly<Record<string, DescribedHeader>> = {
  'Retry-After': {
    description: 'After how many seconds to try again (RFC 9110 section 10.2.3)',
    schema: { type: 'string' },
  },
}

/** How a client authenticates: a Security Scheme Object (OpenAPI 3.1 section 4.8.27). */
export type SecurityScheme =
  | {
      /** Credentials in the `Authorization` header. */
      readonly type: 'http'
      /** The scheme of `Authorization`, such as `bearer` or `basic`. */
      readonly scheme: string
      /** The format of bearer tokens, such as `JWT`. */
      readonly bearerFormat?: string
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }
  | {
      /** A key in a header, a query parameter or a cookie. */
      readonly type: 'apiKey'
      /** The part of the request that carries the key. */
      readonly in: 'header' | 'query' | 'cookie'
      /** The name of the header, query parameter or cookie. */
      readonly name: string
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }
  | {
      /** Tokens of OAuth 2. */
      readonly type: 'oauth2'
      /** The flows by which clients get tokens, by their names in OpenAPI. */
      readonly flows: Readonly<Record<string, object>>
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }
  | {
      /** Tokens of OpenID Connect. */
      readonly type: 'openIdConnect'
      /** The URL of the metadata of the provider. */
      readonly openIdConnectUrl: string
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }

/** Schemes that are required together, by their names in documents. */
export type SecurityRequirement = Readonly<Record<string, SecurityScheme>>

const neededScopes = /* @__PURE__ */ shared(
  'layers.neededScopes',
  () => new WeakMap<SecurityRequirement, readonly string[]>(),
)

/**
 * Returns the requirement, of which documents tell that it needs these scopes. Those of a requirement without schemes are for the schemes of
 * the guards before it.
 *
 * @internal
 */
export function needingScopes(
  requirement: SecurityRequirement,
  scopes: readonly string[],
): SecurityRequirement {
  neededScopes.set(requirement, scopes)
  return requirement
}

/**
 * The scopes that a requirement needs, `undefined` if its guard knows no scopes.
 *
 * @internal
 */
export function scopesOf(requirement: SecurityRequirement): readonly string[] | undefined {
  return neededScopes.get(requirement)
}

/**
 * Whether the credentials of a scheme are tokens, which can have scopes.
 *
 * @internal
 */
export function hasScopes(scheme: SecurityScheme): boolean {
  const { type, scheme: word } = { scheme: '', ...scheme }
  return type === 'oauth2' || type === 'openIdConnect' || word.toLowerCase() === 'bearer'
}

/**
 * A guard, as `defineGuard` returns it. `I` is the type that `context.identity` has after it, `never` if it sets none, and `Own` the part of
 * that which is gone without this guard.
 */
export interface Guard<I = never, Own = I> {
  /** Distinguishes guards from other definitions. */
  readonly kind: 'guard'
  /** The name in messages and documents. */
  readonly name: string
  /** The tokens that `canActivate` needs. */
  readonly inject: Tokens
  /** Returns or resolves to `false` to refuse a request with 403. */
  canActivate(context: ExecutionContext, inject: never): Awaitable<unknown>
  /** The credentials in documents: alternatives, one of which is enough. */
  readonly security?: readonly SecurityRequirement[]
  /** The guard whose identity it reads. */
  readonly after?: AnyGuard
  /** Of a guard that lets requests without credentials pass: the same guard, which denies them. @internal */
  readonly required?: AnyGuard
  /** Composes a guard of others anew, with the results of `find` in their places. @internal */
  readonly replaceMembers?: (find: (member: AnyGuard) => AnyGuard) => AnyGuard
  /** Carry the type only, never set: a route tells by them the guards it adds from those it drops. */
  readonly $adds?: Added<I>
  /** For types alone: see `$adds`. */
  readonly $drops?: Dropped<Own>
}

/** A request whose identity a guard has found. */
export interface Identified {
  /** The name of the guard, and the issuer of the token. Clients that different guards or issuers know may have equal ids. */
  identifiedBy?: readonly [guard: string, issuer?: string | undefined] | undefined
}

/** A guard whose types are forgotten. */
export type AnyGuard = Guard<unknown>

/** Any identity, as a guard without `after` sees it. The type checker shows the name if the guard reads a member of it. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- takes every value
export interface UnknownIdentityUseAfter {}

/** The options of `defineGuard`. */
export interface GuardOptions<D, I = never> {
  /** Names the guard in messages and documents. */
  readonly name: string
  /** The guard that finds the identity which this one reads. It has to run before this one in each route. @default none */
  readonly after?: Guard<I>
  /** The tokens that `canActivate` needs, by the keys under which it receives their values. */
  readonly inject?: D
  /** The credentials in documents: alternatives, one of which is enough. */
  readonly security?: readonly SecurityRequirement[]
  /** The scopes in documents that tokens need. `canActivate` checks them. */
  readonly scopes?: readonly string[]
  /** The problems that `canActivate` throws, which documents show. */
  readonly problems?: readonly AnyProblem[]
  /** Returns whether the request may continue. `false` is a 403. It may also throw an `HttpError`. */
  readonly canActivate: (
    context: RouteContext<[I] extends [never] ? UnknownIdentityUseAfter | null | undefined : I>,
    inject: Injected<D>,
  ) => Awaitable<boolean>
}

/**
 * Defines a check that runs before input is validated. Guards accumulate: global, module, controller, router, route.
 *
 * @example
 * const IsAdmin = defineGuard({
 *   name: 'IsAdmin',
 *   after: SignedIn,
 *   inject: { roles: RoleService },
 *   canActivate: async ({ identity }, { roles }) => roles.has(identity.id, 'admin'),
 * })
 */
export function defineGuard<D extends Tokens = {}, I = never>(given: GuardOptions<D, I>): Guard<I, never> {
  const missing = missingOptions(GUARD, given, ['name', 'canActivate'], `write ${GUARD_EXAMPLE}`)
  checkOptions(GUARD, given, GUARD_OPTIONS, missing, GUARD_EXAMPLE)
  const { scopes, problems = [], ...options } = given
  for (const requirement of options.security ?? [])
    if (scopes !== undefined && Object.values(requirement).some(hasScopes)) needingScopes(requirement, scopes)
  const guard: Guard<I, never> = { inject: {}, ...options, kind: 'guard' }
  return recordLocation(problems.length === 0 ? guard : documenting(guard, { problems }), defineGuard)
}

const GUARD = 'defineGuard'
const GUARD_OPTIONS: Rules = {
  name: [isNonEmptyString, "a name, such as 'SignedIn'"],
  after: [(value) => isRecord(value) && value['kind'] === 'guard', 'what defineGuard returns'],
  inject: [isRecord, 'tokens by key, such as { tokens: TokenService }'],
  security: [
    (value) =>
      Array.isArray(value) && value.every((each) => isRecord(each) && Object.values(each).every(isRecord)),
    "a list, such as [{ bearer: { type: 'http', scheme: 'bearer' } }]",
  ],
  scopes: [
    (value) => Array.isArray(value) && value.every(isString),
    "a list of strings, such as ['cars:write']",
  ],
  problems: [isProblems, PROBLEMS_EXPECTED],
  canActivate: [isFunction, 'a function, such as (context) => context.identity !== null'],
}
const GUARD_EXAMPLE = `${GUARD}({ name: 'SignedIn', canActivate: (context) => context.identity !== null })`

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

/** The errors that a match accepts: instances of a class, or errors of a status; 500 includes unknown errors. */
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
  const missing = missingOptions(HANDLER, options, ['match', 'handle'], `write ${HANDLER_EXAMPLE}`)
  checkOptions(HANDLER, options, HANDLER_OPTIONS, missing, HANDLER_EXAMPLE)
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
  return recordLocation({ ...options, kind: 'error-handler' }, defineErrorHandler)
}

const HANDLER = 'defineErrorHandler'
const HANDLER_OPTIONS: Rules = {
  match: [
    (value) => isFunction(value) || (Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599),
    'a class of errors, or a status from 400 to 599',
  ],
  // reported in detail by `wrongResponse`
  response: [() => true, 'schemas by status, such as { 409: OutOfStock }'],
  handle: [isFunction, 'a function, such as (error) => reply(409)'],
}
const HANDLER_EXAMPLE = `${HANDLER}({ match: OutOfStock, handle: () => reply(409) })`

function wrongResponse(response: unknown): string | undefined {
  if (response === undefined) return undefined
  if (!isRecord(response) || isSchema(response)) return `response is ${describeValue(response)}`
  const [status, schema] =
    Object.entries(response).find(([key, value]) => !isSchema(value) || !/^[45]\d\d$/.test(key)) ?? []
  return status === undefined ? undefined : `response has ${describeValue(schema)} for the status ${status}`
}
