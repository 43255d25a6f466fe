import type { Modelled, ModelName } from './model.ts'
import type { Absent, Fact, FieldsIn, Flat, ShapeBefore } from './was.ts'

/*
 * Types of what models were. The changes of a history are put beside the names of what they are about once, so a model walks its own
 * changes only. The walk through schemas reads the definitions of zod and not its classes, for one comparison with a class costs thousands
 * of instantiations.
 */

type In<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : never
type Out<S> = S extends { readonly _zod: { readonly output: infer O } } ? O : never

/** What is asked of a change. */
interface AnyTold {
  readonly version: string
  readonly '~was': Fact
}

/** The changes of a list, by the names of the models and routes that they are about. */
type ByName<C> = { [K in Extract<C[number & keyof C], AnyTold> as K['~was'][0]]: K }

/** What models were in a version: all versions, the changes, and the versions that are newer. */
interface State<Vs, C, New> {
  /** For types alone. */
  readonly '~state': readonly [Vs, C, New]
}

/** The versions that are newer than V in a list that begins with the newest. */
type Newer<Vs, V, Acc = 'next'> = Vs extends readonly [infer H, ...infer R]
  ? H extends V
    ? Acc
    : Newer<R, V, Acc | H>
  : never

/** The models of a history as they were in a version, which no change has that is not released. */
export type StateOf<A, V> = A extends { readonly versions: infer Vs; readonly changes: infer C }
  ? StateAt<Vs, C, V>
  : never

type StateAt<Vs, C, V> = Vs extends readonly unknown[]
  ? State<readonly ['next', ...Vs], C, Newer<Vs, V>>
  : never

/** The changes that came with one of some versions. */
type With<U, V> = U extends { readonly version: V } ? U : never

/** The changes of a name that came after the version of a state. */
type ChangesOf<N, C, New> = N extends keyof ByName<C> ? With<ByName<C>[N], New> : never

/** What changes say of a model. */
type FactsOf<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<N, string>> : never

/** The fields of a model, taken back through its changes. Those of one version are taken together. */
type Back<Sh, N, U, Vs> = [U] extends [never]
  ? Sh
  : Vs extends readonly [infer V, ...infer R]
    ? [With<U, V>] extends [never]
      ? Back<Sh, N, U, R>
      : Back<ShapeBefore<Sh, FieldsIn<FactsOf<With<U, V>, N>>>, N, Exclude<U, With<U, V>>, R>
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

/** A schema whose value may be left out of what is sent. */
interface OptionalIn {
  readonly _zod: { readonly optin: 'optional' | 'defaulted' }
}
/** A schema whose value may be missing in what a handler gets. */
interface OptionalOut {
  readonly _zod: { readonly optout: 'optional' }
}
interface Optional {
  readonly in: OptionalIn
  readonly out: OptionalOut
}

/** An optional schema, as far as it is read here. */
interface Opt<S> {
  readonly _zod: {
    readonly optin: 'optional'
    readonly optout: 'optional'
    readonly def: { readonly type: 'optional'; readonly innerType: S }
  }
}
/** Whether every field of a model in a part may be left out, and was made so in the part. */
type IsPartial<Sub, Sh> = [Sub[keyof Sub & keyof Sh]] extends [OptionalIn]
  ? [Sh[keyof Sub & keyof Sh]] extends [OptionalIn]
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
          ? Sub[K] extends OptionalIn
            ? Opt<W[K]>
            : W[K]
          : IsPartial<Sub, Sh> extends true
            ? Opt<W[K]>
            : W[K]
    }
  : never

/** The fields of a part of a model, taken back as those of the whole model are. */
type BackPart<Sub, Sh, N, U, Vs> = [U] extends [never]
  ? Sub
  : Vs extends readonly [infer V, ...infer R]
    ? [With<U, V>] extends [never]
      ? BackPart<Sub, Sh, N, U, R>
      : BackPart<
          ShapeBefore<Sub, Merged<RestrictBy<FactsOf<With<U, V>, N>, Sub, Sh>>>,
          ShapeBefore<Sh, FieldsIn<FactsOf<With<U, V>, N>>>,
          N,
          Exclude<U, With<U, V>>,
          R
        >
    : Sub

/** What each reshape says of the fields that a part has. */
type RestrictBy<F, Sub, Sh> = F extends Fact ? Restrict<FieldsIn<F>, Sub, Sh> : never

type Merged<U> = (U extends unknown ? (_: U) => void : never) extends (_: infer I) => void ? I : never

type NameBefore<N, W> = N extends keyof W ? (W[N] extends Absent ? never : W[N] extends string ? W[N] : N) : N

/** The names of fields, taken back as the fields are. */
type NamesBack<K, N, U, Vs> = [U] extends [never]
  ? K
  : Vs extends readonly [infer V, ...infer R]
    ? [With<U, V>] extends [never]
      ? NamesBack<K, N, U, R>
      : NamesBack<NameBefore<K, FieldsIn<FactsOf<With<U, V>, N>>>, N, Exclude<U, With<U, V>>, R>
    : K

/** Types of schemas that may hold a model, or have its name. */
type Holder =
  | 'object'
  | 'array'
  | 'optional'
  | 'nullable'
  | 'default'
  | 'prefault'
  | 'record'
  | 'union'
  | 'enum'

interface Holding {
  readonly _zod: { readonly def: { readonly type: Holder } }
}

type At<S, St, Side extends 'in' | 'out'> = S extends Holding
  ? S extends Modelled
    ? ObjectAt<ModelAt<S, St>, St, Side>
    : S extends { readonly '~names': readonly [infer N, infer K] }
      ? NamesAt<K, N, St>
      : Walk<S, S['_zod']['def'], St, Side>
  : Side extends 'in'
    ? In<S>
    : Out<S>

/** The fields of a model or part in a state. */
type ModelAt<S, St> =
  St extends State<infer Vs, infer C, infer New>
    ? S extends { readonly '~part': readonly [infer Sh, infer Sub] }
      ? BackPart<Sub, Sh, ModelName<S>, ChangesOf<ModelName<S>, C, New>, Vs>
      : S extends { readonly '~shape': infer Sh }
        ? Back<Sh, ModelName<S>, ChangesOf<ModelName<S>, C, New>, Vs>
        : never
    : never

type NamesAt<K, N, St> =
  St extends State<infer Vs, infer C, infer New> ? NamesBack<K, N, ChangesOf<N, C, New>, Vs> : never

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
export type ValueAt<S, Vs, C, V> = V extends string
  ? InAt<S, StateAt<Vs, C, V>> | OutAt<S, StateAt<Vs, C, V>>
  : In<S> | Out<S>
/** What a value of a schema becomes in a version; without a version, one of the newest models. */
export type MigratedAt<S, Vs, C, V> = V extends string ? OutAt<S, StateAt<Vs, C, V>> : Out<S>

type ObjectAt<Sh, St, Side extends 'in' | 'out'> = Flat<
  { -readonly [K in keyof Sh as Sh[K] extends Optional[Side] ? never : K]: At<Sh[K], St, Side> } & {
    -readonly [K in keyof Sh as Sh[K] extends Optional[Side] ? K : never]?: At<Sh[K], St, Side>
  }
>
