import { httpError } from '../../../http/errors.ts'
import type { TargetSource } from '../../../http/http.ts'
import { ESCAPED_SLASH } from '../../../router/path/param-types.ts'
import { trimSlash, wholePath, type PathAt } from '../../../router/find.ts'
import { refuseDots } from '../../request/dot-segments.ts'
import { toOriginForm } from '../../request/origin-form.ts'
import type { Settings } from '../../options/settings.ts'
import { urlTooLong } from '../../pipeline/failure.ts'

/** Where the path of a request target stands. */
export interface Target extends PathAt {
  /** Whether the path was decoded, so that the values of parameters have to go through `restoreSlashes`. */
  readonly escaped: boolean
}

/** The path as a text of its own. */
export function targetPath({ text, start, fullEnd }: Target): string {
  return text.slice(start, fullEnd)
}

/** How request targets are read. */
export type TargetRules = Pick<Settings, 'trailingSlash'> & {
  readonly limits: Pick<Settings['limits'], 'url'>
}

/**
 * Reads a request target: origin form, or absolute form without its authority (RFC 9112 section 3.2).
 *
 * @throws `HttpError` 414 when it is too long, 400 when it or an escape in its path is malformed.
 */
export function readTarget(raw: TargetSource, { limits, trailingSlash }: TargetRules): Target {
  let { url: text = raw.target, start = 0 } = raw
  if (text.length - start > limits.url) throw urlTooLong(limits.url)
  if (text.charCodeAt(start) !== SLASH) {
    text = toOriginForm(raw.target) ?? failTarget('The request target is neither a path nor a URL')
    start = 0
  }
  let escaped = false
  let end = start
  // a loop over the characters, which targets have few of: four searches take JavaScriptCore several times as long
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === PERCENT) escaped = true
    else if (code === QUESTION_MARK || code === HASH) break
  }
  // to some a fragment would end the path, to others not (RFC 9112 section 3.2); that of a URL stays with the client
  if (raw.url === undefined && end < text.length && text.includes('#', end))
    failTarget('The request target has a fragment')
  const strict = trailingSlash === 'strict'
  if (escaped) return { ...wholePath(decodePath(text.slice(start, end)), strict), escaped }
  return { text, start, end: strict ? end : trimSlash(text, start, end), fullEnd: end, escaped }
}

function failTarget(detail: string): never {
  throw httpError('malformed_target', detail)
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

/**
 * The URL with its trailing slash added or removed; never one that a client could read as another host.
 *
 * @throws `HttpError` 400 for dot segments, which the client would resolve to another path.
 */
export function otherSpelling(url: string, slash: boolean): string {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark)
  refuseDots(path)
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
