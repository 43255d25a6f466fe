import type { HttpRequest as HttpRequestValue } from '../http/http.ts'
import type { OutputOf, Schema } from '../schema/schema.ts'
import type {
  ExecutionContext as ExecutionContextValue,
  HttpResponse as HttpResponseValue,
  Logger as LoggerValue,
} from './context.ts'
import type { ConfigValues, SessionValues } from './register.ts'
import type { Token } from './token.ts'

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
export const HttpResponse: BuiltIn<HttpResponseValue> = { kind: 'built-in', token: 'HttpResponse' }
export type HttpResponse = HttpResponseValue

/** The context of the request: the same object as a handler's second argument. */
export const ExecutionContext: BuiltIn<ExecutionContextValue> = {
  kind: 'built-in',
  token: 'ExecutionContext',
}
export type ExecutionContext<I = unknown> = ExecutionContextValue<I>

/** The address of the client: `inject: { address: ClientAddress }`. The Host header is `request.host`. */
export const ClientAddress: BuiltIn<string> = { kind: 'built-in', token: 'ClientAddress' }
export type ClientAddress = string

/** The application's logger: `inject: { log: Logger }`. In a request, `context.log` adds the request's id. */
export const Logger: BuiltIn<LoggerValue> = { kind: 'built-in', token: 'Logger' }
export type Logger = LoggerValue

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
