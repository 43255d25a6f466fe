import type { HttpRequest as HttpRequestValue } from '../http.ts'
import type {
  ExecutionContext as ExecutionContextValue,
  HttpResponse as HttpResponseValue,
} from './context.ts'
import type { Token } from './token.ts'

/** The request: `inject: { request: HttpRequest }`. */
export const HttpRequest: Token<HttpRequestValue> = { token: 'HttpRequest' }
export type HttpRequest = HttpRequestValue

/** The head of the response, to set status, headers and cookies on: `inject: { response: HttpResponse }`. */
export const HttpResponse: Token<HttpResponseValue> = { token: 'HttpResponse' }
export type HttpResponse = HttpResponseValue

/** Everything known of the request being answered: the same object as a handler's second argument. */
export const ExecutionContext: Token<ExecutionContextValue> = { token: 'ExecutionContext' }
export type ExecutionContext = ExecutionContextValue

/** The address of the client: `inject: { host: Host }`. The Host header is `request.host`. */
export const Host: Token<string> = { token: 'Host' }
export type Host = string
