import type { Tokens } from '../define/token.ts'
import type { HttpRequest } from '../http/http.ts'

/** The request for which values are converted, as far as functions of changes see it. */
export interface MigrationRequest {
  readonly request: HttpRequest
  readonly state: Record<string, unknown>
}

/** The request for which values are converted, with what loads data for it. */
export interface MigrationSite extends MigrationRequest {
  readonly signal: AbortSignal
  /** Returns the values of tokens, as the root module sees them. */
  readonly provide: (tokens: Tokens) => Promise<Readonly<Record<string, unknown>>>
}

/** The request that is served in an older version. */
export interface MigrationExtra extends MigrationRequest {
  /** Called with the id of each change that alters something, once or several times. Without it, nothing is tracked. */
  readonly altered?: ((change: string, isName?: boolean) => void) | undefined
}

/** The second argument of functions of changes in a request. A class because only the code that loads may see the rest of the request. */
export class RequestExtra implements MigrationExtra {
  readonly #site: MigrationSite

  constructor(site: MigrationSite) {
    this.#site = site
  }

  get request(): HttpRequest {
    return this.#site.request
  }

  /** The values that the code of the application shares during the request. */
  get state(): Record<string, unknown> {
    return this.#site.state
  }

  /** Returns the request behind the argument of a function, or `undefined` if there is none. */
  static siteOf(extra: object): MigrationSite | undefined {
    return #site in extra ? extra.#site : undefined
  }
}
