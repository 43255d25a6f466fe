import type { Controller } from '../define/module.ts'
import type { Flat, InputIn, Fallback, ParamsOf } from '../define/infer.ts'
import type {
  AppTypes,
  ControllerName,
  ControllersOf,
  DefaultVersionOf,
  Join,
  ModuleOf,
  Named,
  NamedIn,
  OwnPrefix,
  RouteNames,
  Strongest,
  TYPES,
  VersionsOf,
} from '../define/names.ts'
import type { EntriesOf, NamesAt, NamesIn } from '../define/versions.ts'
import type { BodyAt, InAt, InputSourceAt, InputSourcesAt, SourceAt, StateOf } from '../changes/state.ts'
import type { Method } from '../http/http.ts'
import type { FileStream, FileStreams } from '../schema/files.ts'
import type { InputOf, Schema } from '../schema/schema.ts'
import type { AnswersIn, As, CallResult, Formatted, Iterated } from './answer.ts'
import type { ReconnectOptions } from './client-options.ts'

/** The options of every call, besides the input of its route. */
export interface CallOptions<A extends As = As> {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /**
   * How the body of the answer is given: as `data`, as a stream of bytes, as events, or the whole `Response`, whatever its status.
   *
   * @default 'data'
   */
  readonly as?: A | undefined
  /**
   * Sends `If-Match`, so that the server changes nothing but this state and responds with 412 otherwise: an entity tag, or the result of a
   * call, whose `ETag` is taken.
   *
   * @example
   * const car = await client.car.getOne({ params: { id: 7 } })
   * await client.car.change({ params: { id: 7 }, body: { name: 'Fiat' }, ifMatch: car })
   */
  readonly ifMatch?: string | Pick<Response, 'headers'> | undefined
  /**
   * The `Idempotency-Key` of a write that may have begun before, such as in a job that was started again. A header of this name wins.
   *
   * @default a new key for each call of a route that takes one
   */
  readonly idempotencyKey?: string | undefined
  /** How often in a row events are asked for again when their connection ends, or when. 0 for never. @default 10 */
  readonly reconnect?: number | ReconnectOptions | undefined
}

/** Calls a route. `I` is its declared input, `R` its responses. */
export interface RouteFunction<I, R> {
  /** Sends a request. @throws `ProblemError` for statuses of 400 and more that the route does not declare, and what `fetch` throws. */
  <const A extends As = 'data'>(
    ...input: object extends I ? [input?: I & CallOptions<A>] : [input: I & CallOptions<A>]
  ): Promise<CallResult<R, A>> & Iterated<R, A>
}

/** The items of a page, of the answers of a route: data with `items` and the cursor of the next page. */
type PagedItems<R> = R extends {
  readonly data: { readonly items: readonly (infer T)[]; readonly next: string | null }
}
  ? T
  : never

type QueryOf<I> = I extends { readonly query?: infer Q } ? keyof NonNullable<Q> : never

/** A route as it is called, which has a further function if it answers in pages. */
export type CalledFunction<I, R> = RouteFunction<I, R> &
  ([PagedItems<R>] extends [never]
    ? unknown
    : 'cursor' extends QueryOf<I>
      ? PagesFunction<I, PagedItems<R>>
      : unknown)

/** The members of a route with pages besides its call. `I` is its declared input, `T` an item. */
export interface PagesFunction<I, T> {
  /**
   * Iterates over the items of a page and all that follow it. Each page is asked for when the items of the one before are used up.
   *
   * @example
   * for await (const car of client.car.list.pages()) console.log(car.name)
   *
   * @throws `ProblemError` for every answer that is no success, and what `fetch` throws.
   */
  pages(
    ...input: object extends I
      ? [input?: I & Pick<CallOptions, 'signal'>]
      : [input: I & Pick<CallOptions, 'signal'>]
  ): AsyncIterable<T>
}

