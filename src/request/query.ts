import { httpError } from '../errors.ts'
import type { QueryRecord } from '../http.ts'
import { parseUrlencoded } from './urlencoded.ts'

/**
 * Reads the query of a request target. A repeated name has a list; a malformed escape is kept as it stands.
 *
 * @throws `HttpError` 400 when there are more than `limit` parameters.
 */
export function parseQuery(target: string, limit: number): QueryRecord {
  const mark = target.indexOf('?')
  return mark === -1 ? NO_QUERY : parseForm(target.slice(mark + 1), limit)
}

/**
 * Reads an `application/x-www-form-urlencoded` body (WHATWG URL standard, section 5.1).
 *
 * @throws `HttpError` 400 when there are more than `limit` parameters.
 */
export function parseForm(text: string, limit: number): QueryRecord {
  // each takes a character at least
  if (text.length > limit && isLonger(text, limit))
    throw httpError('too_many_parameters', `There are more than ${limit} parameters`)
  return parseUrlencoded(text)
}

/** Counts separators, before anything is made of what they separate. */
function isLonger(text: string, limit: number): boolean {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1 && count <= limit; at = text.indexOf('&', at + 1)) count++
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
