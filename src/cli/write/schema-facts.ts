import { optionsOf, schemaList, type JsonSchema } from '../../base/json-schema.ts'
import { isObject, isRecord, isString, toRecord } from '../../base/values.ts'
import { toStableText } from '../../gate/json.ts'
import { toRegExp } from '../../gate/schema/check-value.ts'

/** Follows the references of two schemas, each in its document. */
export interface FollowReferences {
  readonly from: (schema: unknown) => unknown
  readonly to: (schema: unknown) => unknown
}

/** Whether every value fits. */
export function isAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(withoutWords(schema)).length === 0)
}

/** Whether two schemas and the schemas that they refer to are equal. */
export function isSame(
  one: unknown,
  other: unknown,
  resolve: FollowReferences,
  seen: Set<string> = new Set(),
): boolean {
  const [name, otherName] = [modelIn(one), modelIn(other)]
  // the changes of a model convert it
  if (name !== undefined || otherName !== undefined) return name === otherName
  const text = toStableText(withoutWords(one))
  if (text !== toStableText(withoutWords(other))) return false
  return [...text.matchAll(REFERENCES)].every(([, $ref = '']) => {
    if (seen.has($ref)) return true
    seen.add($ref)
    return isSame(resolve.from({ $ref }), resolve.to({ $ref }), resolve, seen)
  })
}

/** The model that a reference was followed to. */
export function modelIn(schema: unknown): string | undefined {
  const { $id } = toRecord(schema)
  return isString($id) ? $id : undefined
}

export function hasDefault(schema: unknown): boolean {
  return isRecord(schema) && schema['default'] !== undefined
}

/** Whether two schemas may have a value in common, as far as their types say. */
export function isOfOneType(one: unknown, other: unknown): boolean {
  const [types, others] = [typesIn(one), typesIn(other)]
  return types === undefined || others === undefined || [...types].some((type) => others.has(type))
}

/** The types of the values of a schema, or `undefined` if it does not say. */
export function typesIn(schema: unknown): ReadonlySet<string> | undefined {
  const { type } = toRecord(schema)
  const values = listedValues(schema)?.map((value) => (value === null ? 'null' : typeof value))
  const types: readonly unknown[] = values ?? (type === undefined ? [] : [type].flat())
  if (types.length === 0 || !types.every(isString)) return undefined
  return new Set(types.map((each) => (each === 'integer' ? 'number' : each)))
}

export function hasAlternatives(schema: unknown): boolean {
  return isRecord(schema) && (optionsOf(schema).length > 0 || Array.isArray(schema['type']))
}

/** The alternatives of a schema: those of a union, of several types, or the schema itself. */
export function alternativesOf(schema: unknown): readonly unknown[] {
  const own = toRecord(schema)
  if (Array.isArray(own['type'])) return own['type'].map((type: unknown) => ({ ...own, type }))
  const options = optionsOf(own)
  return options.length === 0 ? [schema] : options
}

function withoutWords(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return { const: schema }
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !WORDS.has(key) && !key.startsWith('x-')),
  )
}

export function schemaType(schema: unknown): string | undefined {
  const type = isRecord(schema) ? schema['type'] : undefined
  return isString(type) ? type : undefined
}

export function isNumeric(kind: string | undefined): boolean {
  return kind === 'number' || kind === 'integer'
}

/** The texts that a schema lists, or `undefined` for any other schema. */
export function listedTexts(schema: unknown): readonly string[] | undefined {
  const values = listedValues(schema)
  return values?.every(isString) === true ? values : undefined
}

/** The texts, numbers and other plain values that a schema or its alternatives list, or `undefined` for any other schema. */
export function listedValues(schema: unknown): readonly unknown[] | undefined {
  if (!isRecord(schema)) return undefined
  const all = schema['type'] === 'null' ? [null] : schema['enum']
  const values: unknown = 'const' in schema ? [schema['const']] : all
  if (Array.isArray(values)) return values.every((value) => !isObject(value)) ? values : undefined
  const ofOptions = optionsOf(schema).map(listedValues)
  if (ofOptions.length > 0 && !ofOptions.includes(undefined)) return ofOptions.flatMap((each) => each ?? [])
  return schemaList(schema['allOf'])
    .map(listedValues)
    .find((each) => each !== undefined)
}

/** The schema of the items of a list, or `undefined` for anything else. */
export function itemsOf(schema: unknown): unknown {
  return isRecord(schema) && schema['type'] === 'array' && schema['prefixItems'] === undefined
    ? (schema['items'] ?? {})
    : undefined
}

/** Whether a text is always a number. */
export function isDigits(schema: unknown): boolean {
  if (!isRecord(schema) || !isString(schema['pattern'])) return false
  return (
    matchesPattern(schema, '7') &&
    !['', 'a', '7a', 'a7', '-', ' '].some((text) => matchesPattern(schema, text))
  )
}

export function matchesPattern({ pattern }: Readonly<Record<string, unknown>>, text: string): boolean {
  return !isString(pattern) || toRegExp(pattern)?.test(text) === true
}

const REFERENCES = /"\$ref":"([^"]*)"/g

/** Keywords that make no difference to a conversion. Formats are documented, and no promise of a value. */
const WORDS = new Set(
  'title description example examples default format deprecated readOnly writeOnly externalDocs xml'.split(
    ' ',
  ),
)
