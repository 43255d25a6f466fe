import type { Modelled, ModelName } from './model.ts'
import type { InputOf, JsonValue, OutputOf, SuccessStatus as Success, Schema } from '../schema/schema.ts'
import type { Flat, Fallback } from '../define/infer.ts'
import type { Absent, Fact, FieldsIn, ShapeBefore } from './was.ts'

/*
 * Types of what models were. The changes of a history are put beside the names of what they are about once, so a model walks its own
 * changes only. The walk through schemas reads the definitions of zod and not its classes, for one comparison with a class costs thousands
 * of instantiations.
 */

/** The members of a change that types read. */
export interface AnyTold {
  readonly version: string
  readonly '~was': Fact
}

/** The changes of a list, by the names of the models and routes that they are about. */
export type ByName<C> = { [K in Extract<C[number & keyof C], AnyTold> as K['~was'][0]]: K }

/** The state of models in a version: all versions, the changes, and the versions that are newer. */
export interface State<Vs, C, New> {
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
export type ChangesIn<U, V> = U extends { readonly version: V } ? U : never

/** The changes of a name that came after the version of a state. */
type ChangesOf<N, C, New> = N extends keyof ByName<C> ? ChangesIn<ByName<C>[N], New> : never

/** The facts of changes about a model. */
export type FactsOf<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<N, string>> : never

/** The fields of a model, taken back through its changes. Those of one version are taken together. */
type ShapeInVersion<Sh, N, U, Vs> = [U] extends [never]
  ? Sh
  : Vs extends readonly [infer V, ...infer R]
    ? [ChangesIn<U, V>] extends [never]
      ? ShapeInVersion<Sh, N, U, R>
      : ShapeInVersion<ShapeBeforeVersion<Sh, FactsOf<ChangesIn<U, V>, N>>, N, Exclude<U, ChangesIn<U, V>>, R>
    : Sh

/** Those of some facts that are written against as many changes. */
type AtDepth<F, D> = F extends { readonly 2: { readonly 0: infer E } } ? (D extends E ? F : never) : never
/** Whether some facts are written against others. */
type IsDeep<F> = [F] extends [Fact<string, string | number, ''>] ? false : true

/** The fields of a model before the changes of one version. Fields that `before` names come first. */
type ShapeBeforeVersion<Sh, F, D extends string = ''> = [F] extends [never]
  ? Sh
  : IsDeep<F> extends true
    ? ShapeBeforeVersion<ShapeBefore<Sh, FieldsIn<AtDepth<F, D> & Fact>>, Exclude<F, AtDepth<F, D>>, `${D}1`>
    : ShapeBefore<Sh, FieldsIn<F & Fact>>

/** The fields of a model that did not exist before a change. */
type AddedNames<W, Sh> = { [K in keyof W & keyof Sh]: W[K] extends Absent ? K : never }[keyof W & keyof Sh]
/** Whether fields that existed only then appear in a part: it has those that replaced them, and without any, its fields were not picked. */
type HasRemoved<W, Sub, Sh, P> = [AddedNames<W, Sh>] extends [never]
  ? P extends true
    ? keyof Sh extends keyof Sub
      ? true
      : false
    : true
  : [AddedNames<W, Sh>] extends [keyof Sub]
    ? true
    : false

/** The stand-in for the schema of a status that has no content. */
interface NothingSent {
  readonly _zod: { readonly input: undefined; readonly output: undefined }
}

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

/** The facts of a version's changes about the fields that a part has. */
type Restrict<W, Sub, Sh, P> = W extends unknown
  ? {
      [
        K in keyof W as K extends keyof Sh
          ? K & keyof Sub
          : HasRemoved<W, Sub, Sh, P> extends true
            ? K
            : never
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
type PartInVersion<Sub, Sh, P, N, U, Vs> = [U] extends [never]
  ? Sub
  : Vs extends readonly [infer V, ...infer R]
    ? [ChangesIn<U, V>] extends [never]
      ? PartInVersion<Sub, Sh, P, N, U, R>
      : PartInVersion<
          PartBeforeVersion<Sub, Sh, P, FactsOf<ChangesIn<U, V>, N>>,
          ShapeBeforeVersion<Sh, FactsOf<ChangesIn<U, V>, N>>,
          P,
          N,
          Exclude<U, ChangesIn<U, V>>,
          R
        >
    : Sub

/** The fields of a part, taken back through what the changes of one version say. */
type PartBeforeVersion<Sub, Sh, P, F, D extends string = ''> = [F] extends [never]
  ? Sub
  : IsDeep<F> extends true
    ? PartBeforeVersion<
        ShapeBefore<Sub, Merged<RestrictBy<AtDepth<F, D>, Sub, Sh, P>>>,
        ShapeBefore<Sh, FieldsIn<AtDepth<F, D> & Fact>>,
        P,
        Exclude<F, AtDepth<F, D>>,
        `${D}1`
      >
    : ShapeBefore<Sub, Merged<RestrictBy<F, Sub, Sh, P>>>

/** The facts of each reshape about the fields that a part has. */
type RestrictBy<F, Sub, Sh, P> = F extends Fact ? Restrict<FieldsIn<F>, Sub, Sh, P> : never

type Merged<U> = (U extends unknown ? (_: U) => void : never) extends (_: infer I) => void ? I : never

type NameBefore<N, W> = N extends keyof W ? (W[N] extends Absent ? never : W[N] extends string ? W[N] : N) : N

/** The names of fields, taken back through what the changes of one version say. */
type NamesBeforeVersion<K, F, D extends string = ''> = [F] extends [never]
  ? K
  : IsDeep<F> extends true
    ? NamesBeforeVersion<NameBefore<K, FieldsIn<AtDepth<F, D> & Fact>>, Exclude<F, AtDepth<F, D>>, `${D}1`>
    : NameBefore<K, FieldsIn<F & Fact>>

/** The names of fields, taken back as the fields are. */
type NamesInVersion<K, N, U, Vs> = [U] extends [never]
  ? K
  : Vs extends readonly [infer V, ...infer R]
    ? [ChangesIn<U, V>] extends [never]
      ? NamesInVersion<K, N, U, R>
      : NamesInVersion<NamesBeforeVersion<K, FactsOf<ChangesIn<U, V>, N>>, N, Exclude<U, ChangesIn<U, V>>, R>
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

export interface Holding {
  readonly _zod: { readonly def: { readonly type: Holder } }
}

type AtVersion<S, St, Side extends 'in' | 'out'> = S extends Holding
  ? S extends Modelled
    ? ObjectAt<ModelAt<S, St>, St, Side>
    : S extends { readonly '~names': readonly [infer N, infer K] }
      ? NamesAt<K, N, St>
      : Walk<S, S['_zod']['def'], St, Side>
  : Side extends 'in'
    ? InputOf<S>
    : OutputOf<S>

/** Whether `pick` chose the fields of a part. */
type IsPicked<S> = S extends { readonly _zod: { readonly config: { readonly picked: true } } } ? true : false

export type ModelAt<S, St> =
  St extends State<infer Vs, infer C, infer New>
    ? S extends { readonly '~part': readonly [infer Sh, infer Sub] }
      ? PartInVersion<Sub, Sh, IsPicked<S>, ModelName<S>, ChangesOf<ModelName<S>, C, New>, Vs>
      : S extends { readonly '~shape': infer Sh }
        ? ShapeInVersion<Sh, ModelName<S>, ChangesOf<ModelName<S>, C, New>, Vs>
        : never
    : never

/** The names under which operations can name a route: its name, and the names of the controllers around it. */
export type About<N> = N extends `${infer A}.${infer Rest}` ? N | `${A}.*` | `${A}.${About<Rest>}` : N

/** The changes of the statuses of a route that came after the version of a state. */
type StatusChanges<N, C, New> = ChangesIn<ByName<C>[About<N> & keyof ByName<C>], New>

/** The facts of changes about the status K of a route. A plain result counts as its only success. */
type StatusWas<K, R, P> = P extends readonly [infer S, infer W]
  ? S extends K
    ? W
    : S extends 0
      ? K extends Success
        ? W | ([Exclude<keyof R & Success, K>] extends [never] ? never : K)
        : never
      : never
  : never

/** A status of a route, taken back through its changes: what the oldest of them says counts. */
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

/** The facts of changes about the statuses of a route. */
type PartsOf<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<About<N>, number>>[1] : never

/** The responses of a route in a state, by their statuses. `N` is the name of the route. */
export type ResponsesAt<R, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? ResponsesInVersion<
        BodiesInVersion<R, `response ${N & string}`, StatusChanges<`response ${N & string}`, C, New>, Vs>,
        N,
        StatusChanges<N, C, New>,
        Vs
      >
    : R

/** The bodies of responses, taken back through what changes say of them as a whole. */
type BodiesInVersion<R, N, U, Vs> = [U] extends [never]
  ? R
  : R extends Schema
    ? BodyInVersion<R, unknown, N, U, Vs>
    : {
        readonly [K in keyof R]: R[K] extends { readonly '~stream': readonly ['events', infer M] }
          ? { readonly '~stream': readonly ['events', EventsInVersion<M, N, U, Vs>] }
          : BodyInVersion<R[K], K, N, U, Vs>
      }

/** The events of a stream under the names that they had. The facts about them stand beside those of bodies. */
type EventsInVersion<M, N, U, Vs> = {
  readonly [K in keyof M as BodyInVersion<K, K, N, U, Vs> & PropertyKey]: M[K]
}

/** A body, taken back through its changes: what the oldest of them says counts. */
type BodyInVersion<S, K, N, U, Vs> = [U] extends [never]
  ? S
  : Vs extends readonly [infer V, ...infer Older]
    ? [ChangesIn<U, V>] extends [never]
      ? BodyInVersion<S, K, N, U, Older>
      : BodyInVersion<
          Fallback<BodyWas<K, BodyFacts<ChangesIn<U, V>, N>>, S>,
          K,
          N,
          Exclude<U, ChangesIn<U, V>>,
          Older
        >
    : S

/** The facts of changes about the bodies of a route. */
type BodyFacts<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<About<N>>>[1] : never

/** The fact about the body K. */
type BodyWas<K, F> = F extends readonly [infer Key, infer W] ? (Key extends K ? W : never) : never

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

/** The sources whose parameters operations describe. */
type NamedSource = 'query' | 'headers' | 'cookies'

/**
 * A source of a route in a state: itself, or a record of its parameters if operations describe some. `K` is its key, `N` the name of the
 * route.
 */
export type SourceAt<S, K, N, St> = K extends NamedSource
  ? St extends State<infer Vs, infer C, infer New>
    ? SourceInVersion<S, K, `${K} ${N & string}`, StatusChanges<`${K} ${N & string}`, C, New>, St, Vs>
    : S
  : S

/** A source of a route in a state, if an operation describes it as a whole, or `S`. */
export type InputSourceAt<S, K, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? BodyInVersion<S, K, `input ${N & string}`, StatusChanges<`input ${N & string}`, C, New>, Vs>
    : S

/** The sources of a route that operations describe as a whole. */
export type InputSourcesAt<N, St> =
  St extends State<unknown, infer C, infer New>
    ? BodyFacts<StatusChanges<`input ${N & string}`, C, New>, `input ${N & string}`> extends infer F
      ? F extends readonly [infer K, unknown]
        ? K
        : never
      : never
    : never

/** The body of a route's requests in a state. `N` is the name of the route. One that did not exist is never sent. */
export type BodyAt<S, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? NotAbsent<
        BodyInVersion<S, 'body', `body ${N & string}`, StatusChanges<`body ${N & string}`, C, New>, Vs>
      >
    : S

/** The schema of the body of errors in a state. */
export type ErrorFormatAt<F, St> =
  St extends State<infer Vs, infer C, infer New>
    ? 'error format' extends keyof ByName<C>
      ? BodyInVersion<F, unknown, 'error format', ChangesIn<ByName<C>['error format'], New>, Vs>
      : F
    : F

/** The schema that the response of a route had in a version. `R` is the name of the route, `never` for none. */
export type AnswerOf<S, R extends string, Vs, C, V> = [R] extends [never]
  ? S
  : WholeInVersion<S, `response ${R}`, StateAt<Vs, C, V>>
/** The schema that the body of a route's requests had in a version. */
export type RequestOf<S, R extends string, Vs, C, V> = [R] extends [never]
  ? S
  : WholeInVersion<S, `body ${R}`, StateAt<Vs, C, V>>

type WholeInVersion<S, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? BodyInVersion<S, unknown, N, StatusChanges<N, C, New>, Vs>
    : S

type NotAbsent<S> = S extends Absent ? NothingSent : S

type SourceInVersion<S, Source, N, U, St, Vs> = [U] extends [never]
  ? S
  : ParametersInVersion<ShapeIn<S, St>, Source, N, U, Vs>

/** The parameters of a source, by their names. */
type ShapeIn<S, St> = S extends Modelled
  ? ModelAt<S, St>
  : S extends { readonly _zod: { readonly def: { readonly shape: infer Sh } } }
    ? Sh
    : S

/** The facts of changes about the parameters of a source. */
type ParameterFacts<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<About<N>, string>>[1] : never

/** The names of parameters that existed only then. */
type OlderOnlyNames<Sh, Source, F> = F extends readonly [infer K, Schema]
  ? Source extends 'headers'
    ? Exclude<SameName<K>, SameName<keyof Sh>> extends never
      ? never
      : K
    : K
  : never

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

/** The name and the schema of a parameter, taken back through the changes of its route. */
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

/** The facts about one parameter. Names of headers are compared as headers are. */
type WasOf<K, Source, F> = F extends readonly [infer Name, infer W]
  ? Source extends 'headers'
    ? SameName<Name> extends SameName<K>
      ? W
      : never
    : Name extends K
      ? W
      : never
  : never

/** A name of a header without dashes and capitals. */
type SameName<K> = K extends `${infer First}${'-' | '_'}${infer Rest}`
  ? SameName<`${First}${Rest}`>
  : Lowercase<K & string>

/** A parameter, taken back through what the changes of one version say. */
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

type NamesAt<K, N, St> =
  St extends State<infer Vs, infer C, infer New> ? NamesInVersion<K, N, ChangesOf<N, C, New>, Vs> : never

type Walk<S, D, St, Side extends 'in' | 'out'> = D extends {
  readonly type: 'array'
  readonly element: infer E
}
  ? AtVersion<E, St, Side>[]
  : D extends { readonly type: 'object'; readonly shape: infer Sh }
    ? ObjectAt<Sh, St, Side>
    : D extends { readonly type: 'optional'; readonly innerType: infer E }
      ? AtVersion<E, St, Side> | undefined
      : D extends { readonly type: 'nullable'; readonly innerType: infer E }
        ? AtVersion<E, St, Side> | null
        : D extends { readonly type: 'default' | 'prefault'; readonly innerType: infer E }
          ? Side extends 'in'
            ? AtVersion<E, St, Side> | undefined
            : Exclude<AtVersion<E, St, Side>, undefined>
          : D extends { readonly type: 'record'; readonly keyType: infer K; readonly valueType: infer E }
            ? RecordAt<K, E, St, Side>
            : D extends { readonly type: 'union'; readonly options: infer O }
              ? JsonValue extends OutputOf<S>
                ? OutputOf<S>
                : { [K in keyof O]: AtVersion<O[K], St, Side> }[number & keyof O]
              : Side extends 'in'
                ? InputOf<S>
                : OutputOf<S>

/** A record. The names of `z.partialRecord` may be left out. */
type RecordAt<K, E, St, Side extends 'in' | 'out'> = K extends { readonly '~~partial': true }
  ? { [P in OutputOf<K> & PropertyKey]?: AtVersion<E, St, Side> }
  : { [P in OutputOf<K> & PropertyKey]: AtVersion<E, St, Side> }

/** The output of a schema in a state of the models. */
export type OutAt<S, St> = AtVersion<S, St, 'out'>
/** The input of a schema in a state of the models. */
export type InAt<S, St> = AtVersion<S, St, 'in'>

/** A value of a schema in a version; without a version, one of the newest models. */
export type ValueAt<S, Vs, C, V> = V extends string
  ? InAt<S, StateAt<Vs, C, V>> | OutAt<S, StateAt<Vs, C, V>>
  : InputOf<S> | OutputOf<S>
/** The type of a value of a schema in a version. Without a version, it is a value of one of the newest models. */
export type MigratedAt<S, Vs, C, V> = V extends string ? OutAt<S, StateAt<Vs, C, V>> : OutputOf<S>

type ObjectAt<Sh, St, Side extends 'in' | 'out'> = Flat<
  { -readonly [K in keyof Sh as Sh[K] extends Optional[Side] ? never : K]: AtVersion<Sh[K], St, Side> } & {
    -readonly [K in keyof Sh as Sh[K] extends Optional[Side] ? K : never]?: AtVersion<Sh[K], St, Side>
  }
>
