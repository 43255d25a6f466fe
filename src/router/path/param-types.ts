import { requireSync, isFunction, isString } from '../../base/values.ts'
import { checkOptions, errorAt, type Rules } from '../../base/definition-error.ts'

/**
 * The TypeScript type of each parameter type's value. Add your own next to `defineParamType`:
 *
 * @example
 * declare module 'octavo' {
 *   interface ParamValues {
 *     month: Date
 *   }
 * }
 */
export interface ParamValues {
  /** Any text without a slash. The default of parameters that name no type. */
  str: string
  /** A whole number. */
  int: number
  /** A decimal number. */
  float: number
  /** A UUID as text. */
  uuid: string
  /** The rest of the path, slashes included. */
  path: string
}

/** A type that path parameters can have, as in `{id:int}`. */
export interface ParamType {
  /** The word after the colon. */
  readonly name: string
  /** The place in the order of specificity, smallest first. */
  readonly rank: number
  /** Whether `text` from `start` to `end` is a value of this type. */
  readonly test: (text: string, start: number, end: number) => boolean
  /** Returns the value of a text that passed `test`. */
  readonly parse: (text: string) => unknown
  /** Returns the text of a value, for `urlFor`. */
  readonly format: (value: unknown) => string
  /** A pattern of JSON Schema for all its values, or `undefined` if there is none, as for flags. */
  readonly pattern?: string | undefined
}

/** The options of `defineParamType`. */
export interface ParamTypeOptions<T> {
  /** The word after the colon: letters, digits and `_`. */
  readonly name: string
  /** The pattern of the whole segment; anchored by Octavo. Keep it free of nested repetition. */
  readonly pattern: string | RegExp
  /** The value that the handler receives. @default the text itself */
  readonly parse?: (text: string) => T
  /** The text that `urlFor` writes. @default `String(value)` */
  readonly format?: (value: T) => string
}

/**
 * Stands for an escaped slash (`%2F`) while a path is matched, so that it never separates segments. No decoded path can hold it:
 * it is half a surrogate pair.
 */
export const ESCAPED_SLASH = '\ud800'

/** A text that was matched with its escaped slashes in place. */
export function restoreSlashes(text: string): string {
  return text.replaceAll(ESCAPED_SLASH, '/')
}

const formatText = (value: unknown): string => String(value)
const OWN_RANK = 3

const BUILT_IN: readonly ParamType[] = [
  { name: 'uuid', rank: 0, test: isUuid, parse: (text) => text, format: formatText },
  { name: 'int', rank: 1, test: isInt, parse: Number, format: formatText },
  { name: 'float', rank: 2, test: isFloat, parse: Number, format: formatText },
  {
    name: 'str',
    rank: 4,
    test: (_text, start, end) => end > start,
    parse: (text) => text,
    format: formatText,
  },
  { name: 'path', rank: 5, test: () => true, parse: (text) => text, format: formatText },
]

const types = new Map(BUILT_IN.map((type) => [type.name, type]))
const sources = new Map<string, string>()

/** The type of this name, or `undefined` if there is none. */
export function findParamType(name: string): ParamType | undefined {
  return types.get(name)
}

/** The names that can stand after the colon of a parameter. */
export function paramTypeNames(): readonly string[] {
  return [...types.keys()]
}

const OPTIONS: Rules = {
  name: [isString, "a word, such as 'month'"],
  pattern: [(value) => isString(value) || value instanceof RegExp, 'a pattern, such as /\\d{4}-\\d{2}/'],
  parse: [isFunction, 'a function, such as (text) => new Date(text)'],
  format: [isFunction, 'a function, such as (date) => date.toISOString()'],
}

/**
 * Adds a type for path parameters: `{name:type}` in any pattern of the process. A segment that does not match leaves the
 * route unmatched. Own types come after `float` and before `str` in the order of specificity.
 *
 * @throws `DefinitionError` when the name is taken by another type or cannot be written in a pattern.
 *
 * @example
 * defineParamType({ name: 'month', pattern: /\d{4}-\d{2}/, parse: (text) => new Date(`${text}-01`) })
 * // '/reports/{month:month}' matches /reports/2026-11
 */
