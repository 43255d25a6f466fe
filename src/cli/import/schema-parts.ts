import { isRecord, isString, toRecord } from '../../base/values.ts'
import {
  schemaList,
  mapSchemas,
  refOf,
  refsIn,
  resolve,
  withoutNull,
  type Components,
} from '../../base/json-schema.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'

/** Keywords that zod has words for. */
const SAYABLE = new Set(
  `$ref type properties required items prefixItems minItems maxItems enum const anyOf oneOf allOf additionalProperties minLength
  maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf discriminator`.split(
    /\s+/,
  ),
)

/** A schema, and the keywords that only documents show. */
export interface NotedSchema {
  readonly schema: SchemaObject
  readonly notes: SchemaObject
}

/** Splits a schema into keywords that zod checks and keywords for `meta`. */
export function splitNotes(schema: SchemaObject): NotedSchema {
  const own: Record<string, unknown> = {}
  const notes: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (SAYABLE.has(keyword)) own[keyword] = value
    else if (value !== false || keyword === 'default') notes[keyword] = value
  }
  if (isString(notes['description'])) notes['description'] = notes['description'].trim()
  if (notes['description'] === '') delete notes['description']
  // alternatives of members that are required together are no alternatives of shapes
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = own[keyword]
    const isOfRequired =
      Array.isArray(branches) &&
      branches.every((branch) => isRecord(branch) && Object.keys(branch).every((key) => key === 'required'))
    if (!isOfRequired || own['properties'] === undefined) continue
    // beside null, they would be alternatives to it
    if (!Array.isArray(own['type'])) notes[keyword] = branches
    delete own[keyword]
  }
  return { schema: own, notes }
}

/** How often schemas that refer to others are written out again in one place: each could lead to the same ones on two ways, and these again. */
const MOST_REPEATED = 32

/** The named schemas of a document, and what an import notes of them. */
export interface Inlining {
  readonly components: Components
  /** Notes why a finding of a rule is expected where the writer is. */
  readonly note: (rule: RegExp, why: string) => void
}

/**
 * A schema without references, for places that cannot refer to zod schemas, but for references to what documents `show` anyway. What
 * contains itself is any value there, and so is what would repeat others too often, which is noted.
 */
export function inlined(
  schema: SchemaObject,
  { components, note }: Inlining,
  shown: ReadonlySet<string> = new Set(),
): SchemaObject {
  const written = new Set<string>()
  let repeated = 0
  const inline = (given: SchemaObject, above: readonly string[]): SchemaObject => {
    const name = refOf(given)
    if (name === undefined) return mapSchemas(given, (inner) => inline(inner, above))
    if (shown.has(name)) return given
    const target = components[name]
    if (target === undefined || above.includes(name)) return {}
    if (written.has(name) && refsIn(target).size > 0) repeated++
    if (repeated > MOST_REPEATED) return {}
    written.add(name)
    return inline(target, [...above, name])
  }
  const result = inline(schema, [])
  if (repeated > MOST_REPEATED)
    note(/./, 'a schema without references would repeat others too often, so what is left of it is any value')
  return result
}

/** An object schema, with the members of all that `allOf` lists, or `undefined` for a schema that is more than an object. */
export function toSchemaObject(schema: SchemaObject, components: Components): SchemaObject | undefined {
  // what contains itself finds no object
  const known = new Map<string, SchemaObject | undefined>()
  const read = (given: SchemaObject): SchemaObject | undefined => {
    const name = refOf(given)
    if (name === undefined) return toOwnObject(given, components, read)
    if (known.has(name)) return known.get(name)
    known.set(name, undefined)
    const target = components[name]
    const found = target === undefined ? undefined : read(target)
    known.set(name, found)
    return found
  }
  return read(schema)
}

