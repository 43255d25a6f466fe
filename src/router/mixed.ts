import { digitsEnd, FLOAT_DIGITS, isUuid } from './path/param-types.ts'
import type { Param } from './path/pattern.ts'

/** Takes a segment apart, or `undefined` if it does not fit. */
export type Split = (segment: string) => readonly string[] | undefined

/**
 * A function that takes a mixed segment apart, such as `/{from}-{to}.json`: every parameter takes as much as it can, from
 * left to right, as greedy repetition does. Linear in the length of the segment, hostile ones included.
 */
export function toSplit(parts: readonly (string | Param)[]): Split {
  const prefix = typeof parts[0] === 'string' ? parts[0] : ''
  const lastPart = parts.at(-1)
  const suffix = typeof lastPart === 'string' ? lastPart : ''
  const params = parts.filter((part) => typeof part !== 'string')
  const between = parts.slice(1, -1).filter((part) => typeof part === 'string')
  return (segment) => {
    const end = segment.length - suffix.length
    if (end <= prefix.length || !segment.startsWith(prefix) || !segment.endsWith(suffix)) return undefined
    const [only, second] = params
    if (only !== undefined && second === undefined) {
      return only.type.test(segment, prefix.length, end) ? [segment.slice(prefix.length, end)] : undefined
    }
    return splitMany(segment.slice(prefix.length, end), params, between)
  }
}

/**
 * Works from the right: for every parameter but the last it notes, for each position, the last place at or before it where the
 * parameter can end, so that the text after it fits the rest. Reading the notes from the left gives the greedy answer.
 */
function splitMany(
  text: string,
  params: readonly Param[],
  between: readonly string[],
): readonly string[] | undefined {
  const runs = toRuns(text)
  let ends = new Int32Array(text.length + 1).fill(-1)
  ends[text.length] = text.length
  const notes = [ends]
  for (let index = params.length - 1; index > 0; index--) {
    ends = lastFits(text, between[index - 1] ?? '', (start) => endOf(params[index], text, runs, start, ends))
    notes.unshift(ends)
  }
  const values: string[] = []
  let start = 0
  for (const [index, param] of params.entries()) {
    const end = endOf(param, text, runs, start, notes[index] ?? ends)
    if (end < 0) return undefined
    values.push(text.slice(start, end))
    start = end + (between[index]?.length ?? 0)
  }
  return values
}

/** For each position, the last occurrence of `literal` at or before it after which the text fits; -1 for none. */
function lastFits(text: string, literal: string, fits: (start: number) => number): Int32Array<ArrayBuffer> {
  const ends = new Int32Array(text.length + 1).fill(-1)
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
    if (fits(at + literal.length) >= 0) ends[at] = at
  }
  for (let at = 1; at < ends.length; at++) {
    if (ends[at] === -1) ends[at] = ends[at - 1] ?? -1
  }
  return ends
}

/** For each position, where the run of digits and the run of zeros that begin there end. */
interface Runs {
  readonly digits: Int32Array
  readonly zeros: Int32Array
}

function toRuns(text: string): Runs {
  const digits = new Int32Array(text.length + 1).fill(text.length)
  const zeros = new Int32Array(text.length + 1).fill(text.length)
  for (let at = text.length - 1; at >= 0; at--) {
    if (digitsEnd(text, at, at + 1) === at) digits[at] = at
    else digits[at] = digits[at + 1] ?? at
    zeros[at] = text[at] === '0' ? (zeros[at + 1] ?? at) : at
  }
  return { digits, zeros }
}

/** The last noted end of a value of the parameter's type that begins at `start`; -1 when there is none. */
function endOf(param: Param | undefined, text: string, runs: Runs, start: number, ends: Int32Array): number {
  const within = (from: number, to: number): number => {
    const end = ends[Math.min(to, text.length)] ?? -1
    return end >= from ? end : -1
  }
  const digits = runs.digits[start] ?? start
  const significant = Math.min(runs.zeros[start] ?? start, digits)
  switch (param?.type.name ?? 'str') {
    case 'int':
      return within(start + 1, Math.min(digits, safeEnd(text, significant)))
    case 'float': {
      const fraction = runs.digits[digits + 1] ?? 0
      const finite = digits > start && digits - significant <= FLOAT_DIGITS
      const long = finite && text[digits] === '.' ? within(digits + 2, fraction) : -1
      return long >= 0 ? long : within(start + 1, Math.min(digits, significant + FLOAT_DIGITS))
    }
    case 'uuid':
      return start + 36 <= text.length && isUuid(text, start, start + 36)
        ? within(start + 36, start + 36)
        : -1
    default:
      return within(start + 1, text.length)
  }
}

/** How far the digits from `start` on can go before they are more than 2^53 - 1. */
function safeEnd(text: string, start: number): number {
  return Number(text.slice(start, start + 16)) <= Number.MAX_SAFE_INTEGER ? start + 16 : start + 15
}
