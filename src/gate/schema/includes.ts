import type { IsSame } from '../document/same.ts'
import { toStableText } from '../json.ts'
import { PairMap } from '../pair-map.ts'
import { allOf } from './answer.ts'
import type { Answer } from './answer.ts'
import { has, hasPart } from './check.ts'
import { valuesOf } from './disjoint.ts'
import { isArrayIn, isObjectIn } from './includes-compound.ts'
import type { Asking } from './includes-compound.ts'
import { isNumberIn, isStringIn, toEdge } from './includes-scalar.ts'
import { samplesOf } from './samples.ts'
import { areWrittenSame, isAny, rulesOf, toAlone, toValue, typeOf } from './shape.ts'
import type { Alternative, ValueSet } from './shape.ts'

/** Compares shapes of two documents, and remembers what it found. */
export interface Inclusion {
  /** Whether every value of `part` is in `whole`. */
  readonly isIn: (part: ValueSet, whole: ValueSet) => Answer
  readonly isPartIn: (part: Alternative, whole: ValueSet) => Answer
}

/**
 * Creates a comparison. Members that an object does not name count as absent, because clients send documented members only.
 * @param isLenient whether an object that is closed takes members that it does not name, as clients have to for responses
 */
export function createInclusion(isLenient: boolean, isSame: IsSame): Inclusion {
  const known = new PairMap<ValueSet, Answer>()
  // pairs under way, and how deep each stands: a pair that leads back to itself holds if nothing else speaks against it
  const open = new PairMap<ValueSet, number | undefined>()
  let depth = 0
  let lowest = Number.POSITIVE_INFINITY
  const isIn = (part: ValueSet, whole: ValueSet): Answer => {
    if (part === whole || isAny(whole)) return 'yes'
    const found = known.get(part, whole)
    if (found !== undefined) return found
    if (areWrittenSame(part, whole, isSame)) return 'yes'
    const above = open.get(part, whole)
    if (above !== undefined) {
      lowest = Math.min(lowest, above)
      return 'yes'
    }
    const before = lowest
    lowest = Number.POSITIVE_INFINITY
    open.set(part, whole, depth)
    depth++
    const answer = allOf(part.parts, (one) => isPartIn(one, whole))
    depth--
    open.set(part, whole, undefined)
    const isProven = lowest >= depth
    // what holds only if a pair above holds is not known yet
    if (answer === 'no' || isProven) known.set(part, whole, answer)
    lowest = Math.min(before, isProven ? Number.POSITIVE_INFINITY : lowest)
    return answer
  }
  const asking: Asking = { isIn, isLenient }
  const isPartIn = (part: Alternative, whole: ValueSet): Answer => {
    if (part.kind === 'value') return isValueIn(part.value, whole, isLenient)
    const partners = whole.parts.filter((other) => typeOf(other) === part.kind)
    const answers = partners.map((other) => isPlainIn(part, other, asking))
    if (answers.includes('yes')) return 'yes'
    const split = splitIntoValues(part) ?? splitByProperty(part, partners)
    if (split !== undefined) return allOf(split, (one) => isPartIn(one, whole))
    const isLacking = (value: unknown): boolean => has(whole, value, isLenient) === false
    const isSure = partners.length === 0 || (partners.length === 1 && answers[0] === 'no')
    return isSure || samplesOf(part).some(isLacking) ? 'no' : 'unknown'
  }
  return { isIn, isPartIn }
}

function isPlainIn(part: Alternative, whole: Alternative, asking: Asking): Answer {
  const plain = isTypedIn(part, whole, asking)
  if (plain !== 'yes') return plain
  const own = rulesOf(part)
  return rulesOf(whole).every(({ key }) => own.some((rule) => rule.key === key)) ? 'yes' : 'unknown'
}

function isTypedIn(part: Alternative, whole: Alternative, asking: Asking): Answer {
  if (part.kind === 'number' && whole.kind === 'number') return isNumberIn(part, whole)
  if (part.kind === 'string' && whole.kind === 'string') return isStringIn(part, whole)
  if (part.kind === 'array' && whole.kind === 'array') return isArrayIn(part, whole, asking)
  if (part.kind === 'object' && whole.kind === 'object') return isObjectIn(part, whole, asking)
  return 'no'
}

/** A value whose format cannot be judged is in the other if that names it, too. */
function isValueIn(value: unknown, whole: ValueSet, isLenient: boolean): Answer {
  const answer = has(whole, value, isLenient)
  if (answer !== undefined) return answer ? 'yes' : 'no'
  const text = toStableText(value)
  const isNamed = whole.parts.some((part) => part.kind === 'value' && toStableText(part.value) === text)
  return isNamed ? 'yes' : 'unknown'
}

const MOST_INTEGERS = 64

/** The values of a short range of integers. */
function splitIntoValues(part: Alternative): readonly Alternative[] | undefined {
  if (part.kind !== 'number' || !part.isInteger || part.min === undefined || part.max === undefined)
    return undefined
  const [from, to] = [toEdge(part.min, 1, true).value, toEdge(part.max, -1, true).value]
  if (to - from >= MOST_INTEGERS) return undefined
  const values = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => toValue(from + at))
  return values.filter(({ value }) => hasPart(part, value) !== false)
}

/** An object in several, one for each value of a property that tells the others apart. */
function splitByProperty(
  part: Alternative,
  partners: readonly Alternative[],
): readonly Alternative[] | undefined {
  if (part.kind !== 'object' || partners.length < 2) return undefined
  for (const [name, property] of part.properties) {
    if (!property.isRequired || !partners.some((other) => isTelling(other, name))) continue
    const values = valuesOf(property)
    if (values === undefined || values.length < 2) continue
    return values.map((value) => {
      const shape = toAlone(toValue(value))
      const properties = new Map(part.properties).set(name, { shape: () => shape, isRequired: true })
      return { ...part, properties }
    })
  }
  return undefined
}

function isTelling(part: Alternative, name: string): boolean {
  const property = part.kind === 'object' ? part.properties.get(name) : undefined
  return property !== undefined && valuesOf(property) !== undefined
}
