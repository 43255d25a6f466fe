import type { AnyModel, ModelName, ModelShape } from './model.ts'
import type { AnyTold, FactsOf, Holding, InAt, ModelAt, OutAt, State } from './state.ts'
import type { Ahead, Fact } from './was.ts'

/** A model as it was just before a change, for code that does not ask which one it is. */
interface AnyBefore {
  readonly kind: 'before'
  readonly changes: object
  readonly model: object
}

/** A model as it was before some newer changes. */
export interface ModelBefore<N extends string, Sh, D, C> extends AnyModel<N, ShapeThen<Sh, C>> {
  /** For types alone: how many changes it is written against, and its fields. */
  readonly '~base': readonly [depth: D, shape: Sh]
  /** For types alone: the changes. */
  readonly '~then': C
}

/**
 * A model as it was just before a newer change, or before several, newest first. Older changes of the same fields are written against it, and
 * those whose functions get models that newer changes reshape.
 *
 * @example
 * reshape({ of: before(splitName, User), fields: { name: { was: 'fullName' } } })
 */
export function before<const C extends AnyTold | readonly AnyTold[], M extends AnyModel>(
  changes: C,
  of: M,
): ModelBefore<ModelName<M>, ShapeBeforeAll<M, C>, DepthOf<FactsBefore<C, ModelName<M>>>, C> {
  const made: AnyBefore = { kind: 'before', changes, model: of }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the marks of a model are types alone
  return made as never
}

/** The state of models before some changes, newest first, or before one. */
type StateBefore<C> = C extends readonly AnyTold[]
  ? State<ChangeVersions<C>, C, C[number]['version']>
  : C extends AnyTold
    ? State<readonly [C['version']], readonly [C], C['version']>
    : never

type ChangeVersions<C> = { [K in keyof C]: C[K] extends AnyTold ? C[K]['version'] : never }

/** The facts about a model in a change, or in several. */
type FactsBefore<C, N> = FactsOf<C extends readonly unknown[] ? C[number] : C, N>

/** How many changes a model is written against: one more than the deepest of some facts. */
type DepthOf<F> = [F] extends [never] ? '' : F extends Fact ? `${Deepest<F[2][0]>}1` : never

type Deepest<D extends string, All = D> = D extends string
  ? [Extract<All, `${D}1${string}`>] extends [never]
    ? D
    : never
  : never

/** The fields of a model before a change, or before several. */
type ShapeBeforeAll<M, C> = C extends readonly unknown[]
  ? ModelAt<M, StateBefore<C>>
  : [FactsBefore<C, ModelName<M>>] extends [never]
    ? ModelShape<M>
    : Ahead<ModelShape<M>, FactsBefore<C, ModelName<M>> & Fact>['shape']

/** A field whose values have models in them as they were in a state. */
interface Then<S extends Holding, St> {
  readonly _zod: {
    readonly input: InAt<S, St>
    readonly output: OutAt<S, St>
    readonly def: S['_zod']['def']
  }
}

/** A model before some changes, for types that only ask whether it is one. */
interface AnyThen {
  readonly '~then': unknown
}

/** A field in a state. */
type FieldIn<S, St> = S extends Holding ? Then<S, St> : S
/** Fields before some changes. */
type ShapeThen<Sh, C> = { [K in keyof Sh]: FieldIn<Sh[K], StateBefore<C>> }
/** An earlier field in a change of a model, with the models in it as they were if it is written against newer changes. */
export type FieldThen<W, M> = M extends AnyThen ? FieldIn<W, StateBefore<M['~then']>> : W
/** A schema in an operation, with the models in it as they were before some changes. */
export type SchemaThen<S, B> = B extends readonly [unknown, ...unknown[]] ? FieldIn<S, StateBefore<B>> : S
/** The same of all earlier fields. */
export type FieldsThen<W, M> = M extends AnyThen ? ShapeThen<W, M['~then']> : W
