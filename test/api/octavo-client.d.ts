// The public types of octavo/client. npm run api writes this file, and nothing imports it.

type AllEntries_2<M> = Exclude<EntriesBelow<ControllersOf<M>>, symbol | undefined>

export interface Answer<S extends number, D> {
  readonly data: D
  readonly headers: Headers
  readonly ok: number extends S ? boolean : S extends SuccessStatus ? true : false
  readonly response: Response
  readonly status: S
}

type AnsweringBy<E, A> = E extends readonly [string, unknown, A, unknown] ? E : never

type AnswersByStatus<R, St, Es, Any extends number> = [R] extends [never]
  ? Answer<Any, unknown>
  : R extends Schema
    ? Answer<Any, Enveloped<Wire<OutputAt<R, St>>, Es>>
    : {
        [K in keyof R & ResponseKey]: Answer<
          StatusesAt<R, K>,
          Es extends readonly [] ? DataAt<R[K], St> : EnvelopedData<K, R[K], DataAt<R[K], St>, Es>
        >
      }[keyof R & ResponseKey]

type AnswersIn<E, N, St, Around> = [Extract<E, EnvelopeMark | DeclaredProblemMark>, Around] extends [
  never,
  readonly [],
]
  ? AnswersByStatus<DeclaredAt<E, N, St>, St, readonly [], number>
  : MarkedAnswers<E, N, St, Around, ProblemsIn<E, Around>>

type AnswersTo<E, N, St> = E extends [string, infer Element, unknown, infer Around]
  ? AnswersIn<Element, N, St, Around>
  : never

type AnyPlaced = PlacedController<unknown, string, unknown, unknown, unknown, unknown>

type AroundAll<A> = A extends {
  readonly [TYPES]?: {
    readonly errors: infer F
    readonly interceptors: infer I
  }
}
  ? [F] extends [Schema]
    ? readonly [Formatted, ...(I & readonly unknown[])]
    : I
  : readonly []

export type As = 'data' | 'stream' | 'events' | 'response'

type Below<C> = C extends AnyPlaced
  ? C['routers'] extends readonly []
    ? never
    : PlaceController<C['routers'][number & keyof C['routers']], C['prefix'], C['version'], C['around']>
  : never

type BodiesInVersion<R, N, U, Vs> = [U] extends [never]
  ? R
  : R extends Schema
    ? BodyInVersion<R, unknown, N, U, Vs>
    : {
        readonly [K in keyof R]: R[K] extends {
          readonly '~stream': readonly ['events', infer M]
        }
          ? {
              readonly '~stream': readonly ['events', EventsInVersion<M, N, U, Vs>]
            }
          : BodyInVersion<R[K], K, N, U, Vs>
      }

type BodyAt<S, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? NotAbsent<
        BodyInVersion<S, 'body', `body ${N & string}`, StatusChanges<`body ${N & string}`, C, New>, Vs>
      >
    : S

type BodyInput<T> = T extends Uint8Array ? Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> : T

type Both<U> = (U extends unknown ? (_: U) => void : never) extends (
  _: infer I extends readonly unknown[],
) => void
  ? I
  : never

export type CallItems<R, A> = A extends 'data'
  ? [StreamedIn<R>] extends [never]
    ? unknown
    : AsyncIterable<StreamedIn<R>>
  : unknown

export interface CallOptions<A extends As = As> {
  readonly as?: A | undefined
  readonly idempotencyKey?: string | undefined
  readonly ifMatch?: string | Pick<Response, 'headers'> | undefined
  readonly reconnect?: number | ReconnectOptions | undefined
  readonly signal?: AbortSignal | undefined
}

export type CallResult<R, A> = A extends 'response'
  ? Response
  : A extends 'data'
    ? R
    : Streamed<R, A extends 'events' ? EventStream : ReadableStream<Uint8Array>>

export type CalledFunction<I, R> = RouteFunction<I, R> &
  ([PagedItems<R>] extends [never]
    ? unknown
    : 'cursor' extends QueryOf<I>
      ? PagesFunction<I, PagedItems<R>>
      : unknown)

type CallsOfLevel<Own, C, View, St, Above extends string = ''> =
  | RouteNamesOf<Own, View>
  | (C extends {
      readonly name: infer N
    }
      ? N
      : never) extends infer N extends string
  ? {
      readonly [K in N]: MemberNamed<
        RoutesIn<Own, K, View>,
        Extract<
          C,
          {
            readonly name: K
          }
        >,
        View,
        St,
        `${Above}${K}`
      >
    }
  : never

