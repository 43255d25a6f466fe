import { isTooMany, distinctAlternatives, withUnionRule } from './alternatives.ts'
import { hasPart, isMultiple } from './check-value.ts'
import {
  NEVER,
  isAny,
  alternativeType,
  type ArrayPart,
  type Bound,
  type LazyValues,
  type NumberPart,
  type ObjectPart,
  type Alternative,
  type Property,
  type OtherMembers,
  type Rule,
  type ValueSet,
  type StringPart,
} from './shape.ts'

/** The values that are in both shapes. Notes of the second shape win over notes of the first. */
export function intersect(one: ValueSet, other: ValueSet): ValueSet {
  const notes = { ...one.notes, ...other.notes }
  const { place } = one
  if (isAny(other)) return { parts: one.parts, notes, place }
  if (isAny(one)) return { parts: other.parts, notes, place }
  const [own, its] = [meetsOf(one), meetsOf(other)]
  const missing = own.filter((each) => !its.includes(each))
  const meets = [...its, ...missing]
  // a schema that is reached on several ways is met once
  if (missing.length < own.length) {
    const { parts } = missing.reduce((shape, each) => intersect(each, shape), other)
    return { parts, notes, place, meets }
  }
  if (isTooMany(one, other)) {
    const [kept, ruled] = one.parts.length < other.parts.length ? [other, one] : [one, other]
    return { parts: withUnionRule(kept.parts, ruled), notes, place, meets }
  }
  const parts = one.parts.flatMap((part) =>
    other.parts.flatMap((partner) => intersectParts(part, partner) ?? []),
  )
  return { parts: distinctAlternatives(parts), notes, place, meets }
}

const meetsOf = (shape: ValueSet): readonly ValueSet[] => shape.meets ?? [shape]

function intersectParts(one: Alternative, other: Alternative): Alternative | undefined {
  const common = { name: one.name ?? other.name, home: undefined, rules: toRules(one.rules, other.rules) }
  if (one.kind === 'value') return hasPart(other, one.value) === false ? undefined : { ...one, ...common }
  if (other.kind === 'value') return hasPart(one, other.value) === false ? undefined : { ...other, ...common }
  if (alternativeType(one) !== alternativeType(other)) return undefined
  if (one.kind === 'number' && other.kind === 'number') return { ...intersectNumbers(one, other), ...common }
  if (one.kind === 'string' && other.kind === 'string') return { ...intersectStrings(one, other), ...common }
  if (one.kind === 'array' && other.kind === 'array') return { ...intersectArrays(one, other), ...common }
  if (one.kind === 'object' && other.kind === 'object') return { ...intersectObjects(one, other), ...common }
  return undefined
}

/** The rules of both shapes, each once. Rules of `oneOf` share a key, and a rule that refuses nothing must not replace another. */
export function toRules(one: readonly Rule[], other: readonly Rule[]): readonly Rule[] {
  if (other.length === 0) return one
  const isKnown = (given: Rule): boolean =>
    given.keyword === 'oneOf' ? one.includes(given) : one.some(({ key }) => key === given.key)
  return [...one, ...other.filter((rule) => !isKnown(rule))]
}

const union = (one: readonly string[], other: readonly string[]): readonly string[] =>
  [...new Set([...one, ...other])].toSorted()

/** Schemas may lead to the same one on many ways. */
const distinct = (one: readonly object[], other: readonly object[]): readonly object[] => [
  ...new Set([...one, ...other]),
]

function intersectNumbers(one: NumberPart, other: NumberPart): NumberPart {
  return {
    ...one,
    isInteger: one.isInteger || other.isInteger,
    min: tighter(one.min, other.min, 1),
    max: tighter(one.max, other.max, -1),
    multiples: toMultiples([...one.multiples, ...other.multiples]),
    formats: union(one.formats, other.formats),
  }
}

/** Of numbers that all have to divide a value, those that say something: 6 says all that 2 and 3 say. */
function toMultiples(all: readonly number[]): readonly number[] {
  const once = [...new Set(all)]
  return once
    .filter((one) => !once.some((other) => other !== one && isMultiple(other, one)))
    .toSorted((a, b) => a - b)
}

/** The bound that leaves less; `sign` is 1 for lower bounds and -1 for upper ones. */
function tighter(one: Bound | undefined, other: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const difference = (one.value - other.value) * sign
  if (difference === 0) return one.isExclusive ? one : other
  return difference > 0 ? one : other
}

