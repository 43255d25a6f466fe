import type { AnyModel, ModelName, ModelShape } from './model.ts'
import type { Absent, Flat, OptionalNames, ShapeBefore } from './was.ts'

/*
 * Types of what models were. Walking the list of changes once for each model would be quadratic in its length, so the changes are put
 * beside their versions once, as a tuple, and each model walks the versions only. The walk through schemas reads the definitions of zod
 * and not its classes, for one comparison with a class costs thousands of instantiations.
 */

type In<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : never
type Out<S> = S extends { readonly _zod: { readonly output: infer O } } ? O : never
type DefOf<S> = S extends { readonly _zod: { readonly def: infer D } } ? D : never

/** What each change says of models: its version, and a map by their names. */
export type Told<H> = H extends { readonly version: infer V; readonly '~was'?: infer W }
  ? readonly [V, NonNullable<W>]
  : never

type Merged<U> = (U extends unknown ? (_: U) => void : never) extends (_: infer I) => void ? I : never

/** What changes say of one model, each with its version. */
type ToldOf<T, N> = T extends readonly [infer V, infer W]
  ? N extends keyof W
    ? readonly [V, W[N]]
    : never
  : never

type Saying<T, V> = T extends readonly [V, infer W] ? W : never

/** What the changes of a version say, if it has some. */
type At1<T, V> = [Saying<T, V>] extends [never] ? readonly [] : readonly [readonly [V, Saying<T, V>]]

/**
 * The changes of one model, newest first, those of one version as a union. Four versions are passed over in one step, because few of them
 * say something of a model.
 */
type Ordered<Vs, T, Acc extends readonly unknown[] = []> = [T] extends [never]
  ? Acc
  : Vs extends readonly [infer A, infer B, infer C, infer D, ...infer R]
    ? [Saying<T, A | B | C | D>] extends [never]
      ? Ordered<R, T, Acc>
      : Ordered<R, T, [...Acc, ...At1<T, A>, ...At1<T, B>, ...At1<T, C>, ...At1<T, D>]>
    : Vs extends readonly [infer A, ...infer R]
      ? Ordered<R, T, [...Acc, ...At1<T, A>]>
      : Acc

/** The models by their names, each with its fields and its changes. */
export type Models<Ms, Vs, T> = {
  [K in keyof Ms as ModelName<Ms[K]>]: readonly [ModelShape<Ms[K]>, Ordered<Vs, ToldOf<T, ModelName<Ms[K]>>>]
}

/** The versions that are newer than V in a list that begins with the newest. */
type Newer<Vs, V, Acc = never> = Vs extends readonly [infer H, ...infer R]
  ? H extends V
    ? Acc
    : Newer<R, V, Acc | H>
  : never

/** The fields of a model, taken back through those of its changes that came with a newer version. */
type Back<Sh, Cs, New> = Cs extends readonly [readonly [infer V, infer W], ...infer R]
  ? Back<V extends New ? ShapeBefore<Sh, Merged<W>> : Sh, R, New>
  : Sh

/** The fields of a model that did not exist before a change. */
type Gone<W, Sh> = { [K in keyof W & keyof Sh]: W[K] extends Absent ? K : never }[keyof W & keyof Sh]
/** Whether fields that existed only then appear in a part: it has those that replaced them, else the whole model. */
type HasBorn<W, Sub, Sh> = [Gone<W, Sh>] extends [never]
  ? keyof Sh extends keyof Sub
    ? true
    : false
  : [Gone<W, Sh>] extends [keyof Sub]
    ? true
    : false
/** A schema inside an optional one, as far as it is read here. */
interface Opt<S> {
  readonly _zod: { readonly def: { readonly type: 'optional'; readonly innerType: S } }
}
/** Whether every field of a model in a part may be left out, and was made so in the part. */
type IsPartial<Sub, Sh> = [keyof Sub & keyof Sh] extends [OptionalNames<Sub, 'in'>]
  ? [keyof Sub & keyof Sh] extends [OptionalNames<Sh, 'in'>]
    ? false
    : true
  : false

/** What the changes of a version say of the fields that a part has. */
type Restrict<W, Sub, Sh> = W extends unknown
  ? {
      [
        K in keyof W as K extends keyof Sh ? K & keyof Sub : HasBorn<W, Sub, Sh> extends true ? K : never
      ]: W[K] extends string | Absent
        ? W[K]
        : K extends keyof Sub
          ? K extends OptionalNames<Pick<Sub, K>, 'in'>
            ? Opt<W[K]>
            : W[K]
          : IsPartial<Sub, Sh> extends true
            ? Opt<W[K]>
            : W[K]
    }
  : never
