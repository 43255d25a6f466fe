import { hasPart, toRegExp } from './check-value.ts'
import type { ArrayPart, NumberPart, ObjectPart, Alternative, ValueSet, StringPart } from './shape.ts'

/** How many values of a shape are made up, and how deep. */
const MOST = 24
const DEEPEST = 4

/** Values of a part, those at its edges first: values to show that another shape lacks one. Only values that the part surely has. */
export function alternativeSamples(part: Alternative): readonly unknown[] {
  const known = SAMPLES.get(part)
  if (known !== undefined) return known
  const made = toSamples(part, 0).filter((value) => hasPart(part, value) === true)
  SAMPLES.set(part, made)
  return made
}

const SAMPLES = new WeakMap<Alternative, readonly unknown[]>()

/** Samples of shapes by their depth. Many schemas lead to the same ones, so each is made once. */
const OF_SHAPES = new WeakMap<ValueSet, Map<number, readonly unknown[]>>()

function ofShape(shape: ValueSet, depth: number): readonly unknown[] {
  if (depth > DEEPEST) return []
  const known = OF_SHAPES.get(shape) ?? new Map<number, readonly unknown[]>()
  OF_SHAPES.set(shape, known)
  const found = known.get(depth) ?? shape.parts.flatMap((part) => toSamples(part, depth)).slice(0, MOST)
  known.set(depth, found)
  return found
}

function toSamples(part: Alternative, depth: number): readonly unknown[] {
  if (part.kind === 'value') return [part.value]
  if (part.kind === 'number') return toNumbers(part)
  if (part.kind === 'string') return toStrings(part)
  return part.kind === 'array' ? toArrays(part, depth) : toObjects(part, depth)
}

function toNumbers({ isInteger, min, max, multiples }: NumberPart): readonly unknown[] {
  const step = multiples[0] ?? (isInteger ? 1 : 0.5)
  const edges = [min?.value, max?.value].flatMap((edge) =>
    edge === undefined ? [] : [edge, edge + step, edge - step, Math.ceil(edge / step) * step],
  )
  return [...new Set([...edges, 0, step, -step, 7 * step, -1e6 * step, 1e6 * step, 1, 2, 0.5, 10])]
}

const TEXTS = ['', 'a', 'A', '0', 'abc', 'ABC', 'a b', 'ä', '-', 'abcdefgh', '12345678', 'a1', 'é€😀']
const OF_FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-02-29'],
  'date-time': ['2024-02-29T12:00:00Z'],
  uuid: ['3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  email: ['ann@example.com'],
  uri: ['https://example.com/a'],
}
const FORMATTED = Object.values(OF_FORMATS).flat()

function toStrings({ minLength, maxLength, patterns, formats }: StringPart): readonly unknown[] {
  if (formats.length > 0) return []
  const long = Math.min(maxLength, minLength + 64)
  const all = [
    ...TEXTS,
    ...FORMATTED,
    'x'.repeat(minLength),
    'x'.repeat(long),
    '5'.repeat(Math.max(1, minLength)),
  ]
  const fitting = all.flatMap((text) => [text, text.padEnd(minLength, 'x').slice(0, maxLength)])
  return [...new Set(fitting)].filter((text) => patterns.every((pattern) => toRegExp(pattern)?.test(text)))
}

function toArrays({ prefix, items, minItems, maxItems }: ArrayPart, depth: number): readonly unknown[] {
  if (depth >= DEEPEST) return minItems === 0 ? [[]] : []
  const firsts = prefix.map((item) => ofShape(item(), depth + 1))
  const others = maxItems > prefix.length ? ofShape(items(), depth + 1) : []
  const at = (index: number): readonly unknown[] => firsts[index] ?? others
  const ofLength = (length: number): readonly (readonly unknown[])[] => {
    const values = Array.from({ length }, (_, index) => at(index)[index % Math.max(1, at(index).length)])
    return values.includes(undefined) ? [] : [values]
  }
  const least = Math.max(minItems, Math.min(prefix.length, maxItems))
  const most = Math.min(maxItems, least + 3)
  const single = others
    .slice(0, MOST / 2)
    .map((item) => [...(ofLength(Math.max(minItems, prefix.length, 1) - 1)[0] ?? []), item])
  return [...ofLength(minItems), ...ofLength(least), ...ofLength(most), ...single]
}

function toObjects(part: ObjectPart, depth: number): readonly unknown[] {
  const { rest } = part
  const properties = new Map([...part.properties].filter(([, { isForeign }]) => isForeign !== true))
  if (depth >= DEEPEST && [...properties.values()].some(({ isRequired }) => isRequired)) return []
  const values = new Map(
    depth >= DEEPEST ? [] : [...properties].map(([name, { shape }]) => [name, ofShape(shape(), depth + 1)]),
  )
  const required = [...properties].filter(([, { isRequired }]) => isRequired).map(([name]) => name)
  const base: Record<string, unknown> = {}
  for (const name of required) {
    const first = values.get(name)?.[0]
    if (first === undefined) return []
    base[name] = first
  }
  const whole = { ...base }
  for (const [name, [first]] of values) if (first !== undefined) whole[name] = first
  const varied = [...values].flatMap(([name, own]) =>
    own.slice(0, 8).map((value) => ({ ...base, [name]: value })),
  )
  const others =
    typeof rest === 'function' && depth < DEEPEST
      ? ofShape(rest(), depth + 1).map((value) => ({ ...base, key: value }))
      : []
  return [base, whole, ...varied.slice(0, MOST * 2), ...others.slice(0, MOST)]
}
