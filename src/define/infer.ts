import type { ParamValues } from '../router/path/param-types.ts'
import type { EventsOf, Raw, ReplyOf, ReplyWithOneOf, ServerSentEvent } from './reply.ts'
import type { Fields, InputOf, OutputOf, Schema, ResponseKey, SuccessStatus } from '../schema/schema.ts'
import type { Injected, Tokens } from './context.ts'

/** The declaration of one source: a schema, a record of schemas, or a list of names (each a required string). */
export type SourceSpec = Schema | Fields | readonly string[]

/** The sources of `input`. The handler receives each declared source under the same key, validated and typed. */
export interface InputSpec {
  /** Path parameters. Those of the pattern are there anyway; declare one to refine it. */
  readonly params?: SourceSpec
  /** The query string. */
  readonly query?: SourceSpec
  /** Request headers: `userAgent`, `user_agent` and `'user-agent'` all read `User-Agent`. */
  readonly headers?: SourceSpec
  /** The cookies of the request. */
  readonly cookies?: SourceSpec
  /** The body, by its content type: JSON, text (for `z.string()`) or bytes (for `z.instanceof(Uint8Array)`). */
  readonly body?: Schema
  /** The fields of an `application/x-www-form-urlencoded` or `multipart/form-data` body. */
  readonly form?: SourceSpec
  /** The files of a `multipart/form-data` body: `z.file()`, `z.array(z.file())`, `z.instanceof(FileStream)`. */
  readonly files?: Schema | Fields
  /** Tokens whose values the handler receives under `inject`. */
  readonly inject?: Tokens
}

/** The declaration of `response`: a schema, schemas by status, or pairs of status and schema. */
export type ResponseSpec =
  | Schema
  | {
      /** The schema of one status. */
      readonly [status: number]: Schema
      /** The schema of statuses from 400 to 499 that are not declared themselves. */
      readonly '4XX'?: Schema
      /** The schema of statuses from 500 to 599 that are not declared themselves. */
      readonly '5XX'?: Schema
      /** The schema of every other status. */
      readonly default?: Schema
    }
  | readonly (readonly [status: ResponseKey, schema: Schema])[]

/** Writes an intersection out, for readable hovers. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The parameters of a pattern: `'/{id:int}/{rest:path}'` is `{ id: number; rest: string }`. */
export type ParamsOf<P> = P extends `${string}{${infer Param}}${infer Rest}`
  ? (Param extends `${infer Name}:${infer Type}`
      ? { [K in Name]: Type extends keyof ParamValues ? ParamValues[Type] : string }
      : { [K in Param]: string }) &
      ParamsOf<Rest>
  : unknown

/** One of the members of a union, which `infer` takes from an intersection of functions. */
type OneOf<U> = (U extends unknown ? (_: (_: U) => void) => void : never) extends (_: infer F) => void
  ? F extends (_: infer One) => void
    ? One
    : never
  : never

/** The members of a union as a list in a text. `Rest` makes it a loop, which TypeScript follows for more than 50 members. */
export type Listed<U, Rest extends string = '', One = OneOf<U>> = [Exclude<U, One>] extends [never]
  ? `${One & string}${Rest}`
  : Listed<Exclude<U, One>, `, ${One & string}${Rest}`>

/** The validated value of one source. */
type SourceOutput<S> = S extends Schema
  ? OutputOf<S>
  : S extends readonly (infer Name extends string)[]
    ? { [K in Name]: string }
    : { -readonly [K in keyof S]: OutputOf<S[K]> }

/** The parameters of prefix and path, refined by those that `input.params` declares. */
type ParamsInput<P, Path, I> = I extends { readonly params: infer S }
  ? Flat<Omit<ParamsOf<P> & ParamsOf<Path>, keyof SourceOutput<S>> & SourceOutput<S>>
  : Flat<ParamsOf<P> & ParamsOf<Path>>

type InjectInput<I, C> = Injected<I extends { readonly inject: infer M } ? Flat<C & M> : C>

/** A handler's first argument: one key for each declared source, and always `params` and `inject`. */
export type HandlerInput<P, Path, I, C> = I extends unknown
  ? {
      [K in keyof I | 'params' | 'inject']: K extends 'params'
        ? ParamsInput<P, Path, I>
        : K extends 'inject'
          ? InjectInput<I, C>
          : SourceOutput<I[K & keyof I]>
    }
  : never

