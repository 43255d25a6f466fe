import { shared } from '../base/copies.ts'
import type { Schema } from '../schema/schema.ts'

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
export type BaseOf<M> = M extends { readonly '~base': infer B } ? B : readonly ['']

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
