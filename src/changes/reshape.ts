import type { Schema } from '../schema/schema.ts'
import type { AnyModel, ModelName } from './model.ts'
import type { BaseOf, FieldsWere, Pairs, ReshapeDown, ReshapeUp, Said, Was } from './was.ts'
import type { TurnExtra } from './convert/turn.ts'

/** The options of `reshape`. `R` are the names of the fields that `up` and `down` read besides those that changed. */
export type ReshapeOptions<M extends AnyModel, W, R> = {
  /** The model, or `before(change, Model)` if a newer change touches the same fields. */
  readonly of: M
  /** The earlier fields. */
  readonly fields: FieldsWere<M['~shape'], W>
  /** Other fields of the model that `up` and `down` get. @default [] */
  readonly reads?: readonly R[]
  /** Schemas that the change reaches though they are not made from the model. @default [] */
  readonly applies?: readonly Schema[]
  /** Schemas that the change does not reach though they have fields of the model. @default [] */
  readonly not?: readonly Schema[]
  /** Fields whose values do not come back from a round trip. @default [] */
  readonly lossy?: readonly string[]
  /** The same object before and after the change; `octavo/testing` checks them. @default [] */
  readonly examples?: readonly { readonly old: object; readonly now: object }[]
} & ReshapeDown<M['~shape'], W, R> &
  ReshapeUp<M['~shape'], W, R>

/** The part of a change that describes a model. */
export interface Reshape<F = unknown> {
  /** Distinguishes it from an operation. */
  readonly kind: 'reshape'
  /** For types alone: the name of a model, and what its fields were. */
  readonly '~was': F
}

/** A reshape, for code that does not ask which one it is. */
export interface AnyReshape {
  readonly kind: 'reshape'
  readonly of: object
  readonly fields: Readonly<Record<string, FieldWas>>
  readonly up?: (old: object, extra: TurnExtra) => unknown
  readonly down?: (now: object, extra: TurnExtra) => unknown
  readonly reads?: readonly string[]
  readonly applies?: readonly Schema[]
  readonly not?: readonly Schema[]
  readonly lossy?: readonly string[]
  readonly examples?: readonly { readonly old: object; readonly now: object }[]
}

/** An earlier field, for code that does not ask which one it is. */
export interface FieldWas {
  /** A schema, `absent` or a name. */
  readonly was: Was
  /** From the older version to the newest. */
  readonly up?: (old: unknown, extra: TurnExtra) => unknown
  /** From the newest version to the older one. */
  readonly down?: (now: unknown, extra: TurnExtra) => unknown
  /** Whether values of the older schema that the newest one refuses are a mistake of the client. */
  readonly narrowed?: boolean
}

/**
 * Describes the fields of a model before a change. Fields that are not named stay as they are. The types require the functions that are
 * needed.
 *
 * @example
 * reshape({ of: User, fields: { id: { was: z.number(), up: (old) => String(old), down: (now) => Number(now) } } })
 */
export function reshape<
  M extends AnyModel,
  const W extends Record<string, Was>,
  const R extends string = never,
>(options: ReshapeOptions<M, W, R>): Reshape<Said<ModelName<M>, Pairs<W>, BaseOf<M>>['fact']> {
  const made: Omit<Reshape, '~was'> = { kind: 'reshape', ...options }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the facts are types alone
  return made as never
}
