import { stringifyCookie } from 'cookie'

import { isAsyncIterable, type HeaderMap, type BodyStream } from '../../../http/http.ts'
import type { RequestDraft } from '../../../versioning/schemes/scheme.ts'
import { headerProblem, JSON_TYPE } from '../../pipeline/response-head.ts'
import { isSingle } from '../shared/single-headers.ts'
import type { Awaitable } from '../../../base/values.ts'
import { toSearchParams } from '../../request/query.ts'

/** The header options of `inject`. */
export interface InjectHeaderOptions {
  /** Names in any case. A list sends several field lines, and a number is written as text. */
  readonly headers?: Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>>
  /** Cookies by name, not yet encoded. */
  readonly cookies?: Readonly<Record<string, string>>
}

/** The value of a header. */
export type HeaderValue = string | number

/** Facts about the headers of a request besides those that are given. */
interface HeaderFacts {
  readonly host: string
  /** The content type that the body brings. */
  readonly type: string | undefined
  /** Bytes of the body, or `undefined` for a stream that does not say. */
  readonly length: number | undefined
  /** The parts of the request that carry the version, if it is to have one. */
  readonly written: Partial<RequestDraft> | undefined
}

export const DEFAULT_HOST = 'localhost'
const USER_AGENT = 'octavo-inject'

const PLAIN: HeaderMap = Object.freeze({ 'user-agent': USER_AGENT, host: DEFAULT_HOST })

/**
 * Every line of every header, by lower-case name. Given headers win over ours, except headers that carry the version.
 *
 * @throws `TypeError` for what cannot be sent.
 */
export function injectedLines(options: InjectHeaderOptions, facts: HeaderFacts): HeaderMap {
  const { host, type, length, written } = facts
  if (
    options.headers === undefined &&
    options.cookies === undefined &&
    written === undefined &&
    host === DEFAULT_HOST
  ) {
    // most requests, which bring nothing that could be wrong
    if (length === 0 && type === undefined) return PLAIN
    if (type === JSON_TYPE)
      return { 'user-agent': USER_AGENT, 'content-type': JSON_TYPE, host, 'content-length': String(length) }
  }
  return collect(options, facts)
}

function collect(options: InjectHeaderOptions, { host, type, length, written = {} }: HeaderFacts): HeaderMap {
  const fixed = { ...(written.host === undefined ? {} : { host: written.host }), ...written.headers }
  // without prototype: `__proto__` is a name like any other
  const lines: Record<string, string | string[]> = Object.create(null)
  Object.assign(lines, ownHeaders(options, type), { host }, fixed)
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    const lower = name.toLowerCase()
    if (value === undefined || Object.hasOwn(fixed, lower)) continue
    if (typeof value === 'string' && lower !== 'cookie') lines[lower] = value
    else
      lines[lower] = singleLine(
        [lower === 'cookie' ? (lines[lower] ?? []) : [], value].flat(2).map(formatNumber),
      )
  }
  const problem = headerProblem(lines)
  if (problem !== undefined) throw new TypeError(`inject: ${problem}`)
  if (length !== undefined && length > 0) lines['content-length'] ??= String(length)
  return lines
}

/** The headers that `inject` sends by itself, but for the host. */
export function ownHeaders(
  { cookies }: InjectHeaderOptions,
  type: string | undefined,
): Record<string, string> {
  return {
    'user-agent': USER_AGENT,
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(cookies === undefined ? {} : { cookie: stringifyCookie(cookies) }),
  }
}

/** The length that a Content-Length header declares, in bytes. */
export function declaredLength(headers: InjectHeaderOptions['headers'] = {}): number | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-length') ?? []
  const text = formatNumber(value)
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined
}

/** Returns numbers as text. Anything else stays as it is, because it is refused later if it is not a string. */
function formatNumber<T>(value: T): Exclude<T, number> | string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript does not narrow type parameters
  return typeof value === 'number' ? String(value) : (value as Exclude<T, number>)
}

