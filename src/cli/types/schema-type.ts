import { memberName, quotedText } from '../format.ts'
import { foldSchema, optionsOf, type JsonSchema, type SchemaMember } from '../../base/json-schema.ts'
import { isRecord } from '../../base/values.ts'

/** The types of the named schemas, by their pointers. */
export type TypeNames = ReadonlyMap<string, string>

/** A type of TypeScript that JSON of a schema has. What cannot be told is `unknown`. */
export function schemaToType(schema: unknown, names: TypeNames): string {
  return foldSchema(schema, {
    inner: (each) => schemaToType(each, names),
    unknown: 'unknown',
    never: 'never',
    ref: (pointer) => names.get(pointer) ?? 'unknown',
    all: (parts) => [...new Set(parts)].map(groupedType).join(' & '),
    either: union,
    constant: literalType,
    values: (values) => union(values.map(literalType)),
    list: listType,
    object: objectType,
    scalar: (type) => (type === 'integer' ? 'number' : type),
  })
}

/** One type of several, each once. */
export function union(types: readonly string[]): string {
  const unique = [...new Set(types)]
  if (unique.includes('unknown')) return 'unknown'
  const left = unique.filter((type) => type !== 'never')
  return left.length === 0 ? 'never' : left.join(' | ')
}

/** A type that can stand beside an operator: in parentheses if one is in it, outside of all brackets. */
export function groupedType(type: string): string {
  let depth = 0
  for (const sign of type) {
    if ('({[<'.includes(sign)) depth++
    if (')}]>'.includes(sign)) depth--
    if (depth === 0 && '|&'.includes(sign)) return `(${type})`
  }
  return type
}

function literalType(value: unknown): string {
  if (typeof value === 'string') return quotedText(value)
  return typeof value === 'object' && value !== null ? 'unknown' : String(value)
}

function listType(
  first: readonly string[] | undefined,
  others: string | undefined,
  { minItems }: JsonSchema,
): string {
  const rest = others === undefined ? undefined : `${groupedType(others)}[]`
  if (first === undefined) return rest ?? '[]'
  const required = typeof minItems === 'number' ? minItems : 0
  const items = first.map((item, index) => (index < required ? item : `${groupedType(item)}?`))
  return `[${[...items, ...(rest === undefined ? [] : [`...${rest}`])].join(', ')}]`
}

function objectType(
  given: readonly SchemaMember<string>[],
  others: string | undefined,
  { propertyNames, required }: JsonSchema,
): string {
  const members = given.map(({ name, schema, made, isRequired }) => ({
    name,
    type: made,
    isRequired,
    note: schemaNote(schema),
  }))
  const keys = recordKeys(propertyNames)
  if (keys !== undefined && members.length === 0) {
    const needed: readonly unknown[] = Array.isArray(required) ? required : []
    return membersType(
      keys.map((name) => ({ name, type: others ?? 'unknown', isRequired: needed.includes(name) })),
    )
  }
  if (others === undefined && members.length > 0) return membersType(members)
  // TypeScript wants an index signature to include the types of the named members
  const all = members.flatMap(({ type, isRequired }) => (isRequired ? [type] : [type, 'undefined']))
  const other = `[name: string]: ${union([others ?? 'unknown', ...all])}`
  return members.length === 0
    ? `{ ${other} }`
    : `${membersType(members).slice(0, -1)}  ${indentedType(other)}\n}`
}

/** The names of a record if the schema of its keys lists them. */
function recordKeys(schema: unknown): readonly string[] | undefined {
  if (!isRecord(schema)) return undefined
  const { enum: values, const: only } = schema
  if (typeof only === 'string') return [only]
  if (Array.isArray(values)) return values.map(String)
  const options = optionsOf(schema).map(recordKeys)
  const known = options.flatMap((names) => names ?? [])
  return options.length > 0 && options.every((names) => names !== undefined) ? known : undefined
}

/** A member of an object type. */
export interface TypeMember {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly note?: string | undefined
}

/** An object type, with a line for each member. */
export function membersType(members: readonly TypeMember[]): string {
  if (members.length === 0) return '{}'
  const lines = members.flatMap(({ name, type, isRequired, note }) => [
    ...(note === undefined ? [] : [`  ${comment(note)}`]),
    `  ${memberName(name)}${isRequired ? '' : '?'}: ${indentedType(type)}${isRequired || type === 'unknown' ? '' : ' | undefined'}`,
  ])
  return ['{', ...lines, '}'].join('\n')
}

/** A text as a comment of one line. */
export function comment(text: string): string {
  return `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim()} */`
}

/** Returns the description of a schema. */
function schemaNote(schema: unknown): string | undefined {
  const description = isRecord(schema) ? schema['description'] : undefined
  return typeof description === 'string' && description.trim() !== '' ? description : undefined
}

/** A type whose further lines stand two spaces further to the right. */
export function indentedType(type: string): string {
  return type.replaceAll('\n', '\n  ')
}