type Certain<D extends string, S> = unknown extends S
  ? unknown
  : string extends S
    ? unknown
    : [D] extends [Exclude<S, RangeText>]
      ? D
      : unknown

export type Client<A, V extends VersionsOf<A> | undefined = undefined> = A extends {
  readonly $written: infer W extends WrittenTypes
}
  ? W['calls'] & InWritten<W>
  : ClientOf<A, V>

export type ClientHeaders =
  | Readonly<Record<string, string | undefined>>
  | Headers
  | readonly (readonly [name: string, value: string])[]

type ClientOf<A, V extends VersionsOf<A> | undefined> = A extends {
  readonly [TYPES]?: AppTypes<unknown>
}
  ? Root<
      PlaceController<ControllersOf<ModuleOf<A>>, '', never, AroundAll<A>>,
      ViewOf<A, ModuleOf<A>, V>,
      StateIn<A, ViewOf<A, ModuleOf<A>, V>>
    > &
      InVersion<A, ViewOf<A, ModuleOf<A>, V>>
  : never

export interface ClientOptions extends CommonClientOptions {
  readonly version?: 'the version is the second type argument: createClient<typeof app, Version>({ version })'
}

export interface CommonClientOptions {
  readonly baseUrl?: string | URL
  readonly credentials?: 'omit' | 'same-origin' | 'include'
  readonly dispatcher?: object
  readonly docs?: string
  readonly fetch?:
    | ((url: string, init: RequestInit) => PromiseLike<Response>)
    | {
        (input: never, init: never): PromiseLike<object>
        <_>(...args: never): unknown
      }
  readonly headers?: ClientHeaders | (() => ClientHeaders | PromiseLike<ClientHeaders>)
  readonly onDeprecated?: (notice: DeprecationNotice) => unknown
  readonly onRequest?: (request: OutgoingRequest) => void | PromiseLike<void>
  readonly onResponse?: (response: Response, request: OutgoingRequest) => void | PromiseLike<void>
  readonly retry?: number | RetryOptions
  readonly routes?: RouteMap | SavedRouteMap | string | URL
  readonly timeout?: number
}

type DataAt<S, St> = S extends {
  readonly '~stream': infer T
}
  ? T extends readonly ['items', infer I]
    ? ItemStream<Wire<OutputAt<I, St>>>
    : T extends readonly ['events', infer M]
      ? NamedEvents<
          {
            [K in keyof M]: NamedEvent<K, Wire<OutputAt<M[K], St>>>
          }[keyof M]
        >
      : never
  : Wire<OutputAt<S, St>>

type DeclaredAt<E, N, St> = unknown extends St
  ? ByStatus<AnswersOf<E>>
  : ResponsesAt<ByStatus<AnswersOf<E>>, N, St>

export interface DeclaredProblem<C, S> {
  readonly code: C
  readonly detail?: string
  readonly status: S
  readonly title: string
  readonly type: string
}

type DefaultVersionOf<A, M> = A extends {
  readonly [TYPES]?: {
    readonly versions: EnabledVersions<infer D, unknown, unknown>
  }
}
  ? [D] extends [string]
    ? Certain<D, AllEntries_2<M> | ListedOf<A>>
    : D
  : unknown

export interface DeprecationNotice {
  readonly brownout:
    | {
        readonly from: Date
        readonly to: Date
      }
    | undefined
  readonly deprecated: Date | undefined
  readonly page: string | undefined
  readonly route: string
  readonly successor: string | undefined
  readonly sunset: Date | undefined
  readonly version: string | undefined
}

type ElementsAt<T, All, Above, V> = {
  [I in keyof T]: Answers<T[I], All, Above, V> extends 'never' ? never : T[I]
}[number & keyof T]

type EntriesBelow<C> =
  C extends Controller<unknown, unknown, unknown, unknown>
    ? EntriesOf<C['version']> | EntriesIn<C['routes']> | EntriesOfRouters<C['routers']>
    : never

type EntriesOfRouters<R> = R extends readonly []
  ? never
  : R extends readonly unknown[]
    ? EntriesBelow<R[number]>
    : never

type EnvelopeIn<I> = I extends {
  readonly [ENVELOPE]?: EnvelopeMark<infer O>
}
  ? Fallback<Known<O>, readonly []>
  : readonly []