/** A list of one line is that line. */
function singleLine(values: string[]): string | string[] {
  const [only] = values
  return values.length === 1 && typeof only === 'string' ? only : values
}

/** A header that has several lines, and with that no clear meaning. */
export function findSentTwice(lines: HeaderMap): string | undefined {
  return ['host', 'content-type', 'content-length'].find((name) => Array.isArray(lines[name]))
}

/** The headers as Node presents them: of some, the first line alone. */
export function injectedHeaderMap(lines: HeaderMap): HeaderMap {
  const cut = Object.keys(lines).filter((name) => isSingle(name) && typeof lines[name] !== 'string')
  if (cut.length === 0) return lines
  return { ...lines, ...Object.fromEntries(cut.map((name) => [name, lines[name]?.[0]])) }
}

/** The ways to give `inject` a body; at most one of them. */
export interface BodyOptions {
  /**
   * Objects are sent as JSON, `URLSearchParams` and `FormData` as themselves, text and bytes as they are; Node and web streams and
   * async iterables of bytes or text as they come. When a stream fails, the request rejects with its error.
   */
  readonly body?: unknown
  /** Sent as JSON, whatever it is. */
  readonly json?: unknown
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: FormValues | URLSearchParams
  /** Sent as `multipart/form-data`: texts are fields, blobs and files are files; a list repeats the name. */
  readonly multipart?: FormData | MultipartValues
}

/** Values that can stand in a multipart body. */
export type MultipartValues = Readonly<Record<string, string | Blob | readonly (string | Blob)[] | undefined>>

/** Values that can stand in a query or a form: lists repeat the name, `null` and `undefined` are dropped. */
export type FormValues = Readonly<Record<string, unknown>>

/** An encoded body; one that comes as a stream is not read yet. */
export interface EncodedBody {
  readonly bytes: Uint8Array | BodyStream
  readonly type: string | undefined
}

const NOTHING: EncodedBody = { bytes: new Uint8Array(0), type: undefined }

/** Encodes the body that the options describe; empty when they give none. Takes time for what the web platform encodes. */
export function encodeBody({ body, json, form, multipart }: BodyOptions): Awaitable<EncodedBody> {
  if (json !== undefined) return jsonBody(json)
  if (form !== undefined) return webBody(form instanceof URLSearchParams ? form : toSearchParams(form))
  if (multipart !== undefined)
    return webBody(multipart instanceof FormData ? multipart : toFormData(multipart))
  return encode(body)
}

function encode(given: unknown): Awaitable<EncodedBody> {
  if (given === undefined || given === null) return NOTHING
  if (typeof given === 'string') return { bytes: Buffer.from(given), type: undefined }
  if (given instanceof Uint8Array) return { bytes: given, type: undefined }
  if (given instanceof ArrayBuffer) return { bytes: new Uint8Array(given), type: undefined }
  if (given instanceof URLSearchParams || given instanceof FormData || given instanceof Blob)
    return webBody(given)
  return isAsyncIterable(given) ? { bytes: given, type: undefined } : jsonBody(given)
}

function jsonBody(value: unknown): EncodedBody {
  return { bytes: Buffer.from(JSON.stringify(value)), type: JSON_TYPE }
}

async function webBody(body: URLSearchParams | FormData | Blob): Promise<EncodedBody> {
  const response = new Response(body)
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    type: response.headers.get('content-type') ?? undefined,
  }
}

/** A part of a form. @throws `TypeError` for what would be sent as "[object Object]" */
function toPart(name: string, item: unknown): string | Blob {
  if (item instanceof Blob || typeof item === 'string') return item
  if (typeof item === 'number' || typeof item === 'boolean') return String(item)
  throw new TypeError(`inject: multipart.${name} is not text or a blob, or a list of these`)
}

function toFormData(values: MultipartValues): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) {
    for (const item of [value].flat()) if (item !== undefined) form.append(name, toPart(name, item))
  }
  return form
}
