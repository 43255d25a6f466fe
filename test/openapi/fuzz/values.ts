import * as fc from 'fast-check'

import { asObject, isObject } from './document.ts'
import type { Placed, ReadDocument } from './document.ts'

/**
 * What values are made of: the document, and values that mean something to the application, by the names that they go by, if
 * only in one operation.
 */
export interface Ground {
  readonly operation: string
  readonly document: ReadDocument
  readonly known: Readonly<Record<string, readonly unknown[]>>
}

/** The bytes of a file, whose type a schema or an encoding may name. */
export class Binary {
  readonly bytes: Buffer<ArrayBuffer>
  constructor(bytes: Buffer<ArrayBuffer>) {
    this.bytes = bytes
  }
}

// no emoji: JSON Schema counts code points, JavaScript UTF-16 units. No blanks at the ends: headers lose them, and schemas trim
const CHARS = Array.from(
  'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_.~!*\'()%&=+?/#@:;,<>"[]{}|\\^`$éßñ漢字Жα',
)
const TEXT = fc.constantFrom(...CHARS)
const DATE = fc.date({
  min: new Date('1971-01-01'),
  max: new Date('2199-12-31'),
  noInvalidDate: true,
})
const WORD = fc.string({ unit: fc.constantFrom(...'abcdefgh0123'.split('')), minLength: 1, maxLength: 12 })

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': DATE.map((date) => date.toISOString()),
  date: DATE.map((date) => date.toISOString().slice(0, 10)),
  time: DATE.map((date) => date.toISOString().slice(11)),
  duration: fc.tuple(fc.nat(300), fc.nat(20)).map(([days, hours]) => `P${days}DT${hours}H`),
  email: fc.tuple(WORD, WORD).map(([user, host]) => `${user}@${host}.example`),
  uri: fc.tuple(WORD, WORD).map(([host, path]) => `https://${host}.example/${path}?q=1`),
  uuid: fc.uuid({ version: 4 }),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  hostname: WORD.map((word) => `${word}.example`),
}

/** Makes values that a schema accepts; nested ones end after a few levels. */
export function valuesOf(placed: Placed, ground: Ground, depth = 0): fc.Arbitrary<unknown> {
  const { schema, pointer } = ground.document.resolve(placed)
  if (schema === false) return fc.constant(undefined)
  if (!isObject(schema) || Object.keys(schema).length === 0) return anything(depth)
  if (isBinary(schema)) return fc.uint8Array({ maxLength: 64 }).map((bytes) => new Binary(Buffer.from(bytes)))
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'])
  for (const word of ['anyOf', 'oneOf'] as const) {
    const options = schema[word]
    if (Array.isArray(options)) return oneOf(options, `${pointer}/${word}`, ground, depth)
  }
  if (Array.isArray(schema['allOf'])) return allOf(schema, pointer, ground, depth)
  const { type } = schema
  const types = Array.isArray(type) ? type : [type ?? guess(schema)]
  return fc.oneof(...types.map((each) => ofType(each, { schema, pointer }, ground, depth)))
}

/** Whether a schema stands for the bytes of a file. */
export function isBinary(schema: unknown): boolean {
  const { format, contentEncoding, contentMediaType } = asObject(schema)
  return (
    format === 'binary' ||
    contentEncoding === 'binary' ||
    (contentMediaType !== undefined &&
      contentEncoding === undefined &&
      contentMediaType !== 'application/json')
  )
}

function guess(schema: object): string {
  return 'properties' in schema || 'additionalProperties' in schema
    ? 'object'
    : 'items' in schema || 'prefixItems' in schema
      ? 'array'
      : 'any'
}

function anything(depth: number): fc.Arbitrary<unknown> {
  return depth > 2 ? fc.constant('any') : fc.oneof(text(0, 8), fc.integer(), fc.boolean())
}

