import { isRecord, toRecord } from '../base/values.ts'
import { defOf, isSchema } from './schema.ts'
import type { Schema, SchemaDef } from './schema.ts'
import { innerOf, schemaOf, schemasOf, unwrap } from './unwrap.ts'

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
      return isRecord(data) ? inObject(toRecord(def['shape']), schemaOf(def['catchall']), data, path) : NONE
    case 'record':
      return inMembers(data, () => def['valueType'], path)
    case 'array':
      return inMembers(data, () => def['element'], path)
    case 'tuple': {
      const items = schemasOf(def['items'])
      return inMembers(data, (index) => items[Number(index)] ?? def['rest'], path)
    }
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

function inObject(
  shape: Readonly<Record<string, unknown>>,
  catchall: Schema | undefined,
  data: Readonly<Record<string, unknown>>,
  path: string,
): readonly string[] {
  const extra = catchall === undefined ? Object.keys(data).filter((key) => !Object.hasOwn(shape, key)) : NONE
  return [...extra.map((key) => `${path}${key}`), ...inMembers(data, (key) => shape[key], path)]
}

function inMembers(data: object, schemaAt: (key: string) => unknown, path: string): readonly string[] {
  return Object.entries(data).flatMap(([key, member]) => {
    const schema = schemaOf(schemaAt(key))
    return schema === undefined ? NONE : findUndeclared(schema, member, `${path}${key}.`)
  })
}
