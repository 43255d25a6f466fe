import { isRecord } from '../../base/values.ts'
import { schemaList, memberSchemas, resolve, type Components } from '../../base/json-schema.ts'
import { fitsNothing } from './finish.ts'
import type { SchemaObject } from '../document/types.ts'

/** A field of a source. */
export interface SchemaField {
  readonly schema: SchemaObject
  readonly required: boolean
}

/** The members of an object, whatever it is made of. */
export interface SchemaFields {
  readonly named: ReadonlyMap<string, SchemaField>
  /** The schema of fields that are not declared, or `undefined` if they are dropped or refused. */
  readonly others: SchemaObject | undefined
}

/** Alternatives and intersections are followed this far: recursive schemas have no end. */
const MAX_DEPTH = 8

/**
 * The fields of an object, of objects that all hold, or of alternatives: a field that only some alternatives have is optional, and
 * looks like in any of them.
 */
export function toSchemaFields(schema: SchemaObject, components: Components, depth = 0): SchemaFields {
  const json = resolve(schema, components)
  const inner = (each: SchemaObject): SchemaFields => toSchemaFields(each, components, depth + 1)
  const below = depth > MAX_DEPTH
  const all = below ? [] : schemaList(json['allOf']).map(inner)
  const alternatives = below
    ? []
    : [json['anyOf'], json['oneOf']]
        .map((options) =>
          schemaList(options).filter((option) => option['type'] !== 'null' && !fitsNothing(option)),
        )
        .filter((options) => options.length > 0)
        .map((options) => eitherOf(options.map(inner)))
  const parts = [ownFields(json), ...all, ...alternatives]
  return mergeAllOf(parts.filter(({ named, others }) => named.size > 0 || others !== undefined))
}

function ownFields(json: SchemaObject): SchemaFields {
  const { required, propertyNames, additionalProperties: others, patternProperties } = json
  const keys: unknown = isRecord(propertyNames) ? propertyNames['enum'] : undefined
  const listed = Array.isArray(keys) ? keys.map((key): [string, unknown] => [String(key), others]) : []
  const properties = { ...Object(json['properties']), ...Object.fromEntries(listed) }
  const named = memberSchemas({ properties, required }, isRecord).flatMap(
    ({ name, schema, isRequired }): readonly (readonly [string, SchemaField])[] =>
      isRecord(schema) ? [[name, { schema, required: isRequired }]] : [],
  )
  return {
    named: new Map(named),
    others: listed.length > 0 ? undefined : otherFields(json, others, patternProperties),
  }
}

function otherFields(json: SchemaObject, others: unknown, patterns: unknown): SchemaObject | undefined {
  if (isRecord(others)) return others
  // nothing at all is said of the value
  const isOpen =
    Object.keys(json).every((keyword) => keyword === 'description') || others === true || isRecord(patterns)
  return isOpen ? {} : undefined
}

function mergeAllOf(parts: readonly SchemaFields[]): SchemaFields {
  return mergeFields(parts, (fields) => ({
    schema: joinSchemas(
      'allOf',
      fields.map(({ schema }) => schema),
    ),
    required: fields.some(({ required }) => required),
  }))
}

function eitherOf(parts: readonly SchemaFields[]): SchemaFields {
  return mergeFields(parts, (fields) => ({
    schema: joinSchemas(
      'anyOf',
      fields.map(({ schema }) => schema),
    ),
    required: fields.length === parts.length && fields.every(({ required }) => required),
  }))
}

function mergeFields(
  parts: readonly SchemaFields[],
  combine: (fields: readonly SchemaField[]) => SchemaField,
): SchemaFields {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const names = new Set(parts.flatMap(({ named }) => [...named.keys()]))
  return {
    named: new Map(
      [...names].map((name) => [name, combine(parts.flatMap(({ named }) => named.get(name) ?? []))]),
    ),
    others: parts.find(({ others }) => others !== undefined)?.others,
  }
}

/** The schemas as one; equal ones count once. */
export function joinSchemas(keyword: 'allOf' | 'anyOf', schemas: readonly SchemaObject[]): SchemaObject {
  if (schemas.length === 1) return schemas[0] ?? {}
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
  const [first = {}] = different.values()
  return different.size > 1 ? { [keyword]: [...different.values()] } : first
}