/*
 * A route object is inferred as one element type that holds its method, path, name, input and response as a union; the types
 * below tell the parts apart by their shape. An array element can carry only one type parameter, so this is what lets inline
 * routes be fully typed without a helper around each.
 */

/** The first type, or the second where there is none. */
export type Fallback<A, B> = [A] extends [never] ? B : A

/*
 * The types below filter unions with conditions of their own: `Extract` costs the type checker twice as much for each member, because
 * what it compares with is a parameter.
 */

/** The objects of a route element: its input, its response and the marks of its guards. */
export type ObjectsIn<E> = E extends object ? E : never

/** The paths of a route element. */
export type PathsIn<E> = E extends `/${string}` ? E : never

/** The path of a route element. */
export type PathIn<E> = Fallback<PathsIn<E>, '/'>

type Pairs = readonly (readonly [ResponseKey, Schema])[]

/** Whether an object has no status: in a union of object literals each gets the others' keys as `undefined`. */
type HasNoStatus<E> = [E[keyof E & ResponseKey]] extends [undefined] ? true : false

/** The response declaration of a route element, as it is written: a schema, a map by status or pairs. */
export type ResponseIn<E> = E extends Schema
  ? E
  : E extends readonly unknown[]
    ? E extends Pairs
      ? E
      : never
    : HasNoStatus<E> extends true
      ? never
      : { readonly [K in keyof E & ResponseKey]: E[K] }

/** A response declaration with pairs as a map by status. */
export type ByStatus<R> = R extends Pairs ? { [P in R[number] as P[0]]: P[1] } : R

/** The sources that a route element declares, mistakes included; `never` if there is nothing. */
type SourcesIn<E> = E extends Schema | readonly unknown[]
  ? never
  : HasNoStatus<E> extends true
    ? keyof E extends keyof InputSpec
      ? E[keyof E] extends object | undefined
        ? E
        : InputSpec
      : keyof E extends keyof InputSpec | ResponseKey
        ? { readonly [K in keyof E & keyof InputSpec]: E[K] }
        : {
            readonly [K in Exclude<keyof E, ResponseKey>]?: K extends keyof InputSpec
              ? E[K]
              : 'not a source: use params, query, headers, cookies, body, form, files or inject'
          }
    : never

/*
 * A schema of items cannot be told from that of a response by its shape, nor schemas of events from those of sources. So the fields
 * `items` and `events` leave marks in the route element: members that every schema of zod has, and no handler returns. Most routes have
 * no mark, and cost the type checker one question. What it asks is true of `object` and `unknown` too, so whoever says yes is looked at.
 */

/** The mark of a stream: the kinds that a schema has. */
type StreamMark = Set<string>

/** The mark of events: the version of zod. */
interface EventsMark {
  readonly major: 4
  readonly minor: number
}

/** A schema that leaves the mark of `items`. */
interface MarkedItem<E> {
  readonly _zod: { readonly traits: E }
}

/** A schema that leaves the marks of `events`. */
interface MarkedEvent<E> {
  readonly _zod: { readonly traits: E; readonly version: E }
}

type MarkIn<E> = E extends StreamMark ? 'stream' : E extends EventsMark ? 'events' : never

/** The sources that a route element declares, besides the names of its events. */
export type SourcesOf<E> = StreamMark extends E ? SourcesBeside<E, MarkIn<E>> : SourcesIn<ObjectsIn<E>>

type SourcesBeside<E, Mark> = [Mark] extends [never]
  ? SourcesIn<ObjectsIn<E>>
  : SourcesIn<Held<Exclude<ObjectsIn<E>, RecordIn<ObjectsIn<E>> | StreamMark | EventsMark>>>

/** A schema by a mark that costs the type checker less. */
interface Marked {
  readonly _zod: unknown
}

/** Sources that may need a closer look: a body is a schema, and parameters are those of the path. */
interface PlainSources {
  readonly body?: Marked | undefined
  readonly params?: undefined
}

/**
 * The sources as a route declares them, with a sentence in the place of everything that cannot be read. `P` is the prefix of the controller,
 * and `E` the element.
 */
export type CheckedSources<S, P, E> = [Unread<S[keyof S]>, S] extends [never, PlainSources]
  ? S
  : {
      readonly [K in keyof S]: Fallback<SourceMistake<K, S[K], KnownParams<P> & KnownParams<PathIn<E>>>, S[K]>
    }

type Unread<V> = V extends Marked | undefined
  ? never
  : V extends readonly unknown[]
    ? never
    : V[keyof V] extends Marked
      ? never
      : V

