import { isRecord } from '../base/values.ts'
import {
  defOf,
  innerOf,
  schemaOf,
  schemasOf,
  isSchema,
  unwrap,
  membersOf,
  type Schema,
  type SchemaDef,
} from './schema.ts'

/**
 * A value with the members that its schema declares and no others, whether or not it fits the schema. It is a copy if something is left
 * out. What a transform made stays as it is.
 */
export function toDeclared(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const def = defOf(schema)
  const inner = def.type === 'pipe' ? schemaOf(def['out']) : innerOf(def)
  if (inner !== undefined) return toDeclared(inner, value)
  if (def.type === 'union') return ofUnion(schemasOf(def['options']), value)
  if (def.type === 'intersection') return mergeSides(ofSide(def['left'], value), ofSide(def['right'], value))
  if (!MEMBERED.has(def.type)) return value
  const schemaAt = membersOf(def)
  if (Array.isArray(value)) return value.map((each, index) => ofSide(schemaAt(String(index)), each))
  const names = Object.keys(value)
  const declared = def.type === 'object' ? names.filter((name) => schemaAt(name) !== undefined) : names
  return ofMembers(value, declared, schemaAt)
}

const MEMBERED = new Set(['object', 'record', 'array', 'tuple'])

function ofSide(schema: unknown, value: unknown): unknown {
  const known = schemaOf(schema)
  return known === undefined ? value : toDeclared(known, value)
}

function ofMembers(value: object, names: readonly string[], schemaAt: (name: string) => unknown): object {
  const entries = names.map((name) => {
    const own: unknown = Reflect.get(value, name)
    return [name, own, ofSide(schemaAt(name), own)] as const
  })
  const isSame =
    names.length === Object.keys(value).length && entries.every(([, own, declared]) => own === declared)
  return isSame ? value : Object.fromEntries(entries.map(([name, , declared]) => [name, declared]))
}

/** Returns the result of the option that knows most of the value. */
function ofUnion(options: readonly Schema[], value: object): unknown {
  const able = options.filter((option) => mayTake(option, value))
  const counts = able.map((option) => findUndeclared(option, value).length)
  const best = able[counts.indexOf(Math.min(...counts))]
  return best === undefined ? value : toDeclared(best, value)
}

/** A value as parsing made it, with the members that the schema does not declare, or that another option of a union does. */
export function withUndeclared(given: unknown, parsed: unknown): unknown {
  if (Array.isArray(given) && Array.isArray(parsed) && given.length === parsed.length)
    return parsed.map((each: unknown, index) => withUndeclared(given[index], each))
  if (!isPlain(given) || !isPlain(parsed)) return parsed
  const members = Object.entries(given).map(([name, value]) => [
    name,
    Object.hasOwn(parsed, name) ? withUndeclared(value, parsed[name]) : value,
  ])
  return { ...parsed, ...Object.fromEntries(members) }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype
}

/** The members that one of two sides of an intersection knows. */
function mergeSides(left: unknown, right: unknown): unknown {
  if (!isRecord(left) || !isRecord(right)) return right
  const both = Object.entries(right).map(([name, value]) => [
    name,
    Object.hasOwn(left, name) ? mergeSides(left[name], value) : value,
  ])
  return { ...left, ...Object.fromEntries(both) }
}

/** The paths of the members of `data` that the input of the schema does not declare. */
export function findUndeclared(schema: Schema, data: unknown, path = ''): readonly string[] {
  if (typeof data !== 'object' || data === null) return NONE
  const def = defOf(schema)
  const inner = def.type === 'pipe' ? schemaOf(def['in']) : innerOf(def)
  return inner === undefined ? inValue(def, data, path) : findUndeclared(inner, data, path)
}

function inValue(def: SchemaDef, data: object, path: string): readonly string[] {
  switch (def.type) {
    case 'object':
    case 'record':
    case 'array':
    case 'tuple':
      return inMembers(def, data, path)
    case 'union':
      return inUnion(schemasOf(def['options']), data, path)
    case 'intersection': {
      const right = inSide(def['right'], data, path)
      return inSide(def['left'], data, path).filter((each) => right.includes(each))
    }
    default:
      return NONE
  }
}

function inUnion(options: readonly Schema[], data: object, path: string): readonly string[] {
  const found = options
    .filter((option) => mayTake(option, data))
    .map((option) => findUndeclared(option, data, path))
  return found.some((each) => each.length === 0) ? NONE : (found[0] ?? NONE)
}

function inSide(side: unknown, data: object, path: string): readonly string[] {
  return isSchema(side) ? findUndeclared(side, data, path) : NONE
}

/** Whether a value may be for a schema, by its kind: lists and objects are never for each other's schemas. */
function mayTake(schema: Schema, data: object): boolean {
  const type = unwrap(schema)?.type ?? ''
  if (type === 'array' || type === 'tuple') return Array.isArray(data)
  return type === 'object' || type === 'record' ? !Array.isArray(data) : !SIMPLE_TYPES.has(type)
}

/** Types that take no object. */
const SIMPLE_TYPES = new Set(['string', 'number', 'int', 'boolean', 'null', 'undefined', 'literal', 'enum'])

const NONE: readonly string[] = []

function inMembers(def: SchemaDef, data: object, path: string): readonly string[] {
  const schemaAt = membersOf(def)
  return Object.entries(data).flatMap(([key, member]) => {
    const schema = schemaAt(key)
    if (schema === undefined) return def.type === 'object' && isRecord(data) ? [`${path}${key}`] : NONE
    return findUndeclared(schema, member, `${path}${key}.`)
  })
}