type Enveloped<D, Es> = Es extends readonly [...infer Outer, infer E]
  ? [D] extends [Uint8Array | undefined]
    ? D
    : Enveloped<Filled<E, D>, Outer>
  : D

type EnvelopedData<K, S, D, Es> = S extends {
  readonly '~stream': unknown
}
  ? D
  : K extends Exclude<SuccessStatus, 204 | 205>
    ? Enveloped<D, Es>
    : K extends 'default'
      ? D | Enveloped<D, Es>
      : D

type EnvelopesAround<Is, Es extends readonly unknown[] = readonly []> = Is extends readonly [
  infer I,
  ...infer Inner,
]
  ? EnvelopesAround<Inner, readonly [...Es, ...EnvelopeIn<I>]>
  : Es

type EnvelopesIn<E> = E extends EnvelopeMark<infer O> ? Known<O> : never

type EnvelopesOf<Around, Own> = [Own] extends [never]
  ? Around extends readonly []
    ? readonly []
    : EnvelopesAround<Around>
  : readonly [...EnvelopesAround<Around>, ...([Own] extends [Both<Own>] ? Own : readonly [unknown])]

export type ErrorBody<A, V extends VersionsOf<A> | undefined = undefined> = A extends {
  readonly $written: infer W
}
  ? W extends {
      readonly errors: infer F
    }
    ? F
    : ProblemDocument
  : ErrorBodyOf<A, V>

type ErrorBodyOf<A, V extends VersionsOf<A> | undefined> = A extends {
  readonly [TYPES]?: {
    readonly errors: infer F
    readonly versions: infer H
  }
}
  ? ErrorIn<
      F,
      H extends {
        readonly history: infer History
      }
        ? V extends string
          ? StateOf<History, V>
          : unknown
        : unknown
    >
  : never

type ErrorChanges<N, C, New> = ChangesIn<
  ByName<C>[(About<`errors ${N & string}`> | 'errors *') & keyof ByName<C>],
  New
>

type ErrorFacts_2<U, N> = U extends AnyTold
  ? Extract<U['~was'], Fact<About<`errors ${N & string}`> | 'errors *'>>[1]
  : never

type ErrorFormatAt<F, St> =
  St extends State<infer Vs, infer C, infer New>
    ? 'error format' extends keyof ByName<C>
      ? BodyInVersion<F, unknown, 'error format', ChangesIn<ByName<C>['error format'], New>, Vs>
      : F
    : F

type ErrorIn<F, St> =
  ErrorFormatAt<F, St> extends infer Format extends Schema ? Wire<OutputAt<Format, St>> : ProblemDocument

type ErrorWasOf<Now, F> = F extends readonly [infer Code, infer W]
  ? Now extends readonly [unknown, Code, unknown, unknown]
    ? W
    : never
  : never

export interface EventStream<D = string> extends ItemStream<ReceivedEvent<D>> {
  json<T = unknown>(): EventStream<T>
}

type EventsInVersion<M, N, U, Vs> = {
  readonly [K in keyof M as BodyInVersion<K, K, N, U, Vs> & PropertyKey]: M[K]
}

type FieldsInput<S, St> = Flat<
  {
    -readonly [K in keyof S as S[K] extends OptionalSchema ? never : K]: Exclude<InputAt<S[K], St>, null>
  } & {
    -readonly [K in keyof S as S[K] extends OptionalSchema ? K : never]?: InputAt<S[K], St>
  }
>

type FileInput<T> = T extends FileStream | Blob
  ? Blob
  : T extends FileStreams
    ? readonly Blob[]
    : T extends readonly unknown[]
      ? readonly FileInput<T[number]>[]
      : T

type FileInputs<T> = {
  [K in keyof T]: FileInput<T[K]>
}

type Filled<T, D> = T extends EnvelopeContent
  ? D
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends {
          toJSON(): infer J
        }
      ? Wire<J>
      : T extends object
        ? number extends keyof T
          ? FilledMany<T, T[number & keyof T], D>
          : {
              [K in keyof T]: Filled<T[K], D>
            }
        : unknown

type FilledMany<T, E, D> = [string, T] extends [E, JsonValue]
  ? T
  : E[] extends T
    ? T extends unknown[]
      ? Filled<E, D>[]
      : readonly Filled<E, D>[]
    : {
        [K in keyof T]: Filled<T[K], D>
      }

type Formatted = 'formatted'

