import { isRecord } from '../../base/values.ts'
import type { SchemaObject } from '../document/types.ts'

/** The way from a schema to one in it, as messages tell it: `name`, `[]`, `*`, or nothing for alternatives. */
export type Step = string

const SINGLE: ReadonlyMap<string, Step> = new Map([
  ...['items', 'contains', 'unevaluatedItems'].map((keyword) => [keyword, '[]'] as const),
  ...['additionalProperties', 'unevaluatedProperties'].map((keyword) => [keyword, '*'] as const),
  ...['propertyNames', 'not', 'if', 'then', 'else', 'contentSchema'].map((keyword) => [keyword, ''] as const),
])
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const RECORDS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

const REF = '#/components/schemas/'

/** Whether the value is an object, as all schemas are but `true` and `false`. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return isRecord(value)
}

/** The schemas in a list. */
export function listOf(value: unknown): readonly SchemaObject[] {
  return Array.isArray(value) ? value.filter(isSchemaObject) : []
}

/** Calls a function with each schema directly in a schema. */
export function eachSchema(schema: SchemaObject, call: (inner: SchemaObject, step: Step) => void): void {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (typeof value !== 'object' || value === null) continue
    const step = SINGLE.get(keyword)
    if (step !== undefined) {
      if (isSchemaObject(value)) call(value, step)
    } else if (LISTS.has(keyword)) {
      listOf(value).forEach((each, index) => call(each, keyword === 'prefixItems' ? `[${index}]` : ''))
    } else if (RECORDS.has(keyword) && isSchemaObject(value)) {
      eachMember(value, (each, name) => call(each, keyword === 'properties' ? name : ''))
    }
  }
}

function eachMember(record: SchemaObject, call: (inner: SchemaObject, name: string) => void): void {
  for (const [name, each] of Object.entries(record)) if (isSchemaObject(each)) call(each, name)
}

/** A schema with what the function makes of each schema directly in it; the schema itself where all stay what they are. */
export function mapSchemas(schema: SchemaObject, map: (inner: SchemaObject) => SchemaObject): SchemaObject {
  const mapped = (value: unknown): unknown => (isSchemaObject(value) ? map(value) : value)
  const changed: [string, unknown][] = []
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (typeof value !== 'object' || value === null) continue
    let next: unknown = value
    if (SINGLE.has(keyword)) next = mapped(value)
    else if (LISTS.has(keyword) && Array.isArray(value)) next = mapList(value, mapped)
    else if (RECORDS.has(keyword) && isSchemaObject(value)) next = mapRecord(value, mapped)
    if (next !== value) changed.push([keyword, next])
  }
  return changed.length === 0 ? schema : { ...schema, ...Object.fromEntries(changed) }
}

function mapList(list: readonly unknown[], map: (value: unknown) => unknown): readonly unknown[] {
  const mapped = list.map(map)
  return mapped.some((each, index) => each !== list[index]) ? mapped : list
}

function mapRecord(record: SchemaObject, map: (value: unknown) => unknown): SchemaObject {
  const changed: [string, unknown][] = []
  for (const name of Object.keys(record)) {
    const next = map(record[name])
    if (next !== record[name]) changed.push([name, next])
  }
  return changed.length === 0 ? record : { ...record, ...Object.fromEntries(changed) }
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
  if (name === undefined && discriminator === undefined) return schema
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
  if (refOf(schema) === undefined) return schema
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
