import {
  isOpenRest,
  toAlone,
  toValuePart,
  type Bound,
  type NumberPart,
  type StringPart,
  type ArrayPart,
  type ObjectPart,
  type OtherMembers,
  type ValueSet,
} from './shape.ts'
import { toRegExp } from './check-value.ts'

/** Whether all values of one shape are in another. `unknown` is said where neither can be shown. */
export type Certainty = 'yes' | 'no' | 'unknown'

/** The least certain of several answers that all have to be yes. */
function all(answers: Iterable<Certainty>): Certainty {
  return everyAnswer(answers, (answer) => answer)
}

/** The least certain of the answers for several values. Asks no further than the first no. */
export function everyAnswer<T>(values: Iterable<T>, ask: (value: T) => Certainty): Certainty {
  let least: Certainty = 'yes'
  for (const value of values) {
    const answer = ask(value)
    if (answer === 'no') return 'no'
    if (answer === 'unknown') least = 'unknown'
  }
  return least
}

/** Whether all numbers of one part are in another. */
export function isNumberIn(part: NumberPart, whole: NumberPart): Certainty {
  if (whole.isInteger && !part.isInteger && !part.multiples.some(Number.isInteger)) return 'no'
  if (!isWithin(part.min, whole.min, 1, part.isInteger) || !isWithin(part.max, whole.max, -1, part.isInteger))
    return 'no'
  const divides = whole.multiples.every((multiple) =>
    part.multiples.some((own) => Math.abs(own / multiple - Math.round(own / multiple)) < 1e-9),
  )
  if (!divides) return 'no'
  return areAmong(whole.formats, part.formats)
}

/** Whether a bound is at least as tight as another. */
function isWithin(own: Bound | undefined, its: Bound | undefined, sign: 1 | -1, isInteger: boolean): boolean {
  if (its === undefined) return true
  if (own === undefined) return false
  const [a, b] = [toBoundEdge(own, sign, isInteger), toBoundEdge(its, sign, isInteger)]
  const difference = (a.value - b.value) * sign
  return difference > 0 || (difference === 0 && (a.isExclusive || !b.isExclusive))
}

/** For integers, more than 4 is 5 or more. */
export function toBoundEdge({ value, isExclusive }: Bound, sign: 1 | -1, isInteger: boolean): Bound {
  if (!isInteger) return { value, isExclusive }
  const whole = sign === 1 ? Math.ceil(value) : Math.floor(value)
  return isExclusive && whole === value
    ? { value: value + sign, isExclusive: false }
    : { value: whole, isExclusive: false }
}

/** Whether all texts of one part are in another. */
export function isStringIn(part: StringPart, whole: StringPart): Certainty {
  if (part.minLength < whole.minLength || part.maxLength > whole.maxLength) {
    // a pattern or format may well say as much
    return part.patterns.length + part.formats.length > 0 ? 'unknown' : 'no'
  }
  const patterns = areAmong(whole.patterns, part.patterns, part.formats)
  return all([patterns, areAmong(whole.formats, part.formats, part.patterns)])
}

/** Whether all that is asked for is among what holds. Something else that holds may imply it. */
function areAmong(
  asked: readonly string[],
  held: readonly string[],
  others: readonly string[] = [],
): Certainty {
  const missing = asked.filter((one) => !held.includes(one))
  if (missing.length === 0) return 'yes'
  return held.length + others.length > 0 ? 'unknown' : 'no'
}

/** The comparison that asks: for what is further inside. */
export interface Asking {
  readonly isIn: (part: ValueSet, whole: ValueSet) => Certainty
  /** Whether an object that is closed takes members that it does not name. */
  readonly isLenient: boolean
}