export interface InVersion<in out A, in out View = unknown> {
  at<const V extends VersionsOf<A>>(version: V): Client<A, V>
  url<const K extends RouteNames<ModuleIn<A>>>(
    name: K,
    ...input: UrlArguments<UrlInput<RoutesAt<ModuleIn<A>, K, View>, K, StateIn<A, View>>>
  ): Promise<string>
}

export interface InWritten<W extends WrittenTypes> {
  at(version: Extract<W['version'], string>): W['calls'] & InWritten<W>
  url<const K extends keyof W['inputs'] & string>(
    name: K,
    ...input: UrlArguments<Pick<W['inputs'][K], keyof W['inputs'][K] & ('params' | 'query')>>
  ): Promise<string>
}

type InputAt<S, St> = unknown extends St ? InputOf<S> : InAt<S, St>

type InputFor<V, M> = [M] extends [never]
  ? WithOptional<V, OptionalKeys<V>>
  : Flat<WithOptional<V, OptionalKeys<V>> & MethodInput<M>>

type InputOfCall<P extends string, E, N, St> = InputFor<
  SourceValues<ParamsOf<P>, InputIn<Extract<E, object>>, N, St>,
  MethodsIn<E>
>

type InputSourceAt<S, K, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? BodyInVersion<S, K, `input ${N & string}`, StatusChanges<`input ${N & string}`, C, New>, Vs>
    : S

type InputSourcesAt<N, St> =
  St extends State<unknown, infer C, infer New>
    ? BodyFacts<StatusChanges<`input ${N & string}`, C, New>, `input ${N & string}`> extends infer F
      ? F extends readonly [infer K, unknown]
        ? K
        : never
      : never
    : never

type InputsOf<E, N, St> = E extends [infer P extends string, infer Element, unknown, unknown]
  ? InputOfCall<P, Element, N, St>
  : never

export interface ItemStream<T> extends AsyncIterableIterator<T> {
  [Symbol.asyncIterator](): this
  next(): Promise<IteratorResult<T, undefined>>
  return(): Promise<IteratorResult<T, undefined>>
}

type Known<O> = unknown extends O ? never : [O] extends [undefined] ? never : readonly [O]

type ListedOf<A> = A extends {
  readonly [TYPES]?: {
    readonly versions: EnabledVersions<unknown, infer L, unknown>
  }
}
  ? L
  : never

type MarkedAnswers<E, N, St, Around, Ps> =
  | AnswersByStatus<
      DeclaredAt<E, N, St>,
      St,
      EnvelopesOf<Around, EnvelopesIn<E>>,
      [Ps] extends [never] ? number : SuccessStatus
    >
  | ProblemAnswers<unknown extends St ? Ps : ProblemsAt<Ps, N, St>, St>

type MemberNamed<E, C, View, St, N extends string> = [E] extends [never]
  ? CallsOfLevel<C | Nameless<Below<C>>, NamedControllers<Below<C>>, View, St, `${N}.`>
  : [C] extends [never]
    ? CalledFunction<InputsOf<E, N, St>, AnswersTo<E, N, St>>
    : CalledFunction<InputsOf<E, N, St>, AnswersTo<E, N, St>> &
        CallsOfLevel<C | Nameless<Below<C>>, NamedControllers<Below<C>>, View, St, `${N}.`>

type MethodInput<E> = [E] extends [never]
  ? unknown
  : {
      readonly method?: E | undefined
    }

type MethodsIn<E> = Extract<E, readonly Method[]>[number]

type ModuleIn<A> = A extends {
  readonly [TYPES]?: AppTypes<unknown>
}
  ? ModuleOf<A>
  : never

type ModuleOf<
  A extends {
    readonly [TYPES]?: AppTypes<unknown>
  },
> = NonNullable<A[typeof TYPES]>['module']

type NamedControllers<C> = C extends {
  readonly name: ''
}
  ? NamedControllers<Below<C>>
  : C

export interface NamedEvent<K, D> {
  readonly data: D
  readonly event: K
  readonly id: string
}

export type NamedEvents<E> = ItemStream<E>

type NamedSource = 'query' | 'headers' | 'cookies'

type Nameless<C> = C extends {
  readonly name: ''
}
  ? C | Nameless<Below<C>>
  : never

type NamesAmong<T, All, Above, V> = [Rank<Above, V>, Unseen<All, V>] extends ['maybe' | 'exactly', never]
  ? NamesIn<T>
  : Extract<
      NamesIn<T>,
      number extends T[number & keyof T]
        ? ElementsAt<T, All, Above, V>
        : PlainAt<T, Exclude<All, Unseen<All, V>>, Unseen<All, V>, Rank<Above, V>>
    >

