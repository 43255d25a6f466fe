import type { HttpRequest as HttpRequestValue } from '../http.ts'
import type { BuiltIn } from './built-in.ts'
import type {
  ExecutionContext as ExecutionContextValue,
  HttpResponse as HttpResponseValue,
  Logger as LoggerValue,
} from './context.ts'

/** The request: `inject: { request: HttpRequest }`. */
export const HttpRequest: BuiltIn<HttpRequestValue> = { kind: 'built-in', token: 'HttpRequest' }
export type HttpRequest = HttpRequestValue

/** The head of the response, to set status, headers and cookies on: `inject: { response: HttpResponse }`. */
export const HttpResponse: BuiltIn<HttpResponseValue> = { kind: 'built-in', token: 'HttpResponse' }
export type HttpResponse = HttpResponseValue

/** Everything known of the request being answered: the same object as a handler's second argument. */
export const ExecutionContext: BuiltIn<ExecutionContextValue> = {
  kind: 'built-in',
  token: 'ExecutionContext',
}
export type ExecutionContext<I = unknown> = ExecutionContextValue<I>

/** The address of the client: `inject: { host: Host }`. The Host header is `request.host`. */
export const Host: BuiltIn<string> = { kind: 'built-in', token: 'Host' }
export type Host = string

/** The application's logger: `inject: { log: Logger }`. In a request, `context.log` adds the request's id. */
export const Logger: BuiltIn<LoggerValue> = { kind: 'built-in', token: 'Logger' }
export type Logger = LoggerValue
