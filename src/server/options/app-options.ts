import {
  invalidOption,
  optionProblems,
  type DefinitionProblem,
  type Rules,
} from '../../base/definition-error.ts'
import { isToken, type ExecutionContext, type Logger } from '../../define/context.ts'
import type { Observer } from '../../define/observer.ts'
import type { ErrorHandler, AnyGuard, Middleware } from '../../define/layers.ts'
import { isHostPattern } from '../request/host.ts'
import { ADDRESSES_EXPECTED, isTrustList } from '../request/trust.ts'
import { LAYER_RULES, isDefinition } from '../../routes/check-fields.ts'
import type { Interceptor } from '../../define/interceptor.ts'
import { resolveLazy } from '../../define/module.ts'
import type { Binding } from '../../define/provider.ts'
import { STORE, type Store } from '../../define/store.ts'
import { type HttpRequest, type FinishedResponse } from '../../http/http.ts'
import { isSchema, type Schema } from '../../schema/schema.ts'
import { isUploadLimits, UPLOAD_LIMITS_EXPECTED, type UploadLimits } from '../../schema/uploads.ts'
import { MIN_SECRET, SESSION_RULES, sessionProblems, type SessionOptions } from '../session/options.ts'
import { isFunction, isObject, isRecord, isNonEmptyString, type Awaitable } from '../../base/values.ts'
import { DOCS_RULES, type DocsOptions } from './docs.ts'
import { HEALTH_RULES, healthProblems, type HealthOptions } from './health.ts'
import { PREFIX_RULE, PREFIX_RULES, prefixProblems, type PrefixOptions } from './prefix.ts'
import { USAGE_RULES, type UsageOptions } from './usage.ts'
import { VERSIONING_RULE, type AnyVersioning, type VersioningOption } from './versioning.ts'
import type { ErrorFormat } from '../../define/error-format.ts'
import { parseMediaType } from '../../http/media-type.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'

/** Time limits in milliseconds. */
export interface Timeouts {
  /** For all headers of a request to arrive. @default 60000 */
  readonly headers?: number
  /** For a whole request to arrive. @default 300000 */
  readonly request?: number
  /** For the next request on a kept connection. @default 5000 */
  readonly idle?: number
  /** For a client to read some of a waiting response. After that, it is disconnected. 0 waits for ever. @default 60000 */
  readonly send?: number
  /**
   * For each guard, for the handler with its interceptors and for the middleware of the route. After that, the response is 503. Reading
   * input and sending streams do not count. 0 waits for ever. @default 30000
   */
  readonly handler?: number
  /** For requests in flight to finish when the server closes. @default 10000 */
  readonly grace?: number
  /** Between a signal to stop and closing. The readiness route already returns 503, and all requests are still answered. @default 0 */
  readonly drain?: number
}

/** Limits of the parts of a request. The limit of the body is `bodyLimit`. */
export interface Limits {
  /** Characters of the request target: path and query. More are 414. @default 8192 */
  readonly url?: number
  /** Bytes of all headers together. More are 431. @default 16384 */
  readonly headers?: number
  /** Parameters in a query, and in a form. More are 400. @default 1000 */
  readonly parameters?: number
}

/** The source of an application's settings, and their schema. */
export interface ConfigOptions {
  /**
   * The settings: an object, a module whose named exports are the settings, a promise of one, or a function that returns one. A string is the
   * address of a module: a URL, an absolute path, a path relative to the working directory, or a package.
   *
   * @default process.env.FRAMEWORK_CONFIG_MODULE, read when the application gets ready; without it the settings are empty
   * @example
   * createApp(AppModule, { config: () => import('./config.ts'), configSchema })
   */
  readonly config?: string | object
  /** Reads the settings. If it refuses them, the start fails. */
  readonly configSchema?: Schema
}

/** The options of `createApp`. */
export interface AppOptions<
  O extends object = object,
  S extends readonly object[] = readonly object[],
  F = unknown,
  D extends string | null = string | null,
  L extends string = string,
  H = unknown,
  I = readonly Interceptor[],
