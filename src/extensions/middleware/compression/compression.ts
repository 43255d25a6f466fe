import type * as NodeZlib from 'node:zlib'

import {
  checkOptions,
  invalidOption,
  type DefinitionProblem,
  type Rules,
} from '../../../base/definition-error.ts'
import type { ExecutionContext } from '../../../define/context.ts'
import type { Middleware } from '../../../define/layers.ts'
import {
  CONTENT_DIGESTS,
  isStream,
  drained,
  openStream,
  type FinishedResponse,
  type BodyStream,
  type ChunkSource,
} from '../../../http/http.ts'
import { isWorkerd } from '../../../base/platform.ts'
import { isFunction, isRecord, andThen, atOnceOr, type Awaitable } from '../../../base/values.ts'

/** The content codings that responses may have. */
const ENCODINGS = ['br', 'zstd', 'gzip'] as const

/** A content coding (RFC 9110 section 8.4.1). */
export type ContentEncoding = (typeof ENCODINGS)[number]

/** How hard each coding tries. */
export type CompressionLevels = Readonly<Record<ContentEncoding, number>>

/** A stream that compresses what is written to it. */
type Compressor = NodeZlib.BrotliCompress | NodeZlib.Gzip

/** A content coding as node:zlib has it. */
interface Coding {
  readonly name: ContentEncoding
  /** Compresses a whole content, away from the event loop. */
  readonly compress: (content: Uint8Array) => Promise<Uint8Array>
  readonly open: () => Compressor
  /** Has a stream give out all that it holds. */
  readonly flush: (compressor: Compressor) => void
}

type ZlibModule = typeof NodeZlib

/** Members of newer versions of node:zlib. */
interface Zstd {
  readonly zstdCompress: ZlibModule['brotliCompress']
  readonly createZstdCompress: ZlibModule['createBrotliCompress']
}

/** Of `zstd.h`; the types of node:zlib do not have them yet. */
const ZSTD_LEVEL = 100
const ZSTD_FLUSH = 1

const CREATE: Readonly<Record<ContentEncoding, (zlib: ZlibModule, level: number) => readonly Coding[]>> = {
  br: (zlib, level) => {
    const { constants } = zlib
    const params = { [constants.BROTLI_PARAM_QUALITY]: level }
    // half a megabyte for each open stream, rather than four
    const ofStream = { ...params, [constants.BROTLI_PARAM_LGWIN]: 19 }
    return [
      {
        name: 'br',
        compress: (content) =>
          settleCompression((done) => {
            const ofContent = { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength }
            zlib.brotliCompress(content, { params: ofContent }, done)
          }),
        open: () => zlib.createBrotliCompress({ params: ofStream }),
        flush: (compressor) => compressor.flush(constants.BROTLI_OPERATION_FLUSH),
      },
    ]
  },
  zstd: (zlib, level) => {
    if (!hasZstd(zlib)) return []
    const options = { params: { [ZSTD_LEVEL]: level } }
    return [
      {
        name: 'zstd',
        compress: (content) => settleCompression((done) => zlib.zstdCompress(content, options, done)),
        open: () => zlib.createZstdCompress(options),
        flush: (compressor) => compressor.flush(ZSTD_FLUSH),
      },
    ]
  },
  gzip: (zlib, level) => [
    {
      name: 'gzip',
      compress: (content) => settleCompression((done) => zlib.gzip(content, { level }, done)),
      open: () => zlib.createGzip({ level }),
      flush: (compressor) => compressor.flush(zlib.constants.Z_SYNC_FLUSH),
    },
  ],
}

function hasZstd(zlib: object): zlib is Zstd {
  return 'zstdCompress' in zlib && 'createZstdCompress' in zlib
}

function settleCompression(
  run: (done: (error: Error | null, result: Uint8Array) => void) => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    run((error, result) => (error === null ? resolve(result) : reject(error)))
  })
}

/** The options of `compression`. */
export interface CompressionOptions {
  /** Bytes below which a content is sent as it is. @default 1024 */
  readonly threshold?: number
  /** The codings in the order of preference; one that this version of Node lacks is left out. @default ['br', 'zstd', 'gzip'] */
  readonly encodings?: readonly ContentEncoding[]
  /** How hard each coding tries: br 0 to 11, gzip 1 to 9, zstd 1 to 22. @default { br: 4, gzip: 6, zstd: 3 } */
  readonly level?: Partial<CompressionLevels>
  /**
   * Selects the responses to compress. @default what has a type that becomes shorter: text, JSON, XML and the like, but no event streams
   */
  readonly filter?: (response: FinishedResponse, context: ExecutionContext) => boolean
}

const WHERE = 'compression'

const LEVELS: CompressionLevels = { br: 4, zstd: 3, gzip: 6 }

