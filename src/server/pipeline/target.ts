import { httpError } from '../../errors.ts'
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
  // to some this would end the path, to others not (RFC 9112 section 3.2)
  if (url.includes('#')) throw httpError('malformed_target', 'The request target has a fragment')
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  // bytes above 127 never get here: the parser of node:http refuses them
  return path.includes('%') ? { url, path: decodePath(path), escaped: true } : { url, path, escaped: false }
}

/** Path and query of a request target, or `undefined` if it is neither a path nor a URL without user information (RFC 9110 section 4.2.4). */
export function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
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