> extends ConfigOptions {
  /**
   * How requests name versions: `scheme` and its options, or several `schemes`. The same as a call of `enableVersioning`.
   *
   * @example
   * createApp(AppModule, { versioning: { scheme: VersioningSchemes.URL, versionParameter: 'v', defaultVersion: '1' } })
   */
  readonly versioning?: VersioningOption<O, S, D, L, H>
  /** The path before every route and its version segment, of literal segments. `exclude` lists routes without it. @default '' */
  readonly prefix?: string | PrefixOptions
  /**
   * Decides about a slash at the end of a path. `'ignore'` accepts both spellings, `'strict'` treats them as two paths, and `'redirect'`
   * redirects (308) to the declared one.
   *
   * @default 'ignore'
   */
  readonly trailingSlash?: 'ignore' | 'strict' | 'redirect'
  /** The longest request body, in bytes. @default 1048576 */
  readonly bodyLimit?: number
  /**
   * The proxies that write `X-Forwarded-*` headers: their number, or their addresses, ranges such as `'10.0.0.0/8'`, `'loopback'`,
   * `'link-local'` or `'private'`. `true` trusts every entry. @default false
   */
  readonly trustProxy?: boolean | number | string | readonly string[]
  /**
   * The hosts that the application answers for, such as `'example.com'` or `'.example.com'` for all names below it, also with a port.
   * Requests for others are refused with 421. @default all
   */
  readonly allowedHosts?: readonly string[]
  /**
   * The header in which the platform writes the address of the client, such as `'cf-connecting-ip'`. Set it only if every request
   * comes through that platform, because anyone else can send the header, too. @default none
   */
  readonly addressHeader?: string
  /** Sets the default of the route field of the same name. @default true */
  readonly validateResponses?: boolean | 'strict'
  /** The logger, or `false` for none. @default JSON lines on standard output and error */
  readonly logger?: Logger | false
  /** Time limits in milliseconds. */
  readonly timeouts?: Timeouts
  /** Limits of requests. */
  readonly limits?: Limits
  /** Limits of `multipart/form-data` bodies. Those of a route win. */
  readonly uploads?: UploadLimits
  /** Serves the documents of the API and a page that shows them. @default neither; `app.openapi()` gives them anyway */
  readonly docs?: DocsOptions | false
  /** Paths that report the health of the application. */
  readonly health?: HealthOptions
  /** Guards of every route, which run before all others. */
  readonly guards?: readonly AnyGuard[]
  /** Interceptors of every route, outside of all others. */
  readonly interceptors?: I
  /** Middleware of every request, also at unknown paths. */
  readonly middleware?: readonly Middleware[]
  /** Error handlers that are called last, also for errors of unknown paths. */
  readonly errorHandlers?: readonly ErrorHandler[]
  /** The body of every error, as `defineErrorFormat` describes it. @default problem documents (RFC 9457) */
  readonly errorFormat?: ErrorFormat<F>
  /** Replaces providers, guards, interceptors and settings everywhere: `[bind(CarService, { value: fake })]`. */
  readonly overrides?: readonly Binding[]
  /**
   * Where sessions, rate limits, idempotency keys, allowed webhooks and counts of usage are kept, unless they have a store of their own.
   *
   * @default the memory of this process
   * @example
   * createApp(AppModule, { store: createRedisStore(redis) })
   */
  readonly store?: Store
  /** Sessions, for `inject: { session: Session }`. */
  readonly session?: SessionOptions
  /** Observes each request: `openTelemetry()` of `octavo/otel` records spans and metrics. @default nothing */
  readonly telemetry?: Telemetry
  /**
   * Names the client of each request once, before anything else is known of it. The name is `context.client`. If the function throws, the
   * error is logged and the client has no name.
   *
   * @example
   * createApp(AppModule, { store, client: (request) => request.header('x-api-key'), usage: {} })
   */
  readonly client?: (request: HttpRequest) => string | undefined
  /** Counts who calls which route in which version, in a store. @default nothing is counted */
  readonly usage?: UsageOptions
}

