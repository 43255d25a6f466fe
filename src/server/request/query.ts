import { httpError } from '../../http/errors.ts'
import type { QueryRecord } from '../../http/http.ts'
import { parseUrlencoded } from './urlencoded.ts'

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
