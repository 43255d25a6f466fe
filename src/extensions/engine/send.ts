import type { Socket } from 'node:net'

import { drained, isStream, openStream, type FinishedResponse, type ChunkSource } from '../../http/http.ts'
import { logBroken, notSent } from '../../server/pipeline/failure.ts'
import { createLengthCheck, toBytes } from '../../server/adapters/shared/stream-body.ts'
import { endWithBody, isEncrypted } from '../../server/adapters/node/lingering-close.ts'
import {
  isSentWithoutBody,
  toPlainHead,
  shortBodyText,
  statusLine,
} from '../../server/adapters/node/plain-head.ts'
import type { EngineRequest } from './request.ts'
import { headerProblem } from '../../server/pipeline/response-head.ts'

/** Where answers go. */
export interface SendTarget {
  readonly socket: Socket
  /** Returns the lines with which the head of a connection that stays ends. */
  readonly ending: () => string
  isEnding: boolean
  /** Called when the system, or OpenSSL, has taken all of an answer that could not be taken at once. */
  readonly onSent: (error?: Error | null) => void
}

/** Bytes of an answer up to which its socket is expected to take it at once. */
const SMALL = 16_384

/** Sends the answer of a request. Returns whether all of it was taken; `onSent` is called later if it was not. */
export function sendOnSocket(target: SendTarget, request: EngineRequest, isLast: boolean): boolean {
  const { finished, context } = request
  if (finished === undefined) return false
  try {
    return sendPlain(target, request, finished, isLast) ?? sendAny(target, request, finished, isLast)
  } catch (error) {
    request.finished = notSent(context, error)
    try {
      return sendAny(target, request, request.finished, isLast)
    } catch (again) {
      logBroken(context, again)
      target.socket.destroy()
      return false
    }
  }
}

/** Sends an ordinary response in one piece. Returns `undefined` for any other response. */
function sendPlain(
  target: SendTarget,
  request: EngineRequest,
  { status, headers, body }: FinishedResponse,
  isLast: boolean,
): boolean | undefined {
  const { method, minor, keepAlive } = request.head
  if (isLast || !keepAlive || minor !== 1 || request.isUntold || isStream(body)) return undefined
  const isWithout = isSentWithoutBody(status, method)
  const length = headers['content-length']
  if (length === undefined && !isWithout) return undefined
  const head = toPlainHead(status, headers)
  if (head === undefined) return undefined
  return writeWhole(target, request, head + target.ending(), isWithout ? null : toPiece(body, Number(length)))
}

/** A body whose bytes are as many as its characters is ASCII, and goes out as text. @throws `TypeError` for another length. */
function toPiece(body: string | Uint8Array | null, length: number): string | Uint8Array | null {
  const piece = typeof body === 'string' && body.length !== length ? Buffer.from(body) : body
  if ((piece?.length ?? 0) !== length)
    throw new TypeError('The length of a body differs from its Content-Length')
  return piece
}

function sendAny(
  target: SendTarget,
  request: EngineRequest,
  finished: FinishedResponse,
  isLast: boolean,
): boolean {
  const { body } = finished
  const { method, minor, keepAlive } = request.head
  const source = isStream(body) ? openStream(body) : undefined
  try {
    if (isLast) finished.headers['connection'] = 'close'
    const stays = keepAlive && !isLast && !request.isUntold
    const parts = { method, isOld: minor === 0, stays, ending: target.ending }
    const head = toHead(finished, parts)
    target.isEnding = head.isLast
    if (isStream(body) && source !== undefined && head.end !== 'none') {
      void sendStream(target, request, source, head)
      return false
    }
    source?.cancel()
    return writeWhole(target, request, head.text, isStream(body) ? null : toFramed(body, head))
  } catch (error) {
    source?.cancel()
    throw error
  }
}

/** A whole body as its head says. */
function toFramed(body: string | Uint8Array | null, { end, length }: AnswerHead): string | Uint8Array | null {
  if (end === 'none') return null
  if (end === 'length') return toPiece(body, length ?? 0)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (end === 'close') return bytes
  if (bytes === null || bytes.length === 0) return LAST_CHUNK
  const size = bytes.length.toString(16)
  return Buffer.concat([Buffer.from(`${size}\r\n`), bytes, Buffer.from(`\r\n${LAST_CHUNK}`)])
}

const LAST_CHUNK = '0\r\n\r\n'

/** Writes an answer that is there as a whole. */
function writeWhole(
  target: SendTarget,
  request: EngineRequest,
  head: string,
  body: string | Uint8Array | null,
): boolean {
  // a callback costs more than to look
  const isLooked = head.length + (body?.length ?? 0) <= SMALL && request.onEnd === undefined
  const { socket } = target
  const done = isLooked && !isEncrypted(socket) ? undefined : target.onSent
  const piece = body ?? ''
  const text = shortBodyText(piece, piece.length)
  if (text !== undefined) socket.write(head + text, 'latin1', done)
  else {
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(piece, done)
    socket.uncork()
  }
  if (done !== undefined) return false
  if (socket.writableLength === 0) return true
  socket.write('', 'latin1', target.onSent)
  return false
}