function intersectStrings(one: StringPart, other: StringPart): StringPart {
  return {
    ...one,
    minLength: Math.max(one.minLength, other.minLength),
    maxLength: Math.min(one.maxLength, other.maxLength),
    patterns: union(one.patterns, other.patterns),
    formats: union(one.formats, other.formats),
  }
}

function at(part: ArrayPart, index: number): LazyValues {
  return part.prefix[index] ?? part.items
}

function intersectArrays(one: ArrayPart, other: ArrayPart): ArrayPart {
  const length = Math.max(one.prefix.length, other.prefix.length)
  return {
    ...one,
    prefix: Array.from({ length }, (_, index) => intersectLazy(at(one, index), at(other, index))),
    items: intersectLazy(one.items, other.items),
    minItems: Math.max(one.minItems, other.minItems),
    maxItems: Math.min(one.maxItems, other.maxItems),
    isUnique: one.isUnique || other.isUnique,
  }
}

function intersectObjects(one: ObjectPart, other: ObjectPart): ObjectPart {
  const properties = new Map<string, Property>()
  for (const name of new Set([...one.properties.keys(), ...other.properties.keys()])) {
    properties.set(
      name,
      intersectProperties([one, one.properties.get(name)], [other, other.properties.get(name)]),
    )
  }
  const patterns = new Map(one.patterns)
  for (const [pattern, shape] of other.patterns) {
    const own = patterns.get(pattern)
    patterns.set(pattern, own === undefined ? shape : intersectLazy(own, shape))
  }
  const { names = other.names } = one
  return {
    ...one,
    properties,
    patterns,
    rest: intersectRests(one.rest, other.rest),
    names:
      one.names === undefined || other.names === undefined ? names : intersectLazy(one.names, other.names),
    minProperties: Math.max(one.minProperties, other.minProperties),
    maxProperties: Math.min(one.maxProperties, other.maxProperties),
    owners: distinct(one.owners, other.owners),
  }
}

type PropertyOf = readonly [owner: ObjectPart, property: Property | undefined]

function intersectProperties([one, own]: PropertyOf, [other, its]: PropertyOf): Property {
  const given = [own, its].flatMap((property) => property ?? [])
  return {
    shape: intersectLazy(own?.shape ?? ofRest(one.rest), its?.shape ?? ofRest(other.rest)),
    isRequired: given.some(({ isRequired }) => isRequired),
    isForeign: given.some(({ isForeign }) => isForeign === true),
    node: given.find(({ node }) => node !== undefined)?.node,
    owners: distinct(own?.owners ?? [], its?.owners ?? []),
  }
}

function ofRest(rest: OtherMembers): LazyValues | undefined {
  if (rest === 'open') return undefined
  return rest === 'closed' ? () => NEVER : rest
}

function intersectRests(one: OtherMembers, other: OtherMembers): OtherMembers {
  if (one === 'closed' || other === 'closed') return 'closed'
  if (one === 'open') return other
  return other === 'open' ? one : intersectLazy(one, other)
}

/** A shape that was met, by a number of its own, and its intersections by the numbers of the shapes that they are made of. */
interface MetShape {
  readonly number: number
  readonly intersections: Map<string, ValueSet>
}

/** Schemas that contain themselves would have new intersections without end. */
const metShapes = new WeakMap<ValueSet, MetShape>()
let last = 0

function toMetShape(shape: ValueSet): MetShape {
  const found = metShapes.get(shape) ?? { number: ++last, intersections: new Map() }
  metShapes.set(shape, found)
  return found
}

function meet(one: ValueSet, other: ValueSet): ValueSet {
  const meets = [...new Set([...meetsOf(one), ...meetsOf(other)])].toSorted(
    (a, b) => toMetShape(a).number - toMetShape(b).number,
  )
  const [first] = meets
  if (first === undefined || meets.length === 1) return one
  const { intersections } = toMetShape(first)
  const key = meets.map((shape) => toMetShape(shape).number).join(' ')
  const found = intersections.get(key) ?? { ...intersect(one, other), meets }
  intersections.set(key, found)
  return found
}

/** The intersection of two shapes, read once. Of one alone, that one. */
function intersectLazy(one: LazyValues | undefined, other: LazyValues | undefined): LazyValues {
  if (one === undefined || other === undefined) return one ?? other ?? (() => NEVER)
  let shape: ValueSet | undefined
  return () => (shape ??= meet(one(), other()))
}
