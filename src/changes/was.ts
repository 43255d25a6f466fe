import { shared } from '../base/copies.ts'
import type { Flat, Given, Listed } from '../define/infer.ts'
import type { InputOf, OutputOf, Schema } from '../schema/schema.ts'
import type { FieldExtra, LoadedExtra } from './convert/converter.ts'

type DefOf<S> = S extends { readonly _zod: { readonly def: infer D } } ? D : never
/**
 * Marks a field that did not exist.
 *
 * @example
 * fields: { lastName: { was: absent } }
 */
export const absent: Absent = /* @__PURE__ */ shared('absent', () =>
  Object.freeze({ '~was': 'absent' } as const),
)

/** The type of `absent`. */
export interface Absent {
  /** Distinguishes it from schemas. */
  readonly '~was': 'absent'
}

/** An earlier field: a schema, `absent`, or the name that it had. */
export type Was = Schema | Absent | string

/** Whether a field of the schema may be left out. */
export function takesAbsent(schema: Schema): boolean {
  return Reflect.get(schema._zod, 'optin') !== undefined
}

/** Whether a member of an object can have the name: `__proto__` is lost when one is made. */
export function isUsableName(name: string): boolean {
  return name !== '' && name !== '__proto__'
}

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

/** A field without functions. */
interface NoFunctions {
  readonly up?: never
  readonly down?: never
  readonly narrowed?: never
  readonly accepted?: never
}