type NamesAt_2<T, Above, V> = NamesAmong<T, EntriesIn<T>, Above, V>

type NotAbsent<S> = S extends Absent ? NothingSent : S

interface NothingSent {
  readonly _zod: {
    readonly input: undefined
    readonly output: undefined
  }
}

type OlderOnlyNames<Sh, Source, F> = F extends readonly [infer K, Schema]
  ? Source extends 'headers'
    ? Exclude<SameName<K>, SameName<keyof Sh>> extends never
      ? never
      : K
    : K
  : never

type OptionalKeys<V> = {
  [K in keyof V]: K extends 'cookies'
    ? K
    : K extends 'body'
      ? undefined extends V[K]
        ? K
        : never
      : object extends V[K]
        ? K
        : never
}[keyof V]

interface OptionalSchema {
  readonly _zod: {
    readonly optin: 'optional' | 'defaulted'
  }
}

export interface OutgoingRequest {
  readonly attempt: number
  readonly body: RequestBody | undefined
  readonly headers: Headers
  readonly method: string
  readonly route: string | undefined
  readonly signal: AbortSignal | undefined
  readonly url: URL
}

type OutputAt<S, St> = unknown extends St ? OutputOf<S> : OutAt<S, St>

type PagedItems<R> = R extends {
  readonly data: {
    readonly items: readonly (infer T)[]
    readonly next: string | null
  }
}
  ? T
  : never

export interface PagesFunction<I, T> {
  pages(
    ...input: object extends I
      ? [input?: I & Pick<CallOptions, 'signal'>]
      : [input: I & Pick<CallOptions, 'signal'>]
  ): AsyncIterable<T>
}

type ParamInput<T> = T extends number | bigint | boolean ? T | string : string

type ParameterBy<K, Was extends readonly [unknown, unknown], W> = [W] extends [never]
  ? Was
  : readonly [
      [Extract<W, string>] extends [never]
        ? W extends Absent
          ? never
          : Fallback<Was[0], K>
        : Extract<W, string>,
      Fallback<Extract<W, Schema>, Was[1]>,
    ]

type ParameterFacts<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<About<N>, string>>[1] : never

type ParameterInVersion<
  K,
  Sh,
  Source,
  N,
  U,
  Vs,
  Was extends readonly [unknown, unknown] = K extends keyof Sh
    ? readonly [K, Sh[K]]
    : readonly [never, never],
> = [U] extends [never]
  ? Was
  : Vs extends readonly [infer V, ...infer R]
    ? [ChangesIn<U, V>] extends [never]
      ? ParameterInVersion<K, Sh, Source, N, U, R, Was>
      : ParameterInVersion<
          K,
          Sh,
          Source,
          N,
          Exclude<U, ChangesIn<U, V>>,
          R,
          ParameterBy<K, Was, WasOf<K, Source, ParameterFacts<ChangesIn<U, V>, N>>>
        >
    : Was

type ParametersInVersion<Sh, Source, N, U, Vs> = {
  [
    K in keyof Sh | OlderOnlyNames<Sh, Source, ParameterFacts<U, N>> as ParameterInVersion<
      K,
      Sh,
      Source,
      N,
      U,
      Vs
    >[0] &
      PropertyKey
  ]: ParameterInVersion<K, Sh, Source, N, U, Vs>[1]
}

type PartsOf<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<About<N>, number>>[1] : never

type PathInput<P, I, St> = I extends {
  readonly params: infer S
}
  ? Flat<
      {
        [K in Exclude<keyof P, keyof SourceInput<S, unknown>>]: ParamInput<P[K]>
      } & SourceInput<S, St>
    >
  : {
      [K in keyof P]: ParamInput<P[K]>
    }

type PlaceController<C, Above extends string, Version, Around> =
  C extends Controller<infer N, infer P, unknown, infer R, infer Own, infer I>
    ? PlacedController<
        ControllerName<N, P>,
        `${Above}${OwnPrefix<N, P>}`,
        C['routes'],
        R,
        Fallback<EntriesOf<Own>, Version>,
        Join<Around, I>
      >
    : never

interface PlacedController<Name, Prefix extends string, T, R, Version, Around> {
  readonly around: Around
  readonly name: Name
  readonly prefix: Prefix
  readonly routers: R
  readonly routes: T
  readonly version: Version
}

