import { Readable } from 'node:stream'
import { rawReply, type RawOptions, type RawReply, type ReplyContext } from '../../define/reply.ts'
import { httpError } from '../../http/errors.ts'
import type { HttpRequest, BodyStream } from '../../http/http.ts'
import { checkConditions, isRangeMeant, type Validators } from './conditions.ts'
import { parseRange, type ByteSpan } from './ranges.ts'
import { createHash } from 'node:crypto'

/** How long a response may be kept. */
export interface CacheOptions {
  /** Seconds that caches may keep the file without asking. @default they may keep it, and have to ask each time */
  readonly maxAge?: number
  /** Whether the file never changes under its address, so that not even a reload has to ask; with `maxAge`. @default false */
  readonly immutable?: boolean
  /** The whole of `Cache-Control` (RFC 9111 section 5.2), instead of these two. */
  readonly cacheControl?: string
}

/** The head of a response with a content, besides the headers of the content. */
export interface Presented extends RawOptions, CacheOptions {
  /** The content type. @default by the extension of the file, else 'application/octet-stream' */
  readonly type?: string
}

type FileHeaders = Record<string, string | readonly string[]>

/**
 * Answers a request with a content, or with as much of it as the request wants (RFC 9110 sections 13 and 14).
 *
 * @throws `HttpError` 412 when a condition is not met, 416 when there is nothing in the range.
 */
export async function answerWith(
  content: FileContent,
  context: ReplyContext,
  options: Presented,
): Promise<RawReply> {
  const { cookies = {} } = options
  try {
    const headers = toContentHeaders(content, options)
    const { method } = context.request
    // only what succeeds has conditions and parts
    const isSelective = (hasRanges(method) || method === 'HEAD') && (options.status ?? 200) === 200
    // what the program says of ranges counts for more
    if (isSelective) headers['accept-ranges'] ??= 'bytes'
    const { status, span } = isSelective ? select(content, context.request) : ALL
    if (status === 304) {
      content.close()
      return rawReply(304, undefined, { headers, cookies })
    }
    const { start, end } = span ?? { start: 0, end: content.size }
    if (span !== undefined) headers['content-range'] = `bytes ${start}-${end - 1}/${content.size}`
    headers['content-length'] = String(end - start)
    const body = await content.read({ start, end })
    if (!(body instanceof Uint8Array)) context.atEnd(() => release(body))
    return rawReply(status ?? options.status, body, { headers, cookies })
  } catch (error) {
    content.close()
    throw error
  }
}

/** How much of a content is sent. */
interface Selection {
  /** @default as for the whole */
  readonly status?: 206 | 304
  /** @default the whole */
  readonly span?: ByteSpan
}

const ALL: Selection = {}

/** Ranges have a meaning for GET, and for QUERY as for GET (RFC 9110 section 14.2, RFC 10008 section 2.8). */
function hasRanges(method: string): boolean {
  return method === 'GET' || method === 'QUERY'
}

function select(content: FileContent, request: HttpRequest): Selection {
  const header = (name: string): string | undefined => request.header(name)
  const outcome = checkConditions(header, content)
  if (outcome === 'failed')
    throw httpError('precondition_failed', 'The file is not in the state that the request names')
  if (outcome === 'unchanged') return { status: 304 }
  const span = findSpan(request.method, header, content)
  return span === undefined ? ALL : { status: 206, span }
}

/** The part that a request wants, or `undefined` for the whole. */
function findSpan(
  method: string,
  header: (name: string) => string | undefined,
  content: FileContent,
): ByteSpan | undefined {
  const range = header('range')
  if (range === undefined || !hasRanges(method) || !isRangeMeant(header, content)) return undefined
  const span = parseRange(range, content.size)
  if (span !== null) return span
  throw httpError('range_not_satisfiable', 'The file has nothing in the range that was asked for', {
    headers: { 'content-range': `bytes */${content.size}` },
  })
}

function toContentHeaders(content: FileContent, options: Presented): FileHeaders {
  const { type = content.type ?? 'application/octet-stream', headers } = options
  const { etag, modified } = content
  return {
    'content-type': type,
    'cache-control': toCacheControl(options),
    ...(etag === undefined ? {} : { etag }),
    ...(modified === undefined ? {} : { 'last-modified': new Date(modified).toUTCString() }),
    ...headers,
  }
}

function toCacheControl({ cacheControl, maxAge, immutable = false }: CacheOptions): string {
  if (cacheControl !== undefined) return cacheControl
  // without a word of it, caches guess how long they may keep a file (RFC 9111 section 4.2.2)
  return maxAge === undefined ? 'no-cache' : `max-age=${maxAge}${immutable ? ', immutable' : ''}`
}

/** Lets go of a stream, whoever was to read it; resolves when its file is closed. */
async function release(body: Exclude<BodyPart, Uint8Array>): Promise<void> {
  if (body instanceof ReadableStream) {
    // one that somebody reads is theirs to cancel
    if (!body.locked) await body.cancel()
  } else if (body instanceof Readable && !body.closed) {
    await new Promise((resolve) => body.once('close', resolve).destroy())
  }
}

/** The content of a file result, wherever it lies. */
export interface FileContent extends Validators {
  /** In bytes. */
  readonly size: number
  /** The content type of the name or of its owner, or `undefined`. */
  readonly type: string | undefined
  /** Reads a part, and lets go of what it lies in when that has ended or is given up. */
  read(span: ByteSpan): Promise<BodyPart> | BodyPart
  /** Lets go of what it lies in when nothing is read. */
  close(): void
}

export type BodyPart = Uint8Array | BodyStream

export function toContent(source: Uint8Array | Blob, hasTag: boolean): FileContent {
  return source instanceof Uint8Array ? ofBytes(source, hasTag) : ofBlob(source)
}

function ofBytes(bytes: Uint8Array, hasTag: boolean): FileContent {
  return {
    size: bytes.length,
    type: undefined,
    etag: hasTag ? toTag(bytes) : undefined,
    modified: undefined,
    read: ({ start, end }) => bytes.subarray(start, end),
    close: () => undefined,
  }
}

/** A blob may lie in a file, so it is not read as a whole to make an entity tag of it. */
function ofBlob(blob: Blob): FileContent {
  const modified = 'lastModified' in blob ? toSeconds(Number(blob.lastModified)) : undefined
  return {
    size: blob.size,
    type: blob.type === '' ? undefined : blob.type,
    etag: undefined,
    modified,
    read: ({ start, end }) => blob.slice(start, end).stream(),
    close: () => undefined,
  }
}

/** A strong entity tag of bytes or text. */
export function toTag(bytes: Uint8Array | string): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
}

/**
 * Milliseconds cut to whole seconds, as HTTP dates are, or `undefined` for a time that none can name, for their years have four digits
 * (RFC 9110 section 5.6.7).
 */
export function toSeconds(milliseconds: number): number | undefined {
  const seconds = Math.floor(milliseconds / 1_000) * 1_000
  return seconds >= YEAR_0 && seconds < YEAR_10000 ? seconds : undefined
}

const YEAR_0 = Date.parse('0000-01-01T00:00:00Z')
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z')