/** No functions for a field that the model lacks. An interface, because the sentence is written only if a function is there. */
interface NoFunctionsOf<N, K, Sh> {
  readonly up?: NoField<N, K, Sh>
  readonly down?: NoField<N, K, Sh>
  readonly narrowed?: NoField<N, K, Sh>
  readonly accepted?: NoField<N, K, Sh>
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
type FieldFunctions<N, Sh, K, W, O> = W extends Schema
  ? K extends keyof Sh
    ? (O extends true
        ? { readonly accepted?: never }
        : OutputOf<W> extends InputOf<Sh[K]>
          ? unknown
          : NeedsUp<OutputOf<W>, InputOf<Sh[K]>> & { readonly narrowed?: never; readonly accepted?: never }) &
        (OutputOf<Sh[K]> extends InputOf<W> ? unknown : NeedsDown<OutputOf<Sh[K]>, InputOf<W>>)
    : NoFunctionsOf<N, K, Sh>
  : K extends keyof Sh
    ? NoFunctions
    : NotAField<NoField<N, K, Sh>>

/** An earlier field, with the functions that convert it. `D` and `U` are the results of `load`. */
interface FieldWere<Sh, K, W, R, D, U> {
  /** A schema, `absent` or a name. */
  readonly was: W
  /** From the older version to the newest. */
  readonly up?: (old: OutputOf<W>, extra: FieldExtra<R, U>) => K extends keyof Sh ? Given<Sh[K]> : unknown
  /** From the newest version to the older one. */
  readonly down?: (now: OutputOf<Sh[K & keyof Sh]>, extra: FieldExtra<R, D>) => Given<W>
  /** Whether values of the older schema that the newest one refuses are a mistake of the client. */
  readonly narrowed?: boolean
  /** Whether values of the older schema reach the handler as they are, so that only newer versions have the rules of the newest one. */
  readonly accepted?: OutputOf<W> extends OutputOf<Sh[K & keyof Sh]> ? boolean : never
  /** Whether handlers get the value of a field that existed only before by `context.kept`. */
  readonly kept?: K extends keyof Sh ? never : boolean
}

/** The earlier fields of a model, whose name is `N`. */
export type FieldsWere<N, Sh, W, R = never, D = undefined, U = undefined, O = false> = {
  readonly [K in keyof W]: FieldFunctions<N, Sh, K, W[K], O> & FieldWere<Sh, K, W[K], ReadOf<Sh, R>, D, U>
}

/** The fields of a model with their members, for editors. TypeScript 5.5 cannot type functions of fields beside it, so it goes once there is one. */
export type FieldOffers<Sh, W> = [keyof W] extends [never]
  ? { readonly [K in keyof Sh]?: FieldOffer }
  : unknown

type FieldOffer = { readonly [P in keyof FieldWere<{}, never, never, never, never, never>]?: unknown }

/** The fields that functions of one field read. */
type ReadOf<Sh, R> = [R] extends [never] ? {} : OutOf<Pick<Sh, R & keyof Sh>>

/**
 * The fields of a reshape with their earlier types. They are pairs and not an object, because TypeScript instantiates object types again
 * wherever they are passed on, and pairs of classes and texts never. A member of an interface has no name that declarations of users would
 * have to import.
 */
export interface Paired<W> {
  readonly pairs: { [K in keyof W]: readonly [K, W[K]] }[keyof W]
}

/** Facts about a model or route. A list in an interface is written out at once, which that of a type with parameters is not. */
export interface Said<N, F, D = readonly ['']> {
  readonly fact: readonly [N, F, D]
}

/**
 * A fact about a model or a route: its name with the earlier state of each part. Statuses are the parts of a route. `D` has a digit for
 * each `before` that leads to the newest shape, and if there is one, the shape that it leads from.
 */
export type Fact<N = string, K = string | number, D = string> = readonly [
  about: N,
  part: readonly [name: K, was: unknown],
  base: readonly [depth: D, shape?: unknown],
]

/** The shape that a reshape is written against, if that is not the newest one. */
export type BaseOf<M> = M extends { readonly '~depth': infer D; readonly '~shape': infer Sh }
  ? readonly [D, Sh]
  : readonly ['']

/** The fields that a model had before what a change says of it. */
export interface Ahead<Sh, F extends Fact> {
  readonly shape: Before<F[2] extends readonly [unknown, infer Base] ? Base : Sh, FieldsIn<F>>['shape']
}

/** The fields of a model in a fact, by their names. */
export type FieldsIn<F extends Fact> = { [P in Extract<F[1], readonly [string, unknown]> as P[0]]: P[1] }

/** The fields that an object had before a change. */
export type ShapeBefore<Sh, W> = Before<Sh, W>['shape']

interface Before<Sh, W> {
  readonly shape: {
    [
      K in keyof Sh | keyof W as K extends keyof W
        ? W[K] extends Absent
          ? never
          : W[K] extends string
            ? W[K]
            : K
        : K
    ]: K extends keyof W ? (W[K] extends string ? Sh[K & keyof Sh] : W[K]) : Sh[K & keyof Sh]
  }
}

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
export type OldSide<Sh, W, R> = OutOf<ShapeBefore<Pick<Sh, (keyof W | R) & keyof Sh>, W>>
/** The fields that a change names on its newer side, and the others that it reads. */
export type NewSide<Sh, W, R> = OutOf<Pick<Sh, (keyof W | R) & keyof Sh>>

/** Fields that existed only before the change. */
type MadeDown<Sh, W> = { [K in Exclude<keyof W, keyof Sh>]: Given<W[K]> }
/** Fields that did not exist yet. */
type MadeUp<Sh, W> = { [K in keyof W & keyof Sh as W[K] extends Absent ? K : never]: Given<Sh[K]> }

/** Fields that stay and have no functions of their own. */
type Staying<Sh, W> = { [K in keyof W & keyof Sh]: W[K] extends Schema ? K : never }[keyof W & keyof Sh]
/** Fields of the model that a change does not name, so that its functions do not make them. */
type Unmade<Sh, W, R> = { readonly [K in Exclude<keyof Sh, keyof W | R>]?: never }

/** A reshape whose `down` makes fields that existed only before the change. `N` says that the newest model does not have them. */
interface MakesEarlier<N> {
  /** Creates the fields that existed only before the change. */
  readonly down: unknown
  /** For types alone, never set. */
  readonly [TYPES]?: N
}

/** Whether a reshape needs the function that makes the fields that existed only before a change. */
export type ReshapeDown<N, Sh, W> = [Exclude<keyof W, keyof Sh>] extends [never]
  ? [Staying<Sh, W>] extends [never]
    ? { readonly down?: never }
    : unknown
  : [Exclude<keyof W, keyof Sh | Undefinable<MadeDown<Sh, W>>>] extends [never]
    ? unknown
    : MakesEarlier<`'${Exclude<keyof W, keyof Sh> & string}' is no field of ${N & string}`>

/** Whether a reshape needs the function that makes the fields that did not exist before a change. */
export type ReshapeUp<Sh, W, O> = O extends true
  ? unknown
  : [Exclude<keyof MadeUp<Sh, W>, Undefinable<MadeUp<Sh, W>>>] extends [never]
    ? unknown
    : {
        /** Creates the fields that did not exist yet. */
        readonly up: unknown
      }

/** The functions of a whole object. `D` and `U` are what `load` returned. */
export interface ObjectFunctions<Sh, W, R, D, U> {
  /** Creates the fields that existed only before the change, and those with a schema and no functions of their own. */
  readonly down?: (
    now: NewSide<Sh, W, R>,
    extra: LoadedExtra<D>,
  ) => Partials<MadeDown<Sh, W>> & { readonly [K in Staying<Sh, W>]?: Given<W[K]> } & Unmade<Sh, W, R>
  /** Creates the fields that did not exist yet, and those with a schema and no functions of their own. */
  readonly up?: (
    old: OldSide<Sh, W, R>,
    extra: LoadedExtra<U>,
  ) => Partials<MadeUp<Sh, W>> & { readonly [K in Staying<Sh, W>]?: Given<Sh[K]> } & Unmade<Sh, W, R>
}
