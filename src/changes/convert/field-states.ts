import { defOf, objectShape, schemaOf, toZod, type Schema } from '../../schema/schema.ts'
import type { FieldId } from '../chain.ts'
import { cloneSchema, zod } from '../zod.ts'
import type { InnerPlans } from './converter.ts'
import type { AppliedStep, ModelledFields } from './modelled-fields.ts'

/** A field of an object in one state. */
export interface FieldAt {
  /** `undefined` for a field of no model. */
  readonly fieldId: FieldId | undefined
  /** Its name in the newest version, if it has one. */
  readonly key: string | undefined
  readonly name: string
  readonly schema: Schema
  /** The age of defaults in the schema: the newest, or that of the change that says what the schema was. */
  readonly origin: number
}

/** The fields of an object in its newest state, and before each step. */
export function statesOf(
  schema: Schema,
  modelled: ModelledFields,
  steps: readonly AppliedStep[],
  { timeOf, origin, widen }: Pick<InnerPlans, 'timeOf' | 'widen'> & { readonly origin: number },
): readonly (readonly FieldAt[])[] {
  let fields: readonly FieldAt[] = Object.entries(objectShape(schema)).map(([key, field]) => {
    const fieldId = modelled.fieldIds.get(key)
    // fields of models are those of the newest version, whatever they stand in
    return { fieldId, key, name: key, schema: field, origin: fieldId === undefined ? origin : 0 }
  })
  // earlier fields of what takes accepted values take them too
  const isWidened = widen(schema) === schema
  const wasOf = (was: Schema): Schema => (isWidened ? widen(was) : was)
  return [
    fields,
    ...steps.map(
      (own) => (fields = fieldsBefore(fields, own, modelled, { origin: timeOf(own.order), wasOf })),
    ),
  ]
}

/** The fields before a step. Fields that existed only then take the place of their replacements. */
function fieldsBefore(
  newer: readonly FieldAt[],
  { fieldChanges, isPartial }: AppliedStep,
  modelled: ModelledFields,
  { origin, wasOf }: { readonly origin: number; readonly wasOf: (was: Schema) => Schema },
): readonly FieldAt[] {
  const fields = [...newer]
  const replaced = new Set(fieldChanges.flatMap(({ kind, fieldId }) => (kind === 'added' ? [fieldId] : [])))
  const from = fields.findIndex(({ fieldId }) => fieldId !== undefined && replaced.has(fieldId))
  const restored = fieldChanges.flatMap((fieldChange): readonly FieldAt[] => {
    if (fieldChange.kind !== 'removed') return []
    const { fieldId, name, was } = fieldChange
    return [{ fieldId, key: undefined, name, schema: removedSchema(wasOf(was), isPartial), origin }]
  })
  fields.splice(from === -1 ? fields.length : from, 0, ...restored)
  for (const fieldChange of fieldChanges) {
    const index = fields.findIndex(({ fieldId }) => fieldId === fieldChange.fieldId)
    const field = fields[index]
    if (field === undefined) continue
    if (fieldChange.kind === 'added') fields.splice(index, 1)
    else if (fieldChange.kind === 'renamed') fields[index] = { ...field, name: fieldChange.was }
    else if (fieldChange.kind === 'retyped')
      fields[index] = {
        ...field,
        schema: wrapAgain(wasOf(fieldChange.was), field.key, modelled, isPartial),
        origin,
      }
  }
  return fields
}

function removedSchema(was: Schema, isPartial: boolean): Schema {
  return isPartial ? toOptional(was) : was
}

/** An optional schema. What an object leaves open is not completed by a default that the field itself had. */
function toOptional(schema: Schema): Schema {
  const { type, innerType } = defOf(schema)
  if (type === 'optional') return schema
  const inner = type === 'default' || type === 'prefault' ? schemaOf(innerType) : undefined
  return inner === undefined ? zod.optional(toZod(schema)) : toOptional(inner)
}

/**
 * Puts around an older schema what the object puts around the newest one. A default is a value of the newest version, which it completes
 * after values are converted.
 */
function wrapAgain(
  was: Schema,
  key: string | undefined,
  modelled: ModelledFields,
  isPartial: boolean,
): Schema {
  const around = key === undefined ? undefined : modelled.wrappers.get(key)
  if (around === undefined) return removedSchema(was, isPartial)
  return around.toReversed().reduce<Schema>((inner, wrapper) => {
    const { type } = defOf(wrapper)
    return type === 'default' || type === 'prefault' || type === 'optional'
      ? toOptional(inner)
      : cloneSchema(wrapper, { innerType: inner })
  }, was)
}
