import { hasPart, toRegExp } from './check-value.ts'
import type { ArrayPart, NumberPart, ObjectPart, Alternative, ValueSet, StringPart } from './shape.ts'

/** How many values of a shape are made up, and how deep. */
const MOST = 24
const DEEPEST = 4

/** Values of a part, those at its edges first: values to show that another shape lacks one. Only values that the part surely has. */
export function alternativeSamples(part: Alternative, made: Samples): readonly unknown[] {
  const found =
    made.ofParts.get(part) ?? toSamples(part, 0, made).filter((value) => hasPart(part, value) === true)
  made.ofParts.set(part, found)
  return found
}

/** The samples that a comparison has made. Many schemas lead to the same ones, so each is made once. */
export interface Samples {
  readonly ofParts: Map<Alternative, readonly unknown[]>
  /** By depth, from 0. */
  readonly ofShapes: readonly Map<ValueSet, readonly unknown[]>[]
}

export function createSamples(): Samples {
  return { ofParts: new Map(), ofShapes: Array.from({ length: DEEPEST + 1 }, () => new Map()) }
}

function ofShape(shape: ValueSet, depth: number, made: Samples): readonly unknown[] {
  const known = made.ofShapes[depth]
  if (known === undefined) return []
  const found = known.get(shape) ?? shape.parts.flatMap((part) => toSamples(part, depth, made)).slice(0, MOST)
  known.set(shape, found)
  return found
}

function toSamples(part: Alternative, depth: number, made: Samples): readonly unknown[] {
  if (part.kind === 'value') return [part.value]
  if (part.kind === 'number') return toNumbers(part)
  if (part.kind === 'string') return toStrings(part)
  return part.kind === 'array' ? toArrays(part, depth, made) : toObjects(part, depth, made)
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

function toArrays(
  { prefix, items, minItems, maxItems }: ArrayPart,
  depth: number,
  made: Samples,
): readonly unknown[] {
  if (depth >= DEEPEST) return minItems === 0 ? [[]] : []
  const firsts = prefix.map((item) => ofShape(item(), depth + 1, made))
  const others = maxItems > prefix.length ? ofShape(items(), depth + 1, made) : []
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

function toObjects(part: ObjectPart, depth: number, made: Samples): readonly unknown[] {
  const { rest } = part
  const properties = new Map([...part.properties].filter(([, { isForeign }]) => isForeign !== true))
  if (depth >= DEEPEST && [...properties.values()].some(({ isRequired }) => isRequired)) return []
  const values = new Map(
    depth >= DEEPEST
      ? []
      : [...properties].map(([name, { shape }]) => [name, ofShape(shape(), depth + 1, made)]),
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
      ? ofShape(rest(), depth + 1, made).map((value) => ({ ...base, key: value }))
      : []
  return [base, whole, ...varied.slice(0, MOST * 2), ...others.slice(0, MOST)]
}
