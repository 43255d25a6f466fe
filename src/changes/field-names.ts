import type { z } from 'zod'

import { DefinitionError } from '../base/definition-error.ts'
import { isSchema, type Schema } from '../schema/schema.ts'
import { describeValue } from '../base/values.ts'
import { shapeOf, type FieldId, type Step } from './chain.ts'
import { modelName, type AnyModel, type ModelName } from './model.ts'
import { zod } from './zod.ts'

/** A schema of the names of a model's fields. */
export interface FieldNames<N extends string, K extends string> extends z.ZodEnum<{ [Key in K]: Key }> {
  /** For types alone: the name of the model, and its names. */
  readonly '~names': readonly [N, K]
}

const named = new WeakMap<Schema, Schema>()

/**
 * Creates a schema of the names of a model's fields, for parameters such as `sort`. In older versions they are the names of that time.
 *
 * @example
 * input: { query: { sort: fieldNames(User).optional() } }
 *
 * @throws `DefinitionError` for anything but a model.
 */
export function fieldNames<M extends AnyModel>(
  model: M,
): FieldNames<ModelName<M>, keyof M['~shape'] & string> {
  const of: unknown = model
  if (!isSchema(of) || modelName(of) === undefined) {
    const message = `fieldNames was given ${describeValue(of)}`
    throw new DefinitionError([
      { code: 'invalid_model', where: 'fieldNames', message, fix: 'give the result of model()' },
    ])
  }
  const schema = zod.enum(Object.keys(shapeOf(of)))
  named.set(schema, of)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are types alone
  return schema as never
}

/** The model whose names a schema has, or `undefined` for any other schema. */
export function namedModel(schema: Schema): Schema | undefined {
  return named.get(schema)
}

export function changesNames({ fieldChanges }: Step): boolean {
  return fieldChanges.some(({ kind }) => kind === 'renamed' || kind === 'added')
}

/** The names before the last of these steps by the newest ones, without fields that did not exist. */
export function namesBefore(
  fieldIds: ReadonlyMap<string, FieldId>,
  steps: readonly Step[],
): ReadonlyMap<string, string> {
  const names = new Map([...fieldIds].map(([name, fieldId]) => [fieldId, name]))
  for (const fieldChange of steps.flatMap(({ fieldChanges }) => fieldChanges)) {
    if (fieldChange.kind === 'renamed' && names.has(fieldChange.fieldId))
      names.set(fieldChange.fieldId, fieldChange.was)
    if (fieldChange.kind === 'added') names.delete(fieldChange.fieldId)
  }
  return new Map(
    [...fieldIds].flatMap(([name, fieldId]) => {
      const was = names.get(fieldId)
      return was === undefined ? [] : [[name, was]]
    }),
  )
}
