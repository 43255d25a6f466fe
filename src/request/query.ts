import { parse } from 'fast-querystring'

import type { QueryRecord } from '../http.ts'

/** Reads the query of a request target. A repeated name has a list; a malformed escape is kept as it stands. */
export function parseQuery(target: string): QueryRecord {
  const mark = target.indexOf('?')
  // a record without prototype: `__proto__` and `constructor` are names like any other
  return mark === -1 ? NO_QUERY : parse(target.slice(mark + 1))
}

/** Reads an `application/x-www-form-urlencoded` body (WHATWG URL standard, section 5.1). */
export function parseForm(text: string): QueryRecord {
  return parse(text)
}

const NO_QUERY: QueryRecord = Object.freeze(Object.create(null))

/** A query or form from values: lists repeat the name, dates are ISO 8601, `null` and `undefined` are dropped. */
export function toSearchParams(values: Readonly<Record<string, unknown>>): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null) search.append(name, toText(item))
    }
  }
  return search
}

function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return value
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}