/** A controller or router where it stands: its name, the prefix and version up to it, its routes and the routers below it. */
interface PlacedController<Name, Prefix extends string, T, R, Version, Around> {
  readonly name: Name
  readonly prefix: Prefix
  readonly routes: T
  readonly routers: R
  readonly version: Version
  readonly around: Around
}

/** Any of them. */
type AnyPlaced = PlacedController<unknown, string, unknown, unknown, unknown, unknown>

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

/** The routers below. */
type Below<C> = C extends AnyPlaced
  ? C['routers'] extends readonly []
    ? never
    : PlaceController<C['routers'][number & keyof C['routers']], C['prefix'], C['version'], C['around']>
  : never

/** The controllers that add a name, also below controllers that add none. */
type NamedControllers<C> = C extends { readonly name: '' } ? NamedControllers<Below<C>> : C
/** The controllers that add no name. Their routes count as routes of the controller above. */
type Nameless<C> = C extends { readonly name: '' } ? C | Nameless<Below<C>> : never

/** The names of the routes of a controller that are in a view. */
type RouteNamesOf<C, View> = C extends AnyPlaced
  ? unknown extends View
    ? NamesIn<C['routes']>
    : NamesAt<C['routes'], C['version'], View>
  : never

/** The routes of a name, each with how it answers, for there can be one in each version. */
type RoutesNamed<C, K, View> = C extends AnyPlaced
  ? Named<C['routes'], C['prefix'], K, C['version'], View, C['around']>
  : never

/** The routes of a name in a view: routes that name the version, else routes that may answer in it. */
type RoutesIn<C, K, View> = View extends unknown ? Strongest<RoutesNamed<C, K, View>> : never

type InputsOf<E, N, St> = E extends [infer P extends string, infer Element, unknown, unknown]
  ? InputOfCall<P, Element, N, St>
  : never
type AnswersTo<E, N, St> = E extends [string, infer Element, unknown, infer Around]
  ? AnswersIn<Element, N, St, Around>
  : never

/** The type of a full name: a route, the routes below a controller, or both. */
type MemberNamed<E, C, View, St, N extends string> = [E] extends [never]
  ? CallsOfLevel<C | Nameless<Below<C>>, NamedControllers<Below<C>>, View, St, `${N}.`>
  : [C] extends [never]
    ? CalledFunction<InputsOf<E, N, St>, AnswersTo<E, N, St>>
    : CalledFunction<InputsOf<E, N, St>, AnswersTo<E, N, St>> &
        CallsOfLevel<C | Nameless<Below<C>>, NamedControllers<Below<C>>, View, St, `${N}.`>

/**
 * The calls of one level: routes of `Own`, and the names of `C`. `Above` is the prefix of those names. Inferred, so that errors show the
 * result alone.
 */
type CallsOfLevel<Own, C, View, St, Above extends string = ''> =
  | RouteNamesOf<Own, View>
  | (C extends { readonly name: infer N } ? N : never) extends infer N extends string
  ? {
      readonly [K in N]: MemberNamed<
        RoutesIn<Own, K, View>,
        Extract<C, { readonly name: K }>,
        View,
        St,
        `${Above}${K}`
      >
    }
  : never

type Root<C, View, St> = CallsOfLevel<Nameless<C>, NamedControllers<C>, View, St>

/** The models of the history of an application as they were in the version of a view; `unknown` is as they are. */
type StateIn<A, View> = A extends {
  readonly [TYPES]?: { readonly versions: { readonly history: infer H } }
}
  ? [H] extends [undefined]
    ? unknown
    : View extends string
      ? StateOf<H, View>
      : unknown
  : unknown

/** The version that a client sees: `unknown` is every route, `null` those that answer without a version. */
type ViewOf<A, M, V> = undefined extends V ? DefaultVersionOf<A, M> : V

