import type { Awaitable } from '../../base/values.ts'
import { createEventParser } from '../../client/event-parser.ts'
import { isJsonType, type BodyStream } from '../../http/http.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { unwrap } from '../../schema/schema.ts'
import { collectChunks, decodeText } from '../../server/request/body.ts'
import type { ResponseHeaders } from '../../server/pipeline/response-head.ts'
import { sse } from '../../server/response/sse.ts'
import { invalidResponse } from './failures.ts'
import type { UpstreamSettings } from './options.ts'
import type { IncomingResponse } from './transport.ts'

/** Whether a response says that it is JSON. */
export function isJson({ headers }: Pick<IncomingResponse, 'headers'>): boolean {
  const type = headers['content-type']
  return typeof type === 'string' && isJsonType(type)
}

/**
 * The data of a JSON response, `undefined` for no body. At once if all of it is there.
 *
 * @throws `HttpError` 502 for what is too long, not in its coding or not JSON.
 */
export function readData(
  { headers, body }: IncomingResponse,
  settings: UpstreamSettings,
): Awaitable<unknown> {
  if (body === null) return undefined
  const { name, responseLimit } = settings
  const coding = codingOf(headers)
  if (body instanceof Uint8Array && coding === undefined) return parseBytes(body, settings)
  return collectChunks(contentOf(body, coding, name, responseLimit)).then((bytes) =>
    parseBytes(bytes, settings),
  )
}

function parseBytes(bytes: Uint8Array, { name, responseLimit }: UpstreamSettings): unknown {
  if (bytes.length > responseLimit) throw tooLong(name, responseLimit)
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(decodeText(bytes))
  } catch (error) {
    throw invalidResponse(name, new Error(`Its response is not JSON`, { cause: error }))
  }
}

function tooLong(name: string, limit: number): Error {
  return invalidResponse(
    name,
    new Error(`Its response is longer than ${limit} bytes, which is responseLimit`),
  )
}

function codingOf({ 'content-encoding': given }: IncomingResponse['headers']): string | undefined {
  if (given === undefined) return undefined
  const coding = [given].flat().join(', ').trim().toLowerCase()
  return coding === '' || coding === 'identity' ? undefined : coding
}

/**
 * The content of a body.
 *
 * @yields its chunks, without content coding
 */
async function* contentOf(
  body: Uint8Array | BodyStream,
  coding: string | undefined,
  name: string,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const bytes = limited(body, name, limit)
  if (coding === undefined) return yield* bytes
  const { decode } = await import('../../server/request/content-coding.ts')
  try {
    yield* decode(bytes, coding, limit)
  } catch (error) {
    throw invalidResponse(name, error)
  }
}

async function* limited(
  body: Uint8Array | BodyStream,
  name: string,
  limit: number,
): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) return yield body
  let size = 0
  for await (const chunk of body) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    size += bytes.length
    if (size > limit) throw tooLong(name, limit)
    yield bytes
  }
}

/** Reads the events or items of a response, as the handler of a route returns them. */
export function readStream(
  { stream }: Pick<ResolvedRoute, 'stream'>,
  { headers, body }: IncomingResponse,
  { name, responseLimit }: UpstreamSettings,
  own: ResponseHeaders,
): unknown {
  const chunks = body === null ? [] : contentOf(body, codingOf(headers), name, Number.MAX_SAFE_INTEGER)
  const texts = toTexts(chunks)
  if (stream?.kind !== 'events') return toItems(toLines(texts, name, responseLimit), name)
  const isText = (event: string): boolean => {
    const schema = stream.schemas.get(event)
    return schema !== undefined && unwrap(schema)?.type === 'string'
  }
  return sse(toEvents(texts, isText, name, responseLimit), { headers: own })
}

async function* toTexts(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
}

/**
 * The events of a stream.
 *
 * @yields each event, its data parsed unless it is declared as text
 */
async function* toEvents(
  texts: AsyncIterable<string>,
  isText: (event: string) => boolean,
  name: string,
  limit: number,
): AsyncGenerator<{ event?: string; id?: string; data: unknown }> {
  const parse = createEventParser({ id: '', retry: 0 })
  let pending = 0
  for await (const text of texts) {
    pending += text.length
    if (pending > limit) throw tooLong(name, limit)
    for (const { event, data, id } of parse(text)) {
      pending = 0
      const value = isText(event) ? data : parseJson(data, name)
      yield { ...(event !== 'message' && { event }), ...(id !== '' && { id }), data: value }
    }
  }
}

async function* toLines(texts: AsyncIterable<string>, name: string, limit: number): AsyncGenerator<string> {
  let rest = ''
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > limit) throw tooLong(name, limit)
    yield* lines
  }
  yield rest
}

async function* toItems(lines: AsyncIterable<string>, name: string): AsyncGenerator {
  for await (const line of lines) if (line.trim() !== '') yield parseJson(line, name)
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidResponse(name, new Error('Its stream has something that is not JSON', { cause: error }))
  }
}
