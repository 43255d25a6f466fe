import type { HttpRequest, Method } from '../http/http.ts'
import type { IdentityIn } from './identity.ts'
import type { Schema } from '../schema/schema.ts'
import type { Token } from './token.ts'

/** Attributes of a cookie (RFC 6265 section 4.1). */
export interface CookieOptions {
  /** Seconds the cookie lives. */
  readonly maxAge?: number
  /** The moment at which the cookie ends. `maxAge` wins over it. */
  readonly expires?: Date
  /** The domain whose hosts get the cookie. @default the host that set it, without its subdomains */
  readonly domain?: string
  /** The path below which the cookie is sent. @default the folder of the request's path */
  readonly path?: string
  /** Hides the cookie from scripts of the page. @default false */
  readonly httpOnly?: boolean
  /** Sends the cookie over HTTPS only. @default false */
  readonly secure?: boolean
  /** Whether requests from other sites carry the cookie: `true` is `'strict'`. @default chosen by the browser */
  readonly sameSite?: 'strict' | 'lax' | 'none' | boolean
  /** Keeps a separate cookie for each top-level site (CHIPS). @default false */
  readonly partitioned?: boolean
  /** Which cookies browsers keep longest if there are too many. @default 'medium', chosen by the browser */
  readonly priority?: 'low' | 'medium' | 'high'
}

/** The head of the response while a handler runs. Status, headers and cookies that you set are merged into the response. */
export interface HttpResponse {
  /** The status of a plain returned value. It wins over that of the route, and `reply` wins over it. */
  status: number | undefined
  /** The headers to send, by name in any case. */
  readonly headers: {
    /** Returns the value set so far, `undefined` if none. */
    get(name: string): string | undefined
    /** Sets a header and replaces earlier values. */
    set(name: string, value: string): void
    /** Adds a field line and keeps the existing ones. */
    append(name: string, value: string): void
    /** Removes a header that was set so far. */
    delete(name: string): void
  }
  /** The cookies to set. */
  readonly cookies: {
    /** Adds a Set-Cookie line. */
    set(name: string, value: string, options?: CookieOptions): void
  }
}

/** The route that answers. */
export interface RouteInfo {
  /** The full name, such as `car.getOne`. */
  readonly name: string
  /** The method that the route answers. */
  readonly method: string
  /** The full pattern, such as `/car/{car_id}`. */
  readonly path: string
  /** The name of the controller or router, such as `car`. */
  readonly controller: string
  /** The `meta` of the route, merged with those of the levels above. */
  readonly meta: object
}

/** The options of `urlFor`. */
export interface UrlOptions<V = string | undefined> {
  /** The query by name. A list repeats the name, `null` and `undefined` are left out. */
  readonly query?: Readonly<Record<string, unknown>>
  /** The version to link to. @default in a handler the version of the request, elsewhere the default version */
  readonly version?: V
}

/** A logger, such as pino. */
export interface Logger {
  /** Logs details of use while debugging. */
  debug(details: object, message?: string): void
  /** Logs an event of normal operation. */
  info(details: object, message?: string): void
  /** Logs an event that deserves attention and is no failure. */
  warn(details: object, message?: string): void
  /** Logs a failure. */
  error(details: object, message?: string): void
}

/** A change between versions that handlers may ask for: one of `defineVersionChange` with `sideEffects: true`. */
export interface SideEffect {
  /** The word that logs and code name the change by. */
  readonly id: string
  /** Marks a side effect that handlers may query. */
  readonly sideEffects: true
}

/** The versions between which `context.migrate` turns a value. */
export interface MigrateVersions {
  /** The version of the value. @default that of the newest models */
  readonly from?: string | undefined
  /** The version that it becomes one of. @default the version of the request */
  readonly to?: string | undefined
}

