import type { SchemaObject } from './types.ts'

/** The way from a schema to one in it, as messages tell it: `name`, `[]`, `*`, or nothing for alternatives. */
export type Step = string

const SINGLE: ReadonlyMap<string, Step> = new Map([
  ...['items', 'contains', 'unevaluatedItems'].map((keyword) => [keyword, '[]'] as const),
  ...['additionalProperties', 'unevaluatedProperties'].map((keyword) => [keyword, '*'] as const),
  ...['propertyNames', 'not', 'if', 'then', 'else', 'contentSchema'].map((keyword) => [keyword, ''] as const),
])
const LISTS: Readonly<Record<string, (index: number) => Step>> = {
  allOf: () => '',
  anyOf: () => '',
  oneOf: () => '',
  prefixItems: (index) => `[${index}]`,
}
const RECORDS: Readonly<Record<string, (name: string) => Step>> = {
  properties: (name) => name,
  patternProperties: () => '*',
  dependentSchemas: () => '',
  $defs: () => '',
}

const REF = '#/components/schemas/'

/** Whether the value is an object, as all schemas are but `true` and `false`. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schemas in a list. */
export function listOf(value: unknown): readonly SchemaObject[] {
  return Array.isArray(value) ? value.filter(isSchemaObject) : []
}

/** A schema with what the function makes of each schema directly in it. */
export function mapSchemas(
  schema: SchemaObject,
  map: (inner: SchemaObject, step: Step) => SchemaObject,
): SchemaObject {
  const mapped = (value: unknown, step: Step): unknown => (isSchemaObject(value) ? map(value, step) : value)
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): readonly [string, unknown] => {
      const step = SINGLE.get(keyword)
      if (step !== undefined) return [keyword, mapped(value, step)]
      const ofIndex = Object.hasOwn(LISTS, keyword) ? LISTS[keyword] : undefined
      if (ofIndex !== undefined && Array.isArray(value))
        return [keyword, value.map((each, index) => mapped(each, ofIndex(index)))]
      const ofName = Object.hasOwn(RECORDS, keyword) ? RECORDS[keyword] : undefined
      if (ofName !== undefined && isSchemaObject(value)) {
        const entries = Object.entries(value)
        return [
          keyword,
          Object.fromEntries(entries.map(([name, each]) => [name, mapped(each, ofName(name))])),
        ]
      }
      return [keyword, value]
    }),
  )
}

/** Calls a function with each schema directly in a schema. */
export function eachSchema(schema: SchemaObject, call: (inner: SchemaObject, step: Step) => void): void {
  mapSchemas(schema, (inner, step) => {
    call(inner, step)
    return inner
  })
}

/** The name of the component that a schema refers to. */
export function refOf({ $ref }: SchemaObject): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith(REF) ? $ref.slice(REF.length) : undefined
}

/** The names of all components that a schema refers to. */
export function refsIn(schema: SchemaObject, found = new Set<string>()): Set<string> {
  const name = refOf(schema)
  if (name !== undefined) found.add(name)
  eachSchema(schema, (inner) => refsIn(inner, found))
  return found
}

/** The schema itself with its references renamed; those in it are for the caller. */
export function renameRef(schema: SchemaObject, rename: (name: string) => string): SchemaObject {
  const name = refOf(schema)
  const { discriminator } = schema
  const mapping = isSchemaObject(discriminator) ? discriminator['mapping'] : undefined
  return {
    ...schema,
    ...(name === undefined ? {} : { $ref: REF + rename(name) }),
    ...(isSchemaObject(discriminator) && isSchemaObject(mapping)
      ? {
          discriminator: {
            ...discriminator,
            mapping: Object.fromEntries(
              Object.entries(mapping).map(([value, to]) => [
                value,
                typeof to === 'string' && to.startsWith(REF) ? REF + rename(to.slice(REF.length)) : to,
              ]),
            ),
          },
        }
      : {}),
  }
}

/** A schema with what its component says, where it refers to one. */
export function resolve(schema: SchemaObject, components: Components): SchemaObject {
  const seen = new Set<string>()
  let resolved = schema
  for (let name = refOf(resolved); name !== undefined && !seen.has(name); name = refOf(resolved)) {
    seen.add(name)
    const { $ref: _ref, ...own } = resolved
    resolved = { ...components[name], ...own }
  }
  return resolved
}

/** Schemas by the name of their component. */
export type Components = Readonly<Record<string, SchemaObject>>