function oneOf(options: readonly unknown[], pointer: string, ground: Ground, depth: number) {
  const placed = options.map((schema, index) => ({ schema, pointer: `${pointer}/${index}` }))
  // deep down, what refers to nothing else ends the recursion
  const plain = placed.filter(({ schema }) => !('$ref' in asObject(schema)))
  const chosen = depth > 3 && plain.length > 0 ? plain : placed
  return fc.constantFrom(...chosen).chain((each) => valuesOf(each, ground, depth + 1))
}

function allOf(schema: Readonly<Record<string, unknown>>, pointer: string, ground: Ground, depth: number) {
  const { allOf: parts, ...rest } = schema
  const all = (Array.isArray(parts) ? parts : []).map((part: unknown, index) => ({
    schema: part,
    pointer: `${pointer}/allOf/${index}`,
  }))
  const placed = 'properties' in rest || 'type' in rest ? [...all, { schema: rest, pointer }] : all
  const resolved = placed.map((each) => ground.document.resolve(each))
  if (resolved.every((each) => asObject(each.schema)['type'] === 'object')) {
    return fc
      .tuple(...resolved.map((each) => valuesOf(each, ground, depth + 1)))
      .map((values) => Object.assign({}, ...values))
  }
  const merged = Object.assign({}, ...resolved.map((each) => each.schema))
  return valuesOf({ schema: merged, pointer }, ground, depth + 1)
}

function ofType(type: unknown, placed: Placed, ground: Ground, depth: number): fc.Arbitrary<unknown> {
  const schema = asObject(placed.schema)
  switch (type) {
    case 'string':
      return strings(schema)
    case 'number':
      return numbers(schema, false)
    case 'integer':
      return numbers(schema, true)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrays(placed, ground, depth)
    case 'object':
      return objects(placed, ground, depth)
    default:
      return anything(depth)
  }
}

function text(min: number, max: number): fc.Arbitrary<string> {
  return fc.string({ unit: TEXT, minLength: min, maxLength: Math.max(min, Math.min(max, min + 20)) })
}

/** By their schemas: whether a pattern can be met is found by trying. */
const made = new WeakMap<object, fc.Arbitrary<string>>()

function strings(schema: Readonly<Record<string, unknown>>): fc.Arbitrary<string> {
  const known = made.get(schema) ?? toStrings(schema)
  made.set(schema, known)
  return known
}

function toStrings(schema: Readonly<Record<string, unknown>>): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = 30, contentEncoding } = schema
  const ofFormat = typeof format === 'string' ? FORMATS[format] : undefined
  if (ofFormat !== undefined) {
    // a pattern beside a format may be narrower
    if (typeof pattern !== 'string') return ofFormat
    const whole = new RegExp(pattern, 'u')
    if (fc.sample(ofFormat, { numRuns: 5, seed: 1 }).every((value) => whole.test(value))) return ofFormat
  }
  if (contentEncoding === 'base64' || format === 'base64' || format === 'byte')
    return fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  if (contentEncoding === 'base64url' || format === 'base64url')
    return fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64url'))
  if (typeof pattern === 'string') {
    const plain = text(Number(minLength), Number(maxLength))
    const own = new RegExp(pattern, 'u')
    // cheaper, by a second for \P{Cc}
    if (fc.sample(plain, { numRuns: 10, seed: 1 }).every((value) => own.test(value))) return plain
    try {
      const matching = fc.stringMatching(own, { maxLength: Number(maxLength) })
      fc.sample(matching, { numRuns: 1, seed: 1 })
      return matching
    } catch {
      // what fast-check cannot make values for is found by trying, or not at all
    }
  }
  return text(Number(minLength), Number(maxLength))
}

