import type { Schema } from '../schema/schema.ts'
import type { TurnExtra } from './convert/turn.ts'

/** Any schema, by its cheapest mark: `extends $ZodType` compares whole classes. */
interface AnySchema {
  readonly _zod: { readonly input: unknown; readonly output: unknown }
}

type In<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : never
type Out<S> = S extends { readonly _zod: { readonly output: infer O } } ? O : never
type DefOf<S> = S extends { readonly _zod: { readonly def: infer D } } ? D : never
/** An intersection as one object. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

/**
 * Marks a field that did not exist.
 *
 * @example
 * fields: { lastName: { was: absent } }
 */
export const absent: Absent = Object.freeze({ '~was': 'absent' } as const)

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

/** The functions that turn one field; needed where the types do not fit by themselves. */
type FieldTurns<Sh, K, W> = W extends AnySchema
  ? K extends keyof Sh
    ? (Out<W> extends In<Sh[K]>
        ? { readonly up?: (old: Out<W>, extra: TurnExtra) => In<Sh[K]>; readonly narrowed?: boolean }
        : { readonly up: (old: Out<W>, extra: TurnExtra) => In<Sh[K]> }) &
        (Out<Sh[K]> extends In<W>
          ? { readonly down?: (now: Out<Sh[K]>, extra: TurnExtra) => In<W> }
          : { readonly down: (now: Out<Sh[K]>, extra: TurnExtra) => In<W> })
    : unknown
  : unknown

/** The earlier fields of a model. */
export type FieldsWere<Sh, W> = { readonly [K in keyof W]: { readonly was: W[K] } & FieldTurns<Sh, K, W[K]> }

/**
 * The fields of a reshape with their earlier types. They are pairs and not an object, because TypeScript instantiates object types again
 * wherever they are passed on, and pairs of classes and texts never.
 */
export type Pairs<W> = { [K in keyof W]: readonly [K, W[K]] }[keyof W]

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
export type ShapeAhead<Sh, F extends Fact> = ShapeBefore<
  F[2] extends readonly [unknown, infer Base] ? Base : Sh,
  FieldsIn<F>
>

/** The fields of a model in a fact, by their names. */
export type FieldsIn<F extends Fact> = { [P in Extract<F[1], readonly [string, unknown]> as P[0]]: P[1] }

/** The fields that an object had before a change. */
export type ShapeBefore<Sh, W> = {
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

/** The names of fields that may be left out of what is sent or of what a handler gets. */
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
  { -readonly [K in Exclude<keyof Sh, OptionalNames<Sh, 'out'>>]: Out<Sh[K]> } & {
    -readonly [K in OptionalNames<Sh, 'out'>]?: Out<Sh[K]>
  }
>

/** The fields that a change names on its older side, and the others that it reads. */
type OldSide<Sh, W, R> = OutOf<ShapeBefore<Pick<Sh, (keyof W | R) & keyof Sh>, W>>
type NewSide<Sh, W, R> = OutOf<Pick<Sh, (keyof W | R) & keyof Sh>>

/** Fields that existed only before the change. */
type NeedsDown<Sh, W> = { [K in Exclude<keyof W, keyof Sh>]: In<W[K]> }
/** Fields that did not exist yet. */
type NeedsUp<Sh, W> = { [K in keyof W & keyof Sh as W[K] extends Absent ? K : never]: In<Sh[K]> }

/** The function that makes the fields that existed only before a change, if there are any. */
export type ReshapeDown<Sh, W, R> = [Exclude<keyof W, keyof Sh>] extends [never]
  ? { readonly down?: never }
  : {
      /** Creates the fields that existed only before the change. */
      readonly down: (now: NewSide<Sh, W, R>, extra: TurnExtra) => Partials<NeedsDown<Sh, W>>
    }
/** The function that makes the fields that did not exist before a change. */
export type ReshapeUp<Sh, W, R> = [Exclude<keyof NeedsUp<Sh, W>, Undefinable<NeedsUp<Sh, W>>>] extends [never]
  ? {
      /** Creates the fields that did not exist yet. */
      readonly up?: (old: OldSide<Sh, W, R>, extra: TurnExtra) => Partials<NeedsUp<Sh, W>>
    }
  : {
      /** Creates the fields that did not exist yet. */
      readonly up: (old: OldSide<Sh, W, R>, extra: TurnExtra) => Partials<NeedsUp<Sh, W>>
    }
