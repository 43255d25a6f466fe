import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import {
  clientWentAway,
  type FinishedResponse,
  type HeaderMap,
  type RawBody,
  type RawRequest,
} from '../../http/http.ts'
import { findHeader, linesOf } from '../../server/request/header.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { NO_BODY } from '../../server/adapters/shared/bytes-body.ts'
import { EngineBody, type BodyOwner } from './body.ts'
import { toHeaders, type Framing } from './request-headers.ts'
import type { ParsedHead } from './parser.ts'

/** The connection of a request, as far as requests concern it. */
export interface Link {
  readonly socket: Socket
  readonly remoteAddress: string | undefined
  readonly protocol: 'http' | 'https'
  /** Asks the client of a request for its body, once it is that request's turn. */
  readonly goOn: (request: EngineRequest) => void
  /** Reads the connection or stops, by what waits. */
  readonly updateReading: () => void
}

/** A request and the state of its answer. A class because one is made for every request, and little of it is needed. */
export class EngineRequest implements RawRequest, BodyOwner {
  readonly head: ParsedHead
  readonly framing: Framing
  readonly body: RawBody
  readonly #link: Link
  #headers: HeaderMap | undefined
  #abort: AbortController | undefined
  #leave: ((reason: unknown) => void) | undefined
  refused = false
  /** Whether the request waits for those before it, because one of them may end the connection. */
  isHeld = false
  /** Whether its connection has closed before the answer was sent. */
  isGone = false
  /** Whether the answer is sent. */
  isDone = false
  /** Whether the head of the answer, or all of it, was handed to the socket. */
  isWriting = false
  /** Whether the client has to be told to send its body, once it is the turn of this request. */
  awaitsGoOn = false
  /** Whether the client waits to be told to send its body: it may send that, or the next request, behind any other answer. */
  isUntold: boolean
  /** Whether the connection ends with the answer, whatever it is. */
  isFinal = false
  /** The response of node:http, if something watches. */
  response: ServerResponse | undefined
  /** The answer, once there is one. */
  finished: FinishedResponse | undefined
  context: RequestContext | undefined
  /** Cancels the stream that is being sent. */
  cancel: (() => void) | undefined
  /** Called with the end of the answer. */
  onEnd: (() => void) | undefined

  constructor(head: ParsedHead, framing: Framing, link: Link) {
    this.head = head
    this.framing = framing
    this.#link = link
    const { length, awaitsContinue } = framing
    this.isUntold = awaitsContinue
    this.body = length === 0 ? NO_BODY : new EngineBody(this, length)
  }

  /** The members of a request of node:http that telemetry reads. */
  get request(): { readonly httpVersion: string; readonly socket: Socket } {
    const { major, minor } = this.head
    return { httpVersion: `${major}.${minor}`, socket: this.#link.socket }
  }

  get method(): string {
    return this.head.method
  }

  get target(): string {
    return this.head.target
  }

  get headers(): HeaderMap {
    return (this.#headers ??= toHeaders(this.head.lines))
  }

  header(name: string): string | undefined {
    if (this.#headers !== undefined) return findHeader(this.#headers, name)
    const { lines } = this.head
    const lower = name.toLowerCase()
    let found: string | undefined
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const line = lines[at]
      if (line?.length !== lower.length || line.toLowerCase() !== lower) continue
      // most headers come once; the rules of several lines are those of all headers
      if (found !== undefined) return findHeader(this.headers, name)
      found = lines[at + 1]
    }
    return found
  }

  lines(name: string): readonly string[] {
    return linesOf(this.head.lines, name)
  }

  takeArrived(limit: number): Uint8Array | undefined {
    const { body } = this
    if (!(body instanceof EngineBody) || this.header('content-encoding') !== undefined) return undefined
    return body.takeArrived(limit)
  }

  get remoteAddress(): string | undefined {
    return this.#link.remoteAddress
  }

  get protocol(): 'http' | 'https' {
    return this.#link.protocol
  }

  /** Whether all of the request has arrived. */
  get complete(): boolean {
    return !(this.body instanceof EngineBody) || this.body.isComplete
  }

  get isArriving(): boolean {
    return this.body instanceof EngineBody && this.body.isRead && !this.body.isComplete && !this.isGone
  }

  get signal(): AbortSignal {
    return (this.#abort ??= this.#createAbort()).signal
  }

  abort(reason: unknown): void {
    // nobody reads the rest of the body, so no other request can follow on this connection
    if (!this.complete) this.refused = true
    ;(this.#abort ??= this.#createAbort()).abort(reason)
    this.#leave?.(reason)
  }

  whenGone(leave: (reason: unknown) => void): void {
    this.#leave = leave
    if (this.isGone) leave(clientWentAway())
  }

  onRead(): void {
    if (this.framing.awaitsContinue && !this.isWriting) this.#link.goOn(this)
  }

  onRoom(): void {
    this.#link.updateReading()
  }

  /** The connection has closed before the answer was sent. */
  close(): void {
    if (this.isDone) return
    this.isGone = true
    this.cancel?.()
    this.#abort?.abort(clientWentAway())
    this.#leave?.(clientWentAway())
    this.#closeResponse()
    this.end()
  }

  /** The answer is over, sent or not. */
  end(): void {
    if (this.body instanceof EngineBody) this.body.drop()
    const { onEnd } = this
    this.onEnd = undefined
    onEnd?.()
  }

  /** Ends what something watches, unless it has the socket, which ends it. */
  #closeResponse(): void {
    const { response } = this
    if (response === undefined || response.socket !== null || response.destroyed) return
    response.destroy()
    response.emit('close')
  }

  #createAbort(): AbortController {
    const abort = new AbortController()
    if (this.isGone) abort.abort(clientWentAway())
    return abort
  }
}
