import { isFunction, isObject, isString } from '../values.ts'
import { ROUTE_MAP } from './route-map.ts'
import type { RouteMap, TellRoutes } from './route-map.ts'

/** Headers by name, or what `new Headers` takes; `undefined` values are left out. */
export type ClientHeaders =
  | Readonly<Record<string, string | undefined>>
  | Headers
  | readonly (readonly [name: string, value: string])[]

/** What undici is told of retries; its documentation of `RetryHandler` has the defaults. */
export interface RetryOptions {
  /** The number of further tries after the first one. */
  readonly maxRetries?: number
  /** The longest wait between two tries, in milliseconds. */
  readonly maxTimeout?: number
  /** The shortest wait, in milliseconds. */
  readonly minTimeout?: number
  /** How much longer each wait is than the one before. */
  readonly timeoutFactor?: number
  /** Whether a `Retry-After` of the server is waited for. */
  readonly retryAfter?: boolean
  /** The methods that are tried again. */
  readonly methods?: readonly string[]
  /** The statuses after which a request is sent again. */
  readonly statusCodes?: readonly number[]
  /** The codes of network errors after which a request is sent again, such as `ECONNRESET`. */
  readonly errorCodes?: readonly string[]
}

/** The options of every client. */
export interface CommonOptions {
  /**
   * Where the application answers, with the path before all others where there is one.
   *
   * @default the origin of the page in browsers; `http://localhost` for `app.fetch` and `createDispatcher(app)`
   */
  readonly baseUrl?: string | URL
  /** Sends requests: anything that is called as `fetch` is, or `app.fetch`. @default the platform's `fetch` */
  readonly fetch?: (input: never, init: never) => PromiseLike<object>
  /** Of Node alone: a dispatcher of undici for the platform's `fetch`, such as `createDispatcher(app)` or an `Agent`. */
  readonly dispatcher?: object
  /** Headers of every request, or a function that is called for each, as for tokens; it may give a promise. */
  readonly headers?: ClientHeaders | (() => ClientHeaders | PromiseLike<ClientHeaders>)
  /** Whether browsers send cookies. @default 'same-origin' */
  readonly credentials?: 'omit' | 'same-origin' | 'include'
  /**
   * Of Node alone: how often a request is tried again that cannot be sent or is answered with 429, 500, 502, 503 or 504, by the package
   * undici. Only methods that may be repeated (GET, HEAD, PUT, DELETE, OPTIONS, TRACE) are. @default 0
   */
  readonly retry?: number | RetryOptions
  /** Milliseconds until a call rejects with a `TimeoutError`; of a stream, until its head is there. @default none */
  readonly timeout?: number
  /** How routes are called: a route map, or where it is. @default asked of the application */
  readonly routes?: RouteMap | string | URL
  /** The path of the documents below `baseUrl`, where the route map is. @default '/docs' */
  readonly docs?: string
}

/** What `createClient` takes. */
export interface ClientOptions extends CommonOptions {
  /** Belongs to the type of a client: see `VersionedClientOptions`. */
  readonly version?: 'the version is the second type argument: createClient<typeof app, Version>({ version })'
}

/** What `createClient` takes for a client of a version. */
export interface VersionedClientOptions<V> extends CommonOptions {
  /** The version that every call asks for, in whatever way the application reads it. */
  readonly version: V
}

/** The options of a client, of a version or of none. */
export interface AnyClientOptions extends CommonOptions {
  readonly version?: string | undefined
}

type Test = (value: unknown) => boolean

const isAddress: Test = (value) => isString(value) || value instanceof URL
const isWholeNumber: Test = (value) => Number.isInteger(value) && Number(value) >= 0

const OPTIONS: Readonly<Record<keyof AnyClientOptions, readonly [test: Test, expected: string]>> = {
  baseUrl: [isAddress, 'a URL'],
  version: [isString, "a version, such as '2'"],
  fetch: [isFunction, 'a function such as fetch'],
  dispatcher: [
    (value) => isObject(value) && isFunction(Reflect.get(Object(value), 'dispatch')),
    'a dispatcher of undici',
  ],
  headers: [(value) => isObject(value) || isFunction(value), 'headers, or a function that gives them'],
  credentials: [
    (value) => ['omit', 'same-origin', 'include'].includes(String(value)),
    "'omit', 'same-origin' or 'include'",
  ],
  retry: [
    (value) => isWholeNumber(value) || isObject(value),
    'a number of retries, or what undici takes of them',
  ],
  timeout: [(value) => isWholeNumber(value) && value !== 0, 'a number of milliseconds'],
  routes: [(value) => isAddress(value) || isObject(value), 'a route map, or the URL of one'],
  docs: [isString, "a path, such as '/docs'"],
}

/** Checks the options of a client. @throws `TypeError` for what cannot be used. */
export function checkOptions(options: AnyClientOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name))
      throw new TypeError(
        `createClient: there is no option ${name}; there are ${Object.keys(OPTIONS).join(', ')}`,
      )
    const [test, expected] = OPTIONS[name]
    if (value !== undefined && !test(value)) throw new TypeError(`createClient: ${name} is not ${expected}`)
  }
  if (options.fetch === undefined) return
  const other = options.dispatcher === undefined ? 'retry' : 'dispatcher'
  if (options[other] !== undefined)
    throw new TypeError(`createClient: ${other} is for the fetch of the platform; give it or fetch, not both`)
}

function isOption(name: string): name is keyof AnyClientOptions {
  return Object.hasOwn(OPTIONS, name)
}

/** What tells the routes of the application behind `fetch` or `dispatcher`, where it is in the same process. */
export function tellRoutesOf({ fetch, dispatcher }: AnyClientOptions): TellRoutes | undefined {
  const tell: unknown = Reflect.get(fetch ?? dispatcher ?? {}, ROUTE_MAP)
  // the symbol is Octavo's own
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return typeof tell === 'function' ? (tell as TellRoutes) : undefined
}

/** The base URL, without a slash at its end. @throws `TypeError` when there is none, or it is no URL. */
export function toBase(options: AnyClientOptions): URL {
  const { origin, href }: { readonly origin?: string; readonly href?: string } =
    Reflect.get(globalThis, 'location') ?? {}
  const given = options.baseUrl ?? (tellRoutesOf(options) === undefined ? origin : 'http://localhost')
  if (given === undefined) throw new TypeError('createClient: give a baseUrl, where the application answers')
  const text = String(given)
  if (!URL.canParse(text, href))
    throw new TypeError(`createClient: baseUrl is not a URL: ${text.replace(/^.*@/s, '…@').slice(0, 100)}`)
  const url = new URL(text, href)
  // `fetch` refuses it too, and tells it
  if (url.username !== '' || url.password !== '')
    throw new TypeError('createClient: baseUrl has a user or a password; send them in headers.authorization')
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
  url.search = ''
  url.hash = ''
  return url
}
