import { constants, type ServerHttp2Stream } from 'node:http2'

import type { RequestContext } from '../../../pipeline/context.ts'
import { logBroken, notSent } from '../../../pipeline/failure.ts'
import {
  drained,
  isStream,
  openStream,
  type FinishedResponse,
  type ChunkSource,
} from '../../../../http/http.ts'
import { OF_CONNECTION } from '../../../pipeline/framing.ts'
import { createLengthCheck, toBytes, type LengthCheck } from '../../shared/stream-body.ts'

/** Writes a response. What cannot be sent is logged, and becomes a plain 500. */
export function respond(
  stream: ServerHttp2Stream,
  finished: FinishedResponse,
  context: RequestContext | undefined,
): void {
  const { status, headers, body } = finished
  let source: ChunkSource | undefined
  try {
    if (isStream(body)) source = openStream(body)
    if (stream.destroyed || stream.closed || stream.headersSent) return source?.cancel()
    stream.respond(toHeaders(status, headers), { endStream: body === null })
  } catch (error) {
    source?.cancel()
    const problem = notSent(context, error)
    // what failed is not to fail again
    if (context !== undefined) respond(stream, problem, undefined)
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    return
  }
  dropRest(stream)
  if (source === undefined && body !== null && !isStream(body)) {
    if (isShort(body)) return void stream.end(body)
    source = toSource(body)
  }
  if (source !== undefined)
    void writeStream(stream, source, createLengthCheck(headers['content-length']), context)
}

/**
 * Bytes of a body that node:http2 is given at a time. It counts what waits in a session, refuses new streams above 10 MB
 * (`maxSessionMemory`), and as many streams as `MAX_STREAMS` may wait at once.
 */
const PIECE = 16_384

/** Whether a body is given at once. A character of a text takes up to three bytes. */
function isShort(body: string | Uint8Array): boolean {
  return body.length <= PIECE / 3
}

function toSource(body: string | Uint8Array): ChunkSource {
  let rest: string | Uint8Array | undefined = body
  return {
    next: () => {
      const value = rest
      rest = undefined
      return Promise.resolve(value === undefined ? { done: true } : { value })
    },
    cancel: () => undefined,
  }
}

function toHeaders(status: number, headers: FinishedResponse['headers']) {
  const sent: Record<string, string | string[] | number> = { ':status': status }
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined && !OF_CONNECTION.has(name))
      sent[name] = typeof value === 'string' ? trimmed(value) : value.map(trimmed)
  }
  return sent
}

/** Clients drop a value that starts or ends with a blank, or the whole response (RFC 9113 section 8.2.1). */
function trimmed(value: string): string {
  let start = 0
  let end = value.length
  while (isBlank(value[start])) start++
  while (end > start && isBlank(value[end - 1])) end--
  return value.slice(start, end)
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

/** Reads nothing more of a request once it is answered, and lets its client know (RFC 9113 section 8.1). */
function dropRest(stream: ServerHttp2Stream): void {
  // where the client has ended its side, there is nothing to drop, and a reset could overtake the answer
  if (stream.readableEnded || stream.state.remoteClose === 1) return
  stream.resume()
  stream.once('finish', () =>
    setImmediate(() => {
      if (!stream.readableEnded && !isOver(stream)) stream.close(constants.NGHTTP2_NO_ERROR)
    }),
  )
}

/** Writes chunks as fast as the client takes them. After the head there is no way to report a failure but to break off. */
async function writeStream(
  stream: ServerHttp2Stream,
  source: ChunkSource,
  keep: LengthCheck,
  context: RequestContext | undefined,
): Promise<void> {
  stream.once('close', source.cancel)
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next()) {
      if (isOver(stream)) return
      const bytes = toBytes(chunk.value)
      keep(bytes)
      await writePieces(stream, bytes)
    }
    stream.off('close', source.cancel)
    keep(undefined)
    if (!isOver(stream)) stream.end()
  } catch (error) {
    source.cancel()
    if (isOver(stream)) return
    logBroken(context, error)
    // close() would end the body first on some versions of Node, and the client would take it for whole
    stream.destroy(new Error('The response broke off'))
  }
}

async function writePieces(stream: ServerHttp2Stream, bytes: Uint8Array): Promise<void> {
  // read once: bytes that are transferred elsewhere meanwhile have no length, and have to fail
  const { length } = bytes
  for (let at = 0; at < length && !isOver(stream); at += PIECE)
    if (!stream.write(bytes.subarray(at, at + PIECE))) await drained(stream)
}

function isOver(stream: ServerHttp2Stream): boolean {
  return stream.destroyed || stream.closed
}
