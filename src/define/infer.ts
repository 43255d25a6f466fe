import type { ParamValues } from '../path/param-types.ts'
import type { Raw, ReplyOf, ReplyWithOneOf } from './reply.ts'
import type { Fields, InputOf, OutputOf, Schema } from '../schema/schema.ts'
import type { ResponseKey } from '../schema/responses.ts'
import type { Injected, Tokens } from './token.ts'

/** What one source takes: a schema, a record of schemas, or a list of names (each a required string). */
export type Source = Schema | Fields | readonly string[]

/** What `input` takes. What is declared here is what the handler receives, validated and typed, under the same keys. */
export interface InputSpec {
  /** Path parameters. Those of the pattern are there anyway; declare one to refine it. */
  readonly params?: Source
  /** The query string. */
  readonly query?: Source
  /** Request headers: `userAgent`, `user_agent` and `'user-agent'` all read `User-Agent`. */
  readonly headers?: Source
  /** The cookies of the request. */
  readonly cookies?: Source
  /** The body, by its content type: JSON, text (for `z.string()`) or bytes (for `z.instanceof(Uint8Array)`). */
  readonly body?: Schema
  /** The fields of an `application/x-www-form-urlencoded` or `multipart/form-data` body. */
  readonly form?: Source
  /** The files of a `multipart/form-data` body: `z.file()`, `z.array(z.file())`, `z.instanceof(FileStream)`. */
  readonly files?: Schema | Fields
  /** Tokens whose values the handler receives under `inject`. */
  readonly inject?: Tokens
}

/** What `response` takes: a schema, schemas by status, or pairs of status and schema. */
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
export type Or<A, B> = [A] extends [never] ? B : A

/*
 * The types below filter unions with conditions of their own: `Extract` costs the type checker twice as much for each member, because
 * what it compares with is a parameter.
 */

/** The objects of a route element: its input, its response and the marks of its guards. */
export type ObjectsIn<E> = E extends object ? E : never

/** The paths of a route element. */
export type PathsIn<E> = E extends `/${string}` ? E : never

/** The path of a route element. */
export type PathIn<E> = Or<PathsIn<E>, '/'>

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

/** What a route element declares as its sources, mistakes included; `never` if there is nothing. */
export type SourcesIn<E> = E extends Schema | readonly unknown[]
  ? never
  : HasNoStatus<E> extends true
    ? keyof E extends keyof InputSpec
      ? E[keyof E] extends object | undefined
        ? E
        : InputSpec
      : keyof E extends keyof InputSpec | ResponseKey
        ? { readonly [K in keyof E & keyof InputSpec]: E[K] }
        : {
            readonly [K in Exclude<keyof E, ResponseKey>]: K extends keyof InputSpec
              ? E[K]
              : 'not a source: use params, query, headers, cookies, body, form, files or inject'
          }
    : never

/** The input declaration of a route element. */
export type InputIn<E> = Or<SourcesIn<E>, unknown>

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

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
  [K in keyof R & ResponseKey]: ReplyOf<K extends number ? K : StatusesAt<R, K>, InputOf<R[K]>>
}[keyof R & ResponseKey]

/** The keys of a response map that plain values are parsed by. */
type PlainKeys<R> = Or<keyof R & SuccessStatus, keyof R & 'default'>

/** What a handler may return when the response is declared as R: what the schemas take, because results are parsed by them. */
type Returnable<R> =
  | Raw
  | (R extends Schema
      ? InputOf<R> | ReplyOf<number, InputOf<R>>
      : InputOf<R[PlainKeys<R>]> | RepliesOf<R> | ReplyWithOneOf<keyof R>)

/** What the handler of a route element may return. */
export type HandlerResult<R> = [R] extends [never] ? unknown : Returned<ByStatus<R>>

type Returned<R> = Returnable<R> | Promise<Returnable<R>>

/** The same, or a response of the web platform. */
export type HandlerResponse<R> = Returnable<R> | Response | Promise<Returnable<R> | Response>
