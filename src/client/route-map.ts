/** How a client calls a route. */
export interface RouteCall {
  /** The method to send. */
  readonly method: string
  /** Further methods that the route answers. */
  readonly others?: readonly string[]
  /** The path with its parameters in braces, the version included where the path has it; `{rest:path}` takes slashes. */
  readonly path: string
  /** The headers that name the version, unless the path does. */
  readonly headers?: Readonly<Record<string, string>>
  /** Query parameters that name the version, if the path does not. */
  readonly query?: Readonly<Record<string, string>>
  /** The text that replaces the host of the base URL where hosts name versions. */
  readonly host?: string
  /** How `body` is sent. @default 'json' */
  readonly body?: 'json' | 'text' | 'bytes'
  /** The content type of `body`. @default that of its kind */
  readonly type?: string
  /** How `form` is sent; `files` make it multipart. @default 'urlencoded' */
  readonly form?: 'urlencoded' | 'multipart'
  /** How the data of declared events is read, by the names of events. */
  readonly events?: Readonly<Record<string, 'json' | 'text'>>
  /** Whether the route sends declared items. */
  readonly items?: boolean
  /** The methods whose requests get an `Idempotency-Key`, so that they can be sent again. */
  readonly keys?: readonly string[]
  /** The declared statuses of 400 and more, and the ranges `4XX`, `5XX` and `default`, which are results and no errors. */
  readonly errors?: readonly (number | string)[]
  /** The codes of declared problems, which are results and no errors. */
  readonly problems?: readonly string[]
}

/** How a client calls the routes of one version, by their names. */
export interface RouteMap {
  /** `null` for requests that name none. */
  readonly version: string | null
  /** The calls by full route names. */
  readonly routes: Readonly<Record<string, RouteCall>>
  /** The content type of errors in the format of the application. @default 'application/problem+json' */
  readonly errorType?: string
}

/** A route map by the type that an import of a JSON file has. */
export interface SavedRouteMap {
  /** `null` for requests that name none. */
  readonly version: string | null
  /** The calls by full route names. */
  readonly routes: Readonly<Record<string, Readonly<Pick<RouteCall, 'method' | 'path'>>>>
}

/** Where `app.fetch` and the dispatchers of `createDispatcher` keep the function that tells a client in the same process the routes of a version. */
export const ROUTE_MAP: unique symbol = Symbol.for('octavo.route-map')

/**
 * Returns the routes of a version, or `undefined` for requests without one. `host` is the host of the base URL. Rejects with a `RangeError`
 * for an unknown version.
 */
export type VisibleRoutes = (version: string | undefined, host: string) => RouteMap | PromiseLike<RouteMap>