function numbers(schema: Readonly<Record<string, unknown>>, isInteger: boolean): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const step = typeof multipleOf === 'number' ? multipleOf : isInteger ? 1 : 0.125
  const bound = (inclusive: unknown, exclusive: unknown, otherwise: number, inward: 1 | -1): number => {
    const limits = [
      ...(typeof inclusive === 'number' ? [inclusive / step] : []),
      ...(typeof exclusive === 'number' ? [exclusive / step + inward * 1e-9] : []),
    ]
    if (limits.length === 0) return otherwise
    return inward === 1 ? Math.ceil(Math.max(...limits)) : Math.floor(Math.min(...limits))
  }
  const min = bound(minimum, exclusiveMinimum, Number.NEGATIVE_INFINITY, 1)
  const max = bound(maximum, exclusiveMaximum, Number.POSITIVE_INFINITY, -1)
  const low = Math.max(min, Math.min(-10_000, max - 10_000), Number.MIN_SAFE_INTEGER)
  const high = Math.min(max, Math.max(10_000, min + 10_000), Number.MAX_SAFE_INTEGER)
  return fc.integer({ min: Math.ceil(low), max: Math.floor(high) }).map((count) => count * step)
}

function arrays({ schema, pointer }: Placed, ground: Ground, depth: number): fc.Arbitrary<unknown[]> {
  const { items, prefixItems, minItems = 0, maxItems, uniqueItems } = asObject(schema)
  const first = (Array.isArray(prefixItems) ? prefixItems : []).map((each: unknown, index) =>
    valuesOf({ schema: each, pointer: `${pointer}/prefixItems/${index}` }, ground, depth + 1),
  )
  const min = Math.max(0, Number(minItems) - first.length)
  const max = Math.max(min, Math.min(Number(maxItems ?? min + 3) - first.length, depth > 3 ? min : min + 3))
  const options = {
    minLength: min,
    maxLength: items === false || (items === undefined && first.length > 0) ? 0 : max,
  }
  const rest = fc.constant(null).chain((): fc.Arbitrary<unknown[]> =>
    options.maxLength === 0
      ? fc.constant<unknown[]>([])
      : uniqueItems === true
        ? fc.uniqueArray(valuesOf({ schema: items, pointer: `${pointer}/items` }, ground, depth + 1), {
            ...options,
            comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
          })
        : fc.array(valuesOf({ schema: items, pointer: `${pointer}/items` }, ground, depth + 1), options),
  )
  return fc.tuple(fc.tuple(...first), rest).map(([start, end]) => [...start, ...end])
}

function objects({ schema, pointer }: Placed, ground: Ground, depth: number): fc.Arbitrary<unknown> {
  const { properties, required, additionalProperties, propertyNames, minProperties = 0 } = asObject(schema)
  const needed = new Set(Array.isArray(required) ? required : [])
  const entries = Object.entries(asObject(properties)).filter(([name]) => needed.has(name) || depth <= 3)
  const model = Object.fromEntries(
    entries.map(([name, each]) => [
      name,
      fc
        .constant(null)
        .chain(() =>
          withKnown(
            name,
            valuesOf(
              { schema: each, pointer: `${pointer}/properties/${escapeName(name)}` },
              ground,
              depth + 1,
            ),
            ground,
          ),
        ),
    ]),
  )
  const requiredKeys = entries.map(([name]) => name).filter((name) => needed.has(name))
  const own = fc.record(model, { requiredKeys })
  if (!isObject(additionalProperties) || depth > 3) return own
  const names = isObject(propertyNames)
    ? valuesOf({ schema: propertyNames, pointer: `${pointer}/propertyNames` }, ground, depth + 1).map(String)
    : WORD
  const values = fc
    .constant(null)
    .chain(() =>
      valuesOf(
        { schema: additionalProperties, pointer: `${pointer}/additionalProperties` },
        ground,
        depth + 1,
      ),
    )
  const more = fc.uniqueArray(fc.tuple(names, values), {
    minLength: Number(minProperties),
    maxLength: Number(minProperties) + 3,
    selector: ([name]) => name,
  })
  return fc.tuple(own, more).map(([some, others]) => ({ ...Object.fromEntries(others), ...some }))
}

/** Of a name that the application knows values of, most are those. */
export function withKnown(
  name: string,
  values: fc.Arbitrary<unknown>,
  { known, operation }: Ground,
): fc.Arbitrary<unknown> {
  const list = known[`${operation} ${name}`] ?? known[name]
  return list === undefined ? values : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...list) }, values)
}

function escapeName(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
