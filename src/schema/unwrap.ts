import { defOf, isSchema, type Schema, type SchemaDef } from './schema.ts'

const WRAPPERS = new Set([
  'optional',
  'nullable',
  'default',
  'prefault',
  'readonly',
  'catch',
  'nonoptional',
  'success',
  'lazy',
])

/** The schema inside a wrapper. */
export function innerOf({ innerType, getter }: SchemaDef): Schema | undefined {
  return schemaOf(typeof getter === 'function' ? getter() : innerType)
}

/** The schema that a value meets first, below wrappers, or `undefined` if the raw value is wanted (preprocess, codecs). */
export function unwrapSchema(schema: Schema): Schema | undefined {
  const def = defOf(schema)
  if (WRAPPERS.has(def.type)) {
    const inner = innerOf(def)
    return inner === undefined ? schema : unwrapSchema(inner)
  }
  if (def.type !== 'pipe') return schema
  const { in: first, reverseTransform } = def
  if (reverseTransform !== undefined || !isSchema(first) || defOf(first).type === 'transform')
    return undefined
  return unwrapSchema(first)
}

/** The definition of the schema that a value meets first. */
export function unwrap(schema: Schema): SchemaDef | undefined {
  const inner = unwrapSchema(schema)
  return inner === undefined ? undefined : defOf(inner)
}

export function schemasOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

export function schemaOf(value: unknown): Schema | undefined {
  return isSchema(value) ? value : undefined
}
