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
