import { isObject, isRecord } from './values.ts'

/*
 * The one walk of JSON Schema (draft 2020-12, and the older forms that OpenAPI 3.0 documents have). Everything that looks inside a schema
 * uses it, so that no other file lists the keywords that hold schemas.
 */

/** A JSON Schema that is an object, as all are but `true` and `false`. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Schemas by the name of their component. */
export type Components = Readonly<Record<string, JsonSchema>>

/** Keywords whose schemas describe the value itself, not a part of it. */
export const OF_ITSELF: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])
/** Keywords with a schema, or with a list of them. */
const PLAIN: ReadonlySet<string> = new Set([
  ...OF_ITSELF,
  ...'items prefixItems additionalItems contains unevaluatedItems'.split(' '),
  ...'additionalProperties unevaluatedProperties propertyNames'.split(' '),
  ...'not if then else contentSchema'.split(' '),
])
/** Keywords with schemas by name. */
const RECORDS: ReadonlySet<string> = new Set(
  'properties patternProperties dependentSchemas $defs definitions'.split(' '),
)

const REF = '#/components/schemas/'

export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export function optionsOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  return [...schemaList(anyOf), ...schemaList(oneOf)]
}

/** Calls a function with each schema directly in a schema, its keyword, and its name or number there, if the keyword has several. */
export function eachSchema(
  schema: JsonSchema,
  call: (inner: JsonSchema, keyword: string, key: string | undefined) => void,
): void {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (!isObject(value) || !(PLAIN.has(keyword) || RECORDS.has(keyword))) continue
    const isSingle = isRecord(value) && !RECORDS.has(keyword)
    const all = isSingle ? [[undefined, value] as const] : Object.entries(value)
    for (const [key, inner] of all) if (isRecord(inner)) call(inner, keyword, key)
  }
}

/** A schema with the results of a function for each schema directly in it, or the schema itself if none differs. */
export function mapSchemas(
  schema: JsonSchema,
  map: (inner: JsonSchema, keyword: string) => JsonSchema,
): JsonSchema {
  const changed = new Map<string, object>()
  eachSchema(schema, (inner, keyword, key) => {
    const mapped = map(inner, keyword)
    if (mapped === inner) return
    const own = schema[keyword]
    const copy = changed.get(keyword) ?? (Array.isArray(own) ? [...own] : { ...Object(own) })
    changed.set(keyword, key === undefined ? mapped : copy)
    // an assignment to `__proto__` would make no member
    if (key !== undefined) Object.defineProperty(copy, key, { value: mapped })
  })
  return changed.size === 0 ? schema : { ...schema, ...Object.fromEntries(changed) }
}

export interface SchemaMember<T> {
  readonly name: string
  readonly schema: unknown
  /** The result for its schema. */
  readonly made: T
  readonly isRequired: boolean
}

/** The results for the kinds of schemas. */
export interface SchemaCases<T> {
  /** The result of a schema in the schema. */
  readonly inner: (schema: unknown) => T
  readonly unknown: T
  readonly never: T
  readonly ref: (pointer: string) => T
  /** Of two or more. */
  readonly all: (parts: readonly T[]) => T
  readonly either: (options: readonly T[]) => T
  readonly constant: (value: unknown) => T
  readonly values: (values: readonly unknown[]) => T
  /** `rest` is of the items after the first ones, and `undefined` if there are none. */
  readonly list: (first: readonly T[] | undefined, rest: T | undefined, schema: JsonSchema) => T
  /** `others` is of members that are not named, and `undefined` if the schema says nothing of them. */
  readonly object: (members: readonly SchemaMember<T>[], others: T | undefined, schema: JsonSchema) => T
  /** Of a type without parts: `string`, `number`, `integer`, `boolean` or `null`. */
  readonly scalar: (type: string, schema: JsonSchema) => T
}

/** Creates something of a schema, by its kind. */
export function foldSchema<T>(schema: unknown, cases: SchemaCases<T>): T {
  if (!isRecord(schema)) return schema === false ? cases.never : cases.unknown
  const { $ref, anyOf, oneOf, allOf, ...own } = schema
  const parts = [
    ...(typeof $ref === 'string' ? [cases.ref($ref)] : []),
    ...(Array.isArray(allOf) ? allOf.map(cases.inner) : []),
    ...[anyOf, oneOf].flatMap((options) =>
      Array.isArray(options) ? [cases.either(options.map(cases.inner))] : [],
    ),
  ]
  // beside alternatives, `type` says nothing more of them
  const isSaid = ![$ref, anyOf, oneOf, allOf].every((part) => part === undefined)
  const isBare = own['properties'] === undefined && own['additionalProperties'] === undefined
  if (!isSaid || !isBare) parts.push(foldOwn(own, cases))
  const known = parts.filter((part) => part !== cases.unknown)
  const [only = cases.unknown] = known
  return known.length < 2 ? only : cases.all(known)
}

