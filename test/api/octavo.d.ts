// The public types of octavo. npm run api writes this file, and nothing imports it.

const ADDED_ROWS: {
  readonly cross_site_request: readonly [403, 'Cross-site request']
  readonly idempotency_key_in_use: readonly [409]
  readonly idempotency_key_reused: readonly [422]
  readonly idempotency_unavailable: readonly [503]
  readonly idempotent_outcome_unknown: readonly [409]
  readonly idempotent_response_lost: readonly [409]
  readonly insufficient_scope: readonly [403]
  readonly invalid_cursor: readonly [422]
  readonly invalid_signature: readonly [401]
  readonly malformed_idempotency_key: readonly [400]
  readonly missing_idempotency_key: readonly [400]
  readonly overloaded: 503
  readonly pin_unavailable: readonly [503]
  readonly precondition_required: 428
  readonly rate_limit_unavailable: readonly [503]
  readonly rate_limited: 429
  readonly replays_unavailable: readonly [503]
  readonly token_keys_unavailable: readonly [503]
  readonly upstream_invalid: readonly [502]
  readonly upstream_timeout: readonly [504]
  readonly upstream_unreachable: readonly [502]
}

export interface AcceptedOptions<D> extends ReplyOptions {
  readonly data?: D
  readonly location: string
  readonly retryAfter?: number | Date
}

type AddedBy<E> = E extends AddedIdentity<infer I> ? I : never

interface AddedGuard<E> extends Omit<AnyGuard, '$adds'> {
  readonly $adds?: Fallback<Extract<E, AddedIdentity>, AddedIdentity>
}

export type AddedIdentity<I = unknown> = readonly ['adds', I]

interface AddedInterceptor<E> extends Omit<Interceptor, typeof ENVELOPE> {
  readonly [ENVELOPE]?: Fallback<Extract<E, EnvelopeMark>, EnvelopeMark>
}

export interface AddedProblem<E> extends Omit<AnyProblem, '$declares'> {
  readonly $declares?: Fallback<Extract<E, DeclaredProblemMark>, DeclaredProblemMark>
}

type AfterDot<A extends string, K extends string> = A extends ''
  ? K
  : K extends `${A}.${infer Rest}`
    ? Rest
    : never

type AllEntries<E, T> = number extends E
  ? {
      [I in keyof T]: OwnEntries<T[I], PlainEntries<T[I]>>
    }[number & keyof T]
  : PlainEntries<E>

type AllNames<E, T, Unknown> = string extends E
  ? EachName<T, Unknown>
  : number extends E
    ? EachName<T, Unknown>
    : PlainNames<E>

export interface AmbiguousVersion {
  readonly ambiguous: readonly VersionSource[]
}

type Answers<E, All, Above, V> = Rank<Fallback<OwnEntries<E, All>, Above>, V>

type AnswersBeside<E, Mark> = [Mark] extends [never]
  ? ResponseIn<ObjectsIn<E>>
  : WithStream<
      'events' extends Mark ? EventsSchema<EventSchemas<ObjectsIn<E>>> : ItemsSchema<SchemasIn<ObjectsIn<E>>>,
      ResponseMap<ObjectsIn<E>>
    >

type AnswersOf<E> = StreamMark extends E ? AnswersBeside<E, MarkIn<E>> : ResponseIn<ObjectsIn<E>>

export type AnyGuard = Guard<unknown>

interface AnyHandler<A, R, Who> {
  (input: A, context: RouteContext<Who>): HandlerResponse<ByStatus<R>>
  <_>(...args: never): unknown
}

type AnyInput = {
  readonly [K in keyof InputSpec]: object
}

export interface AnyProblem {
  readonly $declares?: DeclaredProblemMark
  readonly code: string
  readonly description?: string | undefined
  readonly example?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, DescribedHeader>> | undefined
  readonly kind: 'problem'
  readonly members?: Schema | undefined
  readonly status: number
  readonly title: string
  readonly type?: string | undefined
}

export type AnyProvider = Provider<unknown>

export interface App<M = unknown, F = unknown, V = unknown, I = unknown> extends EdgeApp<M, F, V, I> {
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void
  listen(options?: ListenOptions): Promise<string>
}

export interface AppOptions<
  O extends object = object,
  S extends readonly object[] = readonly object[],
  F = unknown,
  D extends string | null = string | null,
  L extends string = string,
  H = unknown,
  I = readonly Interceptor[],
> extends ConfigOptions {
  readonly addressHeader?: string
  readonly allowedHosts?: readonly string[]
  readonly bodyLimit?: number
  readonly client?: (request: HttpRequest_2) => string | undefined
  readonly docs?: DocsOptions | false
  readonly errorFormat?: ErrorFormat<F>
  readonly errorHandlers?: readonly ErrorHandler[]
  readonly guards?: readonly AnyGuard[]
  readonly health?: HealthOptions
  readonly interceptors?: I
  readonly limits?: Limits
  readonly logger?: Logger | false
  readonly middleware?: readonly Middleware[]
  readonly overrides?: readonly Binding[]
  readonly prefix?: string | PrefixOptions
  readonly session?: SessionOptions
  readonly store?: Store
  readonly telemetry?: Telemetry
  readonly timeouts?: Timeouts
  readonly trailingSlash?: 'ignore' | 'strict' | 'redirect'
  readonly trustProxy?: boolean | number | string | readonly string[]
  readonly uploads?: UploadLimits
  readonly usage?: UsageOptions
  readonly validateResponses?: boolean | 'strict'
  readonly versioning?: VersioningOption<O, S, D, L, H>
}

interface AppTypes<M, F = unknown, V = unknown, I = unknown> {
  readonly errors: F
  readonly interceptors: I
  readonly module: M
  readonly versions: V
}

export type AroundRoutes<I extends readonly unknown[], E extends readonly unknown[]> = E extends readonly []
  ? I
  : readonly [...I, ...E]

export type Awaitable<T> = T | PromiseLike<T>

type Beyond<S, Result, Outside> = [Result] extends [Outside] ? S : never

export interface Binding {
  readonly kind: 'binding'
  readonly to: object
  readonly token: unknown
}

export type BodyStream = AsyncIterable<Uint8Array | string>

export type BoundTo<T> =
  T extends Token<infer V>
    ?
        | Provider<V>
        | {
            readonly value: V
          }
        | (T extends ForwardTarget ? UpstreamStandIn : never)
    : T extends Replaceable
      ? Replaceable & {
          readonly kind: T['kind']
        }
      : never

export interface Brownout {
  readonly from: Moment
  readonly to: Moment
}

export interface BuiltIn<T> extends Token<T> {
  readonly kind: 'built-in'
  readonly schema?: Schema
}

type ByStatus<R> = R extends Pairs
  ? {
      [P in R[number] as P[0]]: P[1]
    }
  : R

const CONTENT: unique symbol

export interface CacheOptions {
  readonly cacheControl?: string
  readonly immutable?: boolean
  readonly maxAge?: number
}

export interface CallInput {
  readonly body?: unknown
  readonly cookies?: object
  readonly files?: object
  readonly form?: object
  readonly headers?: object
  readonly params?: object
  readonly query?: object
}

export interface ChangeInfo {
  readonly description: string
  readonly id: string
  readonly internal?: boolean
  readonly title: string
}

export interface ChangeUsage {
  readonly count: number
  readonly id: string
  readonly lastSeen: string
}

export const Channels: {
  readonly end: 'octavo.request.end'
  readonly error: 'octavo.request.error'
  readonly listen: 'octavo.listen.start'
  readonly listening: 'octavo.listen.end'
  readonly start: 'octavo.request.start'
  readonly version: 'octavo.version.resolved'
}

type CheckedResponse<R> = [SchemasOf<R>] extends [Marked]
  ? R
  : {
      readonly [K in keyof R]: R[K] extends Marked ? R[K] : 'not a schema: write z.object({ … })'
    }

type CheckedSources<S, P, E> = [Unread<S[keyof S]>, S] extends [never, PlainSources]
  ? S
  : {
      readonly [K in keyof S]: Fallback<SourceMistake<K, S[K], KnownParams<P> & KnownParams<PathIn<E>>>, S[K]>
    }

export const ClientAddress: BuiltIn<string>
export type ClientAddress = string

type Compared<A, B> = A extends B
  ? '='
  : A extends Digit_2
    ? B extends Digit_2
      ? DigitsCompared<A, B>
      : B extends `${Exclude<Digit_2, '0'>}${Digit_2}`
        ? '<'
        : unknown
    : A extends `${infer A1 extends Exclude<Digit_2, '0'>}${infer A2 extends Digit_2}`
      ? B extends Digit_2
        ? '>'
        : B extends `${infer B1 extends Exclude<Digit_2, '0'>}${infer B2 extends Digit_2}`
          ? DigitsCompared<`${A1}${A2}`, `${B1}${B2}`>
          : unknown
      : [DayDigits<A>, DayDigits<B>] extends [infer A1 extends string, infer B1 extends string]
        ? DigitsCompared<A1, B1>
        : unknown

export type Config = ConfigValues
export const Config: ConfigToken

export interface ConfigOptions {
  readonly config?: string | object
  readonly configSchema?: Schema
}

export interface ConfigToken extends BuiltIn<Config> {
  of<S extends Schema>(schema: S): BuiltIn<OutputOf<S>>
}

export type ConfigValues = Register extends {
  config: infer C
}
  ? C
  : Readonly<Record<string, unknown>>

export type ContentMap = Readonly<Record<string, MediaTypeObject>>

export interface Controller<N, P, T, R = readonly [], V = unknown, I = unknown> {
  readonly interceptors?: I
  readonly kind: 'controller' | 'router'
  readonly name?: N
  readonly prefix?: P
  readonly routers?: R
  readonly routes: T
  readonly version?: V
}

type ControllerName<N, P> = string extends N
  ? P extends string
    ? Literals<P>
    : ''
  : N extends `${infer Base}Controller`
    ? Kebab<Base>
    : N extends string
      ? Kebab<N>
      : ''

export interface ControllerOptions<
  N,
  P extends string,
  T,
  C,
  G,
  V extends VersionSpec,
  I = readonly Interceptor[],
  E = readonly AnyProblem[],
>
  extends Omit<SharedOptions, 'problems'>, Omit<Layers, 'guards' | 'interceptors'> {
  readonly guards?: readonly Guard<G>[]
  readonly inject?: C
  readonly interceptors?: I
  readonly name?: N
  readonly prefix?: MeantPrefix<P>
  readonly problems?: E
  readonly routes: T
  readonly version?: V
}

type ControllersOf<M> =
  M extends Module<infer C, infer I, infer V, infer L>
    ?
        | ([V, L] extends [never, readonly []] ? C : Within<C, V, L>)
        | ([I] extends [never] ? never : ControllersOf<I>)
    : never

export interface CookieOptions {
  readonly domain?: string
  readonly expires?: Date
  readonly httpOnly?: boolean
  readonly maxAge?: number
  readonly partitioned?: boolean
  readonly path?: string
  readonly priority?: 'low' | 'medium' | 'high'
  readonly sameSite?: 'strict' | 'lax' | 'none' | boolean
  readonly secure?: boolean
}

const DATA: unique symbol

