import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'

import type { Logger } from '../../../../define/context.ts'
import { notSent } from '../../../pipeline/failure.ts'
import type { FinishedResponse } from '../../../../http.ts'
import { drained, isStream, openStream } from '../../../../stream.ts'
import type { ChunkSource } from '../../../../stream.ts'

/** What is logged on behalf of a request. */
type Logs = { readonly log: Logger } | undefined

/** Writes a response. What cannot be sent is logged, and becomes a plain 500. */
export function respond(stream: ServerHttp2Stream, finished: FinishedResponse, logs: Logs): void {
  const { status, headers, body } = finished
  let source: ChunkSource | undefined
  try {
    if (isStream(body)) source = openStream(body)
    if (stream.destroyed || stream.closed || stream.headersSent) return source?.cancel()
    stream.respond(toHeaders(status, headers), { endStream: body === null })
  } catch (error) {
    source?.cancel()
    const problem = notSent(logs, error)
    // what failed is not to fail again
    if (logs !== undefined) respond(stream, problem, undefined)
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    return
  }
  dropRest(stream)
  if (source !== undefined) void writeStream(stream, source, toLength(headers), logs)
  else if (body !== null && !isStream(body)) stream.end(body)
}

/** What says how a connection of HTTP/1.1 goes on, and has no place in HTTP/2 (RFC 9113 section 8.2.2). */
const OF_CONNECTION = new Set(
  'connection http2-settings keep-alive proxy-connection te transfer-encoding upgrade'.split(' '),
)

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

/** The length that a response promises. */
function toLength(headers: FinishedResponse['headers']): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** Writes chunks as fast as the client takes them. After the head there is no way to report a failure but to break off. */
async function writeStream(
  stream: ServerHttp2Stream,
  source: ChunkSource,
  length: number | undefined,
  logs: Logs,
): Promise<void> {
  stream.once('close', source.cancel)
  let rest = length ?? Number.POSITIVE_INFINITY
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next()) {
      if (isOver(stream)) return
      rest -= Buffer.byteLength(chunk.value ?? '')
      if (rest < 0) throw new RangeError('The body is longer than its content-length')
      if (!stream.write(chunk.value)) await drained(stream)
    }
    stream.off('close', source.cancel)
    if (length !== undefined && rest > 0) throw new RangeError('The body is shorter than its content-length')
    if (!isOver(stream)) stream.end()
  } catch (error) {
    source.cancel()
    if (isOver(stream)) return
    logs?.log.error({ err: error }, 'A response broke off')
    // close() would end the body first on some versions of Node, and the client would take it for whole
    stream.destroy(new Error('The response broke off'))
  }
}

function isOver(stream: ServerHttp2Stream): boolean {
  return stream.destroyed || stream.closed
}
