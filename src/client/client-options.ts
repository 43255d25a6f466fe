import { isCount, isFunction, isObject, isPositive, isRecord, isString } from '../base/values.ts'
import type { FetchBody } from './encode-body.ts'
import { ROUTE_MAP, type RouteMap, type SavedRouteMap, type VisibleRoutes } from './route-map.ts'

/** Headers by name, or an argument of `new Headers`. `undefined` values are left out. */
export type ClientHeaders =
  | Readonly<Record<string, string | undefined>>
  | Headers
  | readonly (readonly [name: string, value: string])[]

/** When requests are sent again. */
export interface RetryOptions {
  /** The number of further tries after the first one. @default 2 */
  readonly limit?: number
  /** The methods of requests that may be sent again. @default those that are idempotent: GET, HEAD, PUT, DELETE, OPTIONS, TRACE, QUERY, and those of routes with an idempotency key */
  readonly methods?: readonly string[]
  /** The statuses after which a request is sent again. @default [408, 429, 502, 503, 504] */
  readonly statuses?: readonly number[]
  /** The shortest wait in milliseconds. The longest wait doubles from try to try, and the time between both is random. @default 300 */
  readonly minDelay?: number
  /** The longest wait in milliseconds. If `Retry-After` asks for more, there is no further try. @default 30000 */
  readonly maxDelay?: number
}

/** When the events of a route are asked for again. */
export interface ReconnectOptions {
  /** The number of tries in a row after which there is no further one. It counts again once something arrives. @default 10 */
  readonly limit?: number
  /** Milliseconds until the first try, unless the server says something else in `retry`. Grows with each try in a row. @default 1000 */
  readonly minDelay?: number
  /** The longest wait in milliseconds. @default 30000 */
  readonly maxDelay?: number
}

/** A request as it is about to be sent. Each try has an object of its own, so a hook may change its `headers` and `url`. */
export interface OutgoingRequest {
  /** The name of the route that is called. `undefined` if the client asks for the route map. */
  readonly route: string | undefined
  /** 1 for the first try of a request, 2 for the second. */
  readonly attempt: number
  /** The method. */
  readonly method: string
  /** The address with its query. */
  readonly url: URL
  /** The headers, those of the option `headers` included. */
  readonly headers: Headers
  /** The body as it is sent. JSON is text. */
  readonly body: FetchBody | undefined
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal | undefined
}

/** The end of a route in a version, as the headers of its responses announce it. */
export interface DeprecationNotice {
  /** The name of the route. */
  readonly route: string
  /** The version of the client. `undefined` for one without a version. */
  readonly version: string | undefined
  /** Since when it is deprecated, or will be (RFC 9745). */
  readonly deprecated: Date | undefined
  /** The moment from which it may stop answering (RFC 8594). */
  readonly sunset: Date | undefined
  /** The next time in which it answers 410. */
  readonly brownout:
    | {
        /** The first moment in which it does not answer. */
        readonly from: Date
        /** The moment from which it answers again. */
        readonly to: Date
      }
    | undefined
  /** The URL of the same resource in the next version, if the application links to it (RFC 5829). */
  readonly successor: string | undefined
  /** The URL of the page that explains the deprecation, or else the sunset. */
  readonly page: string | undefined
}

/** The options of every client. */
export interface CommonOptions {
  /**
   * The address of the application, including a path before all others.
   *
   * @default the origin of the page in browsers; `http://localhost` for `app.fetch` and `createDispatcher(app)`
   */
  readonly baseUrl?: string | URL
  /** The function that sends requests, which is called like `fetch`, or `app.fetch`. @default the platform's `fetch` */
  readonly fetch?:
    | ((url: string, init: RequestInit) => PromiseLike<Response>)
    | {
        /** Sends a request, such as `app.fetch`, and those of packages with types of their own. */
        (input: never, init: never): PromiseLike<object>
        /** For types alone: TypeScript infers no parameters from two signatures, but those of the function above. */
        // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- TypeScript would unite signatures that differ in less
        <_>(...args: never): unknown
      }
  /** In Node only: a dispatcher of undici for the platform's `fetch`, such as `createDispatcher(app)` or an `Agent`. */
  readonly dispatcher?: object
  /** Headers of every request, or a function that returns them for each call, for example for tokens. It may be async. */
  readonly headers?: ClientHeaders | (() => ClientHeaders | PromiseLike<ClientHeaders>)
  /** Whether browsers send cookies. @default 'same-origin' */
  readonly credentials?: 'omit' | 'same-origin' | 'include'
  /**
   * How often a request is sent again, or when. This happens if the network fails or if the status is 408, 429, 502, 503 or 504, for
   * idempotent methods and for routes with an idempotency key alone. Bodies that are streams are sent once. @default 0
   */
  readonly retry?: number | RetryOptions
  /**
   * Called before each try. It may change `headers` and `url` of the request, for example to add a fresh token. If it throws, the call
   * rejects with the same error and nothing is sent.
   */
  readonly onRequest?: (request: OutgoingRequest) => void | PromiseLike<void>
  /**
   * Called after each try that has an answer, before the client reads it or tries again. Read a body from `response.clone()`. If it
   * throws, the call rejects with the same error.
   */
  readonly onResponse?: (response: Response, request: OutgoingRequest) => void | PromiseLike<void>
  /**
   * Called when a response announces the end of its route: once for each route, version and `baseUrl` in this process. If it throws, the
   * call rejects with the same error. A promise is awaited.
   */
  readonly onDeprecated?: (notice: DeprecationNotice) => unknown
  /** Milliseconds until a call rejects with a `TimeoutError`, all tries together. Of a stream, until its head is there. @default none */
  readonly timeout?: number
  /** A route map, as `octavo client --map` writes it, or its URL. @default asked of the application */
  readonly routes?: RouteMap | SavedRouteMap | string | URL
  /** The path of the documents below `baseUrl`, where the route map is. @default '/docs' */
  readonly docs?: string
}