/** The options of `createApp` for code that does not ask which schemes there are. */
export interface AnyAppOptions extends Omit<AppOptions, 'versioning'> {
  readonly versioning?: AnyVersioning | undefined
}

/** The time limits of applications that set none. */
export const DEFAULT_TIMEOUTS: Required<Timeouts> = {
  headers: 60_000,
  request: 300_000,
  idle: 5_000,
  send: 60_000,
  handler: 30_000,
  grace: 10_000,
  drain: 0,
}

/** The limits of requests to applications that set none. */
export const DEFAULT_LIMITS: Required<Limits> = {
  url: 8_192,
  headers: 16_384,
  parameters: 1_000,
}

const isWholeNumber = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0

const FORMAT_RULES: Rules = {
  kind: [() => true, 'a kind'],
  contentType: [isOneType, "a media type, such as 'application/json'"],
  schema: [isSchema, 'a zod schema'],
  format: [isFunction, 'a function'],
}

/** The options, what they may hold, and how the expectation reads in a message. */
const OPTIONS: Rules = {
  prefix: [(value) => isRecord(value) || PREFIX_RULE[0](value), PREFIX_RULE[1], PREFIX_RULES, prefixProblems],
  trailingSlash: [
    (value) => ['ignore', 'strict', 'redirect'].some((mode) => mode === value),
    "'ignore', 'strict' or 'redirect'",
  ],
  bodyLimit: [isWholeNumber, 'a number of bytes, such as 1_048_576'],
  trustProxy: [
    (value) => typeof value === 'boolean' || isWholeNumber(value) || isTrustList(value),
    `true, false, a number of proxies, ${ADDRESSES_EXPECTED}`,
  ],
  allowedHosts: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isHostPattern),
    "a list of hosts, such as 'example.com' or '.example.com'",
  ],
  addressHeader: [
    (value) => typeof value === 'string' && /^[\w-]+$/.test(value),
    "the name of a header, such as 'cf-connecting-ip'",
  ],
  validateResponses: [(value) => value === 'strict' || typeof value === 'boolean', "true, 'strict' or false"],
  logger: [
    (value) =>
      value === false ||
      (isObject(value) && ['debug', 'info', 'warn', 'error'].every((level) => level in value)),
    'false or an object with debug, info, warn and error, such as pino()',
  ],
  timeouts: [
    isRecord,
    `an object with milliseconds for ${Object.keys(DEFAULT_TIMEOUTS).join(', ')}`,
    countRules(DEFAULT_TIMEOUTS, 'a whole number of milliseconds'),
  ],
  limits: [
    isRecord,
    `an object with numbers for ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
    countRules(DEFAULT_LIMITS, 'a whole number, 0 or more'),
  ],
  uploads: [isUploadLimits, UPLOAD_LIMITS_EXPECTED],
  docs: [
    (value) => value === false || isRecord(value),
    'false or an object, such as {} for page and documents at /docs',
    DOCS_RULES,
  ],
  health: [
    isRecord,
    "an object with live and ready, such as { live: '/livez', ready: '/readyz' }",
    HEALTH_RULES,
    healthProblems,
  ],
  ...LAYER_RULES,
  errorFormat: [
    isDefinition('error-format'),
    'a format, as defineErrorFormat returns it',
    FORMAT_RULES,
    formatProblems,
  ],
  overrides: [
    (value) => Array.isArray(value) && value.every(isOverride),
    'a list of bind(…): a token with a provider or a value, a guard with a guard, an interceptor with an interceptor',
  ],
  session: [
    isRecord,
    `an object with a secret of ${MIN_SECRET} characters or more`,
    SESSION_RULES,
    sessionProblems,
  ],
  store: STORE,
  telemetry: [isObject, 'an object, such as openTelemetry()'],
  client: [isFunction, 'a function that returns the name of the client of a request'],
  usage: [isRecord, 'an object, such as {} to count in the store of createApp', USAGE_RULES],
  config: [
    (value) => isNonEmptyString(value) || isRecord(value) || isFunction(value),
    'an object such as { port: 3000 }, a module, its path, or a function that returns one of them',
  ],
  configSchema: [isSchema, 'a zod schema'],
  versioning: VERSIONING_RULE,
}

/** Reports every option of `createApp` that cannot be used. */
export function appOptionProblems(options: AnyAppOptions): readonly DefinitionProblem[] {
  return [...optionProblems('createApp', options, OPTIONS), ...storeProblems(options)]
}

/** Counts in a memory that nothing reads would be of no use. */
function storeProblems({ usage, store = usage?.store }: AnyAppOptions): readonly DefinitionProblem[] {
  if (!isRecord(usage) || store !== undefined) return []
  const fix = 'give createApp a store, such as createMemoryStore() of octavo/stores'
  return [invalidOption('createApp', 'usage has no store', fix)]
}

/** Whether a binding replaces like by like. */
function isOverride(value: unknown): boolean {
  if (!isDefinition('binding')(value)) return false
  const token: unknown = resolveLazy(Reflect.get(Object(value), 'token'))
  const to: unknown = Reflect.get(Object(value), 'to')
  for (const kind of ['guard', 'interceptor']) {
    if (isDefinition(kind)(token)) return isDefinition(kind)(to)
  }
  return (
    isToken(token) &&
    (isDefinition('provider')(to) || (typeof to === 'object' && to !== null && 'value' in to))
  )
}

/** The rules of a group of options that are all counts. */
function countRules(defaults: object, expected: string): Rules {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, [isWholeNumber, expected]]))
}

/** Reports what is missing in the error format of an application. */
function formatProblems({ schema, format }: Readonly<Record<string, unknown>>): readonly DefinitionProblem[] {
  // null, because what is undefined counts as not given
  const given = {
    ...(schema === undefined && { schema: null }),
    ...(format === undefined && { format: null }),
  }
  return optionProblems('createApp', given, FORMAT_RULES, 'errorFormat.')
}

function isOneType(text: unknown): boolean {
  if (typeof text !== 'string') return false
  const type = parseMediaType(text)?.type ?? '*'
  // what a header cannot carry is no media type either
  return !type.includes('*') && /^[\t -~]+$/.test(text)
}

/** The connection that a request came over, as far as the platform knows it. */
export interface RequestConnection {
  /** The address of the peer, which may be a proxy. */
  readonly remoteAddress: string | undefined
  /** The path that the application is mounted below, `undefined` for none. */
  readonly base?: string | undefined
  /** Whether the request was passed on to what the application is mounted in, so that its response is not sent. */
  readonly isPassed?: boolean
}

/** Observes the requests of an application. `openTelemetry()` of `octavo/otel` returns one. */
export interface Telemetry {
  /**
   * Runs each request, outside of all middleware. It calls `answer` once, at once, and returns its response, whose body it may replace.
   * It must not throw, and `answer` neither throws nor rejects.
   */
  request(
    context: ExecutionContext,
    answer: () => Awaitable<FinishedResponse>,
    connection: RequestConnection,
  ): Awaitable<FinishedResponse>
  /** Returns the logger of the application with additions of its own, such as the ids of the active span. */
  logger?(logger: Logger): Logger
  /** Sends what was recorded and not yet sent. The application calls it when it closes, after `onStop`, and waits for it. */
  flush?(): Promise<void>
  /**
   * Is told more of each request.
   *
   * @internal
   */
  readonly observer?: Pick<Observer, 'matched' | 'error'>
  /**
   * Returns the routes with additions of its own.
   *
   * @internal
   */
  routes?(routes: readonly ResolvedRoute[]): readonly ResolvedRoute[]
}