type PlainAt<T, Seen, Hidden, Inherited> = Inherited extends 'never'
  ? {
      [I in keyof T]: Extract<Seen, T[I]> extends never ? never : T[I]
    }[number & keyof T]
  : {
      [I in keyof T]: Extract<Hidden, T[I]> extends never
        ? T[I]
        : Extract<Seen, T[I]> extends never
          ? never
          : T[I]
    }[number & keyof T]

type ProblemAnswers<D, St> =
  D extends DeclaredProblemMark<infer C, infer S extends number, infer M>
    ? Answer<S, DeclaredProblem<C, S> & (M extends Schema ? Wire<OutputAt<M, St>> : unknown)>
    : never

type ProblemAt<D, N, St> =
  St extends State<infer Vs, infer C, infer New> ? ProblemInVersion<D, D, N, ErrorChanges<N, C, New>, Vs> : D

type ProblemBefore<D, W> = [W] extends [never]
  ? D
  : D extends readonly [infer Mark, infer C, infer S, infer M]
    ? W extends {
        readonly was: {
          readonly $declares?: infer Was
        }
      }
      ? WithStatus<NonNullable<Was>, W>
      : WithStatus<
          readonly [
            Mark,
            W extends {
              readonly was: infer Code extends string
            }
              ? Code
              : C,
            S,
            W extends {
              readonly down: (...given: never) => unknown
            }
              ? UnknownMembers
              : M,
          ],
          W
        >
    : never

export class ProblemError extends Error {
  constructor(response: Response, data: unknown, isOwn?: boolean)
  readonly code: string | undefined
  readonly cursor?: string
  readonly data: unknown
  readonly detail: string | undefined
  readonly errors: readonly ValidationIssue[]
  readonly headers: Headers
  static isFrom<A, const V extends VersionsOf<A> | undefined = undefined>(
    error: unknown,
  ): error is ProblemError & {
    readonly data: ErrorBody<A, V>
  }
  readonly members: Readonly<Record<string, unknown>>
  readonly response: Response
  readonly status: number
  readonly title: string
  readonly type: string
}

type ProblemInVersion<D, Now, N, U, Vs> = [U] extends [never]
  ? D
  : Vs extends readonly [infer V, ...infer Older]
    ? [ChangesIn<U, V>] extends [never]
      ? ProblemInVersion<D, Now, N, U, Older>
      : ProblemInVersion<
          ProblemBefore<D, ErrorWasOf<Now, ErrorFacts_2<ChangesIn<U, V>, N>>>,
          Now,
          N,
          Exclude<U, ChangesIn<U, V>>,
          Older
        >
    : D

type ProblemsAt<Ps, N, St> = [ErrorFormatAt<never, St>] extends [never]
  ? Ps extends unknown
    ? ProblemAt<Ps, N, St>
    : never
  : never

type ProblemsIn<E, Around> = Around extends readonly []
  ? Extract<E, DeclaredProblemMark>
  : Around extends readonly [Formatted, ...unknown[]]
    ? never
    : Extract<E, DeclaredProblemMark> | ProblemsOf<Around[number & keyof Around]>

type ProblemsOf<P> = P extends {
  readonly $declares?: infer D
}
  ? Extract<D, DeclaredProblemMark>
  : never

type QueryOf<I> = I extends {
  readonly query?: infer Q
}
  ? keyof NonNullable<Q>
  : never

export interface ReceivedEvent<D = string> {
  readonly data: D
  readonly event: string
  readonly id: string
}

export interface ReconnectOptions {
  readonly limit?: number
  readonly maxDelay?: number
  readonly minDelay?: number
}

export type RequestBody =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | FormData
  | URLSearchParams
  | ReadableStream

type ResponsesAt<R, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? ResponsesInVersion<
        BodiesInVersion<R, `response ${N & string}`, StatusChanges<`response ${N & string}`, C, New>, Vs>,
        N,
        StatusChanges<N, C, New>,
        Vs
      >
    : R

type ResponsesInVersion<R, N, U, Vs> = [U] extends [never]
  ? R
  : R extends Schema
    ? R
    : {
        readonly [K in keyof R as StatusInVersion<K, R, N, U, Vs> & PropertyKey]: StatusInVersion<
          K,
          R,
          N,
          U,
          Vs
        > extends Exclude<204 | 205 | 304, K>
          ? NothingSent
          : R[K]
      }

