import { defOf, isSchema, schemaOf, schemasOf, lazyInner, type Schema } from '../../schema/schema.ts'
import { isRecord, toRecord } from '../../base/values.ts'

/** Where the checks of a schema end. Numbers are lengths, sizes or values. */
interface Limits {
  readonly least?: unknown
  readonly most?: unknown
  readonly step?: unknown
  readonly format?: string
  readonly pattern?: RegExp
}

const LEAST = new Set(['min_length', 'min_size', 'greater_than'])
const MOST = new Set(['max_length', 'max_size', 'less_than'])

/** Reads the limits of a schema from its checks. */
export function limitsOf(schema: Schema): Limits {
  const def = defOf(schema)
  const { checks } = def
  const all = [def, ...(Array.isArray(checks) ? checks.filter(isSchema).map(defOf) : [])]
  return Object.assign({}, ...all.map(limitOf))
}

function limitOf(def: Readonly<Record<string, unknown>>): Limits {
  const { format, pattern } = def
  const check = String(def['check'])
  const limit = def['minimum'] ?? def['maximum'] ?? def['value']
  if (LEAST.has(check)) return { least: limit }
  if (MOST.has(check)) return { most: limit }
  if (check === 'length_equals') return { least: def['length'], most: def['length'] }
  if (check === 'size_equals') return { least: def['size'], most: def['size'] }
  if (check === 'multiple_of') return { step: limit }
  if (check !== 'string_format' || typeof format !== 'string') return {}
  return pattern instanceof RegExp ? { format, pattern } : { format }
}

/** The numbers at which a schema ends, with their neighbours. */
export function hintsOf(schema: Schema): readonly number[] {
  const inner = schemaOf(defOf(schema)['innerType'])
  const { least, most } = limitsOf(schema)
  const own = [least, most].filter((value) => typeof value === 'number')
  return [
    ...own.flatMap((value) => [value - 1, value, value + 1]),
    ...(inner === undefined ? [] : hintsOf(inner)),
  ]
}

/** A finite number, or `undefined` for anything else. */
export function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Draws a valid value of a schema, or `undefined` if none was found. */
export type DrawValid = (schema: Schema, depth: number) => { readonly value: unknown } | undefined

type Edges = (schema: Schema, drawValid: DrawValid, depth: number) => readonly unknown[]

/** Objects in objects have edges of their own down to this depth. */
const DEEPEST = 3

/**
 * The values at which a schema ends, each in a value that is valid otherwise: the limits of numbers and dates, empty and long texts, all
 * alternatives, absent values and null. Some of them may be refused.
 */
export const edgesOf: Edges = (schema, drawValid, depth) =>
  depth > DEEPEST ? [] : (EDGES[defOf(schema).type]?.(schema, drawValid, depth) ?? [])

/** An astral character, one of several code points, and half of a pair. */
const ODD_TEXTS = ['\u{1F600}', 'e\u0301\u{1F469}\u200D\u{1F467}', '\uD800']
const LONG = 1000
const MOMENTS = [
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '2024-02-29T12:00:00+14:00',
  '9999-12-31T23:59:59.999Z',
]
const TEXTS_OF: Readonly<Record<string, readonly string[]>> = {
  date: MOMENTS.map((moment) => moment.slice(0, 10)),
  datetime: MOMENTS,
  time: ['00:00:00', '23:59:59'],
}

const text: Edges = (schema) => {
  const { format, least, most } = limitsOf(schema)
  if (format !== undefined) return TEXTS_OF[format] ?? []
  const lengths = [toNumber(least) ?? 0, Math.min(toNumber(most) ?? LONG, 10 * LONG)]
  return [...lengths.map((length) => 'a'.repeat(length)), ...ODD_TEXTS]
}

const NUMBERS = [1e15, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE].flatMap((value) => [value, -value])

const number: Edges = (schema) => {
  const { least, most } = limitsOf(schema)
  const ends = [least, most].flatMap((limit) => toNumber(limit) ?? [])
  return [...ends, ...NUMBERS, 1e-7]
}

