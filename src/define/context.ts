import type { IdentityValue, ConfigValues, SessionValues } from './register.ts'
import { recordLocation } from '../base/definition-error.ts'
import type { Method, HttpRequest as HttpRequestValue } from '../http/http.ts'
import type { Schema, OutputOf } from '../schema/schema.ts'
import type { Awaitable } from '../base/values.ts'

/*
 * What is inferred of a route is a union of all its parts. Guards leave their marks in it as tuples, which no input and no response
 * is taken for.
 */

/** The mark of a guard that a route adds. */
export type Added<I = unknown> = readonly ['adds', I]

/** The mark of a guard that a route drops. */
export type Dropped<I = unknown> = readonly ['drops', I]

type AddedBy<E> = E extends Added<infer I> ? I : never
type DroppedBy<E> = E extends Dropped<infer I> ? I : never

/**
 * The type of `context.identity`: that of the guards of the route, else of its controller (`G`), else of `Register`. It is `unknown` if the
 * route drops a guard with an identity, and if none declares one. Most routes have no marks, so they cost the type checker one question.
 */
export type Identity<E, G> = [Extract<E, readonly [string, unknown]>] extends [never] ? G : Marked<E, G>

type Marked<E, G> = [AddedBy<E>] extends [never] ? ([DroppedBy<E>] extends [never] ? G : unknown) : AddedBy<E>

/** The known type of an identity. `never` means that no guard of the controller or route has one. */
export type IdentityIn<G> = [G] extends [never] ? IdentityValue : G

/** A token for a value that `inject` can supply. The type parameter is the type of the value. */
export interface Token<T> {
  /** Names the token in messages. */
  readonly token: string
  /** Carries the type only; never set. */
  readonly $type?: T
}

/** Tokens by the key under which their values arrive. */
export type Tokens = Readonly<Record<string, Token<unknown>>>

/** The values of a record of tokens. */
export type Injected<M> = { readonly [K in keyof M]: M[K] extends Token<infer T> ? T : never }

/**
 * Defines a token for an interface, a value or a choice between implementations, which others provide with {@link bind}.
 *
 * @example
 * export const PaymentGateway = defineToken<{ charge(cents: number): Promise<string> }>('PaymentGateway')
 */
export function defineToken<T>(name: string): Token<T> {
  return recordLocation(Object.freeze({ token: name }), defineToken)
}

/** Whether the value can be injected. */
export function isToken(value: unknown): value is Token<unknown> {
  return typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string'
}

