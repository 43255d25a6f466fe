import { toRegExp } from '../../gate/schema/check-value.ts'
import { foldSchema, refOf, withoutNull, type JsonSchema, type SchemaMember } from '../../base/json-schema.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import { memberName, quotedText, valueText } from '../format.ts'

/** The names that schemas are written with. */
export interface SchemaNames {
  /** The named schemas of the document. */
  readonly components: Readonly<Record<string, unknown>>
  /** The model that a named schema is, as code knows it, or `undefined` if it is none. */
  readonly modelOf: (component: string) => string | undefined
  /** Whether formats and defaults are only documented. */
  readonly isNoted?: boolean
  /** Writes a schema in another way, or returns `undefined` for those that are written as usual. */
  readonly write?: (schema: JsonSchema) => string | undefined
}

/** A zod schema for the values of a JSON Schema, as source text. Where zod has no counterpart it is `z.unknown()`. */
export function toZodText(schema: unknown, names: SchemaNames, above: readonly string[] = []): string {
  const written = isRecord(schema) ? names.write?.(schema) : undefined
  if (written !== undefined) return written
  if (names.isNoted === true && isRecord(schema) && NOTED.some((keyword) => schema[keyword] !== undefined))
    return notedText(schema, names, above)
  const { default: fallback, ...own } = toRecord(schema)
  const other = withoutNull(own)
  const text =
    other === undefined
      ? ownText(isRecord(schema) ? own : schema, names, above)
      : `${toZodText(other, names, above)}.nullable()`
  return fallback === undefined ? text : `${text}.default(${valueText(fallback)})`
}

/** The keywords that imports document, and neither check nor apply. */
const NOTED = ['default', 'format', 'uniqueItems', 'readOnly', 'writeOnly', 'minProperties', 'maxProperties']

function notedText(schema: JsonSchema, names: SchemaNames, above: readonly string[]): string {
  const [own, notes]: Record<string, unknown>[] = [{}, {}]
  for (const [keyword, value] of Object.entries(schema))
    Reflect.set(Object(NOTED.includes(keyword) ? notes : own), keyword, value)
  const text = toZodText(own, names, above)
  // a model that is described by itself is another schema
  const name = refOf(own ?? {})
  return name !== undefined && names.modelOf(name) === text ? text : `${text}.meta(${valueText(notes)})`
}

function ownText(schema: unknown, names: SchemaNames, above: readonly string[]): string {
  return foldSchema(schema, {
    inner: (each) => toZodText(each, names, above),
    unknown: 'z.unknown()',
    never: 'z.never()',
    ref: (pointer) => {
      const name = pointer.replace('#/components/schemas/', '')
      const named = names.components[name]
      // what holds itself cannot be written in one piece
      if (named === undefined || above.includes(name)) return 'z.unknown()'
      return names.modelOf(name) ?? toZodText(named, names, [...above, name])
    },
    all: (parts) => parts.reduce((one, other) => `z.intersection(${one}, ${other})`),
    either: (options) => (options.length === 1 ? options.join('') : `z.union([${options.join(', ')}])`),
    constant: (value) => `z.literal(${valueText(value)})`,
    values: enumText,
    list: listText,
    object: (members, others, own) => zodObjectText(members, others, own, names),
    scalar: scalarText,
  })
}

function enumText(values: readonly unknown[]): string {
  if (values.every(isString)) return `z.enum([${values.map((each) => quotedText(each)).join(', ')}])`
  return values.length === 1
    ? `z.literal(${valueText(values[0])})`
    : `z.literal([${values.map(valueText).join(', ')}])`
}

function scalarText(type: string, schema: JsonSchema): string {
  if (type === 'string') return stringText(schema)
  return type === 'integer'
    ? `z.int()${bounds(schema)}`
    : `z.${type}()${type === 'number' ? bounds(schema) : ''}`
}

/** The formats that zod has a schema for. */
export const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'z.iso.datetime()',
  date: 'z.iso.date()',
  time: 'z.iso.time()',
  duration: 'z.iso.duration()',
  email: 'z.email()',
  uuid: 'z.uuid()',
  uri: 'z.url()',
  ipv4: 'z.ipv4()',
  ipv6: 'z.ipv6()',
}

function stringText({ format, pattern, minLength, maxLength }: JsonSchema): string {
  const known = isString(format) ? FORMATS[format] : undefined
  // a format brings its own pattern
  const expression = isString(pattern) && known === undefined ? toRegExp(pattern) : undefined
  const checks = [
    ...(typeof minLength === 'number' ? [`.min(${minLength})`] : []),
    ...(typeof maxLength === 'number' ? [`.max(${maxLength})`] : []),
    ...(expression === undefined ? [] : [`.regex(/${expression.source}/)`]),
  ]
  return `${known ?? 'z.string()'}${checks.join('')}`
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema): string {
  const rows = [
    ['min', minimum],
    ['max', maximum],
    ['gt', exclusiveMinimum],
    ['lt', exclusiveMaximum],
    ['multipleOf', multipleOf],
  ] as const
  return rows
    .filter(([, bound]) => typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER)
    .map(([name, bound]) => `.${name}(${String(bound)})`)
    .join('')
}

function listText(
  first: readonly string[] | undefined,
  rest: string | undefined,
  { minItems, maxItems }: JsonSchema,
): string {
  if (first !== undefined) return `z.tuple(${[`[${first.join(', ')}]`, rest ?? []].flat().join(', ')})`
  const checks = [
    ...(typeof minItems === 'number' ? [`.min(${minItems})`] : []),
    ...(typeof maxItems === 'number' ? [`.max(${maxItems})`] : []),
  ]
  return `z.array(${rest ?? 'z.unknown()'})${checks.join('')}`
}

function zodObjectText(
  members: readonly SchemaMember<string>[],
  others: string | undefined,
  { properties, additionalProperties }: JsonSchema,
  { isNoted = false }: SchemaNames,
): string {
  if (!isRecord(properties)) return others === undefined ? 'z.object({})' : `z.record(z.string(), ${others})`
  const fields = members.map(({ name, schema, made, isRequired }) => {
    const hasDefault = !isNoted && toRecord(schema)['default'] !== undefined
    return `${memberName(name)}: ${made}${isRequired || hasDefault ? '' : '.optional()'}`
  })
  const object = additionalProperties === false ? 'z.strictObject' : 'z.object'
  return `${object}({ ${fields.join(', ')} })${others === undefined ? '' : `.catchall(${others})`}`
}
