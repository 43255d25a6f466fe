import {
  defOf,
  isSchema,
  schemaOf,
  schemasOf,
  unwrap,
  unwrapSchema,
  childrenOf,
  type Schema,
} from './schema.ts'

/** Whether the schema is an object that refuses what it does not declare. */
export function isStrict(schema: Schema): boolean {
  const def = unwrap(schema)
  const catchall = def?.type === 'object' ? schemaOf(def['catchall']) : undefined
  return catchall !== undefined && defOf(catchall).type === 'never'
}

/** Whether the schema may take a string: then a body of a text type is handed to it. */
export function acceptsText(schema: Schema): boolean {
  const def = unwrap(schema)
  if (def?.type === 'union') return schemasOf(def['options']).some(acceptsText)
  return def === undefined || TEXT_TYPES.has(def.type)
}

/** Whether the schema may take anything but a string. */
export function acceptsData(schema: Schema): boolean {
  const def = unwrap(schema)
  if (def?.type === 'union') return schemasOf(def['options']).some(acceptsData)
  return def === undefined || !['string', 'template_literal'].includes(def.type)
}

/** Whether the schema is `z.instanceof(Uint8Array)`: then the body's bytes are handed to it. */
export function acceptsBytes(schema: Schema): boolean {
  const inner = unwrapSchema(schema)
  if (inner === undefined || defOf(inner).type !== 'custom') return false
  const type = instanceClass(inner)
  return type === Uint8Array || type === Buffer
}

/** Whether what a schema makes is `undefined` alone. */
export function isNothing(schema: Schema): boolean {
  return ['void', 'undefined'].includes(defOf(schema).type)
}

/** Whether what a schema makes may be `undefined`, as far as the schema shows it. */
export function mayBeNothing(schema: Schema): boolean {
  const { type, options, innerType } = defOf(schema)
  if (['any', 'unknown', 'optional'].includes(type) || isNothing(schema)) return true
  const parts = type === 'union' ? options : [WRAPPERS.has(type) ? innerType : undefined]
  return schemasOf(parts).some(mayBeNothing)
}

const WRAPPERS = new Set(['nullable', 'readonly'])

/** The class of `z.instanceof(…)`, or `undefined` for other schemas. */
export function instanceClass(schema: Schema): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod keeps the class in `_zod.bag`, and what a check was added to as `parent`
  const { bag, parent } = schema._zod as unknown as {
    readonly bag?: { readonly Class?: unknown }
    readonly parent?: unknown
  }
  return bag?.Class ?? (isSchema(parent) ? instanceClass(parent) : undefined)
}

/** Field names that every object inherits: a schema that declares one must not see the inherited member. */
export function declaresInherited(schema: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  if (defOf(schema).type === 'lazy' && seen.size > MAX_SCHEMAS) return true
  if (isOpen(schema) && isBefore44(schema)) return true
  return childrenOf(schema).some(
    ({ member, key = '', schema: child }) =>
      (member === 'shape' && key in Object.prototype) || declaresInherited(child, seen),
  )
}

/** Whether an object keeps members that it does not know. */
function isOpen(schema: Schema): boolean {
  const others = schemaOf(defOf(schema)['catchall'])
  return others !== undefined && defOf(others).type !== 'never'
}

/** Before 4.4, zod makes the value of `__proto__` the prototype of an object that keeps members that it does not know. */
function isBefore44(schema: Schema): boolean {
  const minor: unknown = Reflect.get(Object(Reflect.get(schema._zod, 'version')), 'minor')
  return typeof minor === 'number' && minor < 4
}

/** A lazy schema can make new ones for ever; beyond this many the answer is taken to be yes. */
const MAX_SCHEMAS = 1000

const TEXT_TYPES = new Set([
  'string',
  'template_literal',
  'any',
  'unknown',
  'custom',
  'transform',
  'enum',
  'literal',
])
