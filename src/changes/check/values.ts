import { inspect } from 'node:util'

import { defOf, isSchema, schemaOf, schemasOf, toZod, lazyInner, type Schema } from '../../schema/schema.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import { edgesOf, limitsOf, toNumber, type DrawValid } from './edges.ts'
import { textOf, type Random } from './random.ts'

/** The choices that values are drawn by. */
export interface Source {
  readonly random: Random
  /** Numbers at which other schemas end, as lengths and as values. */
  readonly hints: readonly number[]
}

/** Draws per value that is wanted. */
const TRIES = 8
/** Objects in objects in objects stay small from this depth on. */
const DEEP = 4

/**
 * Generates distinct valid input values of a schema: its edges, and `count` random values. A seed always returns the same
 * values. The list is empty if none can be generated.
 */
export function valuesOf(schema: Schema, source: Source, count: number): readonly unknown[] {
  const found = new Map<string, unknown>()
  const drawValid: DrawValid = (part, depth) => {
    for (let tried = 0; tried < TRIES; tried++) {
      const drawn = draw(part, source, depth)
      if (validated(part, drawn) !== undefined) return { value: drawn }
    }
    return undefined
  }
  for (const edge of edgesOf(schema, drawValid, 0)) {
    const value = validated(schema, edge)
    if (value !== undefined) found.set(keyOf(value.value), value.value)
  }
  const most = found.size + count
  for (let tried = 0; tried < count * TRIES && found.size < most; tried++) {
    const value = validated(schema, draw(schema, source, 0))
    if (value !== undefined) found.set(keyOf(value.value), value.value)
  }
  return [...found.values()]
}

/** Combines values of several keys, so that each value occurs. */
export function combined<K>(
  pools: ReadonlyMap<K, readonly unknown[]>,
  random: Random,
): readonly ReadonlyMap<K, unknown>[] {
  const length = Math.max(0, ...[...pools.values()].map((values) => values.length))
  const at = (values: readonly unknown[], index: number): unknown =>
    index < values.length ? values[index] : random.pick(values)
  return Array.from(
    { length },
    (_, index) => new Map([...pools].map(([key, values]) => [key, at(values, index)])),
  )
}

/** Parses a value with a schema. Returns `undefined` if the schema refuses it or is asynchronous. */
export function validated(schema: Schema, value: unknown): { readonly value: unknown } | undefined {
  try {
    const { success, data } = toZod(schema).safeParse(value)
    return success ? { value: data } : undefined
  } catch {
    return undefined
  }
}

function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' || typeof member === 'number' || member === undefined
      ? `${String(member)} ${typeof member}`
      : member,
  )
}

type Draw = (schema: Schema, source: Source, depth: number) => unknown

/** One value that a schema may take; it may be refused. */
const draw: Draw = (schema, source, depth) => DRAW[defOf(schema).type]?.(schema, source, depth)

const TEXTS = ['', 'a', 'Ann', 'Ann Lee', 'Ann Marie Lee', ' a ', '0', '7', '-1.5', 'true', 'Ünï ☂', 'null']
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz ABC-0123456789')

const text: Draw = (schema, { random, hints }) => {
  const { format = '', pattern, least, most } = limitsOf(schema)
  const make = FORMATS[format]
  if (make !== undefined) return make(random)
  if (pattern !== undefined && random.isLikely(0.9)) return textOf(pattern, random)
  if (random.isLikely(0.4)) return random.pick(TEXTS)
  const from = toNumber(least) ?? 0
  const to = toNumber(most) ?? from + 12
  const lengths = [from, to, random.whole(from, to), ...hints].filter((each) => each >= 0 && each <= 10_000)
  return Array.from({ length: Math.floor(random.pick(lengths) ?? 0) }, () => random.pick(LETTERS)).join('')
}

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.whole(0, 9)).join('')
const day = (random: Random): Date => new Date(random.whole(0, 2 ** 31) * 1000)

/** Formats whose patterns are too strict or too loose to draw from. */
const FORMATS: Readonly<Record<string, (random: Random) => string>> = {
  email: (random) => `ann${digits(random, 2)}@example.com`,
  url: (random) => `https://example.com/${digits(random, 2)}`,
  uuid: (random) =>
    `${digits(random, 8)}-${digits(random, 4)}-4${digits(random, 3)}-8${digits(random, 3)}-${digits(random, 12)}`,
  guid: (random) =>
    `${digits(random, 8)}-${digits(random, 4)}-4${digits(random, 3)}-8${digits(random, 3)}-${digits(random, 12)}`,
  datetime: (random) => day(random).toISOString(),
  date: (random) => day(random).toISOString().slice(0, 10),
  time: (random) => day(random).toISOString().slice(11, 19),
  ipv4: (random) => `${random.whole(1, 255)}.0.0.${random.whole(0, 255)}`,
  ipv6: (random) => `2001:db8::${random.whole(1, 9999)}`,
  base64: (random) => btoa(digits(random, 6)),
  json_string: (random) => `{"a":${random.whole(0, 9)}}`,
}

const number: Draw = (schema, { random, hints }) => {
  const { least, most, step } = limitsOf(schema)
  const from = toNumber(least) ?? (toNumber(most) ?? 1000) - 2000
  const to = toNumber(most) ?? from + 2000
  const whole = random.whole(Math.ceil(from), Math.floor(to))
  // a change may round to tenths or thousandths
  const fraction = whole + random.whole(1, 999_999) / 1_000_000
  const drawn = [whole, whole, whole + 0.5, fraction, from, to, from + 1, to - 1, 0, 1, -1, ...hints]
  const value = random.pick(drawn) ?? 0
  const unit = toNumber(step)
  return unit === undefined ? value : Math.round(value / unit) * unit
}