/**
 * The calls of an application by route names, as `urlFor` knows them: `client.car.getOne`, and `client.admin.users.list` for nested
 * routers. With a version, they are those of the routes that this version has.
 *
 * @example
 * type Api = Client<typeof app, '2'>
 */
export type Client<A, V extends VersionsOf<A> | undefined = undefined> = A extends {
  readonly $written: infer W extends WrittenTypes
}
  ? W['calls'] & InWritten<W>
  : ClientOf<A, V>

/** The interceptors of every route of an application, after a mark if its errors have a format of their own. */
type AroundAll<A> = A extends {
  readonly [TYPES]?: { readonly interceptors: infer I; readonly errors: infer F }
}
  ? [F] extends [Schema]
    ? readonly [Formatted, ...(I & readonly unknown[])]
    : I
  : readonly []

/** The calls of an application by its type. */
type ClientOf<A, V extends VersionsOf<A> | undefined> = A extends { readonly [TYPES]?: AppTypes<unknown> }
  ? Root<
      PlaceController<ControllersOf<ModuleOf<A>>, '', never, AroundAll<A>>,
      ViewOf<A, ModuleOf<A>, V>,
      StateIn<A, ViewOf<A, ModuleOf<A>, V>>
    > &
      InVersion<A, ViewOf<A, ModuleOf<A>, V>>
  : never

/** The types of one version as `octavo client` writes them into a file. */
export interface WrittenTypes {
  /** The version, or `null` for requests that name none. */
  readonly version: string | null
  /** The input of each route, by its name. */
  readonly inputs: object
  /** The calls, by the parts of their names. */
  readonly calls: object
  /** The body of errors, if the application has an error format. */
  readonly errors?: unknown
}

/** The members of a client besides the names of routes if its types were written into a file. */
export interface InWritten<W extends WrittenTypes> {
  /** Creates the client of the version that the types are of, with the options of this one. */
  at(version: Extract<W['version'], string>): W['calls'] & InWritten<W>
  /**
   * The URL that a call would request, for links and for other clients.
   *
   * @throws `TypeError` for names that do not exist and values that cannot be sent. The promise rejects.
   */
  url<const K extends keyof W['inputs'] & string>(
    name: K,
    ...input: UrlArguments<Pick<W['inputs'][K], keyof W['inputs'][K] & ('params' | 'query')>>
  ): Promise<string>
}

/** The members of every client besides the names of routes. `View` is the version that it sees. */
export interface InVersion<in out A, in out View = unknown> {
  /** Creates the client of a version, with the options of this one. */
  at<const V extends VersionsOf<A>>(version: V): Client<A, V>
  /**
   * The URL that a call would request, for links and for other clients. It has the version if path, query or host name it.
   *
   * @example
   * const url = await client.url('car.getOne', { params: { car_id: 7 }, query: { parts: true } })
   *
   * @throws `TypeError` for names that do not exist and values that cannot be sent. The promise rejects.
   */
  url<const K extends RouteNames<ModuleIn<A>>>(
    name: K,
    ...input: UrlArguments<UrlInput<RoutesAt<ModuleIn<A>, K, View>, K, StateIn<A, View>>>
  ): Promise<string>
}

type ModuleIn<A> = A extends { readonly [TYPES]?: AppTypes<unknown> } ? ModuleOf<A> : never

/** The routes of a full name that a view has. */
type RoutesAt<M, K extends string, View> = View extends unknown
  ? Strongest<NamedIn<ControllersOf<M>, K, View>>
  : never

/** The part of the input of a route that is in its URL. */
type UrlInput<E, N, St> = E extends [infer P extends string, infer Element, unknown, unknown]
  ? Pick<InputOfCall<P, Element, N, St>, keyof InputOfCall<P, Element, N, St> & ('params' | 'query')>
  : never

type UrlArguments<I> = object extends I ? [input?: I] : [input: I]

/** The input of a schema in a state of the models. */
type InputAt<S, St> = unknown extends St ? InputOf<S> : InAt<S, St>

