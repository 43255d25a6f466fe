import { writeSetCookie } from '../../http/cookies.ts'
import type { HttpResponse } from '../../define/context.ts'
import type { ReplyOptions } from '../../define/reply.ts'
import {
  CONTENT_DIGESTS,
  FINISHED,
  dropBody,
  isAsyncIterable,
  isDetached,
  type FinishedResponse,
} from '../../http/http.ts'
import { byteLength } from '../../base/platform.ts'
import { isBodyless, isLength, setNoLength } from './framing.ts'

/** The content type of results that are data. */
export const JSON_TYPE = 'application/json'

/** Headers as a response collects them: by lower-case name. */
export type ResponseHeaders = Record<string, string | string[]>

/** The head of a response while its handler runs. */
export interface ResponseHead {
  /** The response as handlers and guards see it. */
  readonly view: HttpResponse
  /** Adds the collected headers to a finished response. Its own headers win, unless `wins` is set. */
  readonly mergeInto: (headers: ResponseHeaders, wins?: boolean, isError?: boolean) => void
}

/** Creates an empty head; header names and values are checked when the response is finished. */
export function createResponseHead(): ResponseHead {
  const headers = new Map<string, string[]>()
  const view: HttpResponse = {
    status: undefined,
    headers: {
      get: (name) => headers.get(name.toLowerCase())?.join(', '),
      // JavaScript may give undefined, which is no value on any way
      set: (name, value: string | undefined) => {
        if (value === undefined) headers.delete(name.toLowerCase())
        else headers.set(name.toLowerCase(), [value])
      },
      append: (name, value: string | undefined) => {
        if (value === undefined) return
        headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
      },
      delete: (name) => void headers.delete(name.toLowerCase()),
    },
    cookies: {
      set: (name, value, options) => view.headers.append('set-cookie', writeSetCookie(name, value, options)),
    },
  }
  return {
    view,
    mergeInto: (target, wins = false, isError = false) => {
      for (const [name, lines] of headers) {
        if (isError && isOfContent(name, lines)) continue
        if (name === 'set-cookie') appendLines(target, name, lines)
        else if (name === 'vary') addVary(target, lines)
        else if (wins || target[name] === undefined)
          target[name] = lines.length === 1 ? (lines[0] ?? '') : [...lines]
      }
    },
  }
}

/** Headers that describe the content that an error has replaced (RFC 9110 sections 8 and 14, RFC 9111 section 5). */
const OF_CONTENT: ReadonlySet<string> = new Set([
  ...CONTENT_DIGESTS,
  ...'content-encoding content-language content-location content-range content-disposition accept-ranges'.split(
    ' ',
  ),
  ...'etag last-modified expires cache-control age trailer'.split(' '),
])

/** Whether a header is about the content that was wanted. That nothing may be stored holds for an error, too. */
function isOfContent(name: string, lines: readonly string[]): boolean {
  return (
    OF_CONTENT.has(name) && !(name === 'cache-control' && /no-store|private|no-cache/i.test(lines.join()))
  )
}

/** Puts the headers and cookies that a reply carries into the headers of its response. */
export function addReplyHead(target: ResponseHeaders, { headers = {}, cookies = {} }: ReplyOptions): void {
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (lower === 'set-cookie') appendLines(target, lower, [value].flat())
    else target[lower] = typeof value === 'object' ? [...value] : value
  }
  for (const [name, cookie] of Object.entries(cookies)) {
    const { value, ...options } = typeof cookie === 'object' ? cookie : { value: cookie }
    appendLines(target, 'set-cookie', [writeSetCookie(name, value, options)])
  }
}

/** The names in a list that a header holds. */
function toNames(lines: string | readonly string[] = []): readonly string[] {
  return [lines]
    .flat()
    .flatMap((line) => line.split(',').map((name) => name.trim()))
    .filter(Boolean)
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** Adds field names to `Vary`, each once; `*` already says everything (RFC 9110 section 12.5.5). */
export function addVary(target: ResponseHeaders, names: readonly string[]): void {
  const [only = ''] = names
  if (
    target['vary'] === undefined &&
    names.length === 1 &&
    (only === KNOWN.get('vary') || TOKEN.test(only))
  ) {
    target['vary'] = only
    return
  }
  const present = toNames(target['vary'])
  if (present.includes('*')) return
  const lower = new Set(present.map((name) => name.toLowerCase()))
  const missing = toNames(names).filter((name) => !lower.has(name.toLowerCase()))
  if (present.length + missing.length > 0)
    target['vary'] = missing.includes('*') ? '*' : [...present, ...new Set(missing)].join(', ')
}

// oxlint-disable-next-line no-control-regex
const UNSAFE_VALUE = /[^\t\u0020-\u007e\u0080-\u00ff]/

/**
 * Why a header cannot be sent, or `undefined` if all can. CR, LF and NUL would let a value write headers of its own. A header whose value is
 * `undefined` is dropped, because each way would send another one.
 */
export function headerProblem(headers: ResponseHeaders): string | undefined {
  for (const name in headers) {
    const value = headers[name]
    const known = KNOWN.get(name)
    if (known === undefined && !TOKEN.test(name)) return 'a header name has a character that is not allowed'
    if (value === undefined) {
      delete headers[name]
      continue
    }
    if (value === known) continue
    if (!isSafe(value)) return `the header ${name} has a character that is not allowed`
    if (known === undefined && typeof value === 'string' && KNOWN.size < MAX_KNOWN) KNOWN.set(name, value)
  }
  return undefined
}

/** Names that can be sent, each with its first value: most headers have the same value in every response, which is not checked again. */
const KNOWN = new Map([['content-type', JSON_TYPE]])
const MAX_KNOWN = 50

function isSafe(value: string | readonly string[]): boolean {
  if (typeof value !== 'string')
    return value.every((line) => typeof line === 'string' && !UNSAFE_VALUE.test(line))
  // most are short and ASCII, such as a length: an expression takes longer to start than to search them
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code < 0x20 || code > 0x7e) return !UNSAFE_VALUE.test(value)
  }
  return true
}