const bigint: Draw = (schema, { random }) => {
  const { least, most } = limitsOf(schema)
  const below = typeof most === 'bigint' ? most - 1000n : 0n
  const from = typeof least === 'bigint' ? least : below
  const to = typeof most === 'bigint' ? most : from + 1000n
  return random.pick([from, to, from + BigInt(random.whole(0, 1000))])
}

const date: Draw = (schema, { random }) => {
  const { least, most } = limitsOf(schema)
  const [from, to] = [least, most].map((limit) => (limit instanceof Date ? limit.getTime() : undefined))
  return random.pick([day(random), new Date(from ?? 0), new Date(to ?? from ?? 1e12)])
}

const wrapper: Draw = (schema, source, depth) => {
  const inner = schemaOf(defOf(schema)['innerType']) ?? lazyInner(schema)
  return inner === undefined ? undefined : draw(inner, source, depth)
}

/** Leaves out optional values at times, and always where a schema that holds itself has to end. */
const optional =
  (missing: unknown): Draw =>
  (schema, source, depth) =>
    depth > DEEP || source.random.isLikely(0.2) ? missing : wrapper(schema, source, depth)

const object: Draw = (schema, source, depth) =>
  Object.fromEntries(
    Object.entries(toRecord(defOf(schema)['shape'])).flatMap(([key, field]) => {
      const value = isSchema(field) ? draw(field, source, depth + 1) : undefined
      return value === undefined ? [] : [[key, value] as const]
    }),
  )

function lengthOf(schema: Schema, { random, hints }: Source, depth: number): number {
  const limits = limitsOf(schema)
  const least = toNumber(limits.least) ?? 0
  if (depth > DEEP) return least
  const most = toNumber(limits.most) ?? least + 2
  const near = hints.filter((hint) => Number.isInteger(hint) && hint >= least && hint <= Math.min(most, 100))
  return random.pick([least, random.whole(least, Math.min(most, least + 5)), ...near]) ?? least
}

const list =
  (member: string) =>
  (schema: Schema, source: Source, depth: number): readonly unknown[] => {
    const element = schemaOf(defOf(schema)[member])
    if (element === undefined) return []
    return Array.from({ length: lengthOf(schema, source, depth) }, () => draw(element, source, depth + 1))
  }

function entries(schema: Schema, source: Source, depth: number): readonly (readonly [unknown, unknown])[] {
  const { keyType, valueType } = defOf(schema)
  if (!isSchema(keyType) || !isSchema(valueType)) return []
  return Array.from({ length: lengthOf(schema, source, depth) }, () => [
    draw(keyType, source, depth + 1),
    draw(valueType, source, depth + 1),
  ])
}

const record: Draw = (schema, source, depth) => {
  const { keyType, valueType } = defOf(schema)
  const keys = isSchema(keyType) ? defOf(keyType)['entries'] : undefined
  if (isRecord(keys) && isSchema(valueType))
    return Object.fromEntries(Object.values(keys).map((key) => [key, draw(valueType, source, depth + 1)]))
  return Object.fromEntries(entries(schema, source, depth).map(([key, value]) => [String(key), value]))
}

const tuple: Draw = (schema, source, depth) =>
  schemasOf(defOf(schema)['items']).map((item) => draw(item, source, depth + 1))

const union: Draw = (schema, source, depth) => {
  const option = source.random.pick(schemasOf(defOf(schema)['options']))
  return option === undefined ? undefined : draw(option, source, depth + 1)
}

const intersection: Draw = (schema, source, depth) => {
  const { left, right } = defOf(schema)
  const [one, other] = [left, right].map((side) => (isSchema(side) ? draw(side, source, depth) : undefined))
  return isRecord(one) && isRecord(other) ? { ...one, ...other } : one
}

/** A transform takes the values of its first schema; a preprocess takes those of its second one. */
const pipe: Draw = (schema, source, depth) => {
  const { in: first, out } = defOf(schema)
  const taken = isSchema(first) && defOf(first).type !== 'transform' ? first : schemaOf(out)
  return taken === undefined ? undefined : draw(taken, source, depth)
}

const anything: Draw = (_, { random }) => random.pick<unknown>([...TEXTS, 0, 1.5, true, null, {}, []])

const DRAW: Readonly<Record<string, Draw>> = {
  any: anything,
  string: text,
  number,
  int: number,
  bigint,
  boolean: (_, { random }) => random.isLikely(0.5),
  date,
  null: () => null,
  nan: () => Number.NaN,
  unknown: anything,
  enum: (schema, { random }) => random.pick(Object.values(toRecord(defOf(schema)['entries']))),
  literal: (schema, { random }) => {
    const { values } = defOf(schema)
    return Array.isArray(values) ? random.pick<unknown>(values) : undefined
  },
  template_literal: (schema, { random }) => {
    const pattern: unknown = Reflect.get(schema._zod, 'pattern')
    return pattern instanceof RegExp ? textOf(pattern, random) : ''
  },
  optional: optional(undefined),
  default: optional(undefined),
  prefault: optional(undefined),
  nullable: optional(null),
  readonly: wrapper,
  nonoptional: wrapper,
  catch: wrapper,
  lazy: wrapper,
  object,
  array: list('element'),
  set: (schema, source, depth) => new Set(list('valueType')(schema, source, depth)),
  map: (schema, source, depth) => new Map(entries(schema, source, depth)),
  record,
  tuple,
  union,
  intersection,
  pipe,
}

/** Writes a value for messages. */
export function show(value: unknown): string {
  return inspect(value, { breakLength: Infinity, maxStringLength: 60, maxArrayLength: 5, depth: 3 })
}
