import { isObject, isRecord } from '../../base/values.ts'
import { toStableText } from '../json.ts'
import {
  alternativeType,
  typeOfValue,
  type ArrayPart,
  type NumberPart,
  type ObjectPart,
  type Alternative,
  type ValueSet,
  type StringPart,
  type Property,
} from './shape.ts'

/**
 * Whether a value is in a shape, or `undefined` if that cannot be said.
 * @param isLenient whether members that an object does not name are no matter, closed as it may be
 */
export function has(shape: ValueSet, value: unknown, isLenient = false): boolean | undefined {
  // a text or number costs nothing, unless rules lead to schemas whose rules lead to schemas
  const checked = toCheckedShape(shape)
  if (!isObject(value) && !checked.hasRules) return checkValue(checked, value, isLenient)
  const known = checked[isLenient ? 'lenient' : 'strict']
  const answer = known.get(value) ?? { is: checkValue(checked, value, isLenient) }
  known.set(value, answer)
  return answer.is
}

type Answers = Map<unknown, { readonly is: boolean | undefined }>

/** A shape in which values are looked for: the values that it lists by their texts, and its other parts. */
interface CheckedShape {
  readonly texts: ReadonlySet<string>
  /** Whether none of the listed values is a list or an object. */
  readonly isScalar: boolean
  readonly hasRules: boolean
  readonly others: readonly Alternative[]
  /** The answers so far: lists and objects that are made up have the same ones in them again and again. */
  readonly strict: Answers
  readonly lenient: Answers
}

const CHECKED = new WeakMap<ValueSet, CheckedShape>()

/** Lists of values can be long, and each is looked for in another one. */
function toCheckedShape(shape: ValueSet): CheckedShape {
  const known = CHECKED.get(shape)
  if (known !== undefined) return known
  const { parts } = shape
  const made: CheckedShape = {
    texts: new Set(
      parts.flatMap((part) => (part.kind === 'value' && isListed(part) ? [toStableText(part.value)] : [])),
    ),
    isScalar: !parts.some((part) => part.kind === 'value' && isObject(part.value)),
    hasRules: parts.some(({ rules }) => rules.length > 0),
    others: parts.filter((part) => !isListed(part)),
    strict: new Map(),
    lenient: new Map(),
  }
  CHECKED.set(shape, made)
  return made
}

function checkValue(
  { texts, others, isScalar }: CheckedShape,
  value: unknown,
  isLenient: boolean,
): boolean | undefined {
  if (texts.size > 0 && !(isScalar && isObject(value)) && texts.has(toStableText(value))) return true
  return some(others, (part) => hasPart(part, value, isLenient))
}

const isListed = (part: Alternative): boolean => part.kind === 'value' && part.rules.length === 0

/** Whether a value is in a part, or `undefined` if that cannot be said. */
export function hasPart(part: Alternative, value: unknown, isLenient = false): boolean | undefined {
  return and(hasPlainly(part, value, isLenient), () => every(part.rules, (rule) => rule.holds(value)))
}

function hasPlainly(part: Alternative, value: unknown, isLenient: boolean): boolean | undefined {
  if (part.kind === 'value') return toStableText(part.value) === toStableText(value)
  if (part.kind !== typeOfValue(value)) return false
  if (part.kind === 'number') return hasNumber(part, Number(value))
  if (part.kind === 'string') return hasString(part, String(value))
  if (part.kind === 'array') return Array.isArray(value) && hasItems(part, value, isLenient)
  return isRecord(value) && hasMembers(part, value, isLenient)
}

function hasNumber({ isInteger, min, max, multiples }: NumberPart, value: number): boolean {
  if (isInteger && !Number.isInteger(value)) return false
  if (min !== undefined && (min.isExclusive ? value <= min.value : value < min.value)) return false
  if (max !== undefined && (max.isExclusive ? value >= max.value : value > max.value)) return false
  return multiples.every((multiple) => isMultiple(value, multiple))
}

/** Whether a number is a multiple of another, decimal fractions included. */
export function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) < 1e-9
}

function hasString({ minLength, maxLength, patterns, formats }: StringPart, value: string) {
  // the length of a text is its number of code points (JSON Schema Validation section 6.3)
  const { length } = Array.from(value)
  if (length < minLength || length > maxLength) return false
  const matches = every(patterns, (pattern) => toRegExp(pattern)?.test(value))
  return and(matches, () => (formats.length > 0 ? undefined : true))
}