/** The values that `context.call` passes to a route, one for each source, as the handler of a client would send them. */
export interface CallInput {
  /** Path parameters. */
  readonly params?: object
  /** Query parameters. */
  readonly query?: object
  /** Headers, under the names that the route declares. */
  readonly headers?: object
  /** Cookies. */
  readonly cookies?: object
  /** The body. */
  readonly body?: unknown
  /** Fields of a form. */
  readonly form?: object
  /** Uploaded files. */
  readonly files?: object
}

/** The context of a request. The type parameter is the type of `identity`, which guards set. */
export interface ExecutionContext<I = unknown> {
  /** The request being answered. */
  readonly request: HttpRequest
  /** The head of the response, to set status, headers and cookies on. */
  readonly response: HttpResponse
  /** `null` if no route matched, which middleware and error handlers see. */
  readonly route: RouteInfo | null
  /** The version that answers, or `null`. */
  readonly version: string | null
  /** The previews that the request asked for and gets. Empty for most requests. */
  readonly previews: readonly string[]
  /** The path without its version segment. */
  readonly path: string
  /** The path as it was sent. */
  readonly originalPath: string
  /** Identifies this request in messages and in responses to unknown errors. @default a random UUID */
  requestId: string
  /** The client that a guard identified, `undefined` before. Guards of the controller and the route type it, or else {@link Register}. */
  identity: IdentityIn<I>
  /** The name of the client, as the option `client` of the application names it. `undefined` without that option. */
  readonly client: string | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Values that your code shares during this request. */
  readonly state: Record<string, unknown>
  /** The application's logger. It adds the request's id to every message. */
  readonly log: Logger
  /** Resolves a token for this request, as the route's module sees it. */
  readonly resolve: <T>(token: Token<T>) => Promise<T>
  /**
   * Whether the version of this request has a change of the history, for side effects that came with it. Requests without a version
   * have every change.
   *
   * @example
   * if (context.since(mailsWelcome)) await mails.sendWelcome(user)
   *
   * @throws `RangeError` for a change that the history does not have.
   */
  readonly since: (change: SideEffect) => boolean
  /**
   * Turns a valid value between versions of the history: from the newest models to the version of this request, if you give no others.
   * Use it for values that are no result of a route, such as events of a stream. If a change loads data for the value, the result is a promise.
   *
   * @example
   * yield context.migrate(User, user)
   *
   * @throws `RangeError` for a version that the history does not have, and what a change throws.
   */
  readonly migrate: (schema: Schema, value: unknown, versions?: MigrateVersions) => unknown
  /**
   * Calls the newest route of a name in this process and returns what its handler returns. Its schemas validate the input, and its
   * interceptors run. Guards, middleware and error handlers don't. Providers of the request are shared.
   *
   * @example
   * const user = await context.call<User>('user.create', { body })
   *
   * @throws `RangeError` for a name that does not exist and for calls that never end, `ValidationError` for input that the route refuses,
   * `HttpError` for a reply of 400 and more, and what the route throws.
   */
  readonly call: <T = unknown>(name: string, input?: CallInput) => Promise<T>
  /**
   * Has work go on after the response. `close()` waits for it within the grace time, and so do platforms that end a worker with its last
   * response. If it rejects, the error is logged. Providers of the request end with the response.
   *
   * @example
   * context.waitUntil(mails.sendWelcome(user))
   */
  readonly waitUntil: (work: PromiseLike<unknown>) => void
  /** Returns the path of a route by its name, in the version of this request unless you pass another. */
  readonly urlFor: (name: string, params?: Readonly<Record<string, unknown>>, options?: UrlOptions) => string
  /**
   * Returns the methods of this path in the version of the request, or in any version if none is known yet, as in a CORS preflight. Empty
   * if no route has the path.
   */
  readonly allowedMethods: () => Promise<readonly Method[]>
  /** Returns the request, for code written for frameworks with several transports. */
  readonly switchToHttpConnection: () => { getRequest(): HttpRequest }
}

/** The context of a request whose route is known, for handlers, guards and interceptors. */
export interface RouteContext<I = unknown> extends ExecutionContext<I> {
  /** The route that answers. */
  readonly route: RouteInfo
}