export interface RetryOptions {
  readonly limit?: number
  readonly maxDelay?: number
  readonly methods?: readonly string[]
  readonly minDelay?: number
  readonly statuses?: readonly number[]
}

type Root<C, View, St> = CallsOfLevel<Nameless<C>, NamedControllers<C>, View, St>

export interface RouteCall {
  readonly body?: 'json' | 'text' | 'bytes'
  readonly errors?: readonly (number | string)[]
  readonly events?: Readonly<Record<string, 'json' | 'text'>>
  readonly form?: 'urlencoded' | 'multipart'
  readonly headers?: Readonly<Record<string, string>>
  readonly host?: string
  readonly items?: boolean
  readonly keys?: readonly string[]
  readonly method: string
  readonly others?: readonly string[]
  readonly path: string
  readonly problems?: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly type?: string
}

export interface RouteFunction<I, R> {
  <const A extends As = 'data'>(
    ...input: object extends I ? [input?: I & CallOptions<A>] : [input: I & CallOptions<A>]
  ): Promise<CallResult<R, A>> & CallItems<R, A>
}

export interface RouteMap {
  readonly errorType?: string
  readonly routes: Readonly<Record<string, RouteCall>>
  readonly version: string | null
}

type RouteNamesOf<C, View> = C extends AnyPlaced
  ? unknown extends View
    ? NamesIn<C['routes']>
    : NamesAt_2<C['routes'], C['version'], View>
  : never

type RoutesAt<M, K extends string, View> = View extends unknown
  ? Strongest<NamedIn<ControllersOf<M>, K, View>>
  : never

type RoutesIn<C, K, View> = View extends unknown ? Strongest<RoutesNamed<C, K, View>> : never

type RoutesNamed<C, K, View> = C extends AnyPlaced
  ? Named<C['routes'], C['prefix'], K, C['version'], View, C['around']>
  : never

type SameName<K> = K extends `${infer First}${'-' | '_'}${infer Rest}`
  ? SameName<`${First}${Rest}`>
  : Lowercase<K & string>

export interface SavedRouteMap {
  readonly routes: Readonly<Record<string, Readonly<Pick<RouteCall, 'method' | 'path'>>>>
  readonly version: string | null
}

type ShapeIn<S, St> = S extends Modelled
  ? ModelAt<S, St>
  : S extends {
        readonly _zod: {
          readonly def: {
            readonly shape: infer Sh
          }
        }
      }
    ? Sh
    : S

type SourceAt<S, K, N, St> = K extends NamedSource
  ? St extends State<infer Vs, infer C, infer New>
    ? SourceInVersion<S, K, `${K} ${N & string}`, StatusChanges<`${K} ${N & string}`, C, New>, St, Vs>
    : S
  : S

type SourceInVersion<S, Source, N, U, St, Vs> = [U] extends [never]
  ? S
  : ParametersInVersion<ShapeIn<S, St>, Source, N, U, Vs>

type SourceInput<S, St> = S extends Schema
  ? WithoutNull<InputAt<S, St>>
  : S extends readonly (infer Name extends string)[]
    ? {
        [K in Name]: string
      }
    : FieldsInput<S, St>

type SourceKeys<P, I> = Exclude<keyof I, 'inject'> | ([keyof P] extends [never] ? never : 'params')

type SourceValue<K, P, I, N, St> = K extends 'params'
  ? PathInput<P, I, St>
  : K extends 'body'
    ? BodyInput<InputAt<BodyAt<I[K & keyof I], N, St>, St>>
    : K extends 'files'
      ? FileInputs<SourceInput<I[K & keyof I], St>>
      : SourceInput<SourceAt<I[K & keyof I], K, N, St>, St>

type SourceValues<P, I, N, St> = [InputSourcesAt<N, St>] extends [never]
  ? {
      [K in SourceKeys<P, I>]: SourceValue<K, P, I, N, St>
    }
  : {
      [K in SourceKeys<P, I> | InputSourcesAt<N, St>]: K extends InputSourcesAt<N, St>
        ? SourceValue<
            K,
            unknown,
            {
              readonly [_ in K & string]: InputSourceAt<unknown, K, N, St>
            },
            N,
            St
          >
        : SourceValue<K, P, I, N, St>
    }

type StateIn<A, View> = A extends {
  readonly [TYPES]?: {
    readonly versions: {
      readonly history: infer H
    }
  }
}
  ? [H] extends [undefined]
    ? unknown
    : View extends string
      ? StateOf<H, View>
      : unknown
  : unknown

