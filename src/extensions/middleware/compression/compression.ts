import {
  checkOptions,
  invalidOption,
  type DefinitionProblem,
  type Rules,
} from '../../../base/definition-error.ts'
import type { ExecutionContext } from '../../../define/context.ts'
import type { Middleware } from '../../../define/layers.ts'
import {
  isStream,
  drained,
  openStream,
  type FinishedResponse,
  type BodyStream,
  type ChunkSource,
} from '../../../http/http.ts'
import { isWorkerd } from '../../../base/platform.ts'
import { isFunction, isRecord, after, atOnceOr, type Awaitable } from '../../../base/values.ts'
import {
  createCodings,
  ENCODINGS,
  type Coding,
  type ContentEncoding,
  type CompressionLevels,
  type Compressor,
} from './codings.ts'
import { negotiate } from './negotiate.ts'
import { isCompressible, isFixed, isPart } from './types.ts'

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
  const codings = createCodings([...new Set(encodings)], { ...LEVELS, ...level })
  if (codings.length === 0) checkOptions(WHERE, {}, OPTIONS, [NO_CODING])
  const complete = (context: ExecutionContext, response: FinishedResponse): Awaitable<FinishedResponse> => {
    const { status, headers, body } = response
    const isNotModified = status === 304
    if (!isNotModified && (body === null || isFixed(response) || !isWanted(response, context)))
      return response
    // whatever is chosen now, another client may get something else; a part says so as the whole does (RFC 9110 section 15.3.7)
    context.response.headers.append('vary', 'Accept-Encoding')
    if (isPart(response)) return response
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
  return (context, next) => after(next(), (response) => complete(context, response))
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