/** A schema whose value may be left out. */
interface OptionalSchema {
  readonly _zod: { readonly optin: 'optional' | 'defaulted' }
}

type FieldsInput<S, St> = Flat<
  {
    -readonly [K in keyof S as S[K] extends OptionalSchema ? never : K]: Exclude<InputAt<S[K], St>, null>
  } & {
    -readonly [K in keyof S as S[K] extends OptionalSchema ? K : never]?: InputAt<S[K], St>
  }
>

/** The same without `null` where there has to be a value: texts have none, so that it is left out. */
type WithoutNull<T> = { [K in keyof T]: undefined extends T[K] ? T[K] : Exclude<T[K], null> }

/** The input of a source: a schema, a record of schemas, or a list of names. */
type SourceInput<S, St> = S extends Schema
  ? WithoutNull<InputAt<S, St>>
  : S extends readonly (infer Name extends string)[]
    ? { [K in Name]: string }
    : FieldsInput<S, St>

/** A path parameter by its value in handlers: numbers may be given as text, and what else is no text is given as text. */
type ParamInput<T> = T extends number | bigint | boolean ? T | string : string

type PathInput<P, I, St> = I extends { readonly params: infer S }
  ? Flat<{ [K in Exclude<keyof P, keyof SourceInput<S, unknown>>]: ParamInput<P[K]> } & SourceInput<S, St>>
  : { [K in keyof P]: ParamInput<P[K]> }

type FileInput<T> = T extends FileStream | Blob
  ? Blob
  : T extends FileStreams
    ? readonly Blob[]
    : T extends readonly unknown[]
      ? readonly FileInput<T[number]>[]
      : T

type BodyInput<T> = T extends Uint8Array ? Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> : T

type FileInputs<T> = { [K in keyof T]: FileInput<T[K]> }

/** The value of each declared source, by its key. `N` is the name of the route. */
type SourceValues<P, I, N, St> = [InputSourcesAt<N, St>] extends [never]
  ? { [K in SourceKeys<P, I>]: SourceValue<K, P, I, N, St> }
  : {
      [K in SourceKeys<P, I> | InputSourcesAt<N, St>]: K extends InputSourcesAt<N, St>
        ? SourceValue<K, unknown, { readonly [_ in K & string]: InputSourceAt<unknown, K, N, St> }, N, St>
        : SourceValue<K, P, I, N, St>
    }

type SourceKeys<P, I> = Exclude<keyof I, 'inject'> | ([keyof P] extends [never] ? never : 'params')

type SourceValue<K, P, I, N, St> = K extends 'params'
  ? PathInput<P, I, St>
  : K extends 'body'
    ? BodyInput<InputAt<BodyAt<I[K & keyof I], N, St>, St>>
    : K extends 'files'
      ? FileInputs<SourceInput<I[K & keyof I], St>>
      : SourceInput<SourceAt<I[K & keyof I], K, N, St>, St>

/** The keys that may be left out: all of what they hold may. Browsers send cookies of their own. */
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

type WithOptional<V, O> = Flat<
  { [K in Exclude<keyof V, O>]: V[K] } & { [K in O & keyof V]?: V[K] | undefined }
>

/** Which of several methods is used; nothing for a route of one. */
type MethodInput<E> = [E] extends [never] ? unknown : { readonly method?: E | undefined }

type MethodsIn<E> = Extract<E, readonly Method[]>[number]

/** The input of a call, of the pattern of a route and its element. */
type InputOfCall<P extends string, E, N, St> = InputFor<
  SourceValues<ParamsOf<P>, InputIn<Extract<E, object>>, N, St>,
  MethodsIn<E>
>

type InputFor<V, M> = [M] extends [never]
  ? WithOptional<V, OptionalKeys<V>>
  : Flat<WithOptional<V, OptionalKeys<V>> & MethodInput<M>>