const DECLARED_STATUS: unique symbol

const DEFINITION_ERRORS: {
  readonly ambiguous_provider: 'a module gets one token from two others'
  readonly circular_router: 'a router contains itself'
  readonly config_module_failed: 'the module of the settings cannot be loaded'
  readonly conflicting_sources: 'two sources cannot be used together'
  readonly default_version_unknown: 'the default version is not a known version'
  readonly duplicate_key: 'one key is injected twice'
  readonly duplicate_name: 'two different routes or webhooks have the same name'
  readonly duplicate_operation_id: 'two operations of one document have the same id'
  readonly duplicate_param: 'a path pattern names one parameter twice'
  readonly duplicate_param_type: 'two different parameter types have the same name'
  readonly duplicate_problem: 'a route declares two different problems of one code'
  readonly duplicate_provider: 'a module provides one token twice'
  readonly duplicate_route: 'two routes answer the same method, path shape and version'
  readonly duplicate_schema: 'two schemas have the same name in one document'
  readonly duplicate_security_scheme: 'two different security schemes have the same name'
  readonly duplicate_version: 'one version is listed twice'
  readonly field_touched_twice: 'two changes touch the same field, and neither is written against the other'
  readonly foreign_pattern: 'a path pattern is written as another framework writes it'
  readonly half_changed_part: 'a part of a model has some of the fields that a change turns together'
  readonly invalid_change: 'a change between versions says something that cannot be used'
  readonly invalid_config: 'a setting is missing or not what a schema wants'
  readonly invalid_field: 'a field has a value of the wrong kind'
  readonly invalid_history: 'versions, models and changes do not fit together'
  readonly invalid_import: 'a module imports something that is not a module'
  readonly invalid_method: 'a method is unknown, or the list of methods is empty'
  readonly invalid_model: 'a model has a name or fields that cannot be used'
  readonly invalid_name: 'a name cannot be used'
  readonly invalid_option: 'an option has a value of the wrong kind'
  readonly invalid_pattern: 'a path pattern cannot be read'
  readonly invalid_response: 'a response declaration is neither a schema nor statuses with schemas'
  readonly invalid_schema: 'a field that needs a schema holds something else'
  readonly invalid_stream: 'events or items of a route cannot be used'
  readonly invalid_version: 'a version cannot be used'
  readonly list_field: 'a source that cannot repeat declares a list'
  readonly misplaced_route: 'a route is in another controller than the one it was defined for'
  readonly missing_guard: 'a guard reads the identity of another one that does not run before it'
  readonly missing_name: 'a controller has neither a name nor a prefix'
  readonly missing_package: 'an optional package is needed and not installed'
  readonly missing_provider: 'something injects a token that its module does not see'
  readonly missing_session: 'sessions are injected but not configured'
  readonly nested_field: 'a source that arrives as text declares a nested object'
  readonly provider_cycle: 'a provider needs itself'
  readonly range_empty: 'a version range matches no known version'
  readonly range_split: 'a range goes on above a version that another route names'
  readonly range_without_versions: 'a version range is used without an ordered list of versions'
  readonly required_with_default: 'versions are required, and there is a default version'
  readonly scope_mismatch: 'a singleton injects what lives for one request'
  readonly several_streams: 'a route reads several files as they arrive'
  readonly sunset_before_deprecation: 'a version has its sunset before it is deprecated'
  readonly unconvertible_schema: 'a change reaches a schema whose values cannot be turned'
  readonly unfit: 'older values may not fit the newer schema of a field'
  readonly unknown_export: 'a module exports what it does not have'
  readonly unknown_field: 'a definition has a field that does not exist'
  readonly unknown_model_field: 'a change names a field that its model does not have'
  readonly unknown_option: 'an option does not exist'
  readonly unknown_param: 'input.params declares a parameter that the pattern lacks'
  readonly unknown_param_type: 'a path pattern names a parameter type that is not defined'
  readonly unknown_policy_version: 'a policy is for a version that is not known'
  readonly unknown_source: 'input has a key that is not a source'
  readonly unused_change: 'a change, or a part of one, reaches no route of an older version'
  readonly unused_exclusion: 'an exclusion from the prefix is about no route'
  readonly unused_optional: 'an optional guard runs behind its required form'
  readonly unused_override: 'an override replaces nothing'
  readonly unused_without_guards: 'a route drops a guard that does not guard it'
  readonly version_elsewhere: 'a route has a version that another deployment serves'
  readonly version_literal_clash: 'an ordinary path begins with a segment that is a version'
  readonly version_not_encodable: 'a version cannot be written in the way the scheme reads it'
  readonly version_not_listed: 'a version is missing from the ordered list of versions'
  readonly versions_without_order: 'an option needs versions that have an order, and these have none'
}

const DEFINITION_WARNINGS: {
  readonly default_twice: 'an unversioned route stands beside one for the default version and never answers'
  readonly everything_neutral: 'versioning is enabled, and no route has a version'
  readonly host_label_version: 'a common host label is taken for a version'
  readonly mount_without_guards: 'a router mounts an upstream beside guarded routes that forward to it'
  readonly neutral_shadowed: 'a neutral route is replaced in every version'
  readonly parameter_hidden: 'a parameter in the first segment never gets a value that is a version segment'
  readonly undocumented_schema: 'a document cannot show a schema'
  readonly unreachable_route: 'a route can never be reached'
  readonly version_hole: 'a route exists in an older and in a newer version, but not between them'
  readonly version_without_routes: 'a known version has no route'
  readonly version_written_twice: 'a versioned path begins with a version segment of its own'
}

type Dash<Before extends string, Tail extends string> = Before extends '' | '-' | '_'
  ? ''
  : Small<Before> extends true
    ? '-'
    : Tail extends `${infer Next}${string}`
      ? Next extends `${number}` | '-' | '_'
        ? ''
        : Upper<Next> extends true
          ? ''
          : '-'
      : ''

export type DataIn<P, S> = P extends {
  readonly [DATA]: infer D
  readonly [STATUS]: infer Declared
}
  ? S extends Declared
    ? D
    : never
  : never

type DayDigits<V> = V extends `20${infer Y}${infer Z}-${infer M}${infer N}-${infer D}${infer E}`
  ? [Y, Z, M, N, D, E] extends [Digit_2, Digit_2, Digit_2, Digit_2, Digit_2, Digit_2]
    ? `${Y}${Z}${M}${N}${D}${E}`
    : unknown
  : unknown

type DeclaredEvent<M> =
  | {
      [K in keyof M]: EventNamed<K, Given<M[K]>>
    }[keyof M]
  | (EventFields & {
      readonly data?: undefined
      readonly event?: undefined
    })

export type DeclaredProblemMark<C = unknown, S = unknown, M = unknown> = readonly ['declares', C, S, M]

export interface DefaultVersion {
  (request: HttpRequest_2, choice: VersionChoice, context: DefaultVersionContext): Awaitable<string | null>
  readonly names?: readonly string[]
}

export interface DefaultVersionContext {
  readonly client: string | undefined
  readonly log: {
    error(details: object, message?: string): void
    info(details: object, message?: string): void
  }
}

export class DefinitionError extends Error {
  constructor(
    errors: readonly DefinitionProblem[],
    options?: {
      readonly cause?: unknown
    },
  )
  readonly errors: readonly DefinitionProblem[]
}

export type DefinitionErrorCode = keyof typeof DEFINITION_ERRORS

export interface DefinitionProblem {
  readonly at?: string
  readonly code: DefinitionErrorCode
  readonly fix: string
  readonly message: string
  readonly where: string
}

export interface DefinitionWarning extends Omit<DefinitionProblem, 'code'> {
  readonly code: DefinitionWarningCode
}

export type DefinitionWarningCode = keyof typeof DEFINITION_WARNINGS