const bigint: Edges = (schema) => {
  const { least, most } = limitsOf(schema)
  return [least, most, 0n, 2n ** 64n, -(2n ** 64n)].filter((value) => typeof value === 'bigint')
}

const date: Edges = (schema) => {
  const { least, most } = limitsOf(schema)
  return [least, most, ...MOMENTS.map((moment) => new Date(moment))].filter((value) => value instanceof Date)
}

const wrapper: Edges = (schema, drawValid, depth) => {
  const inner = schemaOf(defOf(schema)['innerType']) ?? lazyInner(schema)
  return inner === undefined ? [] : edgesOf(inner, drawValid, depth)
}

const wrapped =
  (missing: unknown): Edges =>
  (...given) => [missing, ...wrapper(...given)]

/** A valid object, and for each field the same with each edge of it, and without it. */
const object: Edges = (schema, drawValid, depth) => {
  const drawn = drawValid(schema, depth)?.value
  if (!isRecord(drawn)) return []
  return Object.entries(toRecord(defOf(schema)['shape'])).flatMap(([key, field]) => {
    const edges = isSchema(field) ? edgesOf(field, drawValid, depth + 1) : []
    return edges.map((edge) => {
      const { [key]: _, ...others } = drawn
      return edge === undefined ? others : { ...others, [key]: edge }
    })
  })
}

const list: Edges = (schema, drawValid, depth) => {
  const element = schemaOf(defOf(schema)['element'])
  if (element === undefined) return []
  const { least, most } = limitsOf(schema)
  const lengths = [toNumber(least) ?? 0, Math.min(toNumber(most) ?? 3, 50)]
  const first = drawValid(element, depth + 1)
  const whole =
    first === undefined ? [[]] : lengths.map((length) => Array.from({ length }, () => first.value))
  const [shortest = []] = whole
  return [...whole, ...edgesOf(element, drawValid, depth + 1).map((edge) => [edge, ...shortest.slice(1)])]
}

const record: Edges = (schema, drawValid, depth) => {
  const { keyType, valueType } = defOf(schema)
  const key = isSchema(keyType) ? drawValid(keyType, depth + 1)?.value : undefined
  const edges = isSchema(valueType) ? edgesOf(valueType, drawValid, depth + 1) : []
  return [{}, ...(typeof key === 'string' ? edges.map((edge) => ({ [key]: edge })) : [])]
}

const tuple: Edges = (schema, drawValid, depth) => {
  const drawn = drawValid(schema, depth)?.value
  if (!Array.isArray(drawn)) return []
  return schemasOf(defOf(schema)['items']).flatMap((item, index) =>
    edgesOf(item, drawValid, depth + 1).map((edge) => drawn.with(index, edge)),
  )
}

const union: Edges = (schema, drawValid, depth) =>
  schemasOf(defOf(schema)['options']).flatMap((option) => {
    const drawn = drawValid(option, depth)
    return [...(drawn === undefined ? [] : [drawn.value]), ...edgesOf(option, drawValid, depth)]
  })

const pipe: Edges = (schema, drawValid, depth) => {
  const { in: first, out } = defOf(schema)
  const taken = isSchema(first) && defOf(first).type !== 'transform' ? first : schemaOf(out)
  return taken === undefined ? [] : edgesOf(taken, drawValid, depth)
}

const EDGES: Readonly<Record<string, Edges>> = {
  string: text,
  number,
  int: number,
  bigint,
  boolean: () => [true, false],
  date,
  enum: (schema) => Object.values(toRecord(defOf(schema)['entries'])),
  literal: (schema) => {
    const { values } = defOf(schema)
    return Array.isArray(values) ? values : []
  },
  optional: wrapped(undefined),
  default: wrapped(undefined),
  prefault: wrapped(undefined),
  nullable: wrapped(null),
  readonly: wrapper,
  nonoptional: wrapper,
  catch: wrapper,
  lazy: wrapper,
  object,
  array: list,
  record,
  tuple,
  union,
  pipe,
}