/**
 * Attributes of a cookie (RFC 6265 section 4.1). `sameSite: 'none'`, `partitioned` and names that begin with `__Host-` or `__Secure-` need
 * `secure: true`, because browsers refuse the cookie without.
 */
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
export interface UrlOptions {
  /** The query by name. A list repeats the name, `null` and `undefined` are left out. */
  readonly query?: Readonly<Record<string, unknown>>
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

/** A change between versions with fields that are `kept`. `F` has the names and schemas of its fields. */
export interface KeepingChange<F = unknown> {
  /** The word that logs and code name the change by. */
  readonly id: string
  /** For types alone: what models and routes were. */
  readonly '~was': F
}

/** The values that an older request carried of the fields that a change keeps. */
export type Kept<F> = {
  readonly [
    E in F as E extends readonly [infer N, readonly [infer K extends string, Schema], unknown]
      ? N extends `${string} ${string}`
        ? never
        : K
      : never
  ]?: E extends readonly [unknown, readonly [unknown, infer W extends Schema], unknown] ? OutputOf<W> : never
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
   * Returns what an older request carried of the fields that a change marks as `kept`, or `undefined` for a request of a version with the change
   * or without the model.
   *
   * @example
   * const permission = context.kept(noPermissions)?.permission ?? 'read'
   */
  readonly kept: <F>(change: KeepingChange<F>) => Kept<F> | undefined
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
  /** Returns the path of a route by its name, in the version of this request. */
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

/** A token that the application itself supplies. */
export interface BuiltIn<T> extends Token<T> {
  /** Distinguishes built-in tokens from providers. */
  readonly kind: 'built-in'
  /** Reads the value, for those that can be read in more than one way. */
  readonly schema?: Schema
}

/** Whether a token is one that the application itself supplies. */
export function isBuiltIn(token: object): token is BuiltIn<unknown> {
  return 'kind' in token && token.kind === 'built-in'
}

/** The request: `inject: { request: HttpRequest }`. */
export const HttpRequest: BuiltIn<HttpRequestValue> = { kind: 'built-in', token: 'HttpRequest' }
export type HttpRequest = HttpRequestValue

/** The head of the response, to set status, headers and cookies on: `inject: { response: HttpResponse }`. */
export const HttpResponse: BuiltIn<HttpResponse> = { kind: 'built-in', token: 'HttpResponse' }

/** The context of the request: the same object as a handler's second argument. */
export const ExecutionContext: BuiltIn<ExecutionContext> = {
  kind: 'built-in',
  token: 'ExecutionContext',
}

/** The address of the client: `inject: { address: ClientAddress }`. The Host header is `request.host`. */
export const ClientAddress: BuiltIn<string> = { kind: 'built-in', token: 'ClientAddress' }
export type ClientAddress = string

/** The application's logger: `inject: { log: Logger }`. In a request, `context.log` adds the request's id. */
export const Logger: BuiltIn<Logger> = { kind: 'built-in', token: 'Logger' }

/** The settings of the application. */
export type Config = ConfigValues

/** The token of the settings, with their types. */
export interface ConfigToken extends BuiltIn<Config> {
  /**
   * Returns a token for the settings as another schema reads them, independent of `configSchema`. If the schema refuses them, the start
   * fails.
   *
   * @example
   * const MailSettings = z.object({ smtpHost: z.string() })
   * inject: { settings: Config.of(MailSettings) }
   */
  of<S extends Schema>(schema: S): BuiltIn<OutputOf<S>>
}

/**
 * The settings of the application: `inject: { config: Config }`. `configSchema` reads them from `config`. {@link Register} or `Config.of`
 * types them.
 */
export const Config: ConfigToken = {
  kind: 'built-in',
  token: 'Config',
  of: (schema) => ({ kind: 'built-in', token: 'Config', schema }),
}

/** The session of a client: data kept on the server, found by a signed id in a cookie. */
export interface Session<T = SessionValues> {
  /** The id in the cookie. Until the session is stored, no client knows it. */
  readonly id: string
  /** The data, which you can read and change. Changes are stored before the response is sent. */
  readonly data: T
  /** Sets a new id, and the old one stops working. Call it when a client signs in or out, or gets more rights. */
  regenerate(): Promise<void>
  /** Deletes the data in the store and the cookie of the client. */
  destroy(): Promise<void>
}

/** The token of the session, with the types of its data. */
export interface SessionToken extends BuiltIn<Session> {
  /**
   * The same token with the types of a schema, which has to be the one of the `session` option.
   *
   * @example
   * inject: { session: Session.of(CartSession) }
   */
  of<S extends Schema>(schema: S): BuiltIn<Session<OutputOf<S>>>
}

/**
 * The session: `inject: { session: Session }`. Needs the `session` option of `createApp`. {@link Register} or `Session.of` types its data.
 */
export const Session: SessionToken = {
  kind: 'built-in',
  token: 'Session',
  of: (schema) => ({ kind: 'built-in', token: 'Session', schema }),
}

/** Marks upstreams. Never in data of users. */
export const FORWARDS: unique symbol = Symbol.for('octavo.forwards')

/** The key under which a route that forwards its requests injects its upstream. */
export const FORWARDED = '[upstream]'

/** An application that answers requests of the web platform, such as one of Octavo or Hono. */
export interface UpstreamApp {
  /** Answers a request. */
  fetch(request: Request): Awaitable<Response>
}

/** The target of `forward` of a route: an API behind the application. Made by `defineUpstream` of `octavo/upstream`. */
export interface ForwardTarget extends Token<UpstreamApp> {
  /** Distinguishes upstreams from other providers. */
  readonly [FORWARDS]: true
}

/** Whether a value was made by `defineUpstream`. */
export function isForwardTarget(value: unknown): value is ForwardTarget {
  return typeof value === 'object' && value !== null && FORWARDS in value
}

/** The replacement of an upstream: an application, or a function that answers requests. */
export type UpstreamStandIn = UpstreamApp | UpstreamApp['fetch']

/** Returns the value that `bind` binds an upstream to: a function or an application becomes its value. */
export function toUpstreamValue(to: object): object {
  if (typeof to === 'function') return { value: { fetch: to } }
  return 'fetch' in to && typeof to.fetch === 'function' ? { value: to } : to
}