/** The sentence in the place of a source that cannot be read. `Known` are the parameters of prefix and path. */
type SourceMistake<K, S, Known> = K extends 'params'
  ? Fallback<ParamMistakes<S, Stray<keyof SourceOutput<S>, Known>, Known>, FieldMistakes<K, S>>
  : FieldMistakes<K, S>

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

/** The parameters of a prefix or path. One whose text types do not know may have any. */
type KnownParams<P> = {} extends { [K in P & string]: 1 } ? { [name: string]: unknown } : ParamsOf<P>

/** The declared parameters that the path lacks. */
type Stray<Names, Known> = string extends keyof Known ? never : Exclude<Names, keyof Known>

type ParamMistakes<S, Strays, Known> = [Strays] extends [never]
  ? never
  : S extends Marked | readonly unknown[]
    ? NoParam<Strays, keyof Known>
    : { readonly [F in keyof S]: F extends Strays ? NoParam<F, keyof Known> : S[F] }

/** The sentence about a name that is no parameter of the path. */
type NoParam<Name, Known> = [Known] extends [never]
  ? `'${Name & string}' is no parameter of the path, which has none`
  : `'${Name & string}' is no parameter of the path: ${Listed<Known>}`

/** A response declaration, with a sentence in the place of everything that is no schema. */
export type CheckedResponse<R> = [SchemasOf<R>] extends [Marked]
  ? R
  : { readonly [K in keyof R]: R[K] extends Marked ? R[K] : 'not a schema: write z.object({ … })' }

type SchemasOf<R> = R extends Marked | readonly unknown[] ? never : R[keyof R]

/** A response without a status. Editors offer those that it has. */
export type WithoutStatus = {
  readonly [K in Offered | '4XX' | '5XX' | 'default']?: object
} & { readonly [name: string]: NoStatus }

type NoStatus = 'not a status: write response: z.object({ … }), or { 200: z.object({ … }) }'

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

/** The input declaration of a route element. */
export type InputIn<E> = Fallback<SourcesOf<E>, unknown>

/** The type of `items`, for a route element. */
export type ItemsField<E> = Fallback<
  'stream' extends MarkIn<E> ? SchemasIn<ObjectsIn<E>> : never,
  MarkedItem<E>
>

/** The type of `events`, for a route element. */
export type EventsField<E> = Fallback<
  'events' extends MarkIn<E> ? SchemasIn<ObjectsIn<E>> | RecordIn<ObjectsIn<E>> : never,
  MarkedEvent<E> | { readonly [name: string]: MarkedEvent<E> }
>

type SchemasIn<E> = E extends Schema ? E : never

/** The keys of an object that hold something: in a union of object literals each gets the others' keys as `undefined`. */
type HeldKeys<E> = { [K in keyof E]-?: E[K] extends undefined ? never : K }[keyof E]

type Held<E> = E extends Schema | readonly unknown[] ? never : { readonly [K in HeldKeys<E> & keyof E]: E[K] }

/** The schemas of events by their names: an object that is no schema, has no status and names more than sources. */
type RecordIn<E> = E extends Schema | readonly unknown[] | StreamMark | EventsMark
  ? never
  : [HeldKeys<E>] extends [keyof InputSpec | ResponseKey]
    ? never
    : E

/** The schemas of events by their names. An event without a name is called `message`. */
type EventSchemas<E> = Fallback<E extends Schema ? { readonly message: E } : never, Held<RecordIn<E>>>

/** The responses of a route, including those of a stream. */
export type AnswersOf<E> = StreamMark extends E ? AnswersBeside<E, MarkIn<E>> : ResponseIn<ObjectsIn<E>>

type AnswersBeside<E, Mark> = [Mark] extends [never]
  ? ResponseIn<ObjectsIn<E>>
  : WithStream<
      'events' extends Mark ? EventsSchema<EventSchemas<ObjectsIn<E>>> : ItemsSchema<SchemasIn<ObjectsIn<E>>>,
      ResponseMap<ObjectsIn<E>>
    >

type ResponseMap<E> = ByStatus<E extends Schema ? never : ResponseIn<E>>

type WithStream<S, R> = [R] extends [never] ? { readonly 200: S } : Flat<R & { readonly 200: S }>

