import type { Socket } from 'node:net'

import { httpError, type HttpError } from '../../http/errors.ts'
import { clientWentAway, dropBody, isStream, type FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { MAX_WAITING } from '../../server/adapters/node/connections.ts'
import {
  closeInStages,
  endWithAnswer,
  hurry,
  isEncrypted,
  isLingering,
  LINGER,
} from '../../server/adapters/node/lingering-close.ts'
import { isCutOff, type ParserError } from '../../server/adapters/node/http1.ts'
import { nothingSeen, type WatchedState } from '../../server/adapters/node/watch.ts'
import { EngineBody } from './body.ts'
import type { ParserHandle, ParsedHead, HttpParser, Parsers, ParserTarget } from './parser.ts'
import { EngineRequest, readFraming, type RequestLink } from './request.ts'
import { SAYS_CLOSE, sendOnSocket, type SendTarget } from './send.ts'

/** The state that the connections of a server share. */
export interface Host {
  readonly parsers: Parsers
  /** Answers a request, by `settle` of its connection. */
  readonly answer: (request: EngineRequest, connection: Connection) => void
  /** Converts what the parser refuses. */
  readonly toError: (error: ParserError) => HttpError
  readonly writeError: (error: HttpError) => FinishedResponse
  /** Answers a connection outside of any request, and ends it. */
  readonly endSocket: (socket: Socket, error: HttpError) => void
  readonly ending: () => string
  /** Sends the answer of a request that something watches. */
  readonly sendWatched: (connection: Connection, request: EngineRequest, isLast: boolean) => void
  /** Whether connections end with their present answer. */
  readonly isEnding: () => boolean
  /** Whether connections without a request end. */
  readonly isFinishing: () => boolean
  /** Whether a request leaves HTTP. */
  readonly isHandshake: (head: ParsedHead) => boolean
  /** Takes a connection that leaves HTTP, once everything before is answered. */
  readonly upgrade: (connection: Connection, request: EngineRequest, rest: Uint8Array) => void
}

const NOTHING = new Uint8Array(0)

/** A connection that speaks HTTP/1.1. A class because it lives as long as its socket, and there are many. */
export class Connection implements ParserTarget, RequestLink, SendTarget {
  readonly socket: Socket
  readonly ending: () => string
  readonly seen: WatchedState = nothingSeen()
  hasAnswered = false
  isEnding = false
  readonly #host: Host
  readonly #queue: EngineRequest[] = []
  #parser: HttpParser | undefined
  /** The request that arrives. */
  #current: EngineRequest | undefined
  /** Whether `#current` waits for its body, or for the end of what was read. */
  #isPending = false
  #hasOld = false
  #isStopped = false
  /** Whether an answer was given that ends the connection: nothing behind it may run. */
  #isOver = false
  #isFlushing = false
  /** Whether the client has ended its side, and all it still gets was there then or was held. */
  #hasEnded = false
  /** How much was read when the connection was last seen between two requests. */
  #idleAt = -1
  /** Whether the parser was freed until the client sends something. */
  #isResting = false
  #asksToLeave = false
  #leaving: { readonly request: EngineRequest; readonly rest: Uint8Array } | undefined
  /** The error that is answered behind all requests, and how much had been read when it was known. */
  #refusal: { readonly error: HttpError; readonly start: number } | undefined
  /** Work under way on a connection that has left HTTP. */
  others: readonly unknown[] | undefined

  constructor(socket: Socket, host: Host) {
    this.socket = socket
    this.#host = host
    this.ending = host.ending
    // node keeps an address that was asked for, also when the client has gone
    void socket.remoteAddress
    this.#openParser()
    // the end is an event of the socket, which only comes while it flows
    socket.resume()
  }

  /** The work under way, oldest first. */
  get responses(): readonly unknown[] {
    return this.others ?? this.#queue
  }

  get onSent() {
    return (error?: Error | null): void => {
      // what went wrong closes the socket
      if ((error !== undefined && error !== null) || this.socket.destroyed) return
      const [request] = this.#queue
      if (request === undefined) return
      this.#isFlushing = true
      this.#leave(request)
      this.#isFlushing = false
      this.#flush()
    }
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress
  }

  get protocol(): 'http' | 'https' {
    return isEncrypted(this.socket) ? 'https' : 'http'
  }

  onHead(head: ParsedHead): number {
    this.#asksToLeave = head.upgrade
    this.#current = undefined
    this.#isPending = false
    if (this.#isOver || this.isEnding || this.#refusal !== undefined) return 0
    const request = new EngineRequest(head, readFraming(head.lines, head.minor), this)
    this.#current = request
    if (head.upgrade && (head.method === 'CONNECT' || this.#host.isHandshake(head))) {
      this.#leaving = { request, rest: NOTHING }
      return 2
    }
    this.#queue.push(request)
    this.#isPending = true
    return 0
  }

  onBody(chunk: Uint8Array): void {
    const body = this.#current?.body
    if (body instanceof EngineBody) body.add(chunk)
  }

  onMessage(): void {
    const request = this.#current
    if (request === undefined) return
    this.#current = undefined
    if (request.body instanceof EngineBody) request.body.complete()
    if (this.#isPending) this.#start(request)
    if (request.isFinal) this.#isOver = true
  }

  onParsed(result: number | Error, given?: Uint8Array): void {
    let rest = this.#onResult(result, given)
    // a loop, because one packet has a thousand refused upgrades
    while (rest !== undefined) rest = this.#onResult(this.#openParser().execute(rest), rest)
  }

  /** Returns what has to be parsed by another parser. */
  #onResult(result: number | Error, given: Uint8Array | undefined): Uint8Array | undefined {
    // what of the body came with the head is there by now
    if (this.#isPending && this.#current !== undefined) this.#start(this.#current)
    if (typeof result !== 'number') this.#fail(result, given)
    else if (this.#asksToLeave) return this.#onLeave(result, given)
    else if (this.#queue.length >= MAX_WAITING || this.#current !== undefined) this.updateReading()
    return undefined
  }

  onTimeout(): void {
    this.#fail(Object.assign(new Error('The request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }))
  }

  onIdle(): void {
    const { socket } = this
    if (this.#queue.length > 0 || this.#current !== undefined || !this.hasAnswered) return
    if (this.#idleAt !== socket.bytesRead) {
      this.#idleAt = socket.bytesRead
      return
    }
    // seen twice: a parser takes more memory than the rest of a connection
    this.#isResting = true
    this.stopParsing()
  }

  updateReading(): void {
    const body = this.#current?.body
    const stops = this.#queue.length >= MAX_WAITING || (body instanceof EngineBody && body.isFull)
    if (stops === this.#isStopped || this.#parser === undefined) return
    const handle = socketHandleOf(this.socket)
    if (handle === undefined) return
    this.#isStopped = stops
    handle.reading = !stops
    if (stops) handle.readStop()
    else handle.readStart()
  }

  /** Closes a connection that is not read if its client has reset it, because only reading would show that. */
  checkClient(): void {
    if (!this.#isStopped) return
    const error = socketHandleOf(this.socket)?.getpeername?.({}) ?? 0
    if (error !== 0) this.socket.destroy()
  }

  goOn(request: EngineRequest): void {
    request.awaitsGoOn = this.#queue[0] !== request
    if (request.awaitsGoOn) return
    request.isUntold = false
    this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')
  }

  /** Answers a request. */
  settle(request: EngineRequest, finished: FinishedResponse, context: RequestContext | undefined): void {
    // given up, or refused meanwhile
    if (request.isGone || request.finished !== undefined) {
      dropBody(finished.body)
      return
    }
    request.finished = finished
    request.context = context
    if (request.refused || this.#host.isEnding()) request.isFinal = true
    const isLeft = request.isUntold && !request.awaitsGoOn
    const { connection } = finished.headers
    const saysClose = connection !== undefined && SAYS_CLOSE.test(String(connection))
    if (request.isFinal || isLeft || saysClose) this.#isOver = true
    if (this.#queue[0] === request) this.#flush()
  }

  /** Ends the connection as soon as nothing is under way. */
  finish(): void {
    const { socket } = this
    if (isLingering(socket)) hurry(socket)
    else if (this.responses.length > 0) return
    else if (socket.writableLength === 0) socket.destroy()
    else this.#linger()
  }

  /** Frees the parser, so that nothing is parsed any more. */
  stopParsing(): void {
    this.#freeParser()
    if (!this.#isStopped) return
    this.#isStopped = false
    const handle = socketHandleOf(this.socket)
    if (handle === undefined) return
    handle.reading = true
    handle.readStart()
  }

  #openParser(): HttpParser {
    this.#isResting = false
    const parser = this.#host.parsers.open(this)
    this.#parser = parser
    const handle = socketHandleOf(this.socket)
    if (handle?.isStreamBase === true) parser.consume(handle)
    return parser
  }

  #freeParser(): void {
    const parser = this.#parser
    if (parser === undefined) return
    this.#parser = undefined
    parser.target = undefined
    parser.unconsume()
    // not below its own stack: bytes that it parses until then would put it back on the list of its server
    setImmediate(() => {
      parser.remove()
      parser.close()
    })
  }

  #start(request: EngineRequest): void {
    this.#isPending = false
    if (this.#isOver) return
    if (request.head.minor === 0) this.#hasOld = true
    const before = this.#queue.at(-2)
    // one packet has thousands of requests, whose answers would all wait in memory
    const isMany = this.#queue.length > MAX_WAITING
    // an answer to HTTP/1.0, or to a client that was not told to go on, may end the connection, so that nothing behind it may run
    if (before !== undefined && (isMany || this.#hasOld || before.isHeld || before.isUntold))
      request.isHeld = true
    else this.#answer(request)
  }

  #answer(request: EngineRequest): void {
    this.#host.answer(request, this)
    if (request.isFinal) this.#isOver = true
  }

  /** Sends the answers whose turn it is. */
  #flush(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    for (let request = this.#queue[0]; request !== undefined; request = this.#queue[0]) {
      if (request.finished === undefined || request.isWriting) break
      if (!this.socket.writable) {
        this.socket.destroy()
        break
      }
      if (request.awaitsGoOn) this.goOn(request)
      request.isWriting = true
      const isLast = request.isFinal || this.#host.isEnding()
      if (request.response !== undefined) {
        this.#host.sendWatched(this, request, isLast)
        break
      }
      if (!sendOnSocket(this, request, isLast)) break
      this.#leave(request)
    }
    this.#isFlushing = false
  }

  /** Goes on behind an answer that was sent. */
  #leave(request: EngineRequest): void {
    this.#queue.shift()
    request.isDone = true
    this.hasAnswered = true
    // most requests begin and end between two rounds
    this.seen.waitingRounds = 0
    request.end()
    // the rest of its body may have been given up, or found malformed, behind the head of the answer
    if (this.isEnding || request.isFinal) {
      this.isEnding = true
      endWithAnswer({ socket: this.socket, complete: request.complete })
      this.#closeQueue()
      return this.#linger()
    }
    const [next] = this.#queue
    if (next === undefined) return this.#onEmpty()
    if (next.isHeld) {
      next.isHeld = false
      // it may have been refused meanwhile
      if (next.finished === undefined) this.#answer(next)
    } else if (next.awaitsGoOn && next.finished === undefined) this.goOn(next)
    if (this.#isStopped || this.#current !== undefined) this.updateReading()
  }

  /** Nothing is under way any more. */
  #onEmpty(): void {
    if (this.#refusal !== undefined) this.#endWith(this.#refusal.error)
    else if (this.#leaving !== undefined) this.#upgrade()
    else if (this.#hasEnded || this.#host.isFinishing()) this.#linger()
    else if (this.#isStopped || this.#current !== undefined) this.updateReading()
  }

  #linger(): void {
    this.stopParsing()
    closeInStages(this.socket)
    if (this.#host.isFinishing()) hurry(this.socket)
  }

  #endWith(error: HttpError): void {
    this.stopParsing()
    this.#host.endSocket(this.socket, error)
  }

  /** Refuses what the parser does not take: behind the answers under way, or in the place of the answer to the request that is broken. */
  #fail(error: ParserError, given?: Uint8Array): void {
    const { socket } = this
    if (this.#parser === undefined || this.#refusal !== undefined || isLingering(socket)) return
    const rawPacket = given ?? this.#parser.getCurrentBuffer()
    const problem = this.#host.toError(Object.assign(error, { rawPacket }))
    const latest = this.#queue.at(-1)
    this.stopParsing()
    if (!socket.writable) socket.destroy()
    // its client would take a second answer for that to its next request
    else if (this.#current?.isDone === true) this.#linger()
    else if (latest === undefined) this.#host.endSocket(socket, problem)
    else if (latest.complete) this.#refusal = { error: problem, start: socket.bytesRead }
    else if (isStreaming(latest)) socket.end(() => socket.destroy())
    else {
      if (isCutOff(error)) latest.abort(clientWentAway())
      this.#refuse(latest, problem)
    }
  }

  /** Refuses a request in the place of its answer, unless the answer is there as a whole. */
  #refuse(request: EngineRequest, problem: HttpError): void {
    request.isFinal = true
    if (request.body instanceof EngineBody) request.body.drop()
    if (request.isWriting) return
    const body = request.finished?.body ?? null
    if (isStream(body)) {
      dropBody(body)
      request.finished = undefined
    }
    this.settle(request, this.#host.writeError(problem), request.context)
  }

  /** Continues behind a head that asks to leave HTTP: with another protocol, or, where that is not wanted, with the next request. */
  #onLeave(result: number, given: Uint8Array | undefined): Uint8Array | undefined {
    const read = given ?? this.#parser?.getCurrentBuffer() ?? NOTHING
    const rest = read.subarray(result)
    if (this.#leaving !== undefined) {
      this.#leaving = { ...this.#leaving, rest }
      this.#current = undefined
      this.stopParsing()
      this.#stopListening()
      if (this.#queue.length === 0) this.#upgrade()
    } else if (this.#parser === undefined) return undefined
    else if (this.#current === undefined) return this.#stay(rest)
    // the parser stops at what is wrong with the body of such a request, without an error
    else if (rest.length > 0) this.#fail(new Error('The body is malformed'), read)
    else this.updateReading()
    return undefined
  }

  /** Goes on behind a request that has asked in vain to leave HTTP, with another parser: this one would report no error until the next head. */
  #stay(rest: Uint8Array): Uint8Array | undefined {
    this.#asksToLeave = false
    // the time of a head begins with its first byte
    this.#isResting = rest.length === 0
    if (this.#isResting) this.stopParsing()
    else this.#freeParser()
    return this.#isResting ? undefined : rest
  }

  #upgrade(): void {
    const leaving = this.#leaving
    this.#leaving = undefined
    if (leaving === undefined || this.isEnding) return
    if (leaving.request.method === 'CONNECT')
      this.#endWith(httpError('malformed_target', 'The request target is neither a path nor a URL'))
    else this.#host.upgrade(this, leaving.request, leaving.rest)
  }

  /** Leaves further bytes in the buffer of the socket, for the code that takes the connection. */
  #stopListening(): void {
    this.socket.removeAllListeners('data').removeAllListeners('end')
    // as node:http leaves it, so that the first listener has it flow
    this.socket.pause()
    Reflect.set(this.socket, 'readableFlowing', null)
  }

  /** The socket has read bytes, because no parser reads them from the connection. */
  onData(chunk: Uint8Array): void {
    if (this.#isResting) this.#openParser()
    if (this.#parser !== undefined) this.onParsed(this.#parser.execute(chunk), chunk)
    else if (this.#refusal !== undefined && this.socket.bytesRead - this.#refusal.start > LINGER.bytes)
      this.socket.destroy()
  }

  /** The client has ended its side. */
  onEnd(): void {
    if (isLingering(this.socket)) return
    const error = this.#parser?.finish()
    if (error instanceof Error) this.#fail(error)
    // the parser reports no error in such a request
    else if (this.#asksToLeave && this.#current !== undefined) this.#fail(new Error('The body has no end'))
    else if (this.#queue.length > 0 && !this.#queue.some(isRunning)) this.#hasEnded = true
    else this.socket.end()
  }

  onClose(): void {
    this.stopParsing()
    this.#closeQueue()
    this.#current?.close()
  }

  #closeQueue(): void {
    for (const request of this.#queue.splice(0)) request.close()
  }
}

/** Whether a request is with its handler, or its answer is a stream. A client that ends its side has left those, as on node:http. */
function isRunning({ isHeld, finished }: EngineRequest): boolean {
  return finished === undefined ? !isHeld : isStream(finished.body)
}

/** Whether the answer of a request is a stream that is being sent. */
function isStreaming({ cancel, response, isWriting }: EngineRequest): boolean {
  return isWriting && (cancel !== undefined || response?.writableEnded === false)
}

function socketHandleOf(socket: Socket): ParserHandle | undefined {
  const handle: unknown = Reflect.get(socket, '_handle')
  // no part of the public types
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return handle === null || handle === undefined ? undefined : (handle as ParserHandle)
}
