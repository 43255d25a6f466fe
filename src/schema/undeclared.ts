import { isRecord } from '../base/values.ts'
import {
  defOf,
  isSchema,
  innerOf,
  schemaOf,
  schemasOf,
  unwrap,
  type Schema,
  type SchemaDef,
} from './schema.ts'
import { membersOf } from './walk.ts'

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
export function mayTake(schema: Schema, data: object): boolean {
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