function toOwnObject(
  schema: SchemaObject,
  components: Components,
  read: (part: SchemaObject) => SchemaObject | undefined,
): SchemaObject | undefined {
  const { schema: own, notes } = splitNotes(schema)
  const { allOf, type, properties, required, additionalProperties, ...others } = own
  const { discriminator: _discriminator, ...rest } = others
  if (Object.keys(rest).length > 0 || (type !== undefined && type !== 'object')) return undefined
  const { description: _description, ...kept } = notes
  const member: SchemaObject = {
    ...kept,
    ...(properties === undefined ? {} : { properties }),
    ...(required === undefined ? {} : { required }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  }
  const all = schemaList(allOf)
  const bare = partsWithoutNull(Object.keys(member).length === 0 ? all : [...all, member], components)
  if (bare.isNullable) return undefined
  const parts = bare.parts.slice(0, all.length).map(read)
  const objects = [...parts, member].filter((part) => part !== undefined)
  if (objects.length <= parts.length) return undefined
  return parts.length === 0
    ? { type: 'object', ...member }
    : objects.reduce(mergedSchemas, { type: 'object' })
}

/** Schemas that all have to fit, without null. It fits them if each takes it. */
export function partsWithoutNull(
  parts: readonly SchemaObject[],
  components: Components,
): { readonly parts: readonly SchemaObject[]; readonly isNullable: boolean } {
  const bare = parts.map((part) => withoutNull(resolve(part, components)))
  return {
    parts: parts.map((part, at) => bare[at] ?? part),
    isNullable: parts.length > 0 && !bare.includes(undefined),
  }
}

/** Keywords of objects and alternatives. */
const COMPOUND = ['anyOf', 'oneOf', 'properties', 'prefixItems', 'additionalProperties', 'required']

/** One schema for parts that all say something of a value without members, or `undefined`. */
export function toScalar(
  parts: readonly SchemaObject[],
  components: Components,
  depth = 0,
): SchemaObject | undefined {
  let whole: SchemaObject | undefined = {}
  for (const part of parts) {
    const { allOf, ...own } = resolve(part, components)
    // what contains itself is no scalar
    const all =
      allOf === undefined || depth > 8 ? own : toScalar([...schemaList(allOf), own], components, depth + 1)
    if (all === undefined || whole === undefined || COMPOUND.some((keyword) => keyword in all))
      return undefined
    whole = mergeScalars(whole, all)
  }
  return whole
}

/** The keywords of two schemas for one value, or `undefined` if one schema cannot say both. */
function mergeScalars(one: SchemaObject, other: SchemaObject): SchemaObject | undefined {
  const whole: Record<string, unknown> = { ...one }
  for (const [keyword, value] of Object.entries(other)) {
    const before = whole[keyword]
    if (before === undefined || !SAYABLE.has(keyword) || JSON.stringify(before) === JSON.stringify(value))
      whole[keyword] = value
    else if (typeof before === 'number' && typeof value === 'number' && /min|max/i.test(keyword))
      whole[keyword] = /min/i.test(keyword) ? Math.max(before, value) : Math.min(before, value)
    else if (Array.isArray(before) && Array.isArray(value))
      whole[keyword] = before.filter((each) => value.includes(each))
    else if (keyword === 'items') whole[keyword] = { allOf: [before, value] }
    else return undefined
  }
  const { type, enum: values } = whole
  return [type, values].some((list) => Array.isArray(list) && list.length === 0) ? undefined : whole
}

function mergedSchemas(one: SchemaObject, other: SchemaObject): SchemaObject {
  const { additionalProperties: open, ...before } = one
  const { additionalProperties: added = open, ...after } = other
  const properties: Record<string, unknown> = { ...toRecord(one['properties']) }
  for (const [name, field] of Object.entries(toRecord(other['properties'])))
    properties[name] = mergeField(properties[name], field)
  const required = [...new Set([...requiredNamesIn(one['required']), ...requiredNamesIn(other['required'])])]
  return {
    ...before,
    ...after,
    properties,
    ...(required.length === 0 ? {} : { required }),
    // `additionalProperties: false` would forbid the members of the other part
    ...(added === undefined || added === false ? {} : { additionalProperties: added }),
  }
}

/** A field that two parts declare. */
function mergeField(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return other
  if (Object.keys(splitNotes(other).schema).length === 0) return { ...one, ...other }
  if (Object.keys(splitNotes(one).schema).length === 0) return { ...other, ...one }
  // parts may come from one schema on several ways
  const parts = new Map([...partsOf(one), ...partsOf(other)].map((part) => [JSON.stringify(part), part]))
  return parts.size === 1 ? other : { allOf: [...parts.values()] }
}

function partsOf(schema: SchemaObject): readonly SchemaObject[] {
  return Object.keys(schema).join('') === 'allOf' ? schemaList(schema['allOf']).flatMap(partsOf) : [schema]
}

/** Whether a schema says that its values are objects. */
export function isObjectSchema(schema: SchemaObject, components: Components): boolean {
  const all = new Set([schema])
  // a set gives what is added while it is walked, too
  for (const each of all) {
    const name = refOf(each)
    if (name !== undefined) all.add(components[name] ?? {})
    else if (each['type'] !== undefined) return true
    else for (const part of schemaList(each['allOf'])) all.add(part)
  }
  return false
}

/** The names in `required`. */
export function requiredNamesIn(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter(isString) : []
}
