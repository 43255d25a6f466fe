import { trimSpace } from './http.ts'

/** A media type or range with its parameters, as in `Accept` and `Content-Type` (RFC 9110 sections 8.3.1 and 12.5.1). */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly type: string
  /** Parameters by lower-case name, in order; quotes and escapes are resolved. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

/** Whether the text is a token (RFC 9110 section 5.6.2). */
export function isMediaToken(text: string): boolean {
  return TOKEN.test(text)
}

/**
 * Splits at a separator that stands outside quoted strings, and trims optional white space. A quote that never ends swallows the
 * rest, as the grammar demands.
 */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  if (!text.includes('"')) return text.split(separator).map(trimSpace)
  const parts: string[] = []
  let from = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (quoted && char === '\\') at++
    else if (char === '"') quoted = !quoted
    else if (char === separator && !quoted) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)].map(trimSpace)
}

/** The value of a token or quoted string, or `undefined` if it is neither. */
export function unquote(text: string): string | undefined {
  if (TOKEN.test(text)) return text
  if (!/^"(?:[^"\\]|\\.)*"$/.test(text)) return undefined
  return text.slice(1, -1).replaceAll(/\\(.)/g, '$1')
}

/** The text as a token or, when it is none, as a quoted string. */
export function quoteUnlessToken(text: string): string {
  return TOKEN.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Reads one media type or range, or `undefined` if it is malformed. */
export function parseMediaType(text: string): MediaType | undefined {
  const [range = '', ...rest] = splitOutsideQuotes(text, ';')
  const [type = '', subtype = '', ...more] = range.split('/')
  if (!isMediaToken(type) || !isMediaToken(subtype) || more.length > 0) return undefined
  const parameters: (readonly [string, string])[] = []
  for (const parameter of rest) {
    if (parameter === '') continue
    const equals = parameter.indexOf('=')
    const name = parameter.slice(0, equals)
    const value = parameter.slice(equals + 1)
    const plain = value === '' ? '' : unquote(value)
    if (equals < 1 || !isMediaToken(name) || plain === undefined) return undefined
    parameters.push([name.toLowerCase(), plain])
  }
  return { type: range.toLowerCase(), parameters }
}

/** Reads a list of media ranges; malformed members are left out. */
export function parseMediaRanges(text: string): readonly MediaType[] {
  return splitOutsideQuotes(text, ',')
    .filter((member) => member !== '')
    .map(parseMediaType)
    .filter((member) => member !== undefined)
}

/** The `type/subtype` of a Content-Type in lower case, or `undefined` if there is none or it is malformed. */
export function contentTypeOf(text: string | undefined): MediaType | undefined {
  if (text === undefined) return undefined
  // the spelling that nearly every client sends
  if (text === 'application/json') return JSON_TYPE
  return parseMediaType(text)
}

const JSON_TYPE: MediaType = { type: 'application/json', parameters: [] }
