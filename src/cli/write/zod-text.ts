import { toRegExp } from '../../gate/schema/check.ts'
import { isRecord, isString } from '../../base/values.ts'
import { keyOf, quoted } from '../types/schema-type.ts'

/** The names that schemas are written with. */
export interface Names {
  /** The named schemas of the document. */
  readonly components: Readonly<Record<string, unknown>>
  /** The model that a named schema is, as code knows it, or `undefined` if it is none. */
  readonly modelOf: (component: string) => string | undefined
}

type JsonSchema = Readonly<Record<string, unknown>>

/** A zod schema that takes what a JSON Schema does, as source text. What zod cannot say is `z.unknown()`. */
export function toZodText(schema: unknown, names: Names, above: readonly string[] = []): string {
  if (!isRecord(schema)) return schema === false ? 'z.never()' : 'z.unknown()'
  const { default: fallback, ...own } = schema
  const text = nullableText(own, names, above)
  return fallback === undefined ? text : `${text}.default(${valueText(fallback)})`
}

/** The schema without `null`, or `undefined` if it does not take it. */
export function withoutNull(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined
  const { type, anyOf, oneOf, enum: values } = schema
  if (Array.isArray(type) && type.includes('null')) {
    const others = type.filter((each) => each !== 'null')
    return {
      ...schema,
      type: others.length === 1 ? others[0] : others,
      ...(Array.isArray(values) ? { enum: values.filter((each) => each !== null) } : {}),
    }
  }
  for (const [key, options] of [
    ['anyOf', anyOf],
    ['oneOf', oneOf],
  ] as const) {
    if (!Array.isArray(options)) continue
    const others: readonly unknown[] = options.filter((each) => !isRecord(each) || each['type'] !== 'null')
    if (others.length < options.length) return others.length === 1 ? others[0] : { ...schema, [key]: others }
  }
  return undefined
}

function nullableText(schema: JsonSchema, names: Names, above: readonly string[]): string {
  const other = withoutNull(schema)
  return other === undefined ? ownText(schema, names, above) : `${toZodText(other, names, above)}.nullable()`
}

function ownText(schema: JsonSchema, names: Names, above: readonly string[]): string {
  const { $ref, anyOf, oneOf, allOf, type, enum: values } = schema
  if (isString($ref)) return refText($ref, names, above)
  const options = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(options))
    return `z.union([${options.map((each) => toZodText(each, names, above)).join(', ')}])`
  if (Array.isArray(allOf))
    return allOf
      .map((each) => toZodText(each, names, above))
      .reduce((one, other) => `z.intersection(${one}, ${other})`)
  if ('const' in schema) return `z.literal(${valueText(schema['const'])})`
  if (Array.isArray(values)) return enumText(values)
  if (Array.isArray(type))
    return `z.union([${type.map((each: unknown) => ownText({ ...schema, type: each }, names, above)).join(', ')}])`
  return ofType(schema, names, above)
}

function refText(ref: string, names: Names, above: readonly string[]): string {
  const name = ref.replace('#/components/schemas/', '')
  const schema = names.components[name]
  // what holds itself cannot be written in one piece
  if (schema === undefined || above.includes(name)) return 'z.unknown()'
  return names.modelOf(name) ?? toZodText(schema, names, [...above, name])
}

function enumText(values: readonly unknown[]): string {
  if (values.every(isString)) return `z.enum([${values.map((each) => quoted(each)).join(', ')}])`
  return values.length === 1
    ? `z.literal(${valueText(values[0])})`
    : `z.literal([${values.map(valueText).join(', ')}])`
}

function ofType(schema: JsonSchema, names: Names, above: readonly string[]): string {
  switch (schema['type']) {
    case 'string':
      return stringText(schema)
    case 'integer':
      return `z.int()${bounds(schema)}`
    case 'number':
      return `z.number()${bounds(schema)}`
    case 'boolean':
      return 'z.boolean()'
    case 'null':
      return 'z.null()'
    case 'array':
      return arrayText(schema, names, above)
    case 'object':
      return objectText(schema, names, above)
    default:
      return isRecord(schema['properties']) ? objectText(schema, names, above) : 'z.unknown()'
  }
}

/** The formats that zod has a schema for. */
const FORMATS: Readonly<Record<string, string>> = {
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
  const checks = [
    ...(typeof minLength === 'number' ? [`.min(${minLength})`] : []),
    ...(typeof maxLength === 'number' ? [`.max(${maxLength})`] : []),
    // a format brings its own pattern
    ...(isString(pattern) && known === undefined ? regexText(pattern) : []),
  ]
  return `${known ?? 'z.string()'}${checks.join('')}`
}

function regexText(pattern: string): readonly string[] {
  const expression = toRegExp(pattern)
  return expression === undefined ? [] : [`.regex(/${expression.source}/)`]
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

function arrayText(
  { items, prefixItems, minItems, maxItems }: JsonSchema,
  names: Names,
  above: readonly string[],
): string {
  const checks = [
    ...(typeof minItems === 'number' ? [`.min(${minItems})`] : []),
    ...(typeof maxItems === 'number' ? [`.max(${maxItems})`] : []),
  ].join('')
  if (!Array.isArray(prefixItems)) return `z.array(${toZodText(items, names, above)})${checks}`
  const members = `[${prefixItems.map((each) => toZodText(each, names, above)).join(', ')}]`
  return isRecord(items) ? `z.tuple(${members}, ${toZodText(items, names, above)})` : `z.tuple(${members})`
}

function objectText(schema: JsonSchema, names: Names, above: readonly string[]): string {
  const { properties, required, additionalProperties } = schema
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  const others = isOpen
    ? toZodText(additionalProperties === true ? {} : additionalProperties, names, above)
    : 'z.unknown()'
  if (!isRecord(properties)) return isOpen ? `z.record(z.string(), ${others})` : 'z.object({})'
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const members = Object.entries(properties).map(([name, field]) => {
    const text = toZodText(field, names, above)
    const hasDefault = isRecord(field) && field['default'] !== undefined
    return `${keyOf(name)}: ${text}${needed.includes(name) || hasDefault ? '' : '.optional()'}`
  })
  const object = additionalProperties === false ? 'z.strictObject' : 'z.object'
  return `${object}({ ${members.join(', ')} })${isOpen ? `.catchall(${others})` : ''}`
}

/** A value of JSON as source text. */
export function valueText(value: unknown): string {
  if (isString(value)) return quoted(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).map(([name, member]) => `${keyOf(name)}: ${valueText(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