const isLevel =
  (least: number, most: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most

const LEVEL_RULES: Rules = {
  br: [isLevel(0, 11), 'an integer from 0 to 11'],
  zstd: [isLevel(1, 22), 'an integer from 1 to 22'],
  gzip: [isLevel(1, 9), 'an integer from 1 to 9'],
} satisfies Record<ContentEncoding, Rules[string]>

const OPTIONS: Rules = {
  threshold: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a number of bytes'],
  encodings: [
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((name) => ENCODINGS.some((one) => one === name)),
    `a list of encodings, which are '${ENCODINGS.join("', '")}'`,
  ],
  level: [isRecord, 'an object with a level for each coding, such as { br: 4 }', LEVEL_RULES],
  filter: [isFunction, 'a function'],
}

/**
 * Creates middleware that compresses responses for clients that accept it (`Accept-Encoding`, RFC 9110 section 12.5.3). Texts and bytes are
 * compressed as a whole, away from the event loop, and streams as they arrive. List it before `etag`. If a response contains a secret
 * beside input of a stranger, its length can reveal the secret (BREACH), so exclude it with `filter`. In Workers, it changes no response,
 * because the platform compresses.
 *
 * @example
 * createApp(AppModule, { middleware: [compression({ threshold: 2048, encodings: ['br', 'gzip'] })] })
 *
 * @throws `DefinitionError` when an option is wrong, or this version of Node has none of the `encodings`.
 */
export function compression(options: CompressionOptions = {}): Middleware {
  checkOptions(WHERE, options, OPTIONS)
  const { threshold = 1024, encodings = ['br', 'zstd', 'gzip'], level, filter } = options
  const isWanted = (response: FinishedResponse, context: ExecutionContext): boolean =>
    filter === undefined
      ? isCompressible(response)
      : atOnceOr('compression.filter', filter(response, context), false, context)
  // workerd compresses by itself what its clients take, and would do so again
  if (isWorkerd()) return (_context, next) => next()
  // loaded when the application is built, not with Octavo
  const zlib = process.getBuiltinModule('node:zlib')
  const levels = { ...LEVELS, ...level }
  // those that this version of Node lacks are left out
  const codings = [...new Set(encodings)].flatMap((name) => CREATE[name](zlib, levels[name]))
  if (codings.length === 0) checkOptions(WHERE, {}, OPTIONS, [NO_CODING])
  const complete = (context: ExecutionContext, response: FinishedResponse): Awaitable<FinishedResponse> => {
    const { status, headers, body } = response
    const isNotModified = status === 304
    if (!isNotModified && (body === null || isFixed(response) || !isWanted(response, context)))
      return response
    // whatever is chosen now, another client may get something else; a part says so as the whole does (RFC 9110 section 15.3.7)
    context.response.headers.append('vary', 'Accept-Encoding')
    // of a part, the bytes that were asked for are those without coding (RFC 9110 section 14.4)
    if (status === 206 || headers['content-range'] !== undefined) return response
    const { coding, isDemanded } = negotiate(context.request.header('accept-encoding'), codings)
    if (coding === undefined) return response
    if (isNotModified || body === null) return withWeakTag(response)
    const length = headers['content-length']
    if (!isDemanded && length !== undefined && Number(length) < threshold) return response
    if (isStream(body)) {
      // the stream of an answer to HEAD is dropped unread
      const isRead = context.request.method !== 'HEAD'
      return encoded(response, coding, isRead ? compressStream(body, coding) : body)
    }
    return compressAll(response, body, coding, isDemanded)
  }
  return (context, next) => andThen(next(), (response) => complete(context, response))
}

/** The response with its whole content compressed, unless that makes it longer and the client takes it as it is. */
async function compressAll(
  response: FinishedResponse,
  body: string | Uint8Array,
  coding: Coding,
  isDemanded: boolean,
): Promise<FinishedResponse> {
  const content = typeof body === 'string' ? Buffer.from(body) : body
  const compressed = await coding.compress(content)
  const isShorter = compressed.byteLength < content.byteLength
  return isShorter || isDemanded ? encoded(response, coding, compressed) : response
}

function encoded(
  response: FinishedResponse,
  { name }: Coding,
  body: FinishedResponse['body'],
): FinishedResponse {
  const headers: FinishedResponse['headers'] = { ...response.headers, 'content-encoding': name }
  // the length is that of the body, or not known; and parts of the content cannot be had in this coding
  delete headers['content-length']
  delete headers['accept-ranges']
  return withWeakTag({ ...response, headers, body })
}

/** A strong tag would say that the bytes are those of the content without coding (RFC 9110 section 8.8.1). */
function withWeakTag(response: FinishedResponse): FinishedResponse {
  const tag = response.headers['etag']
  if (typeof tag !== 'string' || !tag.startsWith('"')) return response
  return { ...response, headers: { ...response.headers, etag: `W/${tag}` } }
}

const NO_CODING: DefinitionProblem = invalidOption(
  WHERE,
  'this version of Node has none of the encodings',
  "add 'gzip'",
)

/**
 * Compresses a streamed body. Data is flushed as soon as the source pauses. The source is read at the pace of the result, and cancelled with
 * it.
 */
function compressStream(body: BodyStream, coding: Coding): BodyStream {
  const source = openStream(body)
  const compressor = coding.open()
  // also after the end, which is harmless
  compressor.once('close', source.cancel)
  // told to who reads; without a reader there is no one to tell
  compressor.on('error', () => undefined)
  void pump(source, compressor, coding)
  return compressor
}

async function pump(source: ChunkSource, compressor: Compressor, { flush }: Coding): Promise<void> {
  try {
    let coming = source.next()
    for (let chunk = await coming; chunk.done !== true; chunk = await coming) {
      if (compressor.destroyed) return
      if (!compressor.write(chunk.value)) await drained(compressor)
      if (compressor.destroyed) return
      coming = source.next()
      if (!(await isSoon(coming)) && !compressor.destroyed) flush(compressor)
    }
    compressor.end()
  } catch (error) {
    compressor.destroy(error instanceof Error ? error : new Error('A stream failed', { cause: error }))
  }
}

/** Whether a promise settles before the event loop has looked for what else there is to do. */
function isSoon(promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    setImmediate(resolve, false)
    promise.then(() => resolve(true), reject)
  })
}