/** Whether all lists of one part are in another. */
export function isArrayIn(part: ArrayPart, whole: ArrayPart, asking: Asking): Certainty {
  if (part.maxItems === 0) return whole.minItems === 0 ? 'yes' : 'no'
  if (part.minItems < whole.minItems || part.maxItems > whole.maxItems) return 'no'
  const length = Math.max(part.prefix.length, whole.prefix.length)
  const pairs = Array.from(
    { length: Math.min(length, part.maxItems) },
    (_, at) => [part.prefix[at] ?? part.items, whole.prefix[at] ?? whole.items] as const,
  )
  const beyond = part.maxItems > length ? [[part.items, whole.items] as const] : []
  if (whole.isUnique && !part.isUnique && part.maxItems > 1) return 'no'
  return everyAnswer([...pairs, ...beyond], ([own, its]) => isInsidePart(own(), its(), asking))
}

/** No item at all is in anything. */
function isInsidePart(part: ValueSet, whole: ValueSet, { isIn }: Asking): Certainty {
  return part.parts.length === 0 ? 'yes' : isIn(part, whole)
}

/** Whether all objects of one part are in another. Members that an object does not name count as absent. */
export function isObjectIn(part: ObjectPart, whole: ObjectPart, asking: Asking): Certainty {
  const rest: OtherMembers = asking.isLenient && whole.rest === 'closed' ? 'open' : whole.rest
  const other = { ...whole, rest }
  return all(
    (function* answers() {
      yield isCountIn(part, other)
      yield* toNeeded(part, other, asking)
      yield* memberAnswers(part, other, asking)
      yield isRestIn(part.rest, rest, asking)
      if (whole.names !== undefined && part.rest !== 'closed')
        yield part.names === undefined ? 'no' : asking.isIn(part.names(), whole.names())
      yield* toPatterns(part, other, asking)
    })(),
  )
}

function isCountIn(part: ObjectPart, whole: ObjectPart): Certainty {
  const required = [...part.properties.values()].filter(({ isRequired }) => isRequired).length
  const most = part.rest === 'closed' ? part.properties.size : Number.POSITIVE_INFINITY
  const isEnough = whole.minProperties <= Math.max(part.minProperties, required)
  return isEnough && whole.maxProperties >= Math.min(part.maxProperties, most) ? 'yes' : 'no'
}

// Names of the other shape have to be there, and their values have to fit.
function* toNeeded(part: ObjectPart, whole: ObjectPart, asking: Asking): Generator<Certainty> {
  for (const [name, { isRequired, isForeign, shape }] of whole.properties) {
    if (isForeign === true) continue
    const own = part.properties.get(name)
    if (isRequired && own?.isRequired !== true) yield 'no'
    if (own === undefined && typeof part.rest === 'function') yield isInsidePart(part.rest(), shape(), asking)
  }
}

// Names of this shape have to be possible in the other one.
function* memberAnswers(part: ObjectPart, whole: ObjectPart, { isIn }: Asking): Generator<Certainty> {
  for (const [name, own] of part.properties) {
    const its = whole.properties.get(name)
    if (own.isForeign === true || its?.isForeign === true) continue
    const shape = own.shape()
    // a property that cannot be there
    if (shape.parts.length === 0 && !own.isRequired) continue
    if (its !== undefined) yield isIn(shape, its.shape())
    // a pattern that is none may match anything
    else if ([...whole.patterns.keys()].some((pattern) => toRegExp(pattern)?.test(name) ?? true))
      yield 'unknown'
    else if (whole.rest === 'closed') yield 'no'
    else if (typeof whole.rest === 'function') yield isIn(shape, whole.rest())
    if (whole.names !== undefined) yield isIn(toAlone(toValuePart(name)), whole.names())
  }
}

function* toPatterns(part: ObjectPart, whole: ObjectPart, { isIn }: Asking): Generator<Certainty> {
  for (const [pattern, shape] of whole.patterns) {
    const own = part.patterns.get(pattern)
    if (own !== undefined) yield isIn(own(), shape())
    else if (part.rest !== 'closed') yield 'unknown'
  }
  for (const pattern of part.patterns.keys())
    if (!whole.patterns.has(pattern) && whole.rest !== 'open') yield 'unknown'
}

function isRestIn(part: OtherMembers, whole: OtherMembers, asking: Asking): Certainty {
  if (isOpenRest(whole) || part === 'closed') return 'yes'
  return part === 'open' || typeof whole === 'string' ? 'no' : isInsidePart(part(), whole(), asking)
}
