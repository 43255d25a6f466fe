import { defOf, schemaOf, toZod, objectShape, type Schema } from '../../schema/schema.ts'

/** The kind of values that a schema takes and returns, or `undefined` if that is not plain, as of coerced ones. */
export function plainKind(schema: Schema): string | undefined {
  const { type, coerce } = { coerce: undefined, ...defOf(schema) }
  return PLAIN.has(type) && coerce !== true ? type : undefined
}

const PLAIN: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'bigint',
  'date',
  'array',
  'object',
])

/** Whether a schema refuses an absent value. */
export function isRequired(schema: Schema | undefined): boolean {
  try {
    return schema !== undefined && !toZod(schema).safeParse(undefined).success
  } catch {
    // its own checks take time, or want another value
    return false
  }
}

/** Whether two schemas are one schema, or lists and wrappers of one. */
export function isSameSchema(one: Schema, other: Schema): boolean {
  if (one === other || isAlike(one, other)) return true
  const [inner, otherInner] = [innerOf(one), innerOf(other)]
  const { type } = defOf(one)
  return (
    isHolder(type) &&
    type === defOf(other).type &&
    inner !== undefined &&
    otherInner !== undefined &&
    isSameSchema(inner, otherInner)
  )
}

/** Whether two schemas are one schema, or objects whose fields are: a schema that was written twice counts as one. */
export function isSameBody(one: Schema, other: Schema): boolean {
  if (isSameSchema(one, other)) return true
  const [inner, otherInner] = [innerOf(one), innerOf(other)]
  const { type } = defOf(one)
  if (type !== defOf(other).type) return false
  if (type !== 'object')
    return isHolder(type) && inner !== undefined && otherInner !== undefined && isSameBody(inner, otherInner)
  const [fields, others] = [Object.entries(objectShape(one)), objectShape(other)]
  return (
    restOf(one) === restOf(other) &&
    fields.length === Object.keys(others).length &&
    fields.every(([name, field]) => others[name] !== undefined && isSameBody(field, others[name]))
  )
}

/** The kind of the members that an object does not name. */
function restOf(schema: Schema): string | undefined {
  const rest = schemaOf(defOf(schema)['catchall'])
  return rest === undefined ? undefined : defOf(rest).type
}

/** Whether two schemas are of one kind with the same constraints, as far as their definitions say. */
export function isAlike(one: Schema, other: Schema): boolean {
  if (one === other) return true
  const [a, b] = [defOf(one), defOf(other)]
  if (a.type !== b.type || !COMPARED.has(a.type)) return false
  if (isHolder(a.type)) {
    const [inner, otherInner] = [innerOf(one), innerOf(other)]
    if (inner === undefined || otherInner === undefined || !isAlike(inner, otherInner)) return false
  }
  const [values, others] = [valuesOf(one), valuesOf(other)]
  return (
    values.size === others.size &&
    [...values].every((value) => others.has(value)) &&
    Reflect.get(a, 'coerce') === Reflect.get(b, 'coerce') &&
    isImplied(one, other) &&
    isImplied(other, one)
  )
}

/** Whether a schema refuses values that another one of its kind takes. Only their definitions are compared. */
export function isNarrower(newer: Schema, older: Schema): boolean {
  const [now, was] = [withoutWrappers(newer), withoutWrappers(older)]
  const { type } = defOf(now)
  if (now === was || type !== defOf(was).type || !COMPARED.has(type)) return false
  const [element, olderElement] = [innerOf(now), innerOf(was)]
  if (element !== undefined && olderElement !== undefined && isNarrower(element, olderElement)) return true
  const values = valuesOf(now)
  if (type === 'enum' || type === 'literal') return [...valuesOf(was)].some((value) => !values.has(value))
  return !isImplied(now, was)
}

function isHolder(type: string): boolean {
  return type === 'array' || WRAPPERS.has(type)
}

const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'nullable', 'readonly'])

const COMPARED: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'bigint',
  'date',
  'array',
  'enum',
  'literal',
  ...WRAPPERS,
])

function innerOf(schema: Schema): Schema | undefined {
  const def = defOf(schema)
  return schemaOf(def.type === 'array' ? def['element'] : def['innerType'])
}

function withoutWrappers(schema: Schema): Schema {
  const inner = WRAPPERS.has(defOf(schema).type) ? innerOf(schema) : undefined
  return inner === undefined ? schema : withoutWrappers(inner)
}

function valuesOf(schema: Schema): ReadonlySet<unknown> {
  const values: unknown = Reflect.get(schema._zod, 'values')
  return values instanceof Set ? values : new Set()
}

/** A constraint of a schema, as zod defines it. */
type Constraint = Readonly<Record<string, unknown>>

function constraintsOf(schema: Schema): readonly Constraint[] {
  const { checks, ...own } = defOf(schema)
  const all: readonly unknown[] = Array.isArray(checks) ? checks : []
  const defs = all.map((check) => Object(Object(Object(check)['_zod'])['def']))
  return [...(own['check'] === undefined ? [] : [own]), ...defs].filter(({ check }) => check !== 'overwrite')
}

/** Whether values of the older schema fit every constraint of the newer one. */
function isImplied(newer: Schema, older: Schema): boolean {
  const given = constraintsOf(older)
  return constraintsOf(newer).every((asked) => given.some((each) => implies(each, asked)))
}

function implies(given: Constraint, asked: Constraint): boolean {
  if (given === asked) return true
  const { check } = asked
  if (given['check'] !== check) return false
  const bound = BOUNDS[String(check)]
  if (bound !== undefined) {
    const [name, sign] = bound
    const [mine, theirs] = [Number(given[name]), Number(asked[name])]
    if (mine === theirs) return asked['inclusive'] !== false || given['inclusive'] === false
    return sign > 0 ? mine > theirs : mine < theirs
  }
  // every format of numbers but floats takes safe integers alone
  if (check === 'number_format' && asked['format'] === 'safeint')
    return !String(given['format']).startsWith('float')
  return check !== 'custom' && textOf(given) === textOf(asked)
}

/** The members that hold bounds, and whether a greater one is stricter. */
const BOUNDS: Readonly<Record<string, readonly [name: string, sign: number]>> = {
  greater_than: ['value', 1],
  less_than: ['value', -1],
  min_length: ['minimum', 1],
  max_length: ['maximum', -1],
}

/** Writes a constraint without its messages. */
function textOf(constraint: Constraint): string {
  return JSON.stringify(
    Object.entries(constraint)
      .filter(([, value]) => typeof value !== 'function')
      .map(([name, value]) => [name, String(value)])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )
}
