import type { Flat, Given, Listed } from '../define/infer.ts'
import type { InputOf, OutputOf, Schema } from '../schema/schema.ts'
import type { FieldsThen, FieldThen } from './before.ts'
import type { FieldExtra, LoadedExtra } from './convert/converter.ts'
import type { AnyModel, ModelName } from './model.ts'
import type { Absent, ShapeBefore } from './was.ts'

/* Types of the fields of a reshape, and of its functions. Those of the model are read from it late, because most of them are never needed. */

type Undefinable<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T]
type Partials<T> = Flat<{ [K in Exclude<keyof T, Undefinable<T>>]: T[K] } & { [K in Undefinable<T>]?: T[K] }>

/** Never there: a symbol, because editors complete every other name. */
declare const TYPES: unique symbol

/** A field whose older values do not fit its newest schema by themselves. */
interface NeedsUp<Old, Now> {
  /** Converts an older value into one of the newest schema. */
  readonly up: unknown
  /** For types alone, never set. */
  readonly [TYPES]?: readonly [Old, Now]
}

/** A field whose newest values do not fit its older schema by themselves. */
interface NeedsDown<Now, Old> {
  /** Converts a newest value into one of the older schema. */
  readonly down: unknown
  /** For types alone, never set. */
  readonly [TYPES]?: readonly [Now, Old]
}

/** A field that did not exist has no functions. The sentence is the type, because messages show it. */
interface AbsentField {
  readonly up?: 'write up beside fields: it makes all fields that did not exist'
  readonly down?: 'remove down: older versions did not have the field'
  readonly narrowed?: NotNarrowed
  readonly accepted?: NotAccepted
}

/** A field that had another name has no functions. */
interface RenamedField {
  readonly up?: 'remove up: a renamed field keeps its value'
  readonly down?: 'remove down: a renamed field keeps its value'
  readonly narrowed?: NotNarrowed
  readonly accepted?: NotAccepted
}

type NotNarrowed = 'remove narrowed: it is for an earlier schema of the same type'
type NotAccepted = 'remove accepted: it is for requests with an earlier schema of the same type'

/** No functions for a field that the model lacks. An interface, because the sentence is written only if a function is there. */
interface NoFunctionsOf<N, K, Sh> {
  readonly up?: NoField<N, K, Sh>
  readonly down?: NoField<N, K, Sh>
  readonly narrowed?: NotNarrowed
  readonly accepted?: NotAccepted
  /** Whether handlers get the value of a field that existed only before by `context.kept`. */
  readonly kept?: boolean
}

/** The sentence about a name that is no field of the model. */
type NoField<N, K, Sh> = `'${K & string}' is no field of ${N & string}: ${Listed<keyof Sh>}`

/** A field that the model lacks. An object, because editors would complete the methods of a sentence. */
interface NotAField<N> {
  /** For types alone, never set. */
  readonly [TYPES]: N
}

/**
 * Which functions a field needs, or what is wrong with its name. The functions themselves are not in here, because a conditional type is
 * settled before TypeScript knows what `load` returns.
 */
type FieldFunctions<M extends AnyModel, K, W, O> = W extends Schema
  ? K extends keyof M['~shape']
    ? FunctionsBetween<FieldThen<W, M>, M['~shape'][K], O>
    : string extends K
      ? unknown
      : NoFunctionsOf<ModelName<M>, K, M['~shape']>
  : K extends keyof M['~shape']
    ? W extends string
      ? RenamedField
      : AbsentField
    : NotAField<NoField<ModelName<M>, K, M['~shape']>>

/** The functions that lead from an earlier schema to a newer one, and back. */
type FunctionsBetween<Old, Now, O> = (O extends true
  ? { readonly accepted?: NotAccepted }
  : OutputOf<Old> extends InputOf<Now>
    ? unknown
    : NeedsUp<OutputOf<Old>, InputOf<Now>> & ConvertedUp) &
  (OutputOf<Now> extends InputOf<Old> ? unknown : NeedsDown<OutputOf<Now>, InputOf<Old>>)

/** A field whose older values `up` converts. */
interface ConvertedUp {
  readonly narrowed?: NotNarrowed
  readonly accepted?: NotAccepted
}

/** An earlier field, with the functions that convert it. `D` and `U` are the results of `load`. */
interface FieldWere<Sh, K, W, R, D, U, M = unknown> {
  /** A schema, `absent` or a name. */
  readonly was: W
  /** From the older version to the newest. */
  readonly up?: (
    old: OutputOf<FieldThen<W, M>>,
    extra: FieldExtra<R, U>,
  ) => K extends keyof Sh ? Given<Sh[K]> : unknown
  /** From the newest version to the older one. */
  readonly down?: (now: OutputOf<Sh[K & keyof Sh]>, extra: FieldExtra<R, D>) => Given<FieldThen<W, M>>
  /** Whether values of the older schema that the newest one refuses are a mistake of the client. */
  readonly narrowed?: boolean | NotNarrowed
  /** Whether values of the older schema reach the handler as they are, so that only newer versions have the rules of the newest one. */
  readonly accepted?: NotAccepted | (OutputOf<W> extends OutputOf<Sh[K & keyof Sh]> ? boolean : never)
}

/** The earlier fields of a model. */
export type FieldsWere<M extends AnyModel, W, R = never, D = undefined, U = undefined, O = false> = {
  readonly [K in keyof W]: FieldFunctions<M, K, W[K], O> &
    FieldWere<M['~shape'], K, W[K], ReadOf<M['~shape'], R>, D, U, M>
}