/**
 * Types that are neither text nor named after what they are written in, and that become much shorter. The package `compressible` is no
 * replacement: mime-db, which it loads, says yes to `application/octet-stream` and knows nothing of YAML and NDJSON.
 */
const COMPRESSIBLE: ReadonlySet<string> = new Set([
  'application/ecmascript',
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/json-seq',
  'application/jsonl',
  'application/ndjson',
  'application/rtf',
  'application/sql',
  'application/toml',
  'application/vnd.ms-fontobject',
  'application/wasm',
  'application/x-javascript',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'application/x-yaml',
  'application/xml',
  'application/xml-dtd',
  'application/yaml',
  'font/collection',
  'font/otf',
  'font/ttf',
  'image/bmp',
  'image/vnd.microsoft.icon',
  'image/x-icon',
])

/**
 * Whether content of the type of a response becomes noticeably shorter. Not so `text/event-stream`: its events are small, and each
 * open stream would hold the memory of a compressor.
 */
function isCompressible({ headers }: FinishedResponse): boolean {
  const [line] = [headers['content-type']].flat()
  if (line === undefined) return false
  const [first = ''] = line.split(';', 1)
  const type = first.trim().toLowerCase()
  if (type.startsWith('text/')) return type !== 'text/event-stream'
  return COMPRESSIBLE.has(type) || /\+(?:json|xml|yaml|text)$/.test(type)
}

/** Headers that hold for the bytes as they are. */
const OF_BYTES = ['content-encoding', ...CONTENT_DIGESTS]

/**
 * Whether the content of a response is to be sent as it is, to everybody: it is coded already, signed by a digest, or not to be
 * changed (RFC 9111 section 5.2.2.6).
 */
function isFixed({ headers }: FinishedResponse): boolean {
  if (OF_BYTES.some((name) => headers[name] !== undefined)) return true
  const cache = headers['cache-control']
  return cache !== undefined && /(?:^|[\s,])no-transform(?:$|[\s,])/i.test([cache].flat().join(','))
}

/** The codings that a client takes, in the order of the server's preference. */
interface Negotiated<T> {
  /** The coding to use, or `undefined` for none. */
  readonly coding: T | undefined
  /** Whether the client refuses content without coding. */
  readonly isDemanded: boolean
}

/** A weight (RFC 9110 section 12.4.2). */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/**
 * Chooses a content coding for an `Accept-Encoding` header (RFC 9110 section 12.5.3): the one with the highest weight, or the first of
 * `codings` among several. Returns none if the client prefers that, sends no header, or accepts none of them. Malformed members are
 * ignored.
 */
function negotiate<T extends { readonly name: string }>(
  header: string | undefined,
  codings: readonly T[],
): Negotiated<T> {
  if (header === undefined) return { coding: undefined, isDemanded: false }
  const weights = parseWeights(header)
  const others = weights.get('*')
  const identity = weights.get('identity')
  let coding: T | undefined
  let best = 0
  for (const candidate of codings) {
    const weight = weights.get(candidate.name) ?? others ?? 0
    if (weight <= best) continue
    coding = candidate
    best = weight
  }
  if (identity !== undefined && identity > best) coding = undefined
  return { coding, isDemanded: (identity ?? others) === 0 }
}

/** The weights by name in lower case. */
function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const member of header.split(',')) {
    const [name = '', parameter, ...rest] = member.split(';')
    const weight = parameter === undefined ? '1' : WEIGHT.exec(parameter.trim())?.[1]
    if (weight === undefined || rest.length > 0) continue
    const coding = name.trim().toLowerCase()
    // RFC 9110 section 8.4.1.3
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight))
  }
  return weights
}