/** The stand-in for the response of a route that declares `items`. */
interface ItemsSchema<S> {
  /** Zod's own description of the schema. */
  readonly _zod: {
    /** For types alone: what a handler returns. */
    readonly input: AsyncIterable<Given<S>> | Iterable<Given<S>>
    /** For types alone: what the stream carries. */
    readonly output: AsyncIterable<OutputOf<S>>
  }
  /** For types alone: the schema of an item. */
  readonly '~stream': readonly ['items', S]
}

/** The stand-in for the response of a route that declares `events`. */
interface EventsSchema<M> {
  /** Zod's own description of the schema. */
  readonly _zod: {
    /** For types alone: what a handler returns. */
    readonly input: EventsOf<DeclaredEvent<M>>
    /** For types alone: what the stream carries. */
    readonly output: unknown
  }
  /** For types alone: the schemas of data by the names of events. */
  readonly '~stream': readonly ['events', M]
}

/** The events that `events` of a route declares. */
type DeclaredEvent<M> =
  | { [K in keyof M]: EventNamed<K, Given<M[K]>> }[keyof M]
  | (EventFields & { readonly event?: undefined; readonly data?: undefined })

/**
 * The value that a schema takes, as Octavo takes it: its lists may be readonly, because they are only read. Values of classes stay as they
 * are, and brackets are resolved when they are used, unlike mapped lists.
 */
export type Given<S> = WithReadonlyLists<InputOf<S>>

type WithReadonlyLists<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly unknown[]
    ? T[number][] extends T
      ? readonly WithReadonlyLists<T[number]>[]
      : { readonly [K in keyof T]: WithReadonlyLists<T[K]> }
    : T extends { toJSON(): unknown } | Blob | Uint8Array | Iterable<unknown> | AsyncIterable<unknown>
      ? T
      : T extends object
        ? { [K in keyof T]: WithReadonlyLists<T[K]> }
        : T

type EventFields = Pick<ServerSentEvent, 'id' | 'retry' | 'comment'>

type EventNamed<K, D> = EventFields &
  (K extends 'message' ? { readonly event?: K } : { readonly event: K }) &
  (undefined extends D ? { readonly data?: D } : { readonly data: D })

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

/** The statuses that begin with a digit, as numbers. */
type StatusesOf<First extends string> = `${First}${Digit}${Digit}` extends `${infer N extends number}`
  ? N
  : never

/** The statuses that a key of a response map is for: those of a range that have no schema of their own. */
export type StatusesAt<R, K> = K extends number
  ? K
  : Exclude<
      K extends '4XX'
        ? StatusesOf<'4'>
        : K extends '5XX'
          ? StatusesOf<'5'>
          : StatusesOf<'2' | '3' | Exclude<'4' | '5', FirstDigits<keyof R>>>,
      keyof R
    >

type FirstDigits<K> = K extends `${infer First}XX` ? First : never

/** The statuses of a response map, each with its data. */
type RepliesOf<R> = {
  [K in keyof R & ResponseKey]: ReplyOf<K extends number ? K : StatusesAt<R, K>, Given<R[K]>>
}[keyof R & ResponseKey]

/** The keys of a response map that plain values are parsed by. */
type PlainKeys<R> = Fallback<keyof R & SuccessStatus, keyof R & 'default'>

/**
 * The results that a handler may return if the response is declared as R: the inputs of the schemas, because results are parsed by them.
 */
type Returnable<R> = R extends { readonly 200: { readonly '~stream': unknown } }
  ? InputOf<R[PlainKeys<R>]> | RepliesOf<R> | ReplyWithOneOf<keyof R>
  :
      | Raw
      | (R extends Schema
          ? Given<R> | ReplyOf<number, Given<R>> | ReplyOf<204 | 205 | 304, undefined>
          : Given<R[PlainKeys<R>]> | RepliesOf<R> | ReplyWithOneOf<keyof R>)

/** The results that the handler of a route element may return. */
export type HandlerResult<R> = [R] extends [never] ? unknown : Returned<ByStatus<R>>

type Returned<R> = Returnable<R> | Promise<Returnable<R>>

/** The results that an error handler may return: the inputs of its schemas, and `undefined`. */
export type ErrorResult<R> = [R] extends [never] ? unknown : ErrorReturned<R> | Promise<ErrorReturned<R>>

type ErrorReturned<R> = Given<R[keyof R]> | RepliesOf<R> | Raw | undefined

/** The same, or a response of the web platform. */
export type HandlerResponse<R> = Returnable<R> | Response | Promise<Returnable<R> | Response>
