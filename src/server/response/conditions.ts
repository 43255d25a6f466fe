/** The validators of a content (RFC 9110 section 8.8). */
export interface Validators {
  /** With its quotes. */
  readonly etag: string | undefined
  /** In milliseconds, whole seconds: an HTTP date has no more. */
  readonly modified: number | undefined
}

/** The headers of a request, by lower-case name. */
type ReadHeader = (name: string) => string | undefined

/**
 * Evaluates the conditions of a GET, HEAD or QUERY request, in the order of RFC 9110 section 13.2.2: `'failed'` is a 412, `'unchanged'` a
 * 304.
 */
export function checkConditions(
  header: ReadHeader,
  { etag, modified }: Validators,
): 'failed' | 'unchanged' | 'met' {
  const [match, noneMatch] = [header('if-match'), header('if-none-match')]
  if (match !== undefined) {
    if (!hasTag(match, etag, matchesStrongly)) return 'failed'
  } else if (isAfter(modified, header('if-unmodified-since'))) return 'failed'
  if (noneMatch !== undefined) return isKnown(noneMatch, etag) ? 'unchanged' : 'met'
  return isAfter(modified, header('if-modified-since')) === false ? 'unchanged' : 'met'
}

/** The result of the conditions of a request that changes something. */
type WriteOutcome = 'failed' | 'met' | 'malformed'

/** Whether a request has a condition that is checked before a change (RFC 9110 section 13.1). */
export function hasWriteCondition(header: ReadHeader): boolean {
  return ['if-match', 'if-none-match', 'if-unmodified-since'].some((name) => header(name) !== undefined)
}

/**
 * Evaluates the conditions of a request that changes something, in the order of RFC 9110 section 13.2.2. `'malformed'` is a 400, because a
 * change that ignores its condition is lost. Without validators, nothing exists that could match.
 */
export function checkWrite(header: ReadHeader, validators: Validators | undefined): WriteOutcome {
  const [match, noneMatch] = [header('if-match'), header('if-none-match')]
  const since = header('if-unmodified-since')
  const isMalformed =
    [match, noneMatch].some((list) => list !== undefined && !isTagList(list)) ||
    (since !== undefined && parseHttpDate(since) === undefined)
  if (isMalformed) return 'malformed'
  if (match !== undefined) {
    if (validators === undefined || !hasTag(match, validators.etag, matchesStrongly)) return 'failed'
  } else if (since !== undefined && isAfter(validators?.modified, since) !== false) return 'failed'
  if (noneMatch === undefined || validators === undefined) return 'met'
  return isKnown(noneMatch, validators.etag) ? 'failed' : 'met'
}

/** Whether a text is `*` or a list of entity tags, which may have empty members (RFC 9110 section 5.6.1). */
function isTagList(text: string): boolean {
  const list = text.trim()
  return (
    list === '*' ||
    (list.includes('"') &&
      list
        .replaceAll(TAG, TAG_MARK)
        .split(',')
        .every((member) => ['', TAG_MARK].includes(member.trim())))
  )
}

/** A character that no header has. */
const TAG_MARK = '\0'

/** Whether `Range` counts: without `If-Range`, or when that names exactly this state (RFC 9110 section 13.1.5). */
export function isRangeMeant(header: ReadHeader, { etag, modified }: Validators): boolean {
  const condition = header('if-range')?.trim()
  if (condition === undefined) return true
  if (condition.includes('"')) return etag !== undefined && matchesStrongly(condition, etag)
  return modified !== undefined && parseHttpDate(condition) === modified
}

/** Whether `If-None-Match` names a state, be its tag weak or strong (RFC 9110 section 13.1.2). */
export function isKnown(noneMatch: string, etag: string | undefined): boolean {
  return hasTag(noneMatch, etag, matchesWeakly)
}

/** Whether a list of entity tags has the one; `*` stands for any state. */
function hasTag(
  list: string,
  etag: string | undefined,
  isEqual: (one: string, other: string) => boolean,
): boolean {
  if (list.trim() === '*') return true
  return etag !== undefined && (list.match(TAG) ?? []).some((tag) => isEqual(tag, etag))
}

const TAG = /(?:W\/)?"[\u0021\u0023-\u007e\u0080-\u00ff]*"/g

/** The strong comparison of RFC 9110 section 8.8.3.2: byte for byte the same. */
function matchesStrongly(one: string, other: string): boolean {
  return one === other && !one.startsWith('W/')
}

/** The weak comparison. */
function matchesWeakly(one: string, other: string): boolean {
  return one.replace(/^W\//, '') === other.replace(/^W\//, '')
}

/** Whether a content changed after a date, or `undefined` if there is nothing to compare. */
function isAfter(modified: number | undefined, date: string | undefined): boolean | undefined {
  const time = date === undefined ? undefined : parseHttpDate(date)
  return modified === undefined || time === undefined ? undefined : modified > time
}

const DATE = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -](?:\d\d){1,2} \d\d:\d\d:\d\d GMT$/

/** An HTTP date (RFC 9110 section 5.6.7) in milliseconds, or `undefined` if the text is none, which then has to be ignored. */
function parseHttpDate(text: string): number | undefined {
  const date = text.trim()
  // the oldest of the three forms does not name its time zone
  const isAscTime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(date)
  if (!isAscTime && !DATE.test(date)) return undefined
  const time = Date.parse(isAscTime ? `${date} GMT` : date)
  return Number.isNaN(time) ? undefined : time
}
