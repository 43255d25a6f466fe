import { httpError } from '../../errors.ts'
import type { TargetSource } from '../../http.ts'
import { ESCAPED_SLASH } from '../../path/param-types.ts'
import { trimSlash } from '../../router/find.ts'
import type { PathAt } from '../../router/find.ts'
import { toOriginForm } from '../../request/origin-form.ts'
import { urlTooLong } from '../pipeline/check-head.ts'

/** Where the path of a request target stands. A class because one is made for every request. */
export class Target implements PathAt {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly fullEnd: number
  /** Whether the path was decoded, so that the values of parameters have to go through `restoreSlashes`. */
  readonly escaped: boolean

  constructor(text: string, start: number, fullEnd: number, strict: boolean, escaped: boolean) {
    this.text = text
    this.start = start
    this.end = strict ? fullEnd : trimSlash(text, start, fullEnd)
    this.fullEnd = fullEnd
    this.escaped = escaped
  }

  /** The path as a text of its own. */
  get path(): string {
    return this.text.slice(this.start, this.fullEnd)
  }
}

/** How request targets are read. */
export interface TargetRules {
  /** The longest request target, in characters. */
  readonly maxUrl: number
  /** Whether a trailing slash counts. */
  readonly strict: boolean
}

/**
 * Reads a request target: origin form, or absolute form without its authority (RFC 9112 section 3.2).
 *
 * @throws `HttpError` 414 when it is too long, 400 when it or an escape in its path is malformed.
 */
export function readTarget(raw: TargetSource, { maxUrl, strict }: TargetRules): Target {
  const { url, targetStart = 0 } = raw
  const text = url ?? raw.target
  if (text.length - targetStart > maxUrl) throw urlTooLong(maxUrl)
  if (text.charCodeAt(targetStart) === SLASH) return readPath(raw, text, targetStart, strict)
  const path = toOriginForm(raw.target)
  if (path === undefined)
    throw httpError('malformed_target', 'The request target is neither a path nor a URL')
  return readPath(raw, path, 0, strict)
}

function readPath({ url }: TargetSource, text: string, start: number, strict: boolean): Target {
  let escaped = false
  let end = start
  // a loop over the characters, which targets have few of: four searches take JavaScriptCore several times as long
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === PERCENT) escaped = true
    else if (code === QUESTION_MARK || code === HASH) break
  }
  // to some a fragment would end the path, to others not (RFC 9112 section 3.2); that of a URL stays with the client
  if (url === undefined && end < text.length && text.includes('#', end))
    throw httpError('malformed_target', 'The request target has a fragment')
  if (!escaped) return new Target(text, start, end, strict, false)
  const path = decodePath(text.slice(start, end))
  return new Target(path, 0, path.length, strict, true)
}

const HASH = 35
const PERCENT = 37
const SLASH = 47
const QUESTION_MARK = 63

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
