import { all, type Answer } from './answer.ts'
import type { Bound, NumberPart, StringPart } from './shape.ts'

/** Whether all numbers of one part are in another. */
export function isNumberIn(part: NumberPart, whole: NumberPart): Answer {
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
  const [a, b] = [toEdge(own, sign, isInteger), toEdge(its, sign, isInteger)]
  const difference = (a.value - b.value) * sign
  return difference > 0 || (difference === 0 && (a.isExclusive || !b.isExclusive))
}

/** For integers, more than 4 is 5 or more. */
export function toEdge({ value, isExclusive }: Bound, sign: 1 | -1, isInteger: boolean): Bound {
  if (!isInteger) return { value, isExclusive }
  const whole = sign === 1 ? Math.ceil(value) : Math.floor(value)
  return isExclusive && whole === value
    ? { value: value + sign, isExclusive: false }
    : { value: whole, isExclusive: false }
}

/** Whether all texts of one part are in another. */
export function isStringIn(part: StringPart, whole: StringPart): Answer {
  if (part.minLength < whole.minLength || part.maxLength > whole.maxLength) {
    // a pattern or format may well say as much
    return part.patterns.length + part.formats.length > 0 ? 'unknown' : 'no'
  }
  const patterns = areAmong(whole.patterns, part.patterns, part.formats)
  return all([patterns, areAmong(whole.formats, part.formats, part.patterns)])
}

/** Whether all that is asked for is among what holds. Something else that holds may imply it. */
function areAmong(asked: readonly string[], held: readonly string[], others: readonly string[] = []): Answer {
  const missing = asked.filter((one) => !held.includes(one))
  if (missing.length === 0) return 'yes'
  return held.length + others.length > 0 ? 'unknown' : 'no'
}