/** The fields of a model with their members, for editors. TypeScript 5.5 cannot type functions of fields beside it, so it goes once there is one. */
export type FieldOffers<Sh, W> = [keyof W] extends [never]
  ? { readonly [K in keyof Sh]?: FieldOffer }
  : unknown

type FieldOffer = { readonly [P in keyof FieldWere<{}, never, never, never, never, never>]?: unknown }

/** The fields that functions of one field read. */
type ReadOf<Sh, R> = [R] extends [never] ? {} : OutOf<Pick<Sh, R & keyof Sh>>

type DefOf<S> = S extends { readonly _zod: { readonly def: infer D } } ? D : never

/** The names of fields that may be absent in a request or in the input of a handler. */
type OptionalNames<Sh, Side extends 'in' | 'out'> = {
  [K in keyof Sh]: DefOf<Sh[K]> extends { readonly type: infer T }
    ? T extends 'optional'
      ? K
      : T extends 'default' | 'prefault'
        ? Side extends 'in'
          ? K
          : never
        : never
    : never
}[keyof Sh]

type OutOf<Sh> = Flat<
  { -readonly [K in Exclude<keyof Sh, OptionalNames<Sh, 'out'>>]: OutputOf<Sh[K]> } & {
    -readonly [K in OptionalNames<Sh, 'out'>]?: OutputOf<Sh[K]>
  }
>

/** The fields that a change names on its older side, and the others that it reads. */
export type OldSide<M extends AnyModel, W, R> = OutOf<
  ShapeBefore<Pick<M['~shape'], (keyof W | R) & keyof M['~shape']>, FieldsThen<W, M>>
>
/** The fields that a change names on its newer side, and the others that it reads. */
export type NewSide<Sh, W, R> = OutOf<Pick<Sh, (keyof W | R) & keyof Sh>>

/** Fields that existed only before the change. */
type MadeDown<Sh, W> = { [K in Exclude<keyof W, keyof Sh>]: Given<W[K]> }
/** Fields that did not exist yet. */
type MadeUp<Sh, W> = { [K in keyof W & keyof Sh as W[K] extends Absent ? K : never]: Given<Sh[K]> }

/** Fields that stay and have no functions of their own. */
type Staying<Sh, W> = { [K in keyof W & keyof Sh]: W[K] extends Schema ? K : never }[keyof W & keyof Sh]
/** Fields of the model that a change does not name, so that its functions do not make them. */
type Unmade<Sh, W, R> = {
  readonly [K in Exclude<keyof Sh, keyof W | R>]?: 'name the field in fields, or remove it here'
}

/** A reshape whose `down` makes fields that existed only before the change. `N` says that the newest model does not have them. */
interface MakesEarlier<N> {
  /** Creates the fields that existed only before the change. */
  readonly down: unknown
  /** For types alone, never set. */
  readonly [TYPES]?: N
}

/** Whether a reshape needs the function that makes the fields that existed only before a change. */
export type ReshapeDown<M extends AnyModel, W> = [Exclude<keyof W, keyof M['~shape']>] extends [never]
  ? [Staying<M['~shape'], W>] extends [never]
    ? { readonly down?: 'remove down: no field existed only then' }
    : unknown
  : [Exclude<keyof W, keyof M['~shape'] | Undefinable<MadeDown<M['~shape'], W>>>] extends [never]
    ? unknown
    : MakesEarlier<`'${Exclude<keyof W, keyof M['~shape']> & string}' is no field of ${ModelName<M> & string}`>

/** Whether a reshape needs the function that makes the fields that did not exist before a change. */
export type ReshapeUp<M extends AnyModel, W, O> = O extends true
  ? unknown
  : [Exclude<keyof MadeUp<M['~shape'], W>, Undefinable<MadeUp<M['~shape'], W>>>] extends [never]
    ? unknown
    : {
        /** Creates the fields that did not exist yet. */
        readonly up: unknown
      }

/** The functions of a whole object. `D` and `U` are what `load` returned. */
export interface ObjectFunctions<M extends AnyModel, W, R, D, U, FD = unknown, FU = unknown> {
  /** Creates the fields that existed only before the change, and those with a schema and no functions of their own. */
  readonly down?: (
    now: NewSide<M['~shape'], W, R>,
    extra: LoadedExtra<D>,
  ) => ResultDown<M['~shape'], FieldsThen<W, M>, R> & Exactly<FD, ModelName<M>, NamesOf<M['~shape'], W>>
  /** Creates the fields that did not exist yet, and those with a schema and no functions of their own. */
  readonly up?: (
    old: OldSide<M, W, R>,
    extra: LoadedExtra<U>,
  ) => ResultUp<M['~shape'], W, R> & Exactly<FU, ModelName<M>, NamesOf<M['~shape'], W>>
}

type ResultDown<Sh, W, R> = Partials<MadeDown<Sh, W>> & {
  readonly [K in Staying<Sh, W>]?: Given<W[K]>
} & Unmade<Sh, W, R>
type ResultUp<Sh, W, R> = Partials<MadeUp<Sh, W>> & {
  readonly [K in Staying<Sh, W>]?: Given<Sh[K]>
} & Unmade<Sh, W, R>

/** The names of fields on both sides of a change. */
type NamesOf<Sh, W> = keyof Sh | keyof W | Extract<W[keyof W], string>
/** A result without members that neither side of a change has. `K` are the names of both. */
type Exactly<F, N, K> = F &
  (string extends keyof F
    ? unknown
    : { readonly [P in Exclude<keyof F, K>]: `'${P & string}' is no field of ${N & string} on either side` })