export interface DescribedHeader {
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

type Digit_2 = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

type Digits = '0123456789'

type DigitsCompared<A, B> = [A, B] extends [
  `${infer A1 extends Digit_2}${infer A2}`,
  `${infer B1 extends Digit_2}${infer B2}`,
]
  ? A1 extends B1
    ? DigitsCompared<A2, B2>
    : Digits extends `${string}${A1}${string}${B1}${string}`
      ? '<'
      : '>'
  : '='

export type Disposition = 'inline' | 'attachment'

export interface DocsOptions {
  readonly externalDocs?: ExternalDocs
  readonly guards?: readonly AnyGuard[]
  readonly info?: Partial<DocumentInfo>
  readonly openapi?: OpenApiVersion
  readonly path?: string
  readonly public?: boolean
  readonly servers?: readonly DocumentServer[]
  readonly tags?: readonly DocumentTag[]
  readonly ui?: 'scalar' | 'swagger' | false | ((page: PageInfo) => string)
  readonly webhooks?: readonly Webhook[]
}

export interface DocumentContact {
  readonly email?: string
  readonly name?: string
  readonly url?: string
}

export interface DocumentInfo {
  readonly [extension: `x-${string}`]: unknown
  readonly contact?: DocumentContact
  readonly description?: string
  readonly license?: DocumentLicense
  readonly summary?: string
  readonly termsOfService?: string
  readonly title: string
  readonly version: string
}

export interface DocumentLicense {
  readonly identifier?: string
  readonly name: string
  readonly url?: string
}

export interface DocumentLink extends VersionLife {
  readonly links: VersionLinks
  readonly url: string
  readonly version: string | null
}

export interface DocumentServer {
  readonly description?: string
  readonly url: string
  readonly variables?: Readonly<Record<string, ServerVariable>>
}

export interface DocumentTag {
  readonly description?: string
  readonly externalDocs?: ExternalDocs
  readonly name: string
}

type DroppedBy<E> = E extends DroppedIdentity<infer I> ? I : never

interface DroppedGuard<E> extends Omit<AnyGuard, '$drops'> {
  readonly $drops?: Fallback<Extract<E, DroppedIdentity>, DroppedIdentity>
}

export type DroppedIdentity<I = unknown> = readonly ['drops', I]

const ENVELOPE: unique symbol

export const ERRORS: Readonly<
  Record<
    ErrorCode,
    {
      readonly status: number
      readonly title: string
    }
  >
>

const EVENTS: unique symbol

type EachEntry<S> = S extends readonly (infer Entry)[] ? Entry : S

type EachName<T, Unknown> = {
  [I in keyof T]: NameIn<T[I], Unknown>
}[number & keyof T]

export type EachReply<S extends number, D> = S extends number ? Reply<S, D> : never

export interface EdgeApp<M = unknown, F = unknown, V = unknown, I = unknown> {
  readonly [TYPES]?: AppTypes<M, F, V, I>
  close(): Promise<void>
  enableVersioning<O extends object = object, const S extends readonly object[] = readonly object[]>(
    scheme: VersioningScheme<O> | SchemeList<S>,
    options?: NoInfer<O> & VersioningOptions,
  ): void
  readonly fetch: FetchHandler
  inject(request: InjectStreamOptions): Promise<InjectStream>
  inject<U extends URL>(request: U): Promise<InjectResponse>
  inject(request: string | InjectOptions): Promise<InjectResponse>
  openapi(options?: { readonly version?: string }): OpenApiDocument
  printRoutes(): string
  ready(): Promise<void>
  resolve<T>(token: Token<T>): Promise<T>
  routes(): readonly RouteEntry[]
  urlFor<const K extends RouteNames<M>>(name: K, ...rest: UrlForArguments<RouteParams<M, K>>): string
  versions(): readonly VersionInfo[]
}

export interface EnabledVersions<D, L, H = undefined> {
  readonly defaultVersion: D
  readonly history: H
  readonly listed: L
}

export interface Engine {
  readonly kind: 'engine'
}

type EntriesIn<T> = AllEntries<T[number & keyof T], T>

type EntriesOf<S> = [VersionEntry] extends [S] ? never : EachEntry<S>

export interface EnvelopeContent {
  readonly [CONTENT]: true
}

export type EnvelopeMark<E = unknown> = readonly ['wraps', E]

export type EnvelopeOf<E> = [E] extends [undefined] ? undefined : OutputOf<E>

export type ErrorClass<E = unknown> = abstract new (...args: never) => E

export type ErrorCode = keyof typeof ROWS | keyof typeof ADDED_ROWS

export interface ErrorFormat<S = unknown> {
  readonly $schema?: S
  readonly contentType: string
  format(error: HttpError, context: ExecutionContext | undefined): unknown
  readonly kind: 'error-format'
  readonly schema: Schema
}

export interface ErrorFormatOptions<S> {
  readonly contentType?: string
  readonly format: (error: HttpError, context: ExecutionContext | undefined) => InputOf<S>
  readonly schema: S
}

export interface ErrorHandler {
  handle(error: never, context: ExecutionContext): unknown
  readonly kind: 'error-handler'
  readonly match: ErrorClass | number
  readonly response?: ErrorResponses
}

export type ErrorResponses = Readonly<Record<number, Schema>>

type ErrorResult<R> = [R] extends [never] ? unknown : ErrorReturned<R> | Promise<ErrorReturned<R>>

type ErrorReturned<R> = Given<R[keyof R]> | RepliesOf<R> | RawMark | undefined

type EventFields = Pick<ServerSentEvent, 'id' | 'retry' | 'comment'>

type EventNamed<K, D> = EventFields &
  (K extends 'message'
    ? {
        readonly event?: K
      }
    : {
        readonly event: K
      }) &
  (undefined extends D
    ? {
        readonly data?: D
      }
    : {
        readonly data: D
      })

export interface EventRequest {
  readonly lastEventId: string | undefined
  readonly signal: AbortSignal
}

type EventSchemas<E> = Fallback<
  E extends Schema
    ? {
        readonly message: E
      }
    : never,
  Held<RecordIn<E>>
>

export type Events<E = ServerSentEvent> = AsyncIterable<E> | Iterable<E>

type EventsField<E> = Fallback<
  'events' extends MarkIn<E> ? SchemasIn<ObjectsIn<E>> | RecordIn<ObjectsIn<E>> : never,
  | MarkedEvent<E>
  | {
      readonly [name: string]: MarkedEvent<E>
    }
>

interface EventsMark {
  readonly major: 4
  readonly minor: number
}

export interface EventsOf<E> extends RawMark {
  readonly [EVENTS]: E
}

export interface EventsReply<E> extends RawReply, EventsOf<E> {
  readonly [REPLY]: 'raw'
}

interface EventsSchema<M> {
  readonly '~stream': readonly ['events', M]
  readonly _zod: {
    readonly input: EventsOf<DeclaredEvent<M>>
    readonly output: unknown
  }
}

export interface ExcludedRoute {
  readonly method?: Method | readonly Method[]
  readonly path: string
}

export interface ExecutionContext<I = unknown> {
  readonly allowedMethods: () => Promise<readonly Method[]>
  readonly call: <T = unknown>(name: string, input?: CallInput) => Promise<T>
  readonly client: string | undefined
  identity: IdentityIn<I>
  readonly kept: <F>(change: KeepingChange<F>) => Kept<F> | undefined
  readonly log: Logger
  readonly migrate: (schema: Schema, value: unknown, versions?: MigrateVersions) => unknown
  readonly originalPath: string
  readonly path: string
  readonly request: HttpRequest
  requestId: string
  readonly resolve: <T>(token: Token<T>) => Promise<T>
  readonly response: HttpResponse
  readonly route: RouteInfo | null
  readonly signal: AbortSignal
  readonly since: (change: SideEffect) => boolean
  readonly state: Record<string, unknown>
  readonly switchToHttpConnection: () => {
    getRequest(): HttpRequest
  }
  readonly urlFor: (name: string, params?: Readonly<Record<string, unknown>>, options?: UrlOptions) => string
  readonly version: string | null
  readonly waitUntil: (work: PromiseLike<unknown>) => void
}
export const ExecutionContext: BuiltIn<ExecutionContext>

export interface ExternalDocs {
  readonly description?: string
  readonly url: string
}

const FINISHED: unique symbol

const FORWARDS: unique symbol

type Fallback<A, B> = [A] extends [never] ? B : A

export interface FetchExecution {
  waitUntil?(work: Promise<unknown>): void
}

export interface FetchHandler {
  (request: Request, info?: FetchInfo, execution?: FetchExecution): Promise<Response>
  (request: Request, info: object, execution?: FetchExecution): Promise<Response> | Response
}

export interface FetchInfo extends FetchExecution {
  readonly remoteAddress?: string | undefined
}

type FieldMistakes<K, S> = S extends Schema | undefined
  ? never
  : K extends 'body'
    ? 'not a schema: write z.object({ … })'
    : K extends 'inject'
      ? never
      : S extends readonly string[]
        ? never
        : [S[keyof S]] extends [Schema | undefined]
          ? never
          : {
              readonly [F in keyof S]: S[F] extends Schema
                ? S[F]
                : 'not a schema: write one, such as z.string()'
            }

export interface FileOptions extends PresentedOptions {
  readonly disposition?: Disposition
  readonly dotfiles?: 'allow' | 'ignore'
  readonly etag?: string | false
  readonly filename?: string
  readonly followLinks?: boolean
  readonly lastModified?: Date
  readonly root?: string | URL
}

export class FileStream implements AsyncIterable<Uint8Array> {
  constructor(name: string, type: string, source: AsyncIterable<Uint8Array>)
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined>
  get bytesRead(): number
  readonly name: string
  readonly type: string
}

export class FileStreams implements AsyncIterable<FileStream> {
  constructor(source: AsyncIterable<FileStream>)
  [Symbol.asyncIterator](): AsyncIterator<FileStream>
}

export interface FinishedResponse {
  readonly [FINISHED]: true
  body: string | Uint8Array | BodyStream | null
  headers: Record<string, string | string[]>
  readonly isError?: boolean
  status: number
}

type FirstDigits<K> = K extends `${infer First}XX` ? First : never

type Flat<T> = {
  [K in keyof T]: T[K]
} & {}

export type FormValues = Readonly<Record<string, unknown>>

export interface ForwardTarget extends Token<UpstreamApp> {
  readonly [FORWARDS]: true
}

export interface ForwardedRoute<E, P>
  extends
    Omit<RouteOptions, 'version' | 'problems'>,
    Omit<Layers, 'guards' | 'interceptors'>,
    InferredFields<E, P> {
  readonly forward: ForwardTarget
  readonly validate?: boolean
}

type Given<S> = WithReadonlyLists<InputOf<S>>

export interface Guard<I = never, Own = I> {
  readonly $adds?: AddedIdentity<I>
  readonly $drops?: DroppedIdentity<Own>
  readonly after?: AnyGuard
  canActivate(context: ExecutionContext, inject: never): Awaitable<unknown>
  readonly inject: Tokens
  readonly kind: 'guard'
  readonly name: string
  readonly security?: readonly SecurityRequirement[]
}

export interface GuardOptions<D, I = never> {
  readonly after?: Guard<I>
  readonly canActivate: (
    context: RouteContext<[I] extends [never] ? UnknownIdentityUseAfter | null | undefined : I>,
    inject: Injected<D>,
  ) => Awaitable<boolean>
  readonly inject?: D
  readonly name: string
  readonly problems?: readonly AnyProblem[]
  readonly scopes?: readonly string[]
  readonly security?: readonly SecurityRequirement[]
}

export interface HandledRoute<E, I extends Inherited>
  extends
    Omit<RouteOptions, 'version' | 'problems'>,
    Omit<Layers, 'guards' | 'interceptors'>,
    InferredFields<E, I['prefix']>,
    HandlerField<E, I> {}

export type Handler<I = unknown, P extends string = '/', R = unknown, C = unknown, G = IdentityValue> = (
  input: HandlerInput<'', P, I, C>,
  context: RouteContext<G>,
) => unknown extends R ? unknown : HandlerResult<R>

type HandlerField<E, I extends Inherited> = {
  readonly handler: RouteHandler<
    HandlerInput<I['prefix'], PathIn<E>, InputIn<E>, I['inject']>,
    AnswersOf<E>,
    Identity<ObjectsIn<E>, I['identity']>
  >
}

export type HandlerInput<P, Path, I, C> = I extends unknown
  ? {
      [K in keyof I | 'params' | 'inject']: K extends 'params'
        ? ParamsInput<P, Path, I>
        : K extends 'inject'
          ? InjectInput<I, C>
          : SourceOutput<I[K & keyof I]>
    }
  : never

type HandlerResponse<R> = Returnable<R> | Response | Promise<Returnable<R> | Response>

export type HandlerResult<R> = [R] extends [never] ? unknown : Returned<ByStatus<R>>

type HasNoStatus<E> = [E[keyof E & ResponseKey]] extends [undefined] ? true : false

export interface HeaderOptions {
  readonly contentType?: boolean
  readonly headerParameter?: string
  readonly mediaType?: string
  readonly statusCodes?: Partial<VersionStatusCodes>
  readonly versionParameter?: string
}

export type HeaderValue = string | number

export type HealthCheck = (context: HealthContext) => unknown

export interface HealthContext {
  readonly resolve: <T>(token: Token<T>) => Promise<T>
  readonly signal: AbortSignal
}

export interface HealthOptions {
  readonly checks?: Readonly<Record<string, HealthCheck>>
  readonly live?: string
  readonly ready?: string
  readonly timeout?: number
}

type Held<E> = E extends Schema | readonly unknown[]
  ? never
  : {
      readonly [K in HeldKeys<E> & keyof E]: E[K]
    }

type HeldKeys<E> = {
  [K in keyof E]-?: E[K] extends undefined ? never : K
}[keyof E]

export interface HostOptions {
  readonly hostPattern?: RegExp
  readonly ignoreLabels?: readonly string[]
  readonly statusCodes?: Partial<VersionStatusCodes>
  readonly versionParameter?: string
}

export class HttpError extends Error {
  constructor(status: number, detail?: string, options?: HttpErrorOptions)
  readonly code: string
  readonly detail: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly members: Readonly<Record<string, unknown>>
  readonly status: number
  readonly title: string
  readonly type: string
}

export type HttpErrorFactory = (detail?: string, options?: HttpErrorOptions) => HttpError

export interface HttpErrorOptions {
  readonly [member: string]: unknown
  readonly cause?: unknown
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly title?: string
  readonly type?: string
}

export const HttpRequest: BuiltIn<HttpRequest_2>
export type HttpRequest = HttpRequest_2

interface HttpRequest_2 {
  bytes(): Promise<Uint8Array>
  readonly cookies: Readonly<Record<string, string>>
  header(name: string): string | undefined
  headerLines(name: string): readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly host: string
  readonly ip: string
  json(): Promise<unknown>
  readonly method: string
  readonly path: string
  readonly protocol: 'http' | 'https'
  readonly query: QueryRecord
  readonly signal: AbortSignal
  text(): Promise<string>
  readonly url: string
  readonly web: Request
}

export interface HttpResponse {
  readonly cookies: {
    set(name: string, value: string, options?: CookieOptions): void
  }
  readonly headers: {
    append(name: string, value: string): void
    delete(name: string): void
    get(name: string): string | undefined
    set(name: string, value: string): void
  }
  status: number | undefined
}
export const HttpResponse: BuiltIn<HttpResponse>

type Identity<E, G> = [Extract<E, readonly [string, unknown]>] extends [never] ? G : Marked_2<E, G>

type IdentityIn<G> = [G] extends [never] ? IdentityValue : G

export type IdentityValue = Register extends {
  identity: infer I
}
  ? I
  : unknown

type InferredFields<E, P> = {
  readonly events?: EventsField<E>
  readonly guards?: readonly AddedGuard<E>[]
  readonly input?: Fallback<CheckedSources<SourcesOf<E>, P, E>, AnyInput>
  readonly interceptors?: readonly AddedInterceptor<E>[]
  readonly items?: ItemsField<E>
  readonly method: Kept_2<E, Method | readonly Method[]>
  readonly name?: Kept_2<E, string>
  readonly path?: MeantPath<Fallback<PathsIn<E>, `/${string}`>>
  readonly problems?: readonly AddedProblem<E>[]
  readonly response?: Fallback<CheckedResponse<ResponseIn<ObjectsIn<E>>>, WithoutStatus>
  readonly version?: VersionField<E>
  readonly withoutGuards?: readonly DroppedGuard<E>[]
}

export interface Inherited {
  readonly identity: unknown
  readonly inject: unknown
  readonly prefix: string
}

type Initial = Letter | '_' | '$'

export interface InjectBodyOptions {
  readonly body?: unknown
  readonly form?: FormValues | URLSearchParams
  readonly json?: unknown
  readonly multipart?: FormData | MultipartValues
}

export interface InjectHeaderOptions {
  readonly cookies?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>>
}

type InjectInput<I, C> = Injected<
  I extends {
    readonly inject: infer M
  }
    ? Flat<C & M>
    : C
>

export interface InjectOptions extends InjectBodyOptions, InjectHeaderOptions {
  readonly host?: string
  readonly method?: string
  readonly protocol?: 'http' | 'https'
  readonly query?: FormValues | URLSearchParams
  readonly remoteAddress?: string
  readonly signal?: AbortSignal
  readonly stream?: false
  readonly url: string | URL
  readonly version?: string
}

export interface InjectResponse {
  readonly body: string
  readonly bytes: Uint8Array
  readonly cookies: readonly SetCookie[]
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly json: () => unknown
  readonly route: RouteInfo | null
  readonly statusCode: number
  readonly version: string | null
}

export interface InjectStream extends Pick<
  InjectResponse,
  'statusCode' | 'headers' | 'cookies' | 'route' | 'version'
> {
  readonly stream: Readable
}

export interface InjectStreamOptions extends Omit<InjectOptions, 'stream'> {
  readonly stream: true
}

export type Injected<M> = {
  readonly [K in keyof M]: M[K] extends Token<infer T> ? T : never
}

type InputIn<E> = Fallback<SourcesOf<E>, unknown>

export type InputOf<S> = S extends {
  readonly _zod: {
    readonly input: infer I
  }
}
  ? I
  : never

export interface InputSpec {
  readonly body?: Schema
  readonly cookies?: SourceSpec
  readonly files?: Schema | SchemaFields
  readonly form?: SourceSpec
  readonly headers?: SourceSpec
  readonly inject?: Tokens
  readonly params?: SourceSpec
  readonly query?: SourceSpec
}

export interface Interceptor<E = unknown> {
  readonly [ENVELOPE]?: EnvelopeMark<E>
  readonly inject: Tokens
  intercept(context: ExecutionContext, next: () => Awaitable<unknown>, inject: never, input: never): unknown
  readonly kind: 'interceptor'
  readonly name: string
}

export interface InterceptorOptions<D, E = undefined> {
  readonly envelope?: (schema: SchemaOf<EnvelopeContent>) => E
  readonly inject?: D
  readonly intercept: (context: RouteContext, next: () => Awaitable<unknown>, inject: Injected<D>) => unknown
  readonly name: string
}

type IsRight<P> = P extends `${string}${'[' | '*' | '?' | '//' | '/:'}${string}`
  ? 'wrong'
  : P extends `${string}:${infer Type}}${infer Rest}`
    ? Type extends keyof ParamValues
      ? IsRight<Rest>
      : 'wrong'
    : 'right'

type ItemsField<E> = Fallback<'stream' extends MarkIn<E> ? SchemasIn<ObjectsIn<E>> : never, MarkedItem<E>>

interface ItemsSchema<S> {
  readonly '~stream': readonly ['items', S]
  readonly _zod: {
    readonly input: AsyncIterable<Given<S>> | Iterable<Given<S>>
    readonly output: AsyncIterable<OutputOf<S>>
  }
}

type Join<L, I> = L extends readonly [] ? I : [...ListOf<L>, ...ListOf<I>]

type JoinDash<A extends string, B extends string> = A extends '' ? B : B extends '' ? A : `${A}-${B}`

type JoinDot<A extends string, B extends string> = A extends '' ? B : B extends '' ? A : `${A}.${B}`

type Kebab<S extends string, Before extends string = ''> = S extends `${infer Head}${infer Tail}`
  ? `${Upper<Head> extends true ? Dash<Before, Tail> : ''}${Lowercase<Head>}${Kebab<Tail, Head>}`
  : ''

export interface KeepingChange<F = unknown> {
  readonly '~was': F
  readonly id: string
}

export type Kept<F> = {
  readonly [
    E in F as E extends readonly [infer N, readonly [infer K extends string, Schema], unknown]
      ? N extends `${string} ${string}`
        ? never
        : K
      : never
  ]?: E extends readonly [unknown, readonly [unknown, infer W extends Schema], unknown] ? OutputOf<W> : never
}

type Kept_2<E, Allowed> = unknown extends E ? Extract<E, Allowed> : Allowed

type KeysOf<U> = U extends unknown ? keyof U : never

type KnownParams<P> = {} extends {
  [K in P & string]: 1
}
  ? {
      [name: string]: unknown
    }
  : ParamsOf<P>

export interface Layers {
  readonly errorHandlers?: readonly ErrorHandler[]
  readonly guards?: readonly AnyGuard[]
  readonly interceptors?: readonly Interceptor[]
  readonly middleware?: readonly Middleware[]
}

type Letter = Small_2 | Uppercase<Small_2>

export interface Limits {
  readonly headers?: number
  readonly parameters?: number
  readonly url?: number
}

type ListOf<L> = L extends readonly unknown[] ? L : readonly []

type Listed<U, Rest extends string = '', One = OneOf<U>> = [Exclude<U, One>] extends [never]
  ? `${One & string}${Rest}`
  : Listed<Exclude<U, One>, `, ${One & string}${Rest}`>

export interface ListenEnd {
  readonly engine?: 'direct' | 'node' | undefined
  readonly url: string
}

export interface ListenOptions {
  readonly engine?: Engine
  readonly host?: string
  readonly http2?: boolean
  readonly maxConnections?: number
  readonly path?: string
  readonly port?: number
  readonly tls?: TlsOptions
  readonly workers?: number | 'auto'
}

export interface ListenStart {
  readonly workers: number | 'auto' | undefined
}

type Literal<E> =
  | `${Extract<E, string>}`
  | `${Initial}${Extract<E, string> & {
      readonly length: E
    }}`

type Literal_2<S extends string> = S extends `${string}{${string}` ? '' : S

type Literals<P extends string> = P extends `/${infer First}/${infer Rest}`
  ? JoinDash<Literal_2<First>, Literals<`/${Rest}`>>
  : P extends `/${infer Only}`
    ? Literal_2<Only>
    : ''

export interface Logger {
  debug(details: object, message?: string): void
  error(details: object, message?: string): void
  info(details: object, message?: string): void
  warn(details: object, message?: string): void
}
export const Logger: BuiltIn<Logger>

const MADE: unique symbol

const METHODS: readonly ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

type MarkIn<E> = E extends StreamMark ? 'stream' : E extends EventsMark ? 'events' : never

interface Marked {
  readonly _zod: unknown
}

interface MarkedEvent<E> {
  readonly _zod: {
    readonly traits: E
    readonly version: E
  }
}

interface MarkedItem<E> {
  readonly _zod: {
    readonly traits: E
  }
}

type Marked_2<E, G> = [AddedBy<E>] extends [never]
  ? [DroppedBy<E>] extends [never]
    ? G
    : unknown
  : AddedBy<E>

export type Matched<M> = M extends ErrorClass<infer E> ? E : M extends 500 ? unknown : HttpError

type Meant<P> = P extends `${infer Path}?${string}`
  ? MeantPath<Path>
  : P extends `${infer Head}//${infer Rest}`
    ? MeantPath<`${Head}/${Rest}`>
    : P extends `${infer Head}/:${infer Name}/${infer Rest}`
      ? MeantPath<`${Head}/{${Name}}/${Rest}`>
      : P extends `${infer Head}/:${infer Name}`
        ? MeantPath<`${Head}/{${Name}}`>
        : P extends `${infer Head}[...${infer Name}]${string}`
          ? MeantPath<`${Head}{${Name}:path}`>
          : P extends `${infer Head}[${infer Name}]${infer Rest}`
            ? MeantPath<`${Head}{${Name}}${Rest}`>
            : P extends `${infer Head}*${infer Name}`
              ? MeantPath<`${Head}{${RestName<Name>}:path}`>
              : WithKnownTypes<P>

type MeantPath<P> = P extends unknown ? Readings<P>[IsRight<P>] : P

type MeantPrefix<P extends string> = string extends P
  ? P
  : NoInfer<P extends '' ? P : P extends `/${string}` ? MeantPath<P> : Slashed<P>>

export interface MediaTypeObject {
  readonly [member: string]: unknown
  readonly itemSchema?: SchemaObject
  readonly schema?: SchemaObject
}

export type MergePatch<T> = T extends readonly unknown[] | Date
  ? T
  : T extends object
    ? {
        readonly [K in keyof T]?:
          | MergePatch<Exclude<T[K], null>>
          | (object extends Pick<T, K> ? null : never)
          | undefined
      }
    : T

export type Method = (typeof METHODS)[number]

export type Middleware = (context: ExecutionContext, next: () => Awaitable<FinishedResponse>) => unknown

export interface MigrateVersions {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface Module<C, I, V = unknown, L = unknown> {
  readonly controllers?: C
  readonly imports?: I
  readonly interceptors?: L
  readonly kind: 'module'
  readonly version?: V
}

export interface ModuleFields
  extends
    Pick<SharedOptions, 'version' | 'tags' | 'deprecated' | 'policy' | 'includeInSchema' | 'problems'>,
    Layers {
  readonly exports?: readonly (Token<unknown> | Module<unknown, unknown>)[]
  readonly global?: boolean
  readonly name?: string
  readonly onStart?: (app: StartedApp) => unknown
  readonly onStop?: (app: StartedApp) => unknown
  readonly prefix?: string
  readonly providers?: readonly (AnyProvider | Binding)[]
  readonly schemas?: Readonly<Record<string, Schema>>
}

export type ModuleImport = Module<unknown, unknown> | PromiseLike<Module<unknown, unknown>>

export interface ModuleOptions<
  C,
  R,
  I,
  V extends VersionSpec,
  L = readonly Interceptor[],
  E = readonly AnyProblem[],
> extends Omit<ModuleFields, 'interceptors' | 'problems'> {
  readonly controllers?: C
  readonly imports?: I
  readonly interceptors?: L
  readonly problems?: E
  readonly routers?: R
  readonly version?: V
}

export type Moment = string | Date

export type MultipartValues = Readonly<Record<string, string | Blob | readonly (string | Blob)[] | undefined>>

const NO_LIST: unique symbol

type NameIn<E, Unknown> = string extends E
  ? Unknown
  : number extends E
    ? Exclude<PlainNames<E>, WordsIn<E> | RestsOf<WordsIn<E>>>
    : PlainNames<E>

type NameText = `${Letter}${string}` | `${'_' | '$'}${string}`

type Named<T, Prefix extends string, K, Version, View, Around = unknown> = {
  [I in keyof T]: K extends T[I]
    ? string extends T[I]
      ? never
      : [
          pattern: `${Prefix}${PathIn<T[I]>}`,
          element: T[I],
          answers: unknown extends View ? 'maybe' : Answers<T[I], EntriesIn<T>, Version, View>,
          around: Around,
        ]
    : never
}[number & keyof T]

type NamedBelow<T, R, K extends string, View, Name extends string, Prefix extends string, Version> =
  | ([AfterDot<Name, K>] extends [never] ? never : Named<T, Prefix, AfterDot<Name, K>, Version, View>)
  | (R extends readonly [] ? never : NamedIn<R[number & keyof R], K, View, Name, Prefix, Version>)

type NamedIn<
  C,
  K extends string,
  View,
  Above extends string = '',
  Prefix extends string = '',
  Version = never,
> =
  C extends Controller<infer N, infer P, unknown, infer R, infer Own>
    ? NamedBelow<
        C['routes'],
        R,
        K,
        View,
        JoinDot<Above, ControllerName<N, P>>,
        `${Prefix}${OwnPrefix<N, P>}`,
        Fallback<EntriesOf<Own>, Version>
      >
    : never

export type NamedVersions<O, D, L, H = undefined> = EnabledVersions<
  [D] extends [null] ? ('allowBare' extends keyof O ? null : unknown) : [D] extends [string] ? D : unknown,
  L,
  H
>

type NamesBelow<T, R, Name extends string> =
  | {
      [K in JoinDot<Name, NamesIn<T, string>>]: Name
    }
  | (R extends readonly [] ? never : NamesOf<R[number & keyof R], Name>)

type NamesIn<T, Unknown = never> = AllNames<T[number & keyof T], T, Unknown>

type NamesOf<C, Above extends string = ''> =
  C extends Controller<infer N, infer P, unknown, infer R>
    ? NamesBelow<C['routes'], R, JoinDot<Above, ControllerName<N, P>>>
    : never

type Neutral<E> = Extract<E, typeof VERSION_NEUTRAL>

type NoParam<Name, Known> = [Known] extends [never]
  ? `'${Name & string}' is no parameter of the path, which has none`
  : `'${Name & string}' is no parameter of the path: ${Listed<Known>}`

export interface NoParams {
  readonly query?: 'options come third: urlFor(name, {}, { query })'
}

type NoStatus = 'not a status: write response: z.object({ … }), or { 200: z.object({ … }) }'

type ObjectsIn<E> = E extends object ? E : never

type Offered =
  | 200
  | 201
  | 202
  | 204
  | 303
  | 400
  | 401
  | 403
  | 404
  | 409
  | 410
  | 412
  | 413
  | 415
  | 422
  | 429
  | 500
  | 503

type OneOf<U> = (U extends unknown ? (_: (_: U) => void) => void : never) extends (_: infer F) => void
  ? F extends (_: infer One) => void
    ? One
    : never
  : never

export interface OpenApiDocument {
  readonly [extension: `x-${string}`]: unknown
  readonly components: {
    readonly headers?: Readonly<Record<string, unknown>>
    readonly responses?: Readonly<Record<string, ResponseObject>>
    readonly schemas?: Readonly<Record<string, SchemaObject>>
    readonly securitySchemes?: Readonly<Record<string, unknown>>
  }
  readonly externalDocs?: ExternalDocs
  readonly info: DocumentInfo
  readonly openapi: string
  readonly paths: Readonly<Record<string, PathItemObject>>
  readonly servers: readonly DocumentServer[]
  readonly tags?: readonly DocumentTag[]
  readonly webhooks?: Readonly<Record<string, PathItemObject>>
}

export type OpenApiVersion = '3.1' | '3.2'

export interface OperationObject {
  readonly [extension: `x-${string}`]: unknown
  readonly deprecated?: boolean
  readonly description?: string
  readonly operationId: string
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: RequestBodyObject
  readonly responses: Readonly<Record<string, ResponseObject | ReferenceObject>>
  readonly security: readonly SecurityRequirementObject[]
  readonly servers?: readonly DocumentServer[]
  readonly summary?: string
  readonly tags?: readonly string[]
}

export type OptionRule = readonly [test: (value: unknown) => boolean, expected: string]

export type OutputOf<S> = S extends {
  readonly _zod: {
    readonly output: infer O
  }
}
  ? O
  : never

type OwnEntries<E, All> = number extends E
  ? WordsIn<E> | Exclude<PlainEntries<E>, RestsOf<WordsIn<E>>>
  : Extract<All, E>

type OwnPrefix<N, P> = P extends ''
  ? string extends N
    ? ''
    : `/${ControllerName<N, P>}`
  : P extends string
    ? P
    : ''

export interface PageInfo {
  readonly documents: readonly DocumentLink[]
  readonly shown: DocumentLink
  readonly title: string
}

type Pairs = readonly (readonly [ResponseKey, Schema])[]

type ParamMistakes<S, Strays, Known> = [Strays] extends [never]
  ? never
  : S extends Marked | readonly unknown[]
    ? NoParam<Strays, keyof Known>
    : {
        readonly [F in keyof S]: F extends Strays ? NoParam<F, keyof Known> : S[F]
      }

export interface ParamType {
  readonly format: (value: unknown) => string
  readonly name: string
  readonly parse: (text: string) => unknown
  readonly pattern?: string | undefined
  readonly rank: number
  readonly test: (text: string, start: number, end: number) => boolean
}

export interface ParamTypeOptions<T> {
  readonly format?: (value: T) => string
  readonly name: string
  readonly parse?: (text: string) => T
  readonly pattern: string | RegExp
}

export interface ParamValues {
  float: number
  int: number
  path: string
  str: string
  uuid: string
}

export interface ParameterObject {
  readonly deprecated?: boolean
  readonly description?: string
  readonly explode?: boolean
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly name: string
  readonly required?: boolean
  readonly schema: SchemaObject
  readonly style?: string
}

type ParamsInput<P, Path, I> = I extends {
  readonly params: infer S
}
  ? Flat<Omit<ParamsOf<P> & ParamsOf<Path>, keyof SourceOutput<S>> & SourceOutput<S>>
  : Flat<ParamsOf<P> & ParamsOf<Path>>

export type ParamsOf<P> = P extends `${string}{${infer Param}}${infer Rest}`
  ? (Param extends `${infer Name}:${infer Type}`
      ? {
          [K in Name]: Type extends keyof ParamValues ? ParamValues[Type] : string
        }
      : {
          [K in Param]: string
        }) &
      ParamsOf<Rest>
  : unknown

type PathIn<E> = Fallback<PathsIn<E>, '/'>

export type PathItemObject = Readonly<Record<string, OperationObject>>

type PathsIn<E> = E extends `/${string}` ? E : never

type PlainEntries<E> = E extends PlainEntry ? E : never

type PlainEntry = `${Digit_2 | Sign}${string}` | typeof VERSION_NEUTRAL

type PlainKeys<R> = Fallback<keyof R & SuccessStatus, keyof R & 'default'>

type PlainNames<E> = E extends NameText ? (E extends Method ? never : E) : never

interface PlainSources {
  readonly body?: Marked | undefined
  readonly params?: undefined
}

export type PolicyLink =
  | string
  | {
      readonly href: string
      readonly title?: string
      readonly type?: string
    }

export interface PrefixOptions {
  readonly exclude?: readonly (string | ExcludedRoute)[]
  readonly path: string
}

export interface PresentedOptions extends RawOptions, CacheOptions {
  readonly type?: string
}

export interface Problem<C extends string, S extends number, M> extends AnyProblem {
  readonly $declares?: DeclaredProblemMark<C, S, M>
  (...given: ProblemArguments<M>): HttpError
  readonly code: C
  readonly status: S
}

export type ProblemArguments<M> = [M] extends [undefined]
  ? [detail?: string, members?: undefined, extra?: ProblemExtra]
  : object extends InputOf<M>
    ? [detail?: string, members?: InputOf<M>, extra?: ProblemExtra]
    : [detail: string | undefined, members: InputOf<M>, extra?: ProblemExtra]

export interface ProblemDocument {
  readonly [member: string]: unknown
  readonly code: string
  readonly detail?: string
  readonly errors?: readonly ValidationIssue[]
  readonly status: number
  readonly title: string
  readonly type: string
}

export interface ProblemExample {
  readonly detail?: string
}

export type ProblemExtra = Pick<HttpErrorOptions, 'headers' | 'cause'>

export interface ProblemOptions<C, S, M> {
  readonly code: C
  readonly description?: string
  readonly example?: ProblemExample & ([NoInfer<M>] extends [undefined] ? {} : InputOf<NoInfer<M>>)
  readonly headers?: Readonly<Record<string, DescribedHeader>>
  readonly members?: M
  readonly status: S
  readonly title: string
  readonly type?: string
}

export interface Provider<T> extends Token<T> {
  create(deps: never): Awaitable<T>
  dispose?(value: T): unknown
  readonly inject: Tokens
  readonly kind: 'provider'
  readonly name: string
  readonly scope: Scope
}

export interface ProviderOptions<T, D> {
  readonly create: (deps: Injected<D>) => Awaitable<T>
  readonly dispose?: (value: NoInfer<T>) => unknown
  readonly inject?: D
  readonly name: string
  readonly scope?: Scope
}

export interface QueryOptions {
  readonly statusCodes?: Partial<VersionStatusCodes>
  readonly versionParameter?: string
}

export type QueryRecord = Readonly<Record<string, string | readonly string[]>>

const RANGES: readonly ['4XX', '5XX', 'default']

const REPLY: unique symbol

const ROWS: {
  readonly ambiguous_version: readonly [400, 'Ambiguous API version']
  readonly body_too_large: readonly [413, 'Content Too Large']
  readonly client_closed_request: readonly [499]
  readonly closing: 503
  readonly document_not_found: 404
  readonly expectation_failed: 417
  readonly file_not_found: 404
  readonly forbidden: 403
  readonly handler_timeout: 503
  readonly headers_too_large: 431
  readonly host_not_allowed: 421
  readonly internal_error: 500
  readonly invalid_credentials: readonly [401]
  readonly invalid_version: readonly [400, 'Invalid API version']
  readonly list_too_long: readonly [422]
  readonly malformed_body: readonly [400, 'Malformed request body']
  readonly malformed_json: readonly [400, 'Malformed JSON']
  readonly malformed_multipart: readonly [400, 'Malformed multipart body']
  readonly malformed_path: readonly [400]
  readonly malformed_request: readonly [400]
  readonly malformed_target: readonly [400, 'Malformed request target']
  readonly method_not_allowed: 405
  readonly migration_failed: readonly [500]
  readonly missing_content_type: readonly [400, 'Missing Content-Type']
  readonly missing_host: readonly [400, 'Missing Host header']
  readonly precondition_failed: 412
  readonly range_not_satisfiable: 416
  readonly request_timeout: 408
  readonly response_invalid: readonly [500, 'Invalid response']
  readonly retired_version: readonly [410, 'Retired API version']
  readonly route_not_found: 404
  readonly session_conflict: readonly [409]
  readonly session_unavailable: readonly [503]
  readonly too_many_parameters: readonly [400]
  readonly too_many_parts: readonly [413, 'Content Too Large']
  readonly unauthenticated: readonly [401, 'Authentication required']
  readonly unspecified_version: readonly [400, 'Unspecified API version']
  readonly unsupported_content_encoding: readonly [415]
  readonly unsupported_media_type: 415
  readonly unsupported_version: readonly [404, 'Unsupported API version']
  readonly upgrade_required: 426
  readonly url_too_long: 414
  readonly validation_failed: readonly [422]
  readonly version_brownout: readonly [410, 'API version in a brownout']
}

type RangeText = `${'<' | '>'}${string}` | `${'=' | ' '}${string}`

type Rank<S, V> = [S] extends [never]
  ? 'maybe'
  : string extends S
    ? 'maybe'
    : V extends S
      ? 'exactly'
      : [Exclude<Extract<S, V extends null ? typeof VERSION_NEUTRAL : Vague>, Without<S, V>>] extends [never]
        ? 'never'
        : 'maybe'

export interface RawMark {
  readonly [REPLY]: 'raw'
}

export interface RawOptions extends ReplyOptions {
  readonly status?: number
}

export interface RawReply extends RawMark, ReplyOptions {
  readonly data: string | Uint8Array | BodyStream | ToReply | undefined
  readonly status: number | undefined
}

interface Readings<P> {
  readonly right: P
  readonly wrong: Meant<P>
}

type RecordIn<E> = E extends Schema | readonly unknown[] | StreamMark | EventsMark
  ? never
  : [HeldKeys<E>] extends [keyof InputSpec | ResponseKey]
    ? never
    : E

export interface ReferenceObject {
  readonly $ref: string
}

export interface Register {}

export interface Replaceable {
  readonly kind: 'guard' | 'interceptor'
  readonly name: string
}

type RepliesOf<R> = {
  [K in keyof R & ResponseKey]: ReplyOf<K extends number ? K : StatusesAt<R, K>, Given<R[K]>>
}[keyof R & ResponseKey]

export interface Reply<S extends number, D> extends ReplyOf<S, D>, ReplyOptions {
  readonly data: D
  readonly status: S
}

export type ReplyAmong<P, S extends number, D> = EachReply<S, [D][D extends unknown ? 0 : never]> &
  ([P] extends [never] ? P : unknown)

export interface ReplyContext extends ExecutionContext {
  atEnd(work: () => Awaitable<void>): void
  readonly handOver: ((take: unknown) => void) | undefined
  whenClosing(work: () => void): () => void
}

export interface ReplyOf<S extends number, D> {
  readonly [DATA]: D
  readonly [MADE]: true
  readonly [REPLY]: 'data'
  readonly [STATUS]: S
}

export interface ReplyOptions {
  readonly cookies?: Readonly<
    Record<
      string,
      | string
      | (CookieOptions & {
          readonly value: string
        })
    >
  >
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined
}

interface ReplyWithOneOf<Declared> {
  readonly [DECLARED_STATUS]: Declared
  readonly [MADE]: true
  readonly [REPLY]: 'data'
  readonly [STATUS]: number
}

export interface RequestBodyObject {
  readonly content: ContentMap
  readonly description?: string
  readonly required?: boolean
}

export interface RequestConnection {
  readonly base?: string | undefined
  readonly isPassed?: boolean
  readonly remoteAddress: string | undefined
}

export interface RequestDraft {
  readonly headers: Readonly<Record<string, string>>
  readonly host: string
  readonly path: string
  readonly prefix: string
  readonly query: Readonly<Record<string, string>>
}

export interface RequestEnd {
  readonly context: ExecutionContext
  readonly duration: number
  readonly response: FinishedResponse
}

export interface RequestError {
  readonly context: ExecutionContext
  readonly error: unknown
}

export interface RequestStart {
  readonly context: ExecutionContext
}

type ResponseIn<E> = E extends Schema
  ? E
  : E extends readonly unknown[]
    ? E extends Pairs
      ? E
      : never
    : HasNoStatus<E> extends true
      ? never
      : {
          readonly [K in keyof E & ResponseKey]: E[K]
        }

export type ResponseKey = number | (typeof RANGES)[number]

type ResponseMap<E> = ByStatus<E extends Schema ? never : ResponseIn<E>>

export interface ResponseObject {
  readonly content?: ContentMap
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
}

export type ResponseSpec =
  | Schema
  | {
      readonly '4XX'?: Schema
      readonly '5XX'?: Schema
      readonly [status: number]: Schema
      readonly default?: Schema
    }
  | readonly (readonly [status: ResponseKey, schema: Schema])[]

type RestName<Name extends string> = Name extends '' | `${string}${'*' | '/'}${string}` ? 'rest' : Name

type RestsOf<Word> = Word extends `${infer _}${infer Rest}` ? Rest : never

type Returnable<R> = R extends {
  readonly 200: {
    readonly '~stream': unknown
  }
}
  ? InputOf<R[PlainKeys<R>]> | RepliesOf<R> | ReplyWithOneOf<keyof R>
  :
      | RawMark
      | (R extends Schema
          ? Given<R> | ReplyOf<number, Given<R>> | ReplyOf<204 | 205 | 304, undefined>
          : Given<R[PlainKeys<R>]> | RepliesOf<R> | ReplyWithOneOf<keyof R>)

type Returned<R> = Returnable<R> | Promise<Returnable<R>>

export type Route<E, I extends Inherited> = HandledRoute<E, I> | ForwardedRoute<E, I['prefix']>

export interface RouteContext<I = unknown> extends ExecutionContext<I> {
  readonly route: RouteInfo
}

export interface RouteController<P extends string, C, G> {
  readonly guards?: readonly Guard<G>[]
  readonly inject?: C
  readonly prefix?: MeantPrefix<P>
}

export interface RouteEntry {
  readonly controller: string
  readonly deprecated: boolean
  readonly guards: readonly string[]
  readonly meta: object
  readonly methods: readonly Method[]
  readonly name: string
  readonly path: string
  readonly public: boolean
  readonly tags: readonly string[]
  readonly versions: readonly string[]
}

type RouteHandler<A, R, Who> =
  | ((input: A, context: RouteContext<Who>) => HandlerResult<R>)
  | AnyHandler<A, R, Who>

export interface RouteInfo {
  readonly controller: string
  readonly meta: object
  readonly method: string
  readonly name: string
  readonly path: string
}

export type RouteList = readonly unknown[] | readonly [] | typeof NO_LIST

export type RouteNames<M> = KeysOf<NamesOf<ControllersOf<M>>> extends infer N extends string ? N : never

export interface RouteOptions extends SharedOptions {
  readonly bodyLimit?: number
  readonly description?: string
  readonly openapi?: object
  readonly operationId?: string
  readonly status?: number
  readonly summary?: string
  readonly timeout?: number
  readonly upgrade?: 'websocket'
  readonly uploads?: UploadLimits
  readonly validateResponses?: boolean | 'strict'
}

export type RouteParams<M, K extends string> =
  NamedIn<ControllersOf<M>, K, unknown> extends infer E
    ? E extends readonly [infer P, unknown, unknown, unknown]
      ? Flat<ParamsOf<P>>
      : never
    : never

export interface RoutePolicy extends VersionPolicy {
  readonly versions?: Readonly<Record<string, VersionPolicy>>
}

export interface RouterOptions<
  N,
  P extends string,
  T,
  R,
  G,
  V extends VersionSpec,
  I = readonly Interceptor[],
  E = readonly AnyProblem[],
>
  extends Omit<SharedOptions, 'problems'>, Omit<Layers, 'guards' | 'interceptors'> {
  readonly guards?: readonly Guard<G>[]
  readonly interceptors?: I
  readonly mount?: WebHandler | ForwardTarget
  readonly name?: N
  readonly prefix?: MeantPrefix<P>
  readonly problems?: E
  readonly routers?: R
  readonly routes?: T
  readonly version?: V
}

const STATUS: unique symbol

export interface Schema {
  readonly _zod: {
    readonly input: unknown
    readonly output: unknown
  }
}

export type SchemaFields = Readonly<Record<string, Schema>>

export type SchemaObject = Readonly<Record<string, unknown>>

export type SchemaOf<T> = z.ZodType<T>

type SchemasIn<E> = E extends Schema ? E : never

type SchemasOf<R> = R extends Marked | readonly unknown[] ? never : R[keyof R]

export type SchemeList<S extends readonly object[]> = {
  readonly [K in keyof S]: readonly [scheme: VersioningScheme<S[K]>, options?: NoInfer<S[K]>]
}

export interface SchemeUse {
  readonly options: object
  readonly scheme: VersioningScheme<never>
}

export type Scope = 'singleton' | 'request' | 'transient'

export type SecurityRequirement = Readonly<Record<string, SecurityScheme>>

export type SecurityRequirementObject = Readonly<Record<string, readonly string[]>>

export type SecurityScheme =
  | {
      readonly bearerFormat?: string
      readonly description?: string
      readonly scheme: string
      readonly type: 'http'
    }
  | {
      readonly description?: string
      readonly in: 'header' | 'query' | 'cookie'
      readonly name: string
      readonly type: 'apiKey'
    }
  | {
      readonly description?: string
      readonly flows: Readonly<Record<string, object>>
      readonly type: 'oauth2'
    }
  | {
      readonly description?: string
      readonly openIdConnectUrl: string
      readonly type: 'openIdConnect'
    }

export interface ServerSentEvent {
  readonly comment?: string
  readonly data?: unknown
  readonly event?: string
  readonly id?: string
  readonly retry?: number
}

export interface ServerVariable {
  readonly default: string
  readonly description?: string
  readonly enum?: readonly string[]
}

export interface Session<T = SessionValues> {
  readonly data: T
  destroy(): Promise<void>
  readonly id: string
  regenerate(): Promise<void>
}
export const Session: SessionToken

export interface SessionCookie extends Omit<CookieOptions, 'expires'> {
  readonly name?: string
  readonly sameSite?: 'strict' | 'lax' | 'none'
}

export interface SessionOptions {
  readonly absoluteTimeout?: number
  readonly conflicts?: 'refuse' | 'overwrite'
  readonly cookie?: SessionCookie
  readonly idleTimeout?: number
  readonly schema?: Schema
  readonly secret: string | readonly string[]
  readonly store?: Store
  readonly storeTimeout?: number
}

export interface SessionToken extends BuiltIn<Session> {
  of<S extends Schema>(schema: S): BuiltIn<Session<OutputOf<S>>>
}

export type SessionValues = Register extends {
  session: infer S
}
  ? S
  : Record<string, unknown>

export type Shape = (value: unknown) => Awaitable<unknown>

export interface SharedOptions {
  readonly deprecated?: boolean
  readonly includeInSchema?: boolean
  readonly meta?: object
  readonly policy?: RoutePolicy
  readonly problems?: readonly AnyProblem[]
  readonly tags?: readonly string[]
  readonly version?: VersionSpec
}

export interface SideEffect {
  readonly id: string
  readonly sideEffects: true
}

type Sign =
  | '<'
  | '>'
  | '='
  | ' '
  | '-'
  | '+'
  | '.'
  | '~'
  | '^'
  | '*'
  | '#'
  | '@'
  | '!'
  | '?'
  | '%'
  | '&'
  | '('
  | '['

type Slashed<T> = [T] extends [string] ? (string extends T ? `/${string}` : `/${T}`) : never

type Small<C extends string> = C extends Uppercase<C> ? (C extends `${number}` ? true : false) : true

type Small_2 =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')

type SourceMistake<K, S, Known> = K extends 'params'
  ? Fallback<ParamMistakes<S, Stray<keyof SourceOutput<S>, Known>, Known>, FieldMistakes<K, S>>
  : FieldMistakes<K, S>

type SourceOutput<S> = S extends Schema
  ? OutputOf<S>
  : S extends readonly (infer Name extends string)[]
    ? {
        [K in Name]: string
      }
    : {
        -readonly [K in keyof S]: OutputOf<S[K]>
      }

export type SourceSpec = Schema | SchemaFields | readonly string[]

type SourcesBeside<E, Mark> = [Mark] extends [never]
  ? SourcesIn<ObjectsIn<E>>
  : SourcesIn<Held<Exclude<ObjectsIn<E>, RecordIn<ObjectsIn<E>> | StreamMark | EventsMark>>>

type SourcesIn<E> = E extends Schema | readonly unknown[]
  ? never
  : HasNoStatus<E> extends true
    ? keyof E extends keyof InputSpec
      ? E[keyof E] extends object | undefined
        ? E
        : InputSpec
      : keyof E extends keyof InputSpec | ResponseKey
        ? {
            readonly [K in keyof E & keyof InputSpec]: E[K]
          }
        : {
            readonly [K in Exclude<keyof E, ResponseKey>]?: K extends keyof InputSpec
              ? E[K]
              : 'not a source: use params, query, headers, cookies, body, form, files or inject'
          }
    : never

type SourcesOf<E> = StreamMark extends E ? SourcesBeside<E, MarkIn<E>> : SourcesIn<ObjectsIn<E>>

export interface SseOptions extends RawOptions {
  readonly heartbeat?: number
  readonly retry?: number
}

export interface StartedApp {
  readonly log: Logger
  resolve<T>(token: Token<T>): Promise<T>
  urlFor(name: string, params?: Readonly<Record<string, unknown>>, options?: UrlOptions): string
}

type StatusesAt<R, K> = K extends number
  ? K
  : Exclude<
      K extends '4XX'
        ? StatusesOf<'4'>
        : K extends '5XX'
          ? StatusesOf<'5'>
          : StatusesOf<'2' | '3' | Exclude<'4' | '5', FirstDigits<keyof R>>>,
      keyof R
    >

type StatusesOf<First extends string> = `${First}${Digit}${Digit}` extends `${infer N extends number}`
  ? N
  : never

export interface Store {
  delete(key: string, options?: StoreDeleteOptions): Awaitable<boolean>
  get(key: string): Awaitable<string | null | undefined>
  increment?(key: string, amount: number, ttl: number): Awaitable<StoreCount>
  set(key: string, value: string, options?: StoreSetOptions): Awaitable<boolean>
}

export interface StoreCount {
  readonly left: number
  readonly total: number
}

export interface StoreDeleteOptions {
  readonly ifEqual?: string
}

export interface StoreSetOptions {
  readonly ifAbsent?: boolean
  readonly ifEqual?: string
  readonly owner?: string
  readonly ttl?: number
}

type Stray<Names, Known> = string extends keyof Known ? never : Exclude<Names, keyof Known>

type StreamMark = Set<string>

export interface StreamOptions extends RawOptions {
  readonly type?: string
}

export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

const TYPES: unique symbol

export type TakeConnection = (connection: UpgradedConnection) => unknown

export interface Telemetry {
  flush?(): Promise<void>
  logger?(logger: Logger): Logger
  request(
    context: ExecutionContext,
    answer: () => Awaitable<FinishedResponse>,
    connection: RequestConnection,
  ): Awaitable<FinishedResponse>
}

export interface Timeouts {
  readonly drain?: number
  readonly grace?: number
  readonly handler?: number
  readonly headers?: number
  readonly idle?: number
  readonly request?: number
  readonly send?: number
}

export type ToReply = (context: ReplyContext, shape?: Shape) => Awaitable<RawReply>

export interface Token<T> {
  readonly $type?: T
  readonly token: string
}

export type Tokens = Readonly<Record<string, Token<unknown>>>

export interface UnknownIdentityUseAfter {}

type Unread<V> = V extends Marked | undefined
  ? never
  : V extends readonly unknown[]
    ? never
    : V[keyof V] extends Marked
      ? never
      : V

export interface UpgradedConnection {
  readonly head: Buffer
  readonly request: IncomingMessage
  readonly signal: AbortSignal
  readonly socket: Socket
}

export interface UploadLimits {
  readonly directory?: string
  readonly fieldSize?: number
  readonly fields?: number
  readonly fileSize?: number
  readonly files?: number
  readonly memory?: number
  readonly nameSize?: number
}

type Upper<C extends string> = C extends Lowercase<C> ? false : true

export interface UpstreamApp {
  fetch(request: Request): Awaitable<Response>
}

export type UpstreamStandIn = UpstreamApp | UpstreamApp['fetch']

export type UrlForArguments<P> = object extends P
  ? [params?: NoParams, options?: UrlOptions]
  : [params: P, options?: UrlOptions]

export interface UrlOptions {
  readonly query?: Readonly<Record<string, unknown>>
}

export interface UrlVersioningOptions {
  readonly allowBare?: boolean
  readonly statusCodes?: Partial<VersionStatusCodes>
  readonly versionParameter?: string
}

export interface UsageEntry {
  readonly brownouts?: number
  readonly changes?: readonly ChangeUsage[]
  readonly client: string | null
  readonly clientErrors?: number
  readonly count: number
  readonly day: string
  readonly defaulted?: number
  readonly lastBrownout?: string
  readonly lastSeen: string
  readonly pinned?: number
  readonly route: string
  readonly serverErrors?: number
  readonly version: string | null
}

export interface UsageOptions {
  readonly interval?: number
  readonly keep?: number
  readonly limit?: number
  readonly store?: Store
}

export const VERSION_NEUTRAL: unique symbol

type Vague = RangeText | typeof VERSION_NEUTRAL

export class ValidationError extends HttpError {
  constructor(errors: readonly ValidationIssue[], detail?: string)
  readonly errors: readonly ValidationIssue[]
}

export interface ValidationIssue {
  readonly code: string
  readonly in: 'params' | 'query' | 'headers' | 'cookies' | 'body' | 'form' | 'files'
  readonly message: string
  readonly path: readonly (string | number)[]
}

export interface VersionChoice {
  find(name: string): string | undefined
  supported(): readonly string[]
}

export type VersionEntry = string | typeof VERSION_NEUTRAL

type VersionField<E> = unknown extends E
  ? unknown extends E
    ? string | Neutral<E> | readonly (string | Neutral<E>)[]
    : Literal<E> | readonly Literal<E>[]
  : VersionSpec

export type VersionFormat = 'string' | 'integer' | 'semver' | 'date'

export interface VersionHistory<L extends string = string> {
  readonly changes: readonly (ChangeInfo & {
    readonly version: string
  })[]
  isSince(change: object, version: string): boolean
  readonly spellings: ReadonlyMap<string, string>
  readonly versions: readonly L[]
}

export interface VersionInfo extends VersionLife {
  readonly changes?: readonly ChangeInfo[]
  readonly elsewhere?: true
  readonly isDefault: boolean
  readonly links: VersionLinks
  readonly retired: 'serve' | 'gone' | 'forward'
  readonly routes: readonly VersionRoute[]
  readonly version: string
}

export interface VersionLife {
  readonly brownouts?: readonly {
    readonly from: string
    readonly to: string
  }[]
  readonly deprecated?: true | string
  readonly status: VersionStatus
  readonly sunset?: string
}

export interface VersionLink {
  readonly href: string
  readonly title?: string
  readonly type: string
}

export interface VersionLinks {
  readonly deprecation?: VersionLink
  readonly sunset?: VersionLink
}

export interface VersionListing<L extends string = string> extends VersionPolicy {
  readonly elsewhere?: boolean
  readonly version: L
}

export interface VersionPolicy {
  readonly brownouts?: readonly Brownout[]
  readonly deprecated?: boolean | Moment
  readonly links?: {
    readonly deprecation?: PolicyLink
    readonly sunset?: PolicyLink
  }
  readonly retired?: 'serve' | 'gone' | 'forward'
  readonly sunset?: Moment | false
}

export interface VersionResolved {
  readonly method: string
  readonly path: string
  readonly request: HttpRequest_2
  readonly requested: string | undefined
  readonly route: string
  readonly status: VersionStatus
  readonly version: string | null
}

export interface VersionRoute extends VersionLife {
  readonly isConverted?: true
  readonly isDefault?: true
  readonly methods: readonly Method[]
  readonly name: string
  readonly path: string
}

export interface VersionSource {
  readonly in: string
  readonly name: string
  readonly value: string
}

export type VersionSpec = VersionEntry | readonly VersionEntry[]

export type VersionStatus = 'active' | 'deprecated' | 'sunset' | 'retired'

export interface VersionStatusCodes {
  readonly ambiguous: number
  readonly invalid: number
  readonly retired: number
  readonly unspecified: number
  readonly unsupported: number
}

export type VersionValue = string | readonly string[] | AmbiguousVersion | undefined

export type VersioningOption<
  O extends object = object,
  S extends readonly object[] = readonly object[],
  D extends string | null = string | null,
  L extends string = string,
  H = unknown,
> =
  | ({
      readonly scheme: VersioningScheme<O>
      readonly schemes?: never
    } & NoInfer<O> &
      VersioningOptions<D, L, H>)
  | ({
      readonly scheme?: never
      readonly schemes: SchemeList<S>
    } & VersioningOptions<D, L, H>)

export interface VersioningOptions<
  D extends string | null = string | null,
  L extends string = string,
  H = unknown,
> {
  readonly clock?: () => number
  readonly closed?: boolean
  readonly defaultVersion?: D | DefaultVersion
  readonly echo?: boolean | 'contentType'
  readonly format?: VersionFormat
  readonly history?: VersionHistory<L> & H
  readonly report?: 'errors' | 'always' | false
  readonly required?: boolean
  readonly successorLinks?: boolean
  readonly unknown?: 'error' | 'floor'
  readonly vary?: readonly string[]
  readonly versions?:
    | readonly (L | VersionListing<L>)[]
    | (L | VersionListing<L>)[]
    | Readonly<Partial<Record<L, VersionPolicy>>>
}

export interface VersioningScheme<O> {
  readonly before: (options: O) => string | undefined
  readonly candidate: ((segment: string, options: O) => string | undefined) | undefined
  readonly companions: (options: O) => readonly SchemeUse[]
  readonly contentType: (type: string, version: string, options: O) => string
  readonly contradiction: (options: O) => string | undefined
  readonly echo: (options: O) => string | undefined
  readonly fold: (version: string, options: O) => string
  readonly name: string
  readonly options: Readonly<Record<string, OptionRule>> | undefined
  readonly problem: (version: string, options: O) => string | undefined
  readonly queryParameter: (options: O) => string | undefined
  readonly reader: (
    options: O,
    canonical: (version: string) => string,
  ) => (request: HttpRequest_2) => Awaitable<VersionValue>
  readonly segments: ((version: string, options: O) => readonly string[]) | undefined
  readonly source: (options: O) => Omit<VersionSource, 'value'>
  readonly statusCodes: VersionStatusCodes
  readonly vary: (options: O) => readonly string[]
  readonly warnings: (
    options: O,
    isKnown: (version: string) => boolean,
  ) => readonly Omit<DefinitionWarning, 'where'>[]
  readonly write: ((draft: RequestDraft, version: string, options: O) => Partial<RequestDraft>) | undefined
}

export interface VersioningSchemeDefinition<O> {
  readonly describe?: string
  readonly name: string
  read(request: HttpRequest_2, options: O): Awaitable<string | readonly string[] | undefined>
  readonly statusCodes?: Partial<VersionStatusCodes>
  readonly vary?: readonly string[]
  write?(request: RequestDraft, version: string, options: O): Partial<RequestDraft>
}

export const VersioningSchemes: {
  readonly HEADER: VersioningScheme<HeaderOptions>
  readonly HOST: VersioningScheme<HostOptions>
  readonly QUERY: VersioningScheme<QueryOptions>
  readonly URL: VersioningScheme<UrlVersioningOptions>
}

export type WebHandler = (request: Request, context: ExecutionContext) => Awaitable<Response>

export interface Webhook<S extends Schema = Schema> {
  readonly deprecated?: boolean
  readonly description?: string
  readonly kind: 'webhook'
  readonly name: string
  readonly schema: S
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly version?: VersionSpec
}

type WithKnownTypes<P, Before extends string = ''> = P extends `${infer Head}:${infer Type}}${infer Rest}`
  ? Type extends keyof ParamValues
    ? WithKnownTypes<Rest, `${Before}${Head}:${Type}}`>
    : `${Before}${Head}:${keyof ParamValues}}${Rest}`
  : `/${string}`

type WithReadonlyLists<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly unknown[]
    ? T[number][] extends T
      ? readonly WithReadonlyLists<T[number]>[]
      : {
          readonly [K in keyof T]: WithReadonlyLists<T[K]>
        }
    : T extends
          | {
              toJSON(): unknown
            }
          | Blob
          | Uint8Array
          | Iterable<unknown>
          | AsyncIterable<unknown>
      ? T
      : T extends object
        ? {
            [K in keyof T]: WithReadonlyLists<T[K]>
          }
        : T

type WithStream<S, R> = [R] extends [never]
  ? {
      readonly 200: S
    }
  : Flat<
      R & {
        readonly 200: S
      }
    >

type Within<C, V, L> =
  C extends Controller<infer N, infer P, unknown, infer R, infer Own, infer I>
    ? Controller<N, P, C['routes'], R, Fallback<EntriesOf<Own>, V>, Join<L, I>>
    : never

type Without<S, V> = S extends `${infer First} ${infer Rest}`
  ? [Without<First, V> | Without<Rest, V>] extends [never]
    ? never
    : S
  : S extends `<=${infer N}`
    ? Beyond<S, Compared<V, N>, '>'>
    : S extends `<${infer N}`
      ? Beyond<S, Compared<V, N>, '>' | '='>
      : S extends `>=${infer N}`
        ? Beyond<S, Compared<V, N>, '<'>
        : S extends `>${infer N}`
          ? Beyond<S, Compared<V, N>, '<' | '='>
          : never

type WithoutStatus = {
  readonly [K in Offered | '4XX' | '5XX' | 'default']?: object
} & {
  readonly [name: string]: NoStatus
}

type WordsIn<E> = {
  [S in Extract<E, NameText>]: S extends `${infer _}${infer Rest}` ? (Rest extends E ? S : never) : never
}[Extract<E, NameText>]

export function accepted<D = undefined>(given: AcceptedOptions<D>): Reply<202, D>

export const badRequest: HttpErrorFactory

export function bind<const T extends Token<unknown> | Replaceable>(token: T, to: BoundTo<T>): Binding

export const conflict: HttpErrorFactory

export function createApp<
  M extends Module<unknown, unknown>,
  O extends object = object,
  const S extends readonly object[] = readonly object[],
  F = undefined,
  const D extends string | null = never,
  const L extends string = never,
  H = undefined,
  const I extends readonly Interceptor[] = readonly [],
>(module: M, options?: AppOptions<O, S, F, D, L, H, I>): App<M, F, NamedVersions<O, D, L, H>, I>

export function defineController<
  const N extends string,
  const T extends RouteList,
  const P extends string = '',
  C extends Tokens = {},
  G = IdentityValue,
  const V extends VersionSpec = never,
  const I extends readonly Interceptor[] = readonly [],
  const E extends readonly AnyProblem[] = readonly [],
>(
  options: ControllerOptions<
    N,
    P,
    {
      readonly [K in keyof T]: Route<
        T[K],
        {
          identity: G
          inject: C
          prefix: P
        }
      >
    },
    C,
    G,
    V,
    I,
    E
  >,
): Controller<N, P, T, readonly [], V, AroundRoutes<I, E>>

export function defineErrorFormat<const S extends Schema>(options: ErrorFormatOptions<S>): ErrorFormat<S>

export function defineErrorHandler<
  const M extends ErrorClass | number,
  const R extends ErrorResponses = never,
>(options: {
  readonly handle: (error: Matched<M>, context: ExecutionContext) => ErrorResult<R>
  readonly match: M
  readonly response?: R
}): ErrorHandler

export function defineGuard<D extends Tokens = {}, I = never>(given: GuardOptions<D, I>): Guard<I, never>

export function defineInterceptor<D extends Tokens = {}, E extends Schema | undefined = undefined>(
  options: InterceptorOptions<D, E>,
): Interceptor<EnvelopeOf<E>>

export function defineModule<
  const C extends readonly Controller<unknown, unknown, unknown, unknown>[] = readonly [],
  const R extends readonly Controller<unknown, unknown, unknown, unknown>[] = readonly [],
  const I extends readonly ModuleImport[] = readonly [],
  const V extends VersionSpec = never,
  const L extends readonly Interceptor[] = readonly [],
  const E extends readonly AnyProblem[] = readonly [],
>(
  options: ModuleOptions<C, R, I, V, L, E>,
): Module<C[number] | R[number], Awaited<I[number]>, V, AroundRoutes<L, E>>

export function defineParamType<T = string>(options: ParamTypeOptions<T>): ParamType

export function defineProblem<
  const C extends string,
  const S extends number,
  M extends Schema | undefined = undefined,
>(options: ProblemOptions<C, S, M>): Problem<C, S, M>

export function defineProvider<T, D extends Tokens = {}>(options: ProviderOptions<T, D>): Provider<T>

export function defineRoute<
  const T extends readonly [unknown],
  const P extends string = '',
  C extends Tokens = {},
  G = IdentityValue,
>(
  controller: RouteController<P, C, G>,
  ...[route]: {
    readonly [K in keyof T]: Route<
      T[K],
      {
        identity: G
        inject: C
        prefix: P
      }
    >
  }
): Route<
  T[0],
  {
    identity: IdentityIn<G>
    inject: C
    prefix: P
  }
>

export function defineRouter<
  const N extends string,
  const T extends RouteList = readonly [],
  const P extends string = '',
  const R extends readonly Controller<unknown, unknown, unknown, unknown>[] = readonly [],
  G = IdentityValue,
  const V extends VersionSpec = never,
  const I extends readonly Interceptor[] = readonly [],
  const E extends readonly AnyProblem[] = readonly [],
>(
  options: RouterOptions<
    N,
    P,
    {
      readonly [K in keyof T]: Route<
        T[K],
        {
          identity: G
          inject: unknown
          prefix: P
        }
      >
    },
    R,
    G,
    V,
    I,
    E
  >,
): Controller<N, P, T, R, V, AroundRoutes<I, E>>

export function defineToken<T>(name: string): Token<T>

export function defineVersioningScheme<O extends object = object>(
  definition: VersioningSchemeDefinition<O>,
): VersioningScheme<O>

export function file(source: string | URL | Uint8Array | Blob, options?: FileOptions): RawReply

export const forbidden: HttpErrorFactory

export const gone: HttpErrorFactory

export function html(body: string, options?: RawOptions): RawReply

export function lazy<T>(get: () => Token<T>): Token<T>
export function lazy<C, I, V>(get: () => Module<C, I, V>): Module<C, I, V>

export function mergePatch<T extends object>(target: T, patch: MergePatch<NoInfer<T>>): T

export const notFound: HttpErrorFactory

export function redirect(url: string, status?: number, options?: ReplyOptions): RawReply

export function reply<S extends number, D = undefined, P = unknown>(
  status: S,
  data?: D | DataIn<P, S>,
  options?: ReplyOptions,
): ReplyAmong<P, S, D>

export const serviceUnavailable: HttpErrorFactory

export function sse<const E extends ServerSentEvent = ServerSentEvent>(
  source: Events<E> | ((request: EventRequest) => Awaitable<Events<E>>),
  options?: SseOptions,
): EventsReply<E>

export function stream(source: BodyStream | Iterable<Uint8Array | string>, options?: StreamOptions): RawReply

export function text(body: string, options?: RawOptions): RawReply

export const tooManyRequests: HttpErrorFactory

export const unauthorized: HttpErrorFactory

export const unprocessable: HttpErrorFactory

export function upgrade(take: TakeConnection): RawReply