type StatusInVersion<K, R, N, U, Vs, Was = K> = [U] extends [never]
  ? Was
  : Vs extends readonly [infer V, ...infer Older]
    ? [ChangesIn<U, V>] extends [never]
      ? StatusInVersion<K, R, N, U, Older, Was>
      : StatusInVersion<
          K,
          R,
          N,
          Exclude<U, ChangesIn<U, V>>,
          Older,
          Fallback<StatusWas<K, R, PartsOf<ChangesIn<U, V>, N>>, Was>
        >
    : Was

type StatusWas<K, R, P> = P extends readonly [infer S, infer W]
  ? S extends K
    ? W
    : S extends 0
      ? K extends SuccessStatus
        ? W | ([Exclude<keyof R & SuccessStatus, K>] extends [never] ? never : K)
        : never
      : never
  : never

type Streamed<R, D> = R extends Answer<infer S, unknown> ? (R['ok'] extends false ? R : Answer<S, D>) : never

type StreamedIn<R> = R extends {
  readonly data: AsyncIterableIterator<infer T>
}
  ? T
  : never

type Strongest<E> = Fallback<AnsweringBy<E, 'exactly'>, AnsweringBy<E, 'maybe'>>

interface UnknownMembers {
  readonly _zod: {
    readonly input: Readonly<Record<string, unknown>>
    readonly output: Readonly<Record<string, unknown>>
  }
}

type Unlisted<S> = [Extract<S, RangeText>] extends [never] ? never : string & {}

type Unseen<All, V> = Exclude<All, V | (V extends null ? typeof VERSION_NEUTRAL : Vague)> | Without<All, V>

type UrlArguments<I> = object extends I ? [input?: I] : [input: I]

type UrlInput<E, N, St> = E extends [infer P extends string, infer Element, unknown, unknown]
  ? Pick<InputOfCall<P, Element, N, St>, keyof InputOfCall<P, Element, N, St> & ('params' | 'query')>
  : never

export { ValidationIssue } from 'octavo'

export interface VersionedClientOptions<V> extends CommonClientOptions {
  readonly version: V
}

type VersionsAmong<S, L> = unknown extends S | L
  ? string
  : [S | L] extends [never]
    ? string
    : Exclude<Extract<S | L, string>, RangeText> | ([L] extends [never] ? Unlisted<S> : never)

type VersionsOf<A> = A extends {
  readonly [TYPES]?: AppTypes<unknown>
}
  ? VersionsAmong<AllEntries_2<ModuleOf<A>>, ListedOf<A>>
  : A extends {
        readonly $written: {
          readonly version: infer V
        }
      }
    ? Extract<V, string>
    : string

type ViewOf<A, M, V> = undefined extends V ? DefaultVersionOf<A, M> : V

type WasOf<K, Source, F> = F extends readonly [infer Name, infer W]
  ? Source extends 'headers'
    ? SameName<Name> extends SameName<K>
      ? W
      : never
    : Name extends K
      ? W
      : never
  : never

export type Wire<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends {
        toJSON(): infer J
      }
    ? Wire<J>
    : T extends Uint8Array | Blob
      ? Uint8Array
      : T extends object
        ? number extends keyof T
          ? WireMany<T, T[number & keyof T]>
          : {
              [K in keyof T]: Wire<T[K]>
            }
        : unknown

type WireMany<T, E> = [string, T] extends [E, JsonValue]
  ? T
  : E[] extends T
    ? T extends unknown[]
      ? Wire<E>[]
      : readonly Wire<E>[]
    : {
        [K in keyof T]: Wire<T[K]>
      }

type WithOptional<V, O> = Flat<
  {
    [K in Exclude<keyof V, O>]: V[K]
  } & {
    [K in O & keyof V]?: V[K] | undefined
  }
>

type WithStatus<D, W> = D extends readonly [infer Mark, infer C, unknown, infer M]
  ? W extends {
      readonly status: infer S extends number
    }
    ? readonly [Mark, C, S, M]
    : D
  : never

type WithoutNull<T> = {
  [K in keyof T]: undefined extends T[K] ? T[K] : Exclude<T[K], null>
}

export interface WrittenTypes {
  readonly calls: object
  readonly errors?: unknown
  readonly inputs: object
  readonly version: string | null
}

export function createClient<A>(options?: ClientOptions): Client<A>
export function createClient<A, const V extends VersionsOf<A>>(
  options: VersionedClientOptions<V>,
): Client<A, V>
