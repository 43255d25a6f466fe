import { isRecord } from '../../base/values.ts'

/** The types of the named schemas, by their pointers. */
export type TypeNames = ReadonlyMap<string, string>

/** A type of TypeScript that JSON of a schema has. What cannot be told is `unknown`. */
export function toType(schema: unknown, names: TypeNames): string {
  if (!isRecord(schema)) return schema === false ? 'never' : 'unknown'
  const { $ref, anyOf, oneOf, allOf, ...own } = schema
  const parts = [
    ...(typeof $ref === 'string' ? [names.get($ref) ?? 'unknown'] : []),
    ...(Array.isArray(allOf) ? allOf.map((each) => toType(each, names)) : []),
    ...[anyOf, oneOf].flatMap((options) =>
      Array.isArray(options) ? [union(options.map((each) => toType(each, names)))] : [],
    ),
    // beside alternatives, `type` says nothing more of them
    ...([$ref, anyOf, oneOf, allOf].some((part) => part !== undefined) && isBare(own)
      ? []
      : [ownType(own, names)]),
  ].filter((type) => type !== 'unknown')
  const [only = 'unknown'] = parts
  return parts.length <= 1 ? only : [...new Set(parts)].map(grouped).join(' & ')
}

function isBare(schema: Readonly<Record<string, unknown>>): boolean {
  return schema['properties'] === undefined && schema['additionalProperties'] === undefined
}

/** One type of several, each once. */
export function union(types: readonly string[]): string {
  const unique = [...new Set(types)]
  if (unique.includes('unknown')) return 'unknown'
  const left = unique.filter((type) => type !== 'never')
  return left.length === 0 ? 'never' : left.join(' | ')
}

/** A type that can stand beside an operator: in parentheses if one is in it, outside of all brackets. */
export function grouped(type: string): string {
  let depth = 0
  for (const sign of type) {
    if ('({[<'.includes(sign)) depth++
    if (')}]>'.includes(sign)) depth--
    if (depth === 0 && '|&'.includes(sign)) return `(${type})`
  }
  return type
}

function ownType(schema: Readonly<Record<string, unknown>>, names: TypeNames): string {
  if ('const' in schema) return literal(schema['const'])
  const { enum: values, type } = schema
  if (Array.isArray(values)) return union(values.map(literal))
  if (Array.isArray(type)) return union(type.map((each) => ofKind(each, schema, names)))
  return ofKind(type, schema, names)
}

function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  return typeof value === 'object' && value !== null ? 'unknown' : String(value)
}

/** A text as a literal. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}

function ofKind(kind: unknown, schema: Readonly<Record<string, unknown>>, names: TypeNames): string {
  switch (kind) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return kind
    case 'integer':
      return 'number'
    case 'array':
      return listType(schema, names)
    case 'object':
      return objectType(schema, names)
    default:
      // members without a type say what objects have, if the value is one
      return isRecord(schema['properties']) ? objectType(schema, names) : 'unknown'
  }
}

function listType({ items, prefixItems }: Readonly<Record<string, unknown>>, names: TypeNames): string {
  if (!Array.isArray(prefixItems)) return `${grouped(toType(items, names))}[]`
  const members = prefixItems.map((each) => toType(each, names))
  const rest = isRecord(items) ? [`...${grouped(toType(items, names))}[]`] : []
  return `[${[...members, ...rest].join(', ')}]`
}

function objectType(schema: Readonly<Record<string, unknown>>, names: TypeNames): string {
  const { properties, required, additionalProperties, propertyNames } = schema
  const fields = isRecord(properties) ? properties : {}
  const needed = Array.isArray(required) ? required : []
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  const others = isOpen ? toType(additionalProperties === true ? {} : additionalProperties, names) : undefined
  const members = Object.entries(fields).map(([name, field]) => ({
    name,
    type: toType(field, names),
    isRequired: needed.includes(name),
    note: noteOf(field),
  }))
  if (others === undefined && members.length > 0) return membersType(members)
  const keys = keysOf(propertyNames)
  const open =
    keys === undefined
      ? `{ [name: string]: ${others ?? 'unknown'} }`
      : `Partial<Record<${keys}, ${others ?? 'unknown'}>>`
  return members.length === 0 ? open : `${membersType(members)} & ${open}`
}

/** The names of a record with a schema for its keys. */
function keysOf(schema: unknown): string | undefined {
  const values = isRecord(schema) ? schema['enum'] : undefined
  return Array.isArray(values) ? union(values.map(literal)) : undefined
}

/** A member of an object type. */
export interface Member {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly note?: string | undefined
}

/** An object type, with a line for each member. */
export function membersType(members: readonly Member[]): string {
  if (members.length === 0) return '{}'
  const lines = members.flatMap(({ name, type, isRequired, note }) => [
    ...(note === undefined ? [] : [`  ${comment(note)}`]),
    `  ${keyOf(name)}${isRequired ? '' : '?'}: ${indented(type)}${isRequired || type === 'unknown' ? '' : ' | undefined'}`,
  ])
  return ['{', ...lines, '}'].join('\n')
}

/** The name of a member, in quotes if it needs them. */
export function keyOf(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quoted(name)
}

/** A text as a comment of one line. */
export function comment(text: string): string {
  return `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim()} */`
}

/** Returns the description of a schema. */
function noteOf(schema: unknown): string | undefined {
  const description = isRecord(schema) ? schema['description'] : undefined
  return typeof description === 'string' && description.trim() !== '' ? description : undefined
}

/** A type whose further lines stand two spaces further to the right. */
export function indented(type: string): string {
  return type.replaceAll('\n', '\n  ')
}