/** The options of `createClient`. */
export interface ClientOptions extends CommonOptions {
  /** Belongs to the type of a client: see `VersionedClientOptions`. */
  readonly version?: 'the version is the second type argument: createClient<typeof app, Version>({ version })'
}

/** The options of `createClient` for a client of a version. */
export interface VersionedClientOptions<V> extends CommonOptions {
  /** The version of every call. The client writes it where the application reads it. */
  readonly version: V
}

/** The options of a client, of a version or of none. */
export interface AnyClientOptions extends CommonOptions {
  readonly version?: string | undefined
}

type Test = (value: unknown) => boolean

const isAddress: Test = (value) => isString(value) || value instanceof URL
const FUNCTION = [isFunction, 'a function'] as const

const RETRY: Readonly<Record<keyof RetryOptions, Test>> = {
  limit: isCount,
  methods: (value) => Array.isArray(value) && value.every(isString),
  statuses: (value) => Array.isArray(value) && value.every(isCount),
  minDelay: isCount,
  maxDelay: isCount,
}

const { methods: _methods, statuses: _statuses, ...RECONNECT } = RETRY

/** Checks the option `reconnect` of a call. @throws `TypeError` for one that cannot be used. */
export function checkReconnect(name: string, reconnect: unknown, as: string | undefined): void {
  if (as !== 'events' && as !== 'data' && as !== undefined) throw notForEvents(name)
  if (isCount(reconnect) || (isRecord(reconnect) && findWrong(RECONNECT, reconnect) === undefined)) return
  throw new TypeError(`${name}: reconnect is not a number of tries, or { limit, minDelay, maxDelay }`)
}

/** Creates the error of a call that asks to reconnect if its route has no events. */
export function notForEvents(name: string): TypeError {
  return new TypeError(`${name}: reconnect is for events; write as: 'events' beside it`)
}

/** The first member of an option that does not exist or cannot be used. */
function findWrong(tests: Readonly<Record<string, Test>>, options: object): string | undefined {
  return Object.entries(options).find(
    ([name, value]) => value !== undefined && !(Object.hasOwn(tests, name) && tests[name]?.(value)),
  )?.[0]
}

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
    (value) => isCount(value) || (isRecord(value) && findWrong(RETRY, value) === undefined),
    'a number of retries, or { limit, methods, statuses, minDelay, maxDelay }',
  ],
  onRequest: FUNCTION,
  onResponse: FUNCTION,
  onDeprecated: FUNCTION,
  timeout: [isPositive, 'a number of milliseconds'],
  routes: [(value) => isAddress(value) || isObject(value), 'a route map, or the URL of one'],
  docs: [isString, "a path, such as '/docs'"],
}

/** Checks the options of a client. @throws `TypeError` for what cannot be used. */
export function checkClientOptions(options: AnyClientOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name))
      throw new TypeError(
        `createClient: there is no option ${name}; there are ${Object.keys(OPTIONS).join(', ')}`,
      )
    const [test, expected] = OPTIONS[name]
    if (value !== undefined && !test(value)) throw new TypeError(`createClient: ${name} is not ${expected}`)
  }
  if (options.fetch !== undefined && options.dispatcher !== undefined)
    throw new TypeError('createClient: give dispatcher or fetch, not both')
}

function isOption(name: string): name is keyof AnyClientOptions {
  return Object.hasOwn(OPTIONS, name)
}

/** Returns the function that reads the routes of an application in the same process, behind `fetch` or `dispatcher`. */
export function visibleRoutesOf({ fetch, dispatcher }: AnyClientOptions): VisibleRoutes | undefined {
  const tell: unknown = Reflect.get(fetch ?? dispatcher ?? {}, ROUTE_MAP)
  // the symbol is Octavo's own
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return isFunction(tell) ? (tell as VisibleRoutes) : undefined
}

/** The base URL, without a slash at its end. @throws `TypeError` when there is none, or it is no URL. */
export function toBaseUrl(options: AnyClientOptions): URL {
  const { origin, href }: { readonly origin?: string; readonly href?: string } =
    Reflect.get(globalThis, 'location') ?? {}
  const given = options.baseUrl ?? (visibleRoutesOf(options) === undefined ? origin : 'http://localhost')
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
