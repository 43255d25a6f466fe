import { recordLocation } from '../base/definition-error.ts'
import { isString, type Awaitable } from '../base/values.ts'
import type { AnyModel, ModelName } from './model.ts'
import type { Reformat } from './operations/reformat-errors.ts'
import type { Operation, Earlier } from './operations/operation.ts'
import type {
  FieldOffers,
  FieldsWere,
  NewSide,
  ObjectFunctions,
  OldSide,
  ReshapeDown,
  ReshapeUp,
} from './reshape-fields.ts'
import type { BaseOf, Paired, Said, Was } from './was.ts'
import type { Tokens } from '../define/context.ts'
import type { Schema } from '../schema/schema.ts'
import type { FieldExtra, LoadedExtra, LoadExtra, Loader, ChangeExtra } from './convert/converter.ts'

/** The facts of a change about models and routes. */
type FactsIn<P extends readonly Part[]> = P[number]['~was']

type Part = Reshape | Operation | Reformat

/** The options of `defineVersionChange`. */
export interface VersionChangeOptions<V extends string, P, S extends boolean> {
  /** The first version that has the change; `'next'` until it is released. */
  readonly version: V
  /** A few words for changelogs and documents. */
  readonly title: string
  /** A description of the change, for people who use the API. @default the title */
  readonly description?: string
  /** The word that logs and code name the change by. @default the title in kebab case */
  readonly id?: string
  /** The changes of models, routes and the error format. */
  readonly change: P
  /** Whether handlers may ask for it with `context.since`. @default false */
  readonly sideEffects?: S
  /** Whether changelogs and documents leave its title and description out. @default false */
  readonly internal?: boolean
}

/** One decision: all that was different before it. */
export interface VersionChange<V extends string = string, F = unknown, S extends boolean = boolean> {
  /** The first version that has the change; `'next'` for one that is not released. */
  readonly version: V
  /** A few words for changelogs and documents. */
  readonly title: string
  /** A description of the change, for people who use the API. */
  readonly description: string
  /** The word that logs and code name the change by. */
  readonly id: string
  /** The changes of models, routes and the error format. */
  readonly change: readonly (Reshape | Operation | Reformat)[]
  /** Whether handlers may ask for it with `context.since`. */
  readonly sideEffects: S
  /** Whether changelogs and documents leave its title and description out. */
  readonly internal?: boolean
  /** For types alone: what models and routes were. */
  readonly '~was': F
}

/**
 * Defines a change between two versions. It is written once and stays as it is: it names only what was different before.
 *
 * @example
 * const stringIds = defineVersionChange({
 *   version: '2026-01-01',
 *   title: 'Ids are text',
 *   change: [reshape({ of: User, fields: { id: { was: z.number(), up: String, down: Number } } })],
 * })
 */
export function defineVersionChange<
  const P extends readonly Part[],
  const V extends string = 'next',
  const S extends boolean = false,
>(options: VersionChangeOptions<V, P, S>): VersionChange<V, FactsIn<P>, S> {
  // who writes no TypeScript may have given nothing, which is reported with all else that is missing
  const { title, description = title, sideEffects = false, ...rest } = { ...options }
  const words = (isString(title) ? title : '').toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const { id = words.filter(Boolean).join('-') } = rest
  const made = { ...options, title, description, id, sideEffects }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without the options, V is 'next' and S is false
  return recordLocation(Object.freeze(made), defineVersionChange) as unknown as VersionChange<
    V,
    FactsIn<P>,
    S
  >
}

/** Loads data for all values of a model in one response or request. */
export type Load<V, I, L> = (values: readonly V[], extra: LoadExtra<I>) => Awaitable<L>

/** The options of `reshape`. `R` are the names of the fields that `up` and `down` read besides those that changed. */
export type ReshapeOptions<
  M extends AnyModel,
  W,
  R,
  I = {},
  D = undefined,
  U = undefined,
  O = false,
  FD = unknown,
  FU = unknown,