function appendLines(target: ResponseHeaders, name: string, lines: readonly string[]): void {
  target[name] = [...[target[name] ?? []].flat(), ...lines]
}

/**
 * Completes the headers of a CORS middleware, the built-in one or another: docs/guide/versioning-rules.md#headers-across-origins
 * `asked` is `Access-Control-Request-Headers`.
 */
export function completeCors(
  headers: ResponseHeaders,
  { reporting, carrying }: { readonly reporting: readonly string[]; readonly carrying: readonly string[] },
  asked: string | undefined,
): void {
  const sent = reporting.filter((name) => headers[name] !== undefined)
  if (asked === undefined) addTo(headers, 'access-control-expose-headers', sent)
  else {
    const names = toNames(asked.toLowerCase())
    addTo(
      headers,
      'access-control-allow-headers',
      carrying.filter((name) => names.includes(name)),
    )
  }
}

/** Copies the CORS headers of the replaced response into the error response, because scripts could not read the error without them. */
export function keepCors(replaced: ResponseHeaders, response: FinishedResponse): FinishedResponse {
  const { headers } = response
  for (const [name, value] of Object.entries(replaced)) {
    if (!canBeSent(name, value)) continue
    if (name === 'vary') addVary(headers, [value].flat())
    else if (name.startsWith('access-control-')) headers[name] ??= value
  }
  return response
}

/** Whether a header can be sent. One that cannot may be the cause of the error, and neither text nor a list. */
function canBeSent(name: string, value: string | readonly string[]): boolean {
  try {
    return headerProblem({ [name]: [value].flat() }) === undefined
  } catch {
    return false
  }
}

/** Adds names to a list in a header, each once; `*` has them all, but not with credentials (the Fetch standard, section 3.3.5). */
function addTo(headers: ResponseHeaders, header: string, names: readonly string[]): void {
  const given = toNames(headers[header])
  if (given.includes('*') && headers['access-control-allow-credentials'] !== 'true') return
  const missing = names.filter((name) => !given.some((each) => each.toLowerCase() === name))
  if (missing.length > 0) headers[header] = [...given, ...missing].join(', ')
}

/** The response with its length, or without body where the status allows none (RFC 9110 section 6.4.1). */
export function finish(status: number, headers: ResponseHeaders, body: unknown): FinishedResponse {
  if (!Number.isInteger(status) || (status < 200 && status !== 101) || status > 599) {
    if (isAsyncIterable(body)) dropBody(body)
    throw new RangeError(`The handler answered with the status ${status}, which is not from 200 to 599`)
  }
  if (isBodyless(status)) {
    if (isAsyncIterable(body)) dropBody(body)
    delete headers['content-type']
    setNoLength(status, headers)
    return { [FINISHED]: true, status, headers, body: null }
  }
  if (typeof headers['content-type'] === 'object')
    return failBody(body, 'The handler gave several content types')
  if (isAsyncIterable(body)) return measured({ [FINISHED]: true, status, headers, body })
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const length = typeof body === 'string' ? byteLength(body) : body.byteLength
    if (length === 0 && isDetached(body)) throw new TypeError(DETACHED)
    headers['content-length'] = String(length)
    return { [FINISHED]: true, status, headers, body }
  }
  return measured({ [FINISHED]: true, status, headers, body: null })
}

const DETACHED = 'The handler returned bytes whose memory was transferred elsewhere'

/** A response whose length, if any, is that of the handler: with a stream, it says where the response ends on its connection. */
function measured(response: FinishedResponse): FinishedResponse {
  if (isLength(response.headers['content-length'])) return response
  return failBody(response.body, 'The handler gave a Content-Length that is not a number of bytes')
}

function failBody(body: unknown, reason: string): never {
  if (isAsyncIterable(body)) dropBody(body)
  throw new TypeError(reason)
}

/** Drops the headers about bytes that are not sent, because a body is written anew. */
export function dropDigests(headers: ResponseHeaders): void {
  for (const name of CONTENT_DIGESTS) if (name in headers) delete headers[name]
}
