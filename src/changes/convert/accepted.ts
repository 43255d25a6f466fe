import { defOf, mapSchema, metaOf, toZod, type Schema } from '../../schema/schema.ts'
import type { Chain, FieldChange } from '../chain.ts'
import { takesAbsent } from '../was.ts'
import { withMeta, zod } from '../zod.ts'
import { isNarrower } from './compare.ts'
import type { CopiedObjects, FindModelledFields, ModelledFields } from './modelled-fields.ts'

/** The functions that create schemas of results. */
interface Widen {
  /** Widens a schema. One without fields whose older values are accepted stays as it is. */
  readonly widen: (schema: Schema) => Schema
  /**
   * The schema that was widened into another one, if the version before the changes with a position below `age` takes all accepted values
   * itself. Documents of that version show one schema.
   */
  readonly narrow: (widened: Schema, age: number) => Schema | undefined
}

interface Input {
  readonly modelledFieldsOf: FindModelledFields
  /** Lists a schema with all that are in it. */
  readonly allIn: (schema: Schema) => Iterable<Schema>
  readonly copies: CopiedObjects
}

/** Creates the function that widens a schema of results: values that older versions accept are stored beside all others, so each version sends them. */
export function createWiden(chains: readonly Chain[], { modelledFieldsOf, allIn, copies }: Input): Widen {
  const steps = chains.flatMap((chain) => chain.steps)
  if (!steps.some(({ fieldChanges }) => fieldChanges.some(isAccepted)))
    return { widen: (schema) => schema, narrow: () => undefined }
  const widened = new Map<Schema, Schema>()
  const origins = new Map<Schema, Schema>()
  const acceptedOf = (schema: Schema): readonly Accepted[] =>
    defOf(schema).type === 'object'
      ? Object.keys(Object(defOf(schema)['shape'])).flatMap((key) =>
          acceptedIn(modelledFieldsOf(schema), key),
        )
      : []
  const widen = (schema: Schema): Schema => {
    const known = widened.get(schema)
    if (known !== undefined) return known
    if (![...allIn(schema)].some((each) => acceptedOf(each).length > 0)) {
      widened.set(schema, schema)
      return schema
    }
    // known before it is complete, for schemas that hold themselves
    widened.set(
      schema,
      zod.lazy(() => toZod(copy)),
    )
    const mapped = mapSchema(schema, ({ member, key = '', schema: child }) => {
      const accepted = member === 'shape' ? acceptedIn(modelledFieldsOf(schema), key) : []
      return accepted.length === 0
        ? widen(child)
        : withAccepted(
            child,
            accepted.map(({ was }) => was),
          )
    })
    const { id } = metaOf(schema)
    // documents show a name once, and would show what is copied with its parent as one that refers to it
    const copy = withMeta(
      toZod(mapped).clone(toZod(mapped)._zod.def),
      schema,
      typeof id === 'string' ? `${id}Result` : undefined,
    )
    copies.set(copy, schema)
    origins.set(copy, schema)
    widened.set(schema, copy)
    widened.set(copy, copy)
    return copy
  }
  const narrow: Widen['narrow'] = (schema, age) => {
    const origin = origins.get(schema)
    if (origin === undefined) return undefined
    const isTaken = [...allIn(origin)].every((each) => acceptedOf(each).every(({ order }) => order < age))
    return isTaken ? origin : undefined
  }
  return { widen, narrow }
}

/** Whether older values of a field reach handlers as they are. */
export function isAccepted(
  fieldChange: FieldChange,
): fieldChange is Extract<FieldChange, { readonly kind: 'retyped' }> {
  return fieldChange.kind === 'retyped' && fieldChange.field.accepted === true
}

/** An older schema of a field whose values are accepted, and the position of its change. */
interface Accepted {
  readonly was: Schema
  readonly order: number
}

function acceptedIn({ fieldIds, steps }: ModelledFields, key: string): readonly Accepted[] {
  return steps.flatMap(({ fieldChanges, order }) =>
    fieldChanges.flatMap((fieldChange) =>
      isAccepted(fieldChange) && fieldChange.fieldId === fieldIds.get(key)
        ? [{ was: fieldChange.was, order }]
        : [],
    ),
  )
}

/** A field that takes older values too. One schema says all if the other ones are narrower. */
function withAccepted(field: Schema, accepted: readonly Schema[]): Schema {
  const [only] = accepted
  const isAll =
    only !== undefined &&
    accepted.length === 1 &&
    // a part may have put a wrapper around it
    defOf(field).type === defOf(only).type &&
    isNarrower(field, only) &&
    !isNarrower(only, field) &&
    takesAbsent(only) === takesAbsent(field)
  return withMeta(isAll ? toZod(only).clone() : zod.union([toZod(field), ...accepted.map(toZod)]), field)
}
