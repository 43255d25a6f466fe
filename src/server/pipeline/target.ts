import { httpError } from '../../errors.ts'
import type { HttpError } from '../../errors.ts'
import { ESCAPED_SLASH } from '../../path/param-types.ts'
import { urlTooLong } from './check-head.ts'

/** A request target, read. */
export interface Target {
  /** Path and query in origin form. */
  readonly url: string
  /** The decoded path that is matched. */
  readonly path: string
  /** Whether the values of parameters have to go through `restoreSlashes`. */
  readonly escaped: boolean
}

/**
 * Reads a request target: origin form, or absolute form without its authority (RFC 9112 section 3.2).
 *
 * @throws `HttpError` 414 when it is longer than `limit` characters, 400 when it or an escape in its path is malformed.
 */
export function readTarget(target: string, limit: number): Target {
  if (target.length > limit) throw urlTooLong(limit)
  const url = toOriginForm(target)
  if (url === undefined) throw httpError('malformed_target', 'The request target is neither a path nor a URL')
  let escaped = false
  let end = 0
  // a loop over the characters, which targets have few of: four searches take JavaScriptCore several times as long
  for (; end < url.length; end++) {
    const code = url.charCodeAt(end)
    if (code === PERCENT) escaped = true
    else if (code === QUESTION_MARK) break
    else if (code === HASH) throw hasFragment()
  }
  if (end === url.length) return { url, path: escaped ? decodePath(url) : url, escaped }
  if (url.includes('#', end)) throw hasFragment()
  const path = url.slice(0, end)
  return { url, path: escaped ? decodePath(path) : path, escaped }
}

const HASH = 35
const PERCENT = 37
const SLASH = 47
const QUESTION_MARK = 63

/** The error of a target with a fragment: to some it would end the path, to others not (RFC 9112 section 3.2). */
function hasFragment(): HttpError {
  return httpError('malformed_target', 'The request target has a fragment')
}

/** Path and query of a request target, or `undefined` if it is neither a path nor a URL without user information (RFC 9110 section 4.2.4). */
export function toOriginForm(target: string): string | undefined {
  if (target.charCodeAt(0) === SLASH) return target
  const [, rest] = /^https?:\/\/[^/?#@]+(?![^/?#])(.*)$/is.exec(target) ?? []
  return rest === undefined || rest.startsWith('/') ? rest : `/${rest}`
}

function decodePath(path: string): string {
  try {
    return path
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('/', ESCAPED_SLASH))
      .join('/')
  } catch {
    throw httpError('malformed_path', 'The path has a malformed percent-escape or is not UTF-8')
  }
}

/** The URL with its trailing slash added or removed; never one that a client could read as another host. */
export function otherSpelling(url: string, slash: boolean): string {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark)
  const other = slash ? path.slice(0, -1) : `${path}/`
  return encodeForHeader(other.replace(/^\/+/, '/').replaceAll('\\', '%5C') + query)
}

/** Escapes what a header cannot carry. */
function encodeForHeader(text: string): string {
  return text.replaceAll(
    /[^\u0021-\u007e]/g,
    (char) => `%${Buffer.from(char, 'latin1').toString('hex').toUpperCase()}`,
  )
}
