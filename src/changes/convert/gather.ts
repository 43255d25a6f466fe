import { childrenOf, defOf, type Schema } from '../../schema/schema.ts'
import type { FieldChange } from '../chain.ts'
import type { FindModelledFields, ModelledFields } from './modelled-fields.ts'

/** A schema and the schemas in it, the older schemas of fields included. */
export function allIn(schema: Schema, within: Within): ReadonlySet<Schema> {
  const seen = new Set([schema])
  // what is added while it is walked is walked too
  for (const each of seen) for (const child of within(each)) seen.add(child)
  return seen
}

/**
 * Creates the function that gathers what a schema and all that are in it have. Models are gathered once, because many schemas hold them;
 * two that hold each other each walk through the other.
 */
export function createGather<T>(
  { within, isModel }: { readonly within: Within; readonly isModel: (schema: Schema) => boolean },
  own: (schema: Schema) => readonly T[],
): (schema: Schema) => ReadonlySet<T> {
  const known = new Map<Schema, ReadonlySet<T>>()
  const begun = new Set<Schema>()
  const gather = (schema: Schema): ReadonlySet<T> => {
    const made = known.get(schema)
    if (made !== undefined) return made
    begun.add(schema)
    const found = new Set<T>()
    const seen = new Set([schema])
    // what is added while it is walked is walked too
    for (const each of seen) {
      const whole = known.get(each) ?? (isModel(each) && !begun.has(each) ? gather(each) : undefined)
      for (const one of whole ?? own(each)) found.add(one)
      if (whole === undefined) for (const child of within(each)) seen.add(child)
    }
    known.set(schema, found)
    return found
  }
  return gather
}

/** The steps of an object, none of other schemas. */
export function stepsOf(schema: Schema, modelledFieldsOf: FindModelledFields): ModelledFields['steps'] {
  return defOf(schema).type === 'object' ? modelledFieldsOf(schema).steps : []
}

/** Lists the schemas in a schema, those of its fields in older versions included. */
export type Within = (schema: Schema) => readonly Schema[]

/** Each schema is looked into once, because the routes of an application have many models in common. */
export function createWithin(modelledFieldsOf: FindModelledFields): Within {
  const known = new Map<Schema, readonly Schema[]>()
  return (schema) => {
    const found = known.get(schema)
    if (found !== undefined) return found
    const older = stepsOf(schema, modelledFieldsOf).flatMap(({ fieldChanges }) => fieldChanges.flatMap(wasOf))
    const all = [...childrenOf(schema).map((child) => child.schema), ...older]
    known.set(schema, all)
    return all
  }
}

function wasOf(fieldChange: FieldChange): readonly Schema[] {
  return fieldChange.kind === 'retyped' || fieldChange.kind === 'removed' ? [fieldChange.was] : []
}
