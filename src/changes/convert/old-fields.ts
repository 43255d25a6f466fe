import { defOf, type Schema } from '../../schema/schema.ts'
import { toZod } from '../../schema/to-zod.ts'
import { shapeOf, type FieldId, type Step } from '../chain.ts'
import { cloneSchema } from './clone.ts'
import type { ModelledFields, AppliedStep } from './modelled-fields.ts'
import type { Plan, PlanOf } from './plan.ts'
import { zod } from '../zod.ts'
import { schemaOf } from '../../schema/unwrap.ts'

/** A field of an object in an older version. */
export interface OldField {
  /** `undefined` for a field of no model. */
  readonly fieldId: FieldId | undefined
  /** Its name in the newest version, if it has one. */
  readonly key: string | undefined
  readonly name: string
  readonly schema: Schema
  /** How its own values travel. */
  readonly plan: Plan | undefined
}

/** The fields that an object had, in the order of its newest ones. Those that existed only then take the place of those that replaced them. */
export function oldFields(
  schema: Schema,
  modelled: ModelledFields,
  steps: readonly AppliedStep[],
  planOf: PlanOf,
): readonly OldField[] {
  const fields = Object.entries(shapeOf(schema)).map(([key, field]): Omit<OldField, 'plan'> => ({
    fieldId: modelled.fieldIds.get(key),
    key,
    name: key,
    schema: field,
  }))
  for (const { fieldChanges, isPartial } of steps) {
    const replaced = new Set(fieldChanges.flatMap(({ kind, fieldId }) => (kind === 'added' ? [fieldId] : [])))
    const from = fields.findIndex(({ fieldId }) => fieldId !== undefined && replaced.has(fieldId))
    const restored = fieldChanges.flatMap(({ fieldId, ...fieldChange }) =>
      fieldChange.kind === 'removed'
        ? [
            {
              fieldId,
              key: undefined,
              name: fieldChange.name,
              schema: removedSchema(fieldChange.was, isPartial),
            },
          ]
        : [],
    )
    fields.splice(from === -1 ? fields.length : from, 0, ...restored)
    for (const fieldChange of fieldChanges) {
      const index = fields.findIndex(({ fieldId }) => fieldId === fieldChange.fieldId)
      const field = fields[index]
      if (field === undefined) continue
      if (fieldChange.kind === 'added') fields.splice(index, 1)
      else if (fieldChange.kind === 'renamed') fields[index] = { ...field, name: fieldChange.was }
      else if (fieldChange.kind === 'retyped')
        fields[index] = { ...field, schema: wrapAgain(fieldChange.was, field.key, modelled, isPartial) }
    }
  }
  return fields.map((field) => ({ ...field, plan: planOf(field.schema) }))
}

/** The schema that a field has on the newer side of a step. */
export function newerSchema(
  fieldId: FieldId,
  step: Step,
  schema: Schema,
  modelled: ModelledFields,
  steps: readonly AppliedStep[],
): Schema | undefined {
  const key = [...modelled.fieldIds].find(([, each]) => each === fieldId)?.[0]
  let found = key === undefined ? undefined : shapeOf(schema)[key]
  for (const own of steps) {
    if (own.step === step) return found
    for (const fieldChange of own.fieldChanges) {
      if (fieldChange.fieldId !== fieldId) continue
      if (fieldChange.kind === 'retyped') found = wrapAgain(fieldChange.was, key, modelled, own.isPartial)
      if (fieldChange.kind === 'removed') found = removedSchema(fieldChange.was, own.isPartial)
    }
  }
  return found
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

/** Returns the value of an older response where nothing was made: the default that the field had. */
export function fallbackOf(schema: Schema): (() => unknown) | undefined {
  const def = defOf(schema)
  if (def.type === 'default' || def.type === 'prefault') return () => def['defaultValue']
  const inner = def.type === 'nullable' || def.type === 'readonly' ? schemaOf(def['innerType']) : undefined
  return inner === undefined ? undefined : fallbackOf(inner)
}