const KNOWN = new Map<string, RegExp | undefined>()

/** The regular expression of a pattern, or `undefined` for one that is none. */
export function toRegExp(pattern: string): RegExp | undefined {
  if (!KNOWN.has(pattern)) KNOWN.set(pattern, compilePattern(pattern))
  return KNOWN.get(pattern)
}

function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags)
    } catch {
      continue
    }
  return undefined
}

function hasItems(part: ArrayPart, value: readonly unknown[], isLenient: boolean): boolean | undefined {
  const { prefix, items, minItems, maxItems, isUnique } = part
  if (value.length < minItems || value.length > maxItems) return false
  if (isUnique && new Set(value.map(toStableText)).size < value.length) return false
  return every(value, (item, at) => has((prefix[at] ?? items)(), item, isLenient))
}

function hasMembers(
  part: ObjectPart,
  value: Readonly<Record<string, unknown>>,
  isLenient: boolean,
): boolean | undefined {
  const { properties, rest, patterns, names, minProperties, maxProperties } = part
  const given = Object.keys(value)
  if (given.length < minProperties || given.length > maxProperties) return false
  for (const [name, { isRequired }] of properties) if (isRequired && !Object.hasOwn(value, name)) return false
  const others = rest === 'closed' && isLenient ? 'open' : rest
  return every(given, (name) => {
    const member = value[name]
    if (properties.get(name)?.isForeign === true) return true
    const shapes = [...patterns].flatMap(([pattern, shape]) => (toRegExp(pattern)?.test(name) ? [shape] : []))
    const own = properties.get(name)?.shape ?? (shapes.length > 0 || others === 'open' ? undefined : others)
    if (own === 'closed') return false
    const answers = [...(own === undefined ? [] : [own]), ...shapes].map((shape) =>
      has(shape(), member, isLenient),
    )
    return every([...answers, names === undefined ? true : has(names(), name)], (one) => one)
  })
}

/** Combines results: one `false` decides, and an open result leaves the whole open. */
function every<T>(
  all: readonly T[],
  holds: (one: T, at: number) => boolean | undefined,
): boolean | undefined {
  let answer: boolean | undefined = true
  for (const [at, one] of all.entries()) {
    const own = holds(one, at)
    if (own === false) return false
    if (own === undefined) answer = undefined
  }
  return answer
}

/** Whether one holds. */
function some<T>(all: readonly T[], holds: (one: T, at: number) => boolean | undefined): boolean | undefined {
  let answer: boolean | undefined = false
  for (const [at, one] of all.entries()) {
    const own = holds(one, at)
    if (own === true) return true
    if (own === undefined) answer = undefined
  }
  return answer
}

function and(first: boolean | undefined, second: () => boolean | undefined): boolean | undefined {
  if (first === false) return false
  const other = second()
  return other === false || first === true ? other : undefined
}

/** Whether no value can be in two of several shapes, as far as types, values and required properties with values tell. */
export function areDisjoint(shapes: readonly (readonly Alternative[])[]): boolean {
  return shapes.every((parts, at) =>
    shapes
      .slice(at + 1)
      .every((others) => parts.every((one) => others.every((other) => arePartsDisjoint(one, other)))),
  )
}

function arePartsDisjoint(one: Alternative, other: Alternative): boolean {
  if (alternativeType(one) !== alternativeType(other)) return true
  if (one.kind === 'value') return hasPart(other, one.value) === false
  if (other.kind === 'value') return hasPart(one, other.value) === false
  return one.kind === 'object' && other.kind === 'object' && areTold(one, other)
}

/** Whether a property that both require has other values in each. */
export function areTold(one: ObjectPart, other: ObjectPart): boolean {
  return [...one.properties].some(([name, own]) => {
    const its = other.properties.get(name)
    if (its === undefined || !own.isRequired || !its.isRequired) return false
    const [values, others] = [propertyValues(own), propertyValues(its)]
    return values !== undefined && others !== undefined && !values.some((value) => others.includes(value))
  })
}

/** The values of a property that has nothing but some, or `undefined` for others. Reads no further than it has to. */
export function propertyValues({ shape }: Property): readonly unknown[] | undefined {
  const { parts } = shape()
  if (parts.length === 0 || parts.length > 64) return undefined
  const values = parts.flatMap((part) => (part.kind === 'value' ? [part.value] : []))
  return values.length === parts.length ? values : undefined
}