/** Writes chunks as fast as the client takes them. After the head there is no way to report a failure but to break off. */
async function sendStream(
  { socket, onSent }: SendTarget,
  request: EngineRequest,
  source: ChunkSource,
  head: AnswerHead,
): Promise<void> {
  request.cancel = source.cancel
  const isChunked = head.end === 'chunked'
  const keep = createLengthCheck(head.length)
  const finish = head.end === 'close' ? endWithBody(socket) : undefined
  let pending = head.text
  const takeHead = (): string => {
    const text = pending
    pending = ''
    return text
  }
  // a stream that is slow to start does not keep its head waiting
  const early = setImmediate(() => {
    if (pending !== '' && !request.isGone) socket.write(takeHead(), 'latin1')
  })
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next()) {
      if (request.isGone) return
      const bytes = toBytes(chunk.value)
      if (bytes.length === 0) continue
      keep(bytes)
      if (!writeChunk(socket, takeHead(), bytes, isChunked)) await drained(socket)
      if (request.isGone) return
    }
    keep(undefined)
    request.cancel = undefined
    finish?.()
    if (!request.isGone) socket.write(`${takeHead()}${isChunked ? LAST_CHUNK : ''}`, 'latin1', onSent)
  } catch (error) {
    source.cancel()
    if (request.isGone) return
    logBroken(request.context, error)
    socket.destroy()
  } finally {
    clearImmediate(early)
  }
}

/** Writes a chunk, behind what waits of the head. Returns whether the socket takes more. */
function writeChunk(socket: Socket, head: string, bytes: Uint8Array, isChunked: boolean): boolean {
  socket.cork()
  const before = `${head}${isChunked ? `${bytes.length.toString(16)}\r\n` : ''}`
  if (before !== '') socket.write(before, 'latin1')
  let takesMore = socket.write(bytes)
  if (isChunked) takesMore = socket.write('\r\n', 'latin1')
  socket.uncork()
  return takesMore
}

/** The parts of a head besides the answer. */
interface HeadParts {
  readonly method: string
  /** Whether the client speaks HTTP/1.0. */
  readonly isOld: boolean
  readonly stays: boolean
  /** Returns the lines with which the head of a connection that stays ends. */
  readonly ending: () => string
}

/** How the end of a body is told. */
type BodyEnd = 'none' | 'length' | 'chunked' | 'close'

/** The head of an answer, and what its body has to be. */
interface AnswerHead {
  readonly text: string
  readonly end: BodyEnd
  readonly isLast: boolean
  /** The length that the head promises. */
  readonly length: number | undefined
}

/** The header of a connection that ends. */
export const SAYS_CLOSE = /(?:^|\W)close(?:$|\W)/i

/**
 * The head of any answer, with lines in the order that node:http has.
 *
 * @throws `TypeError` or `RangeError` for what cannot be sent
 */
function toHead(
  { status, headers }: Pick<FinishedResponse, 'status' | 'headers'>,
  { method, isOld, stays, ending }: HeadParts,
): AnswerHead {
  if (!Number.isInteger(status) || status < 200 || status > 999)
    throw new RangeError(`The response cannot be sent: the status ${status} is no status of an answer`)
  const problem = headerProblem(headers)
  if (problem !== undefined) throw new TypeError(`The response cannot be sent: ${problem}`)
  const { 'transfer-encoding': _, ...own } = headers // how a body is framed is up to this side
  const end = bodyEnd(own, isOld, isSentWithoutBody(status, method))
  if (own['trailer'] !== undefined && end !== 'chunked')
    throw new TypeError('The response cannot be sent: trailers need a body in chunks')
  const length = end === 'length' ? Number(own['content-length']) : undefined
  if (length !== undefined) own['content-length'] = String(length)
  const connection = [own['connection'] ?? []].flat().join(', ')
  // a client of HTTP/1.0 may not know which answers have no body
  const isUnclear = isOld && own['content-length'] === undefined
  const isLast = !stays || isUnclear || SAYS_CLOSE.test(connection)
  const text = statusLine(status) + toHeadLines(own) + tail(own, isLast, ending)
  return {
    text: `${text}${end === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : ''}\r\n`,
    end,
    isLast,
    length,
  }
}

function toHeadLines(own: FinishedResponse['headers']): string {
  let text = ''
  for (const [name, value] of Object.entries(own))
    for (const line of [value ?? ''].flat()) text += `${name}: ${line}\r\n`
  return text
}

/** The lines that this side adds: the date, and whether the connection stays. */
function tail(own: FinishedResponse['headers'], isLast: boolean, ending: () => string): string {
  const [date = '', ...connection] = ending().split('\r\n')
  const dateLine = own['date'] === undefined ? `${date}\r\n` : ''
  if (own['connection'] !== undefined) return dateLine
  if (isLast) return `${dateLine}Connection: close\r\n`
  const kept = connection.filter(
    (line) => line !== '' && (own['keep-alive'] === undefined || !/^keep-alive/i.test(line)),
  )
  return dateLine + kept.map((line) => `${line}\r\n`).join('')
}

function bodyEnd(own: FinishedResponse['headers'], isOld: boolean, isWithout: boolean): BodyEnd {
  if (isWithout) return 'none'
  if (own['content-length'] !== undefined) return 'length'
  return isOld ? 'close' : 'chunked'
}
