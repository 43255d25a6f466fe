import { defOf, mapSchema, metaOf, toZod, type Schema } from '../../schema/schema.ts'
import type { Chain, FieldChange } from '../chain.ts'
import { takesAbsent } from '../was.ts'
import { withMeta, zod } from '../zod.ts'
import { isNarrower } from './compare.ts'
import type { CopiedObjects, FindModelledFields, ModelledFields } from './modelled-fields.ts'

interface Input {
  readonly modelledFieldsOf: FindModelledFields
  /** Lists a schema with all that are in it. */
  readonly allIn: (schema: Schema) => Iterable<Schema>
  readonly copies: CopiedObjects
}

/**
 * Creates the function that widens a schema of results: values that older versions accept are stored beside all others, so each version
 * sends them. A schema without such fields stays as it is.
 */
export function createWiden(
  chains: readonly Chain[],
  { modelledFieldsOf, allIn, copies }: Input,
): (schema: Schema) => Schema {
  const steps = chains.flatMap((chain) => chain.steps)
  if (!steps.some(({ fieldChanges }) => fieldChanges.some(isAccepted))) return (schema) => schema
  const widened = new Map<Schema, Schema>()
  const hasAccepted = (schema: Schema): boolean =>
    defOf(schema).type === 'object' &&
    Object.keys(Object(defOf(schema)['shape'])).some(
      (key) => acceptedIn(modelledFieldsOf(schema), key).length > 0,
    )
  const widen = (schema: Schema): Schema => {
    const known = widened.get(schema)
    if (known !== undefined) return known
    if (![...allIn(schema)].some(hasAccepted)) {
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
      return accepted.length === 0 ? widen(child) : withAccepted(child, accepted)
    })
    const { id } = metaOf(schema)
    // documents show a name once, and would show what is copied with its parent as one that refers to it
    const copy = withMeta(
      toZod(mapped).clone(toZod(mapped)._zod.def),
      schema,
      typeof id === 'string' ? `${id}Result` : undefined,
    )
    copies.set(copy, schema)
    widened.set(schema, copy)
    widened.set(copy, copy)
    return copy
  }
  return widen
}

/** Whether older values of a field reach handlers as they are. */
export function isAccepted(
  fieldChange: FieldChange,
): fieldChange is Extract<FieldChange, { readonly kind: 'retyped' }> {
  return fieldChange.kind === 'retyped' && fieldChange.field.accepted === true
}

/** The older schemas of a field whose values are accepted. */
function acceptedIn({ fieldIds, steps }: ModelledFields, key: string): readonly Schema[] {
  return steps.flatMap(({ fieldChanges }) =>
    fieldChanges.flatMap((fieldChange) =>
      isAccepted(fieldChange) && fieldChange.fieldId === fieldIds.get(key) ? [fieldChange.was] : [],
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
