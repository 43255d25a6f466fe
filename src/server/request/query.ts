import { httpError } from '../../http/errors.ts'
import type { QueryRecord } from '../../http/http.ts'

/**
 * Reads the query of a request target, or of a URL. A repeated name has a list; a malformed escape is kept as it stands.
 *
 * @throws `HttpError` 400 when there are more than `limit` parameters.
 */
export function parseQuery(target: string, limit: number): QueryRecord {
  const hash = target.indexOf('#')
  // the fragment stays with the client
  const text = hash === -1 ? target : target.slice(0, hash)
  const mark = text.indexOf('?')
  return mark === -1 ? NO_QUERY : parseForm(text, limit, mark + 1)
}

/**
 * Reads an `application/x-www-form-urlencoded` body (WHATWG URL standard, section 5.1), or the rest of a text from `start` on.
 *
 * @throws `HttpError` 400 when there are more than `limit` parameters.
 */
export function parseForm(text: string, limit: number, start = 0): QueryRecord {
  // each takes a character at least
  if (text.length - start > limit && isLonger(text, start, limit))
    throw httpError('too_many_parameters', `There are more than ${limit} parameters`)
  return parseUrlencoded(text, start)
}

/** Counts separators, before anything is made of what they separate. */
function isLonger(text: string, start: number, limit: number): boolean {
  let count = 1
  for (let at = text.indexOf('&', start); at !== -1 && count <= limit; at = text.indexOf('&', at + 1)) count++
  return count > limit
}

const NO_QUERY: QueryRecord = Object.freeze(Object.create(null))

/** A query or form from values: lists repeat the name, dates are ISO 8601, `null` and `undefined` are dropped. */
export function toSearchParams(values: Readonly<Record<string, unknown>>): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null) search.append(name, toParameter(item))
    }
  }
  return search
}

function toParameter(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return value
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}

const AMPERSAND = 38
const EQUALS = 61
const PERCENT = 37
const PLUS = 43

/**
 * Reads `application/x-www-form-urlencoded` text (WHATWG URL standard, section 5.1), from `from` on. A repeated name has a list. A name or value with a
 * malformed escape is kept as it stands.
 *
 * @example
 * parseUrlencoded('tag=a&tag=b%20c&q=%zz') // → { tag: ['a', 'b c'], q: '%zz' }
 */
function parseUrlencoded(text: string, from = 0): QueryRecord {
  const values: Record<string, string | string[]> = Object.create(NO_MEMBERS)
  const { length } = text
  let start = from
  let equals = -1
  // what is coded in the name, and in the value
  let inName = PLAIN
  let coding = PLAIN
  // a loop over the characters: searching each separator takes a third longer for the short texts that queries are
  for (let at = from; at <= length; at++) {
    const code = at === length ? AMPERSAND : text.charCodeAt(at)
    if (code === PERCENT) coding |= ESCAPED
    else if (code === PLUS) coding |= SPACED
    else if (code === EQUALS && equals === -1) {
      equals = at
      inName = coding
      coding = PLAIN
    } else if (code === AMPERSAND) {
      if (equals !== -1)
        addQueryValue(
          values,
          decodeQueryText(text.slice(start, equals), inName),
          decodeQueryText(text.slice(equals + 1, at), coding),
        )
      else if (at > start) addQueryValue(values, decodeQueryText(text.slice(start, at), coding), '')
      start = at + 1
      equals = -1
      coding = PLAIN
    }
  }
  return values
}

/** How a name or value is coded, as bits. */
const PLAIN = 0
const SPACED = 1
const ESCAPED = 2

/** Nothing is inherited from it: `__proto__` and `constructor` are names like any other. V8 fills such a record faster than one without prototype. */
const NO_MEMBERS: object = Object.freeze(Object.create(null))

function addQueryValue(values: Record<string, string | string[]>, name: string, value: string): void {
  const before = values[name]
  if (before === undefined) values[name] = value
  else if (typeof before === 'string') values[name] = [before, value]
  else before.push(value)
}

function decodeQueryText(text: string, coding: number): string {
  if (coding === PLAIN) return text
  const spaced = (coding & SPACED) === 0 ? text : text.replaceAll('+', ' ')
  return (coding & ESCAPED) === 0 ? spaced : (decodeEscapes(spaced) ?? spaced)
}

/**
 * Decodes percent-escapes in UTF-8, or returns `undefined` if one is malformed. `decodeURIComponent` throws instead, which takes V8 as long
 * as the rest of a request, for each of the names and values that a client sends.
 */
function decodeEscapes(text: string): string | undefined {
  let decoded = ''
  let last = 0
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', last)) {
    const first = byteAt(text, at)
    const following = first < 0x80 ? 0 : followingOf(first)
    let point = following === 0 ? first : first & (0x3f >> following)
    for (let index = 1; index <= following; index++) {
      const byte = byteAt(text, at + 3 * index)
      if ((byte & 0xc0) !== 0x80) return undefined
      point = (point << 6) | (byte & 0x3f)
    }
    if (following < 0 || !isEncoded(point, following)) return undefined
    decoded += text.slice(last, at) + String.fromCodePoint(point)
    last = at + 3 * (following + 1)
  }
  return decoded + text.slice(last)
}

/** How many bytes follow the first one of a character beyond ASCII, or -1 if it cannot be the first one (RFC 3629 section 3). */
function followingOf(first: number): number {
  if (first < 0xc2 || first > 0xf4) return -1
  if (first < 0xe0) return 1
  return first < 0xf0 ? 2 : 3
}

/** Whether a code point is encoded like this: no longer than needed, no half of a surrogate pair, and in the range of Unicode. */
function isEncoded(point: number, following: number): boolean {
  if (following === 2) return point >= 0x800 && (point < 0xd800 || point > 0xdfff)
  return following < 3 || (point >= 0x10000 && point <= 0x10ffff)
}

/** No byte: that of an escape that is malformed or missing. */
const NO_BYTE = 0xff

/** The byte that is escaped at a place of a text. */
function byteAt(text: string, at: number): number {
  const high = digitOf(text.charCodeAt(at + 1))
  const low = digitOf(text.charCodeAt(at + 2))
  return text.charCodeAt(at) === PERCENT && high !== -1 && low !== -1 ? (high << 4) | low : NO_BYTE
}

/** The value of a hexadecimal digit, or -1. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  // letters differ from their capitals in this bit
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
