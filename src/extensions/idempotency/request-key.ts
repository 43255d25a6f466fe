import * as crypto from 'node:crypto'

import { addedError, HttpError, ValidationError } from '../../http/errors.ts'
import type { ExecutionContext } from '../../define/context.ts'
import type { Identified } from '../../define/layers.ts'
import { isObject, isString, isNonEmptyString, isFunction, type Awaitable } from '../../base/values.ts'
import { isAsyncIterable, isWebResponse } from '../../http/http.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import type { VersionSpec } from '../../versioning/version.ts'
import { encode, decode, isPlain } from './codec.ts'
import { isRaw, isReply, rawReply, reply, type ReplyOptions } from '../../define/reply.ts'

/** The field name, as it is written in documents. */
export const HEADER = 'Idempotency-Key'

/** The content of a String of structured fields between its quotes (RFC 9651 section 3.3.3). */
const QUOTED = /^(?:[ !#-[\]-~]|\\["\\])*$/

/** Keys that many clients send without quotes, and nearly all keys. */
const SIMPLE = /^[\w.~:/+=@-]+$/

const MAX_LENGTH = 255

/** Clients that share a scope could guess each other's keys if these were short. */
const MIN_SHARED_LENGTH = 16

/** The key of a request, or `undefined` for none. @throws `HttpError` 400 for one that is required or malformed. */
export function readKey({ request }: ExecutionContext, required: boolean): string | undefined {
  const text = request.header(HEADER)
  if (text === undefined) {
    if (!required) return undefined
    throw missingKey()
  }
  const key = text.length > 2 * MAX_LENGTH ? undefined : parseKey(text.trim())
  if (!isNonEmptyString(key) || key.length > MAX_LENGTH)
    throw addedError(
      'malformed_idempotency_key',
      `${HEADER} is a text in double quotes with 1 to ${MAX_LENGTH} characters, such as a UUID`,
    )
  return key
}

function parseKey(text: string): string | undefined {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"')
  const inner = isQuoted ? text.slice(1, -1) : text
  if (SIMPLE.test(inner)) return inner
  return isQuoted && QUOTED.test(inner) ? inner.replaceAll(/\\(["\\])/g, '$1') : undefined
}

/** The problem of a request without a key. */
export function missingKey(): HttpError {
  return addedError(
    'missing_idempotency_key',
    `Send the header ${HEADER} with a text that no other request has, such as a UUID, and the same one when you send this request again`,
  )
}

interface Owner {
  /** The text that tells clients apart. */
  readonly scope: string
  /** Whether the server knows that the client is the one it says it is. */
  readonly isKnown: boolean
}

/** The key by which a store knows a request: that of a client, so that no other client has it. */
export function toStoreKey(key: string, { scope, isKnown }: Owner): string {
  if (!isKnown && key.length < MIN_SHARED_LENGTH)
    throw addedError(
      'malformed_idempotency_key',
      `${HEADER} needs at least ${MIN_SHARED_LENGTH} characters, because the client is not known here`,
    )
  // a key has no line break
  return `${scope}\n${key}`
}

/**
 * Returns whose the keys of requests are: that of the identity, else of the name of the client, which is only a claim. Ids count by guard
 * and issuer, and a number differs from its text.
 *
 * @throws `TypeError` for an identity without an id.
 */
export function ownerOf({ client, identity, identifiedBy }: ExecutionContext & Identified): Owner {
  const { id, sub, iss }: Readonly<Record<'id' | 'sub' | 'iss', unknown>> = Object(identity)
  const own = isObject(identity) ? (id ?? sub) : identity
  if (own === undefined || own === null) {
    if (!isObject(identity))
      return { scope: isNonEmptyString(client) ? `client:${client}` : 'client', isKnown: false }
    throw new TypeError('idempotency: the identity has no id and no sub; give the option client')
  }
  if (typeof own !== 'string' && typeof own !== 'number' && typeof own !== 'bigint')
    throw new TypeError('idempotency: the id of the identity is no text or number; give the option client')
  const [guard = '', issuer = isNonEmptyString(iss) ? iss : ''] = identifiedBy ?? []
  return { scope: `identity:${JSON.stringify([guard, issuer, typeof own, String(own)])}`, isKnown: true }
}

/** Returns whose the keys are by the id that the option `client` has returned. @throws `TypeError` for one that is no text. */
export function ownerNamed(id: unknown): Owner {
  if (id === undefined || id === null || id === '') return { scope: 'client', isKnown: false }
  // a promise would be the same text for all clients
  if (!isString(id)) throw new TypeError('idempotency: the option client returned no text')
  return { scope: `id:${id}`, isKnown: true }
}

export interface HandlerInput {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly form?: unknown
}

/**
 * The text of what a request asks for: host, method, route and validated input in the newest version. So neither white space nor the order
 * of members counts, nor the version in which it is sent, unless versions have routes of their own: `version` is that of the route. A query
 * that no schema reads counts as it is. Such a body counts by its bytes, and so does input that has instances of classes, because their
 * fields may be private.
 */
export function toFingerprint(
  context: ExecutionContext,
  { params, query, body, form }: HandlerInput,
  version: VersionSpec | undefined,
): Awaitable<string> {
  // interceptors get no other context, as in `headOf`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { request, route, spelling = '', versioning } = context as RequestContext
  // instances behind a balancer may differ by their port
  const host = request.host.replace(/:\d*$/, '').toLowerCase()
  const isInHost = versioning?.schemes.some(({ scheme }) => scheme.name === 'HOST')
  const noted = { isWhole: true }
  const write = (value: unknown): string => (value === undefined ? '' : toCanonical(value, noted))
  // a query that no schema reads, without the version
  const unread = (): [name: string, value: unknown][] =>
    Object.entries(request.query).filter(([name]) => versioning?.hidden.includes(name) !== true)
  // no part but the last, the body, has a line break
  const parts = [
    request.method,
    version === undefined ? '' : encode(version),
    JSON.stringify(route?.name),
    JSON.stringify(isInHost === true ? host.replace(spelling.toLowerCase(), '') : host),
    write(params),
    write(query ?? Object.fromEntries(unread())),
    write(body),
    write(form),
  ]
  if (noted.isWhole && (body !== undefined || form !== undefined)) return parts.join('\n')
  parts.push(noted.isWhole ? '' : JSON.stringify(request.url))
  return request.bytes().then((bytes) => {
    const { buffer, byteOffset, length } = bytes
    // each byte as a character
    const text = (): string => Buffer.from(buffer, byteOffset, length).toString('latin1')
    parts.push(length > SHORT_BODY ? `#${hash(bytes)}` : `=${text()}`)
    return parts.join('\n')
  })
}

/** Bodies up to this many bytes are compared as they are, in place of a digest. */
const SHORT_BODY = 64

/** A digest of bounded length, which tells nothing of what it is made of. */
export function hash(content: string | Uint8Array): string {
  // one call takes a third of the time, and not all platforms have it
  const { hash: once }: Partial<typeof crypto> = crypto
  return once === undefined
    ? crypto.createHash('sha256').update(content).digest('base64url')
    : once('sha256', content, 'base64url')
}

/** Notes that are taken while data is written. */
interface Noted {
  /** Whether the text has all that the data holds: an instance of a class may have private fields, and its `toJSON` may hide some. */
  isWhole: boolean
}

/** Writes data as text that is the same for equal data, whatever the order of members. Members without a value don't count. */
function toCanonical(value: unknown, noted: Noted): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (!isObject(value)) {
    if (isFunction(value)) noted.isWhole = false
    return value === undefined ? 'null' : encode(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => toCanonical(item, noted)).join()}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  // dates, bytes, maps, sets and what knows how to write itself
  if (prototype !== Object.prototype && prototype !== null && !isRecordOf(prototype)) {
    if (!(value instanceof Date || value instanceof Uint8Array)) noted.isWhole = false
    return encode(value)
  }
  let members = ''
  for (const name of Object.keys(value).toSorted()) {
    const member: unknown = Reflect.get(value, name)
    if (member === undefined) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${toCanonical(member, noted)}`
  }
  return `{${members}}`
}

/** Whether a prototype is an object without members, as that of values which a schema has read. */
function isRecordOf(prototype: unknown): boolean {
  return (
    isObject(prototype) &&
    Object.getPrototypeOf(prototype) === null &&
    Object.keys(prototype).length === 0 &&
    prototype.constructor === undefined
  )
}

/** The outcome of a run that a store keeps: the result of the handler in the newest version, an error, or that neither can be kept. */
type Outcome =
  | Data
  | {
      readonly kind: 'error'
      readonly error: Pick<HttpError, 'status' | 'detail' | 'code' | 'type' | 'title' | 'headers' | 'members'>
    }
  | { readonly kind: 'lost' }

interface Data {
  readonly kind: 'value' | 'data' | 'raw'
  readonly status: number | undefined
  readonly data: unknown
  /** The headers that the handler has set on `context.response`. */
  readonly headers: Headers
  readonly options?: ReplyOptions
}

type Headers = Readonly<Record<string, string | readonly string[]>>

/** The outcome of a run whose result is too long, a stream or a file. */
export const LOST = encode({ kind: 'lost' } satisfies Outcome)

/** Statuses by which a server asks a client to send the request again: their results are not kept. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429])

/** The head of a response before a handler runs, with which that after it is compared. */
interface HeadBefore {
  readonly status: number | undefined
  readonly headers: Headers
}

/** The head that is set so far. */
export function headOf(context: ExecutionContext): HeadBefore {
  // interceptors get no other context: those that `context.call` makes are for routes without this one
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { head } = context as RequestContext
  if (head === undefined) return NO_HEAD
  const headers: Record<string, string | string[]> = {}
  head.mergeInto(headers)
  return { status: head.view.status, headers }
}

/** The status that is set so far. */
export function statusSetIn(context: ExecutionContext): number | undefined {
  // as in `headOf`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (context as RequestContext).head?.view.status
}

const NO_HEAD: HeadBefore = { status: undefined, headers: {} }

/** The text of a result, or `undefined` for one that is not kept because the request may be sent again. */
export function writeResult(
  result: unknown,
  before: HeadBefore,
  context: ExecutionContext,
): string | undefined {
  const after = headOf(context)
  const headers = after === NO_HEAD ? NO_HEAD.headers : differing(before.headers, after.headers)
  if (!isReply(result)) {
    const status = after.status === before.status ? undefined : after.status
    return writeData({ kind: 'value', status, data: result, headers })
  }
  const { status = after.status, data, headers: own, cookies } = result
  const kind = isRaw(result) ? 'raw' : 'data'
  if (own === undefined && cookies === undefined) return writeData({ kind, status, data, headers })
  const options = { ...(own && { headers: own }), ...(cookies && { cookies }) }
  return writeData({ kind, status, data, headers, options })
}

function writeData(outcome: Data): string | undefined {
  const { status, data } = outcome
  if (status !== undefined && isPassing(status)) return undefined
  const isData = !isWebResponse(data) && !isAsyncIterable(data) && typeof data !== 'function'
  return isData ? writeOutcome(outcome) : LOST
}

/** The text of an error, or `undefined` for an error that is not kept: a server error, or one that asks for another try. */
export function writeError(error: unknown): string | undefined {
  if (!(error instanceof HttpError) || isPassing(error.status)) return undefined
  const { status, detail, code, type, title, headers, members } = error
  return writeOutcome({ kind: 'error', error: { status, detail, code, type, title, headers, members } })
}

function isPassing(status: number): boolean {
  return status >= 500 || PASSING.has(status)
}

function writeOutcome(outcome: Outcome): string {
  try {
    return isUsual(outcome) ? writeUsual(outcome) : encode(outcome)
  } catch {
    // the first response fails as well, by the same value
    return LOST
  }
}

/** JSON data, which `encode` would write in more time. */
type Usual = Omit<Data, 'options'>

function isUsual(outcome: Outcome): outcome is Usual {
  return 'data' in outcome && outcome.options === undefined && isPlain(outcome.data)
}

function writeUsual({ kind, status, data, headers }: Usual): string {
  const text = JSON.stringify(data)
  return `{"kind":"${kind}"${status === undefined ? '' : `,"status":${status}`},"headers":${
    headers === NO_HEAD.headers ? '{}' : JSON.stringify(headers)
  }${text === undefined ? '' : `,"data":${text}`}}`
}

const MARK = 'idempotency-replayed'

/**
 * Answers with what a store has kept. `undefined` if that is nothing to answer with.
 *
 * @throws the error of the run, with the mark of replayed responses.
 */
export function replay(text: string, context: ExecutionContext): { readonly result: unknown } | undefined {
  // the store returns what it was given
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const outcome = decode(text) as Outcome
  if (outcome.kind === 'lost') return undefined
  if (outcome.kind === 'error') throw toError(outcome.error)
  const { kind, status, data, headers, options = {} } = outcome
  const { response } = context
  for (const [name, value] of Object.entries(headers)) {
    const [first = '', ...others] = [value].flat()
    if (name === 'set-cookie' || name === 'vary') response.headers.append(name, first)
    else response.headers.set(name, first)
    for (const line of others) response.headers.append(name, line)
  }
  response.headers.set(MARK, 'true')
  if (kind === 'raw') {
    // a result that is no text or bytes was not kept
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { result: rawReply(status, data as string | Uint8Array | undefined, options) }
  }
  if (kind === 'data') return { result: reply(status ?? 200, data, options) }
  if (status !== undefined) response.status = status
  return { result: data }
}

function toError({
  status,
  detail,
  headers,
  members,
  ...own
}: Extract<Outcome, { kind: 'error' }>['error']): HttpError {
  const marked = { ...headers, [MARK]: 'true' }
  const { errors } = members
  if (own.code === 'validation_failed' && Array.isArray(errors)) {
    // error handlers that match this class see the same as the first time
    const error = new ValidationError(errors, detail)
    return Object.assign(error, { headers: marked })
  }
  return new HttpError(status, detail, { ...members, ...own, headers: marked })
}

/** The headers that are new or have another value, lists without the lines that were there before. */
function differing(before: Headers, after: Headers): Headers {
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, value]): (readonly [string, string | readonly string[]])[] => {
      const known = before[name]
      if (known === undefined) return [[name, value]]
      if (name !== 'set-cookie') return String(known) === String(value) ? [] : [[name, value]]
      const lines = [value].flat().slice([known].flat().length)
      return lines.length === 0 ? [] : [[name, lines]]
    }),
  )
}