export function defineParamType<T = string>(options: ParamTypeOptions<T>): ParamType {
  checkOptions(
    'defineParamType',
    options,
    OPTIONS,
    [],
    "defineParamType({ name: 'month', pattern: /\\d{4}/ })",
  )
  const { name, pattern, parse, format } = options
  const where = `defineParamType({ name: '${name}' })`
  if (!/^[a-z]\w*$/i.test(name)) {
    const problem = {
      code: 'invalid_name',
      where,
      message: 'the name cannot be written in a pattern',
      fix: 'use letters, digits and _',
    } as const
    throw errorAt([problem], defineParamType)
  }
  const { source, flags } = typeof pattern === 'string' ? { source: pattern, flags: '' } : pattern
  if (types.has(name) && sources.get(name) !== `${source}/${flags}`) {
    const problem = {
      code: 'duplicate_param_type',
      where,
      message: 'another type has this name',
      fix: 'choose another name',
    } as const
    throw errorAt([problem], defineParamType)
  }
  const whole = new RegExp(`^(?:${source})$`, flags.replaceAll(/[gy]/g, ''))
  const type: ParamType = {
    name,
    rank: OWN_RANK,
    test: (text, start, end) => end > start && whole.test(restoreSlashes(text.slice(start, end))),
    parse: parse === undefined ? (text) => text : (text) => requireSync(where, parse(text)),
    // the caller of urlFor gives a T: TypeScript checks it where the type is listed in ParamValues
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    format: (value) => (format === undefined ? String(value) : requireSync(where, format(value as T))),
    pattern: isPortable(source, flags) ? whole.source : undefined,
  }
  types.set(name, type)
  sources.set(name, `${source}/${flags}`)
  return type
}

/** Whether JSON Schema, whose patterns have no flags but `u`, reads the pattern in the same way. */
function isPortable(source: string, flags: string): boolean {
  if (/[ims]/.test(flags)) return false
  try {
    return new RegExp(source, 'u').source === source
  } catch {
    return false
  }
}

const ZERO = 48
const DOT = 46
const DASH = 45

function isDigit(code: number): boolean {
  return code >= ZERO && code < ZERO + 10
}

/** The end of the run of digits that begins at `start`. */
export function digitsEnd(text: string, start: number, end: number): number {
  let at = start
  while (at < end && isDigit(text.charCodeAt(at))) at++
  return at
}

/** `[0-9]+` up to 2^53 - 1: a larger one would not survive as a number. */
function isInt(text: string, start: number, end: number): boolean {
  if (start === end || !isDigit(text.charCodeAt(end - 1)) || digitsEnd(text, start, end) !== end) return false
  return end - start < 16 || Number(text.slice(start, end)) <= Number.MAX_SAFE_INTEGER
}

/** `[0-9]+(\.[0-9]+)?`, finite. */
function isFloat(text: string, start: number, end: number): boolean {
  const whole = digitsEnd(text, start, end)
  if (whole === start) return false
  if (whole < end) {
    if (text.charCodeAt(whole) !== DOT || whole + 1 === end || digitsEnd(text, whole + 1, end) !== end)
      return false
  }
  return whole - zerosEnd(text, start, whole) <= FLOAT_DIGITS
}

/** Whole digits that a finite double can have, leading zeros apart. */
export const FLOAT_DIGITS = 308

/** The end of the run of zeros that begins at `start`. */
function zerosEnd(text: string, start: number, end: number): number {
  let at = start
  while (at < end && text.charCodeAt(at) === ZERO) at++
  return at
}

/** 8-4-4-4-12 hexadecimal digits, in either case. */
export function isUuid(text: string, start: number, end: number): boolean {
  if (end - start !== 36) return false
  for (let index = 0; index < 36; index++) {
    const code = text.charCodeAt(start + index)
    const dash = index === 8 || index === 13 || index === 18 || index === 23
    if (dash ? code !== DASH : !isHex(code)) return false
  }
  return true
}

function isHex(code: number): boolean {
  const lower = code | 32
  return isDigit(code) || (lower >= 97 && lower <= 102)
}
