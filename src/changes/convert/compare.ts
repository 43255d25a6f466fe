import { isRecord, toRecord } from '../../base/values.ts'
import { childrenOf, defOf, isSchema, schemaOf, schemasOf, toZod, type Schema } from '../../schema/schema.ts'
import { zod } from '../zod.ts'

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

/**
 * Whether two schemas are one: documents show them alike, and they have the same functions, which no document shows. A schema that was
 * written twice counts as one.
 */
export function isSameSchema(one: Schema, other: Schema): boolean {
  if (one === other) return true
  const types = [defOf(one).type, defOf(other).type]
  // saves writing out what differs at first sight, but not wrappers, whose order makes no difference
  if (types[0] !== types[1] && types.every((type) => COMPARED.has(type)) && !types.every(isWrapper))
    return false
  const [hidden, others] = [hiddenIn(one), hiddenIn(other)]
  if (hidden.length !== others.length || hidden.some((each, index) => each !== others[index])) return false
  try {
    return (['input', 'output'] as const).every((io) => textShown(one, io) === textShown(other, io))
  } catch {
    // one of them is refused in documents
    return false
  }
}

/** The JSON Schema of an object with a schema as its member, which says as well whether the member may be left out. */
function textShown(schema: Schema, io: 'input' | 'output'): string {
  const object = zod.object({ it: toZod(schema) })
  const shown = zod.toJSONSchema(object, { io, unrepresentable: 'any' })
  // the order of members makes no difference
  return JSON.stringify(shown, (key, value: unknown) => {
    if (isRecord(value)) return Object.fromEntries(Object.entries(value).toSorted(byName))
    return key === 'required' && Array.isArray(value) ? value.map(String).toSorted(byText) : value
  })
}

/** Lists what no document shows of a schema: functions, coercion, and the types and constraints of values that JSON does not have. */
function hiddenIn(schema: Schema, seen = new Set<Schema>()): readonly unknown[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { type, checks, fn, transform, reverseTransform, coerce } = toRecord(defOf(schema))
  const custom = schemasOf(checks).flatMap((check) => {
    const def = defOf(check)
    return def['check'] === 'custom' ? [def['fn'] ?? Reflect.get(check._zod, 'check')] : []
  })
  const constraints = constraintsOf(schema)
  return [
    ...[fn, transform, reverseTransform, ...custom].filter((each) => each !== undefined),
    ...(coerce === true ? ['coerce'] : []),
    ...constraints.flatMap(({ pattern }) => (pattern instanceof RegExp ? pattern.flags : [])),
    ...(UNSHOWN.has(String(type)) ? [type, ...constraints.map(textOf).toSorted(byText)] : []),
    ...childrenOf(schema).flatMap((child) => hiddenIn(child.schema, seen)),
  ]
}

/** Types of which documents show too little. */
const UNSHOWN: ReadonlySet<string> = new Set([
  'date',
  'bigint',
  'map',
  'set',
  'symbol',
  'undefined',
  'void',
  'nan',
])

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

function isWrapper(type: string): boolean {
  return WRAPPERS.has(type)
}

function innerOf(schema: Schema): Schema | undefined {
  const def = defOf(schema)
  return schemaOf(def.type === 'array' ? def['element'] : def['innerType'])
}

function withoutWrappers(schema: Schema): Schema {
  const inner = isWrapper(defOf(schema).type) ? innerOf(schema) : undefined
  return inner === undefined ? schema : withoutWrappers(inner)
}

export function valuesOf(schema: Schema): ReadonlySet<unknown> {
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
      .map(([name, value]): [string, string] => [name, String(value)])
      .toSorted(byName),
  )
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return byText(a, b)
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** Whether two schemas hold the same transform or codec. What `z.preprocess` prepares may be prepared again. */
export function shareTransform(one: Schema, other: Schema): boolean {
  const functions = transformsIn(one)
  return functions.size > 0 && [...transformsIn(other)].some((each) => functions.has(each))
}

function transformsIn(schema: Schema): ReadonlySet<unknown> {
  const functions = [...schemasIn(schema)].map((each) => {
    const { type, out, transform } = defOf(each)
    return type === 'pipe' ? (transform ?? (isSchema(out) ? defOf(out)['transform'] : undefined)) : undefined
  })
  return new Set(functions.filter((each) => each !== undefined))
}

/** A schema and the schemas in it. */
export function schemasIn(schema: Schema): ReadonlySet<Schema> {
  const seen = new Set([schema])
  // what is added while it is walked is walked too
  for (const each of seen) for (const child of childrenOf(each)) seen.add(child.schema)
  return seen
}