> = {
  /** The model, or `before(change, Model)` if a newer change touches the same fields. */
  readonly of: M
  /** Tokens whose values `load` gets, as the root module sees them. @default {} */
  readonly inject?: I
  /** The name that documents had for the model, if it was another one. */
  readonly named?: Earlier<string>
  /** Whether no request carries the model, so that `up` is not needed. It comes before `fields`. @default false */
  readonly responseOnly?: O
  /**
   * Loads data that only older versions show, once for all values of the model in a response. `down` gets its result as `loaded`. For requests,
   * and `up`, write `{ up, down }`. It comes before `fields`, so that their functions know its type.
   */
  readonly load?:
    | Load<NewSide<M['~shape'], W, R>, I, D>
    | {
        /** Loads for the values of a response. */
        readonly down?: Load<NewSide<M['~shape'], W, R>, I, D>
        /** Loads for the values of a request. */
        readonly up?: Load<OldSide<M, W, R>, I, U>
      }
  /** The earlier fields. @default {} */
  readonly fields?: FieldsWere<M, W, R, D, U, O> & FieldOffers<M['~shape'], W>
  /**
   * A refinement of the object before the change, for requests. It gets the old fields that `fields` and `reads` name, and returns whether
   * they are valid, or a message if they are not.
   */
  readonly refine?: (old: OldSide<M, W, R>, extra: ChangeExtra) => boolean | string
  /** Other fields of the model that functions get: beside the fields of the object, or as `reads` in those of one field. @default [] */
  readonly reads?: readonly R[]
  /** Schemas that the change reaches though they are not made from the model. @default [] */
  readonly applies?: readonly Schema[]
  /** Schemas that the change does not reach though they have fields of the model. @default [] */
  readonly not?: readonly Schema[]
  /** Fields whose values do not come back from a round trip. @default [] */
  readonly lossy?: readonly string[]
  /** The same object before and after the change; `octavo/testing` checks them. @default [] */
  readonly examples?: readonly { readonly old: object; readonly now: object; readonly loaded?: unknown }[]
} & ObjectFunctions<M, W, R, D, U, FD, FU> &
  ReshapeDown<M, W> &
  ReshapeUp<M, W, O>

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
  readonly named?: Earlier<string>
  readonly responseOnly?: boolean
  readonly refine?: (old: object, extra: ChangeExtra) => unknown
  readonly inject?: Tokens
  readonly load?: Loader['load'] | { readonly up?: Loader['load']; readonly down?: Loader['load'] }
  readonly up?: (old: object, extra: LoadedExtra<unknown>) => unknown
  readonly down?: (now: object, extra: LoadedExtra<unknown>) => unknown
  readonly reads?: readonly string[]
  readonly applies?: readonly Schema[]
  readonly not?: readonly Schema[]
  readonly lossy?: readonly string[]
  readonly examples?: readonly { readonly old: object; readonly now: object; readonly loaded?: unknown }[]
}

/** An earlier field, for code that does not ask which one it is. */
export interface FieldWas {
  /** A schema, `absent` or a name. */
  readonly was: Was
  /** From the older version to the newest. */
  readonly up?: (old: unknown, extra: FieldExtra) => unknown
  /** From the newest version to the older one. */
  readonly down?: (now: unknown, extra: FieldExtra) => unknown
  /** Whether values of the older schema that the newest one refuses are a mistake of the client. */
  readonly narrowed?: boolean
  /** Whether values of the older schema reach the handler though the newest one refuses them. */
  readonly accepted?: boolean
  /** Whether handlers get the value of a field that existed only before by `context.kept`. */
  readonly kept?: boolean
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
  const W extends Record<string, Was> = {},
  const R extends string = never,
  I extends Tokens = {},
  D = undefined,
  U = undefined,
  const O extends boolean = false,
  FD = unknown,
  FU = unknown,
>(
  options: ReshapeOptions<M, W, R, I, D, U, O, FD, FU>,
): Reshape<Said<ModelName<M>, Paired<W>['pairs'], BaseOf<M>>['fact']> {
  const made: Omit<Reshape, '~was'> & object = { kind: 'reshape', fields: {}, ...options }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the facts are types alone
  return made as never
}
