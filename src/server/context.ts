import { randomUUID } from 'node:crypto'

import type { ExecutionContext, HttpResponse, Logger, RouteInfo, UrlOptions } from '../define/context.ts'
import type { Token } from '../define/token.ts'
import type { HttpRequest, RawRequest } from '../http.ts'
import { RequestView } from '../request/request.ts'
import { resolveBuiltIn } from './built-ins.ts'
import { createResponseHead } from './response-head.ts'
import type { ResponseHead } from './response-head.ts'
import type { Settings } from './settings.ts'

/** What the application lends to every request. */
export interface Lent {
  readonly settings: Settings
  readonly urlFor: (name: string, params: Readonly<Record<string, unknown>>, options: UrlOptions) => string
  /** The path without its version segment. */
  readonly versionFree: (path: string) => string
}

/** One request on its way through the application. A class because it lives for one request, and most of it is made on demand. */
export class RequestContext implements ExecutionContext {
  readonly #raw: RawRequest
  readonly #lent: Lent
  #target: string
  #request: RequestView | undefined
  #state: Record<string, unknown> | undefined
  #requestId: string | undefined
  /** Made when something in it is first asked for. */
  head: ResponseHead | undefined
  route: RouteInfo | null = null
  version: string | null = null
  identity: unknown = undefined
  /** Whether a header may have chosen the handler, so that the response depends on it. */
  varies = false
  /** Whether the path has a version segment. */
  versionInPath = false

  constructor(raw: RawRequest, lent: Lent) {
    this.#raw = raw
    this.#lent = lent
    this.#target = raw.target
  }

  /** Settles the request target in origin form. */
  settle(url: string): void {
    this.#target = url
  }

  get request(): HttpRequest {
    return (this.#request ??= new RequestView(this.#raw, this.#target, this.#lent.settings))
  }

  get response(): HttpResponse {
    return (this.head ??= createResponseHead()).view
  }

  get originalPath(): string {
    return this.request.path
  }

  get path(): string {
    return this.versionInPath ? this.#lent.versionFree(this.request.path) : this.request.path
  }

  get signal(): AbortSignal {
    return this.#raw.signal
  }

  get state(): Record<string, unknown> {
    return (this.#state ??= {})
  }

  get requestId(): string {
    return (this.#requestId ??= randomUUID())
  }

  get log(): Logger {
    return this.#lent.settings.logger
  }

  resolve<T>(token: Token<T>): Promise<T> {
    return Promise.resolve(resolveBuiltIn(token, this))
  }

  urlFor(name: string, params: Readonly<Record<string, unknown>> = {}, options: UrlOptions = {}): string {
    const version = options.version ?? this.version
    return this.#lent.urlFor(name, params, version === null ? options : { ...options, version })
  }

  switchToHttpConnection(): { getRequest(): HttpRequest } {
    return { getRequest: () => this.request }
  }
}
