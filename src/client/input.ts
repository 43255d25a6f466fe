import type { FileStream, FileStreams } from '../schema/file-stream.ts'
import type { Flat, InputIn, ParamsOf } from '../define/infer.ts'
import type { Schema } from '../schema/schema.ts'
import type { Method } from '../http.ts'

/** What a schema takes. */
type InputOf<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : never

/** A schema whose value may be left out. */
interface OptionalSchema {
  readonly _zod: { readonly optin: 'optional' | 'defaulted' }
}

type FieldsInput<S> = Flat<
  { -readonly [K in keyof S as S[K] extends OptionalSchema ? never : K]: InputOf<S[K]> } & {
    -readonly [K in keyof S as S[K] extends OptionalSchema ? K : never]?: InputOf<S[K]>
  }
>

/** What a source takes: a schema, a record of schemas, or a list of names. */
type SourceInput<S> = S extends Schema
  ? InputOf<S>
  : S extends readonly (infer Name extends string)[]
    ? { [K in Name]: string }
    : FieldsInput<S>

/** A path parameter by its value in handlers: numbers may be given as text, and what else is no text is given as text. */
type ParamInput<T> = T extends number | bigint | boolean ? T | string : string

type ParamsInput<P, I> = I extends { readonly params: infer S }
  ? Flat<{ [K in Exclude<keyof P, keyof SourceInput<S>>]: ParamInput<P[K]> } & SourceInput<S>>
  : { [K in keyof P]: ParamInput<P[K]> }

type FileInput<T> = T extends FileStream | Blob
  ? Blob
  : T extends FileStreams
    ? readonly Blob[]
    : T extends readonly unknown[]
      ? readonly FileInput<T[number]>[]
      : T

type BodyInput<T> = T extends Uint8Array ? Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> : T

type Files<T> = { [K in keyof T]: FileInput<T[K]> }

/** The value of each declared source, by its key. */
type Values<P, I> = {
  [K in Exclude<keyof I, 'inject'> | ([keyof P] extends [never] ? never : 'params')]: K extends 'params'
    ? ParamsInput<P, I>
    : K extends 'body'
      ? BodyInput<InputOf<I[K & keyof I]>>
      : K extends 'files'
        ? Files<SourceInput<I[K & keyof I]>>
        : SourceInput<I[K & keyof I]>
}

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

/** What a call takes, of the pattern of a route and its element. */
export type CallInput<P extends string, E> = InputFor<
  Values<ParamsOf<P>, InputIn<Extract<E, object>>>,
  MethodsIn<E>
>

type InputFor<V, M> = [M] extends [never]
  ? WithOptional<V, OptionalKeys<V>>
  : Flat<WithOptional<V, OptionalKeys<V>> & MethodInput<M>>
