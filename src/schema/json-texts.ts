/*
 * Functions that the code of json-writer.ts calls. Each returns the JSON text of a value, `undefined` for a misfit, and throws if only
 * parsing can tell.
 */
import { isPromise, type Awaitable } from '../base/values.ts'
import type { Validated } from './validator.ts'

const DOUBT = new Error('Only parsing can tell')

/** Leaves the value to the parser. */
export function doubt(): never {
  throw DOUBT
}

/** Longer texts are searched faster by a regular expression. */
const SHORT = 48

// oxlint-disable-next-line no-control-regex -- what JSON escapes; JSON.stringify itself tells lone surrogates from pairs
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/

/** A text between its quotes. */
export function escaped(text: string): string {
  if (text.length > SHORT) return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text
  for (let index = 0; index < text.length; index++) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- halves of pairs are what is looked for
    const unit = text.charCodeAt(index)
    if (unit < 32 || unit === 34 || unit === 92 || (unit >= 0xd800 && unit <= 0xdfff))
      return JSON.stringify(text).slice(1, -1)
  }
  return text
}

export function dateText(value: unknown): string | undefined {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return JSON.stringify(value)
  return undefined
}

/** Returns the JSON text of any value, unless it has a `toJSON` of its own. */
export function anyText(value: unknown): string {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') doubt()
  if (typeof value === 'object' && value !== null && (ArrayBuffer.isView(value) || 'toJSON' in value)) doubt()
  return JSON.stringify(value)
}

/** A text or number as zod's checks leave it. */
export function checkedText(
  validate: (value: unknown) => Awaitable<Validated>,
  given: unknown,
): string | undefined {
  const validated = validate(given)
  if (isPromise(validated)) doubt()
  if ('issues' in validated) return undefined
  const { value } = validated
  return JSON.stringify(value)
}

/** The keys of a record, in their order. */
export function keysOf(record: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(record)
  if (prototype !== Object.prototype && prototype !== null) doubt()
  const keys = Object.keys(record)
  if (keys.length !== Reflect.ownKeys(record).length || keys.includes('__proto__')) doubt()
  return keys
}
