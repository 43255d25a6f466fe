import { placed } from '../base/definition-error.ts'
import { isString } from '../base/values.ts'
import type { AnyModel, ModelName, ModelShape } from './model.ts'
import type { Operation } from './operations/operation.ts'
import type { Reshape } from './reshape.ts'
import type { Fact, ShapeAhead } from './was.ts'

/** The facts of a change about models and routes. */
type FactsIn<P extends readonly Part[]> = P[number]['~was']

type Part = Reshape | Operation

/** The options of `defineVersionChange`. */
export type VersionChangeOptions<V extends string, P, S extends boolean> = {
  /** A few words for changelogs and documents. */
  readonly title: string
  /** A description of the change, for people who use the API. @default the title */
  readonly description?: string
  /** The word that logs and code name the change by. @default the title in kebab case */
  readonly id?: string
  /** The changes of models and routes. */
  readonly change: P
  /** Whether handlers may ask for it with `context.since`. @default false */
  readonly sideEffects?: S
  /** Whether changelogs and documents leave its title and description out. @default false */
  readonly internal?: boolean
} & (
  | {
      /** The first version that has the change; `'next'` until it is released. */
      readonly version: V
      /** Not beside `version`. */
      readonly preview?: never
      /** Not beside `version`. */
      readonly until?: never
    }
  | {
      /** The name of a preview, which clients ask for. Changes of one name are seen together. */
      readonly preview: string
      /** The moment from which the preview cannot be asked for any more: a day, or a time with its zone. */
      readonly until: string
      /** Not beside `preview`. */
      readonly version?: never
    }
)

/** One decision: all that was different before it. */
export interface VersionChange<V extends string = string, F = unknown, S extends boolean = boolean> {
  /** The first version that has the change; `'next'` for one that is not released, and for a preview. */
  readonly version: V
  /** The name of the preview that shows the change. */
  readonly preview?: string
  /** The moment from which the preview cannot be asked for any more. */
  readonly until?: string
  /** A few words for changelogs and documents. */
  readonly title: string
  /** A description of the change, for people who use the API. */
  readonly description: string
  /** The word that logs and code name the change by. */
  readonly id: string
  /** The changes of models and routes. */
  readonly change: readonly (Reshape | Operation)[]
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
  const { title, description = title, id = toId(title), sideEffects = false } = { ...options }
  const version = options?.preview === undefined ? options?.version : (options.version ?? 'next')
  const made = { ...options, version, title, description, id, sideEffects }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without the options, V is 'next' and S is false
  return placed(Object.freeze(made), defineVersionChange) as unknown as VersionChange<V, FactsIn<P>, S>
}

function toId(title: unknown): string {
  return (isString(title) ? title : '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join('-')
}

/** A model as it was just before a change, for code that does not ask which one it is. */
interface AnyBefore {
  readonly kind: 'before'
  readonly change: object
  readonly model: object
}

/**
 * A model as it was just before a newer change: what an older change of the same fields is written against.
 *
 * @example
 * reshape({ of: before(splitName, User), fields: { name: { was: 'fullName' } } })
 */
export function before<C extends VersionChange, M extends AnyModel>(
  change: C,
  of: M,
): Omit<AnyModel, '~shape'> &
  Pick<M, keyof AnyModel & symbol> & {
    readonly '~shape': ShapeAhead<ModelShape<M>, Extract<C['~was'], Fact<ModelName<M>>>>
    /** For types alone: how many changes it is written against. */
    readonly '~depth': `${Extract<C['~was'], Fact<ModelName<M>>>[2][0]}1`
  } {
  const made: AnyBefore = { kind: 'before', change, model: of }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the marks of a model are types alone
  return made as never
}