type BackPart<Sub, Sh, Cs, New> = Cs extends readonly [readonly [infer V, infer W], ...infer R]
  ? V extends New
    ? BackPart<ShapeBefore<Sub, Merged<Restrict<W, Sub, Sh>>>, ShapeBefore<Sh, Merged<W>>, R, New>
    : BackPart<Sub, Sh, R, New>
  : Sub
type PartAt<P, N, St> = P extends readonly [infer Sh, infer Sub]
  ? St extends { readonly '~of': readonly [infer H, infer New] }
    ? N extends keyof H
      ? H[N] extends readonly [unknown, infer Cs]
        ? BackPart<Sub, Sh, Cs, New>
        : never
      : never
    : never
  : never

type StateIn<H, New> = { readonly '~of': readonly [H, New] } & {
  [N in keyof H]: H[N] extends readonly [infer Sh, infer Cs] ? Back<Sh, Cs, New> : never
}

/** The models of a history as they were in a version, which no change has that is not released. */
export type StateOf<A, V> = A extends { readonly versions: infer Vs; readonly '~models'?: infer H }
  ? StateIn<NonNullable<H>, Newer<Vs, V> | 'next'>
  : never

type NameBefore<N, W> = N extends keyof W ? (W[N] extends Absent ? never : W[N] extends string ? W[N] : N) : N
/** The names of fields, taken back as the fields are. */
type NamesBack<N, Cs, New> = Cs extends readonly [readonly [infer V, infer W], ...infer R]
  ? NamesBack<V extends New ? NameBefore<N, W> : N, R, New>
  : N
type NamesAt<N, K, St> = St extends { readonly '~of': readonly [infer H, infer New] }
  ? N extends keyof H
    ? H[N] extends readonly [unknown, infer Cs]
      ? NamesBack<K, Cs, New>
      : never
    : never
  : never

type At<S, St, Side extends 'in' | 'out'> = S extends Pick<AnyModel, keyof AnyModel & symbol> & {
  readonly '~part': infer P
}
  ? ObjectAt<PartAt<P, ModelName<S>, St>, St, Side>
  : S extends Pick<AnyModel, keyof AnyModel & symbol>
    ? ModelName<S> extends keyof St
      ? ObjectAt<St[ModelName<S>], St, Side>
      : never
    : S extends { readonly '~names': readonly [infer N, infer K] }
      ? NamesAt<N, K, St>
      : Walk<S, DefOf<S>, St, Side>

type Walk<S, D, St, Side extends 'in' | 'out'> = D extends {
  readonly type: 'array'
  readonly element: infer E
}
  ? At<E, St, Side>[]
  : D extends { readonly type: 'object'; readonly shape: infer Sh }
    ? ObjectAt<Sh, St, Side>
    : D extends { readonly type: 'optional'; readonly innerType: infer E }
      ? At<E, St, Side> | undefined
      : D extends { readonly type: 'nullable'; readonly innerType: infer E }
        ? At<E, St, Side> | null
        : D extends { readonly type: 'default' | 'prefault'; readonly innerType: infer E }
          ? Side extends 'in'
            ? At<E, St, Side> | undefined
            : Exclude<At<E, St, Side>, undefined>
          : D extends { readonly type: 'record'; readonly keyType: infer K; readonly valueType: infer E }
            ? Record<Out<K> & PropertyKey, At<E, St, Side>>
            : D extends { readonly type: 'union'; readonly options: infer O }
              ? { [K in keyof O]: At<O[K], St, Side> }[number & keyof O]
              : Side extends 'in'
                ? In<S>
                : Out<S>

/** What a schema's value is in a state of the models. */
export type OutAt<S, St> = At<S, St, 'out'>
/** What a schema takes in a state of the models. */
export type InAt<S, St> = At<S, St, 'in'>

/** A value of a schema in a version; without a version, one of the newest models. */
export type ValueAt<S, A, V> = V extends string
  ? InAt<S, StateOf<A, V>> | OutAt<S, StateOf<A, V>>
  : In<S> | Out<S>
/** What a value of a schema becomes in a version; without a version, one of the newest models. */
export type MigratedAt<S, A, V> = V extends string ? OutAt<S, StateOf<A, V>> : Out<S>

type ObjectAt<Sh, St, Side extends 'in' | 'out'> = [OptionalNames<Sh, Side>] extends [never]
  ? { -readonly [K in keyof Sh]: At<Sh[K], St, Side> }
  : Flat<
      { -readonly [K in Exclude<keyof Sh, OptionalNames<Sh, Side>>]: At<Sh[K], St, Side> } & {
        -readonly [K in OptionalNames<Sh, Side>]?: At<Sh[K], St, Side>
      }
    >