function foldOwn<T>(schema: JsonSchema, cases: SchemaCases<T>): T {
  const { enum: values, type } = schema
  if ('const' in schema) return cases.constant(schema['const'])
  if (Array.isArray(values)) return cases.values(values)
  return Array.isArray(type)
    ? cases.either(type.map((each) => foldType(each, schema, cases)))
    : foldType(type, schema, cases)
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null'])

function foldType<T>(type: unknown, schema: JsonSchema, cases: SchemaCases<T>): T {
  const { items, prefixItems, properties, additionalProperties: others } = schema
  if (typeof type === 'string' && SCALARS.has(type)) return cases.scalar(type, schema)
  if (type === 'array')
    return Array.isArray(prefixItems)
      ? cases.list(prefixItems.map(cases.inner), isRecord(items) ? cases.inner(items) : undefined, schema)
      : cases.list(undefined, cases.inner(items), schema)
  // members without a type are those of an object, if the value is one
  if (type !== 'object' && !isRecord(properties)) return cases.unknown
  const isOpen = others !== undefined && others !== false
  return cases.object(memberSchemas(schema, cases.inner), isOpen ? cases.inner(others) : undefined, schema)
}

/** The members that an object schema names. */
export function memberSchemas<T>(
  { properties, required }: JsonSchema,
  make: (schema: unknown) => T,
): readonly SchemaMember<T>[] {
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema,
    made: make(schema),
    isRequired: needed.includes(name),
  }))
}

/** The schema without `null`, or `undefined` if it does not take it. */
export function withoutNull(schema: unknown): JsonSchema | undefined {
  if (!isRecord(schema)) return undefined
  const { type, enum: values } = schema
  if (Array.isArray(type) && type.includes('null')) {
    const others: readonly unknown[] = type.filter((each) => each !== 'null')
    return {
      ...schema,
      type: others.length === 1 ? others[0] : others,
      ...(Array.isArray(values) ? { enum: values.filter((each) => each !== null) } : {}),
    }
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const { [keyword]: options, ...beside } = schema
    if (!Array.isArray(options)) continue
    const others: readonly unknown[] = options.filter((each) => !isRecord(each) || each['type'] !== 'null')
    if (others.length === options.length || others.length === 0) continue
    return others.length === 1 ? { ...Object(others[0]), ...beside } : { ...schema, [keyword]: others }
  }
  return undefined
}

/** The name of the component that a schema refers to. */
export function refOf({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith(REF) ? $ref.slice(REF.length) : undefined
}

/** The names of all components that a schema refers to. */
export function refsIn(schema: JsonSchema, found = new Set<string>()): Set<string> {
  const name = refOf(schema)
  if (name !== undefined) found.add(name)
  eachSchema(schema, (inner) => refsIn(inner, found))
  return found
}

/** The names of components, and of those that they refer to. */
export function reachOf(names: Iterable<string>, components: Components): ReadonlySet<string> {
  const found = new Set(names)
  // what is found leads to more
  for (const name of found) refsIn(components[name] ?? {}, found)
  return found
}

/** The schema itself with its references renamed, but not those of schemas in it. */
export function renameRef(schema: JsonSchema, rename: (name: string) => string): JsonSchema {
  const name = refOf(schema)
  const { discriminator } = schema
  if (name === undefined && discriminator === undefined) return schema
  const mapping = isRecord(discriminator) ? discriminator['mapping'] : undefined
  const renamed = (to: unknown): unknown =>
    typeof to === 'string' && to.startsWith(REF) ? REF + rename(to.slice(REF.length)) : to
  return {
    ...schema,
    ...(name === undefined ? {} : { $ref: REF + rename(name) }),
    ...(isRecord(discriminator) && isRecord(mapping)
      ? {
          discriminator: {
            ...discriminator,
            mapping: Object.fromEntries(Object.entries(mapping).map(([value, to]) => [value, renamed(to)])),
          },
        }
      : {}),
  }
}

/** A schema with the keywords of the component that it refers to, if it does. */
export function resolve(schema: JsonSchema, components: Components): JsonSchema {
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
