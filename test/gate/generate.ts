import { isRecord } from '../inside/parts.ts'

/** Random numbers that are the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'abc',
  'A',
  '0',
  '12',
  'xyz',
  'hello world',
  'xx',
  'abcdefghij',
  '2024-02-29',
  '2024-02-29T12:00:00Z',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
]
const NUMBERS = [0, 1, -1, 2, 3, 4, 5, 9, 10, 15, 100, 0.5, 1.5, -7, 2 ** 31, -(2 ** 31) - 1, 1e9]

/**
 * Makes up a value from a JSON schema: its own words, without a look at how the gate reads schemas. Many values do not fit: who uses it
 * keeps those that a validator takes.
 */
export function generate(schema: unknown, defs: Defs, random: () => number, depth = 0): unknown {
  if (schema === true || !isRecord(schema) || Object.keys(schema).length === 0)
    return pick<unknown>([null, true, 1, 'a', [], {}, [1], { a: 'a' }], random)
  if (typeof schema['$ref'] === 'string')
    return generate(defs[schema['$ref'].split('/').at(-1) ?? ''], defs, random, depth)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return pick(schema['enum'], random)
  for (const key of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[key])) return generate(pick(schema[key], random), defs, random, depth)
  if (Array.isArray(schema['allOf']))
    return merge(schema['allOf'].map((one) => generate(one, defs, random, depth)))
  return generateTyped(schema, defs, random, depth)
}

type Defs = Readonly<Record<string, unknown>>

function pick<T>(all: readonly T[], random: () => number): T | undefined {
  return all[Math.floor(random() * all.length)]
}

function generateTyped(schema: Defs, defs: Defs, random: () => number, depth: number): unknown {
  const type = Array.isArray(schema['type'])
    ? pick(schema['type'], random)
    : (schema['type'] ?? typeByKeyword(schema))
  if (type === 'null') return null
  if (type === 'boolean') return random() < 0.5
  if (type === 'integer' || type === 'number') {
    const keys = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
    const edges = keys.flatMap((key) => {
      const edge = schema[key]
      return typeof edge === 'number' ? [edge, edge + 1, edge - 1, edge + 0.5, edge * 2] : []
    })
    return pick([...NUMBERS, ...edges, ...edges], random)
  }
  if (type === 'string') return generateText(schema, random)
  if (type === 'array') return generateItems(schema, defs, random, depth)
  return generateMembers(schema, defs, random, depth)
}

function generateText(schema: Defs, random: () => number): string {
  const text = pick(TEXTS, random) ?? ''
  const [least, most] = [schema['minLength'], schema['maxLength']]
  const near = typeof least === 'number' ? least : 0
  const length = typeof most === 'number' && random() < 0.5 ? most - 2 : near
  return random() < 0.5 ? text : text.padEnd(length + Math.floor(random() * 4), 'x')
}

function typeByKeyword(schema: Readonly<Record<string, unknown>>): string {
  if ('properties' in schema || 'required' in schema) return 'object'
  if ('minimum' in schema || 'maximum' in schema) return 'number'
  return 'items' in schema ? 'array' : 'string'
}

function merge(values: readonly unknown[]): unknown {
  return values.every(isRecord) ? Object.assign({}, ...values) : values[0]
}

function generateItems(
  schema: Readonly<Record<string, unknown>>,
  defs: Readonly<Record<string, unknown>>,
  random: () => number,
  depth: number,
): unknown {
  const prefix = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
  const most = depth > 4 ? least : least + Math.floor(random() * 4) + Math.floor(random() * 8)
  const length = Math.max(prefix.length > 0 && random() < 0.8 ? prefix.length : 0, most)
  return Array.from({ length }, (_, at) => generate(prefix[at] ?? schema['items'], defs, random, depth + 1))
}

function generateMembers(schema: Defs, defs: Defs, random: () => number, depth: number): unknown {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const value: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(properties), ...required]))
    if (required.includes(name) || (depth < 3 && random() < 0.6))
      value[name] = generate(properties[name], defs, random, depth + 1)
  const patterns = isRecord(schema['patternProperties']) ? Object.values(schema['patternProperties']) : []
  for (const [at, inner] of patterns.entries())
    if (random() < 0.5) value[['a', 'abc'][at] ?? 'a'] = generate(inner, defs, random, depth + 1)
  return { ...generateOthers(schema, defs, random, depth), ...value }
}

/** Members that an object does not name are sent only where the schema says what they are. */
function generateOthers(schema: Defs, defs: Defs, random: () => number, depth: number): Defs {
  const rest = schema['additionalProperties']
  const isMap = isRecord(rest) || ('minProperties' in schema && !('properties' in schema))
  const names = ['a', 'key', 'b1', 'abc', 'z'].slice(0, isMap ? Math.floor(random() * 6) : 0)
  return Object.fromEntries(
    names.map((name) => [name, generate(isRecord(rest) ? rest : {}, defs, random, depth + 1)]),
  )
}
