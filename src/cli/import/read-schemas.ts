import type { ComparedSource } from '../../gate/document/source.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import { mapSchemas } from '../../base/json-schema.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'
import { toDistinctName, toTypeName } from './import-names.ts'
import { splitNotes } from './schema-parts.ts'

/** Reads schemas of a document, whatever its version and its files, as those of one OpenAPI 3.1 document. */
export interface SchemaReader {
  /** A schema, whose references lead to named ones. */
  readonly read: (schema: unknown) => SchemaObject
  /** The named schemas that were read, and those that they lead to. */
  readonly all: () => Readonly<Record<string, SchemaObject>>
}

const REF = '#/components/schemas/'
/** Names that documents and models can have. */
const FOREIGN = /[^\w.-]+/g

/** Keywords that are left out: documents of Octavo don't need them. */
const DROPPED: ReadonlySet<string> = new Set(
  'title example examples xml externalDocs nullable $schema $id $comment $anchor $defs definitions'.split(
    ' ',
  ),
)

/** Keywords whose lists may not be empty. */
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'enum'])

/** Creates the reader of a document's schemas. */
export function createSchemaReader(source: ComparedSource): SchemaReader {
  const names = new Map<unknown, string>()
  const taken = new Set<string>()
  const schemas: Record<string, SchemaObject> = {}
  let byProperty: ReadonlyMap<string, string> | undefined
  const propertyNames = (): ReadonlyMap<string, string> => (byProperty ??= toPropertyNames(source.root))
  const nameOf = (target: unknown, reference: string): string => {
    const known = names.get(target)
    if (known !== undefined) return known
    const given = source.schemaOf(target) ?? toSchemaName(reference)
    const own = NUMBERED.test(given) ? (toTitleName(target) ?? propertyNames().get(reference)) : undefined
    const wanted = (own ?? given).replaceAll(FOREIGN, '_')
    const name = toDistinctName(/^[A-Za-z_]/.test(wanted) ? wanted : `_${wanted}`, taken)
    taken.add(name)
    names.set(target, name)
    // what contains itself finds its name
    schemas[name] = {}
    schemas[name] = read(target)
    return name
  }
  const read = (schema: unknown): SchemaObject => {
    if (!isRecord(schema)) return schema === false ? { not: {} } : {}
    const reference = schema['$ref']
    if (!isString(reference))
      return mapSchemas(withoutDropped(toSchemaOf31(withMembers(schema, source))), read)
    const target = source.follow(schema) ?? source.resolve(schema)
    const ref = { $ref: REF + nameOf(target, reference) }
    const { $ref: _ref, ...beside } = source.is30 ? { $ref: reference } : schema
    const { schema: own, notes } = splitNotes(mapSchemas(withoutDropped(beside), read))
    // what the schema has anyway says nothing beside a reference to it
    const isMore = Object.keys(own).some((keyword) => keyword !== 'type' && keyword !== 'format')
    return isMore ? { ...notes, allOf: [ref, own] } : { ...notes, ...ref }
  }
  return { read, all: () => schemas }
}

/** Names that `@fastify/swagger` makes. */
const NUMBERED = /^(?:def|schema)-?\d+$/i

/** The name in the title of a schema, which may be an address. */
function toTitleName(schema: unknown): string | undefined {
  const title = toRecord(schema)['title']
  const word = isString(title) ? title.split(/[#/]/).findLast((part) => part !== '') : undefined
  return word === undefined || !/[A-Za-z]/.test(word) ? undefined : toTypeName(word)
}

/** Names of schemas by references to them: those of the first properties that have them. */
function toPropertyNames(value: unknown, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, schema] of Object.entries(toRecord(Reflect.get(value, 'properties')))) {
    const one: unknown = toRecord(schema)['$ref']
    const many: unknown = toRecord(toRecord(schema)['items'])['$ref']
    if (isString(one) && !found.has(one)) found.set(one, toTypeName(name))
    else if (isString(many) && !found.has(many)) found.set(many, toTypeName(name.replace(/s$/, '')))
  }
  for (const inner of Object.values(value)) toPropertyNames(inner, found)
  return found
}

/** The last word of a reference: the name of a schema, or that of a file. */
function toSchemaName(reference: string): string {
  const [file = '', pointer = ''] = reference.split('#')
  const last = pointer.split('/').at(-1) ?? ''
  if (last !== '') return last
  return (file.split('/').at(-1) ?? 'Schema').replace(/\.(?:ya?ml|json)$/, '')
}

/** A schema with the members that a reference in the place of `properties` leads to. */
function withMembers(schema: SchemaObject, source: ComparedSource): SchemaObject {
  const { properties } = schema
  return isRecord(properties) && isString(properties['$ref'])
    ? { ...schema, properties: source.resolve(properties) }
    : schema
}

/** A schema without the keywords that documents don't need, and without lists of alternatives or values that have none. */
function withoutDropped(schema: SchemaObject): SchemaObject {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !DROPPED.has(keyword) &&
      !keyword.startsWith('x-') &&
      !(LISTS.has(keyword) && Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(kept)
}

/** A schema of OpenAPI 3.0 as 3.1 has it. */
function toSchemaOf31(schema: SchemaObject): SchemaObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema
  const own: SchemaObject = {
    ...rest,
    // newer documents have the bounds of older ones, too
    ...toExclusiveBound('inimum', minimum, exclusiveMinimum),
    ...toExclusiveBound('aximum', maximum, exclusiveMaximum),
  }
  if (nullable !== true) return own
  const { type, enum: values, ...others } = own
  if (Array.isArray(values))
    return {
      ...own,
      ...(isString(type) ? { type: [type, 'null'] } : {}),
      enum: [...new Set([...values, null])],
    }
  if (isString(type)) return { ...own, type: [type, 'null'] }
  const { description, ...bare } = others
  // without a type, anything fits
  if (Object.keys(bare).length === 0) return own
  return { ...(description === undefined ? {} : { description }), anyOf: [bare, { type: 'null' }] }
}

function toExclusiveBound(name: string, bound: unknown, exclusive: unknown): SchemaObject {
  return {
    ...(typeof exclusive === 'number' ? { [`exclusiveM${name}`]: exclusive } : {}),
    ...(bound === undefined ? {} : { [exclusive === true ? `exclusiveM${name}` : `m${name}`]: bound }),
  }
}
