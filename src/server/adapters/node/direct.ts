import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import type { FinishedResponse } from '../../../http/http.ts'
import { isSentWithoutBody, nodePhrase, toPlainHead, shortBodyText } from './plain-head.ts'

/**
 * The request of Octavo's own servers. Where there is no body, its stream is at its end from the start, as `optimizeEmptyRequests` of
 * newer Node versions has it: to drain a stream that has nothing costs more than the whole rest of a small request.
 */
export class DirectRequest extends IncomingMessage {
  declare private _dumped: boolean
  declare private readonly _readableState: Record<
    'ended' | 'endEmitted' | 'destroyed' | 'closed' | 'closeEmitted',
    boolean
  >
  declare private _consuming: boolean
  #take: TakeChunk | undefined

  /** Ends the stream of a request without body, or whose body was taken. */
  skipBody(): void {
    this.#endStream()
    this._dumped = true
  }

  /**
   * Hands the body over as it is parsed, instead of through the stream, until `take` says that it wants no more. Only while nothing of
   * the body has arrived: says whether that is so.
   */
  collect(take: TakeChunk): boolean {
    if (this.complete || this.readableLength > 0 || this.readableFlowing !== null || this.destroyed)
      return false
    // or node:http would drain the stream when the response is finished
    this._consuming = true
    this.#take = take
    return true
  }

  /** Called by the parser. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const take = this.#take
    if (take === undefined || (chunk !== null && !(chunk instanceof Uint8Array)))
      return super.push(chunk, encoding)
    if (chunk === null) {
      this.#take = undefined
      this.#endStream()
    }
    if (!take(chunk)) this.#take = undefined
    return true
  }

  #endStream(): void {
    const state = this._readableState
    state.ended = true
    state.endEmitted = true
    state.destroyed = true
    state.closed = true
    state.closeEmitted = true
  }
}

/** Takes the chunks of a body, and `null` at its end; says whether it wants more. */
type TakeChunk = (chunk: Uint8Array | null) => boolean

/**
 * The response of Octavo's own servers. `writeHead` and `end` of node:http check and join headers that were checked and joined before,
 * and hand an empty piece to the socket behind the body, which takes the way for many pieces then.
 */
export class DirectResponse extends ServerResponse<DirectRequest> {
  declare private _header: string | null
  declare private _headerSent: boolean
  declare private _keepAliveTimeout: number
  /** Whether the socket has taken all that `answer` gave it. */
  isTaken = false

  /** Sets how long the connection stays after a response of node:http, whose own timer is off. */
  staysFor(milliseconds: number): void {
    this._keepAliveTimeout = milliseconds
  }

  /**
   * Writes head and body at once. Only before anything else was written, and while `socket` is this response's.
   */
  answer(socket: Socket, status: number, head: string, body: string | Uint8Array, bytes: number): void {
    this.statusCode = status
    this.statusMessage = nodePhrase(status)
    this._header = head
    this._headerSent = true
    this.finished = true
    const done = (error?: Error | null): void => {
      // what went wrong closes the socket, and with it the response
      if ((error !== undefined && error !== null) || socket.destroyed) return
      this.isTaken = true
      this.emit('finish')
    }
    const text = shortBodyText(body, bytes)
    if (text !== undefined) socket.write(head + text, 'latin1', done)
    else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body, done)
      socket.uncork()
    }
    this.emit('prefinish')
  }

  /**
   * Whether the response is unmodified. Tools for monitoring set headers on it, or put something in the place of its methods, also
   * of those that all responses have.
   */
  get isUntouched(): boolean {
    return (
      this.end === END &&
      this.writeHead === WRITE_HEAD &&
      this.statusMessage === undefined &&
      this.sendDate &&
      this.getHeaderNames().length === 0
    )
  }
}

/** The methods of node:http, to be compared. */
// oxlint-disable-next-line typescript/unbound-method
const { end: END, writeHead: WRITE_HEAD } = DirectResponse.prototype

/** Whether something stands in the place of methods of all responses. */
export function areResponsesReplaced(): boolean {
  return DirectResponse.prototype.end !== END || DirectResponse.prototype.writeHead !== WRITE_HEAD
}

// newer Node versions remember this where nobody else can set it; a property of the base class, so no accessor of the class
Object.defineProperty(DirectResponse.prototype, 'writableFinished', {
  get(this: DirectResponse): boolean {
    return this.isTaken || Reflect.get(ServerResponse.prototype, 'writableFinished', this)
  },
})

/**
 * Whether this Node keeps the state of requests and responses where `skipBody` and `answer` set it, and nothing has been put in the
 * place of `end`, as some tools for monitoring do. Where not, servers make the requests and responses of node:http itself.
 */
export function isDirectPossible(): boolean {
  const request = new DirectRequest(new Socket())
  const response = new DirectResponse(request)
  const known = '_readableState' in request && '_dumped' in request && '_consuming' in request
  if (!known || !('_header' in response)) return false
  request.skipBody()
  const socket = new Socket()
  socket.write = () => true
  const before = response.headersSent || response.writableEnded
  response.answer(socket, 200, 'head', '', 0)
  return (
    !before &&
    response.headersSent &&
    response.writableEnded &&
    request.readableEnded &&
    request.destroyed &&
    isNodes('end', END) &&
    isNodes('writeHead', WRITE_HEAD)
  )
}

/** Whether a method of all responses is that of node:http, by how its source begins: something may have replaced it before this file was loaded. */
function isNodes(name: 'end' | 'writeHead', method: (...args: never) => unknown): boolean {
  return ServerResponse.prototype[name] === method && String(method).startsWith(`function ${name}(`)
}

/** Creates the function that answers directly what is ordinary, and says whether it did. `idle` as in the application's timeouts. */
export function createDirect(
  idle: number,
): (request: IncomingMessage, response: ServerResponse, finished: FinishedResponse) => boolean {
  const ending = createEnding(idle)
  return (request, response, { status, headers, body }) => {
    // a response that waits for others on its connection has no socket yet
    const { socket } = response
    if (!(response instanceof DirectResponse) || socket === null || !isOrdinaryRequest(request, response))
      return false
    if (!response.isUntouched) return false
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) return false
    const length = headers['content-length']
    // without length, the connection would have to end with the body
    if (length === undefined && !isSentWithoutBody(status, request.method)) return false
    const head = toPlainHead(status, headers)
    if (head === undefined) return false
    response.answer(socket, status, head + ending(), body ?? '', body === null ? 0 : Number(length))
    return true
  }
}

/** Whether nothing was sent yet, the connection stays, and the client has not asked whether to go on. */
function isOrdinaryRequest(
  { httpVersionMinor, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  return (
    httpVersionMinor === 1 &&
    headers.expect === undefined &&
    response.shouldKeepAlive &&
    !response.headersSent &&
    !response.destroyed
  )
}

const SECOND = 1000

/** Creates the function that gives the rest of a head: the date (RFC 9110 section 6.6.1), and how long the connection stays. */
export function createEnding(idle: number): () => string {
  const stays = idle > 0 ? `Keep-Alive: timeout=${Math.floor(idle / SECOND)}\r\n` : ''
  let from = Number.NaN
  let text = ''
  return () => {
    const now = Date.now()
    // also when the clock was set back
    if (!(now - from < SECOND && now >= from)) {
      from = now - (now % SECOND)
      text = `Date: ${new Date(from).toUTCString()}\r\nConnection: keep-alive\r\n${stays}\r\n`
    }
    return text
  }
}
