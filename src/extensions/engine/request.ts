import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import {
  clientWentAway,
  type FinishedResponse,
  type HeaderMap,
  type RawBody,
  type RawRequest,
} from '../../http/http.ts'
import { findHeader, linesOf, joinLines } from '../../server/request/header.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { NO_BODY } from '../../server/adapters/shared/stream-body.ts'
import { EngineBody, type BodyOwner } from './body.ts'
import type { ParsedHead } from './parser.ts'
import { isSingleInNode } from '../../server/adapters/shared/single-headers.ts'

/** The connection of a request, as far as requests concern it. */
export interface RequestLink {
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
  readonly #link: RequestLink
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

  constructor(head: ParsedHead, framing: Framing, link: RequestLink) {
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
    return (this.#headers ??= toRequestHeaders(this.head.lines))
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

  get env(): object {
    return { incoming: { socket: this.#link.socket } }
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

/** How a request is framed, and what its client expects. */
interface Framing {
  readonly host: string | undefined
  /** The length of the body, `undefined` if it is chunked. */
  readonly length: number | undefined
  /** The transfer codings, as they were sent. */
  readonly coding: string | undefined
  /** Whether the client waits to be told to send the body. */
  readonly awaitsContinue: boolean
  /** Whether the client expects something else. */
  readonly expectsMore: boolean
}

/** The headers as Node presents them: of some, the first line alone; of most, the lines joined. */
export function toRequestHeaders(lines: readonly string[]): HeaderMap {
  // without prototype: `__proto__` is a name like any other
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = (lines[at] ?? '').toLowerCase()
    const value = lines[at + 1] ?? ''
    const before = headers[name]
    if (before === undefined) headers[name] = name === 'set-cookie' ? [value] : value
    else if (typeof before !== 'string') before.push(value)
    else if (!isSingleInNode(name)) headers[name] = joinLines(name, [before, value])
  }
  return headers
}

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** The headers that matter for framing. */
type RequestFields = Record<'host' | 'length' | 'coding' | 'expect', string | undefined>

/** Where they are, by the length of their names. A list, because every line of every request is looked up. */
const FIELDS: ({ readonly name: string; readonly key: keyof RequestFields } | undefined)[] = []
FIELDS[4] = { name: 'host', key: 'host' }
FIELDS[6] = { name: 'expect', key: 'expect' }
FIELDS[14] = { name: 'content-length', key: 'length' }
FIELDS[17] = { name: 'transfer-encoding', key: 'coding' }

/** Reads how a request is framed. The parser has found the same end of the body. */
export function readFraming(lines: readonly string[], minor: number): Framing {
  const fields: RequestFields = { host: undefined, length: undefined, coding: undefined, expect: undefined }
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] ?? ''
    const field = FIELDS[name.length]
    if (field === undefined || name.toLowerCase() !== field.name) continue
    const { key } = field
    const before = fields[key]
    const value = lines[at + 1] ?? ''
    // of hosts and lengths the first line counts, and a second one is refused; lines of the others are joined
    if (before === undefined) fields[key] = value
    else if (key === 'coding' || key === 'expect') fields[key] = `${before}, ${value}`
  }
  const { host, length, coding, expect } = fields
  const isExpecting = expect !== undefined && minor === 1
  const awaitsContinue = isExpecting && CONTINUE.test(expect)
  return {
    host,
    length: coding === undefined ? Number(length ?? 0) : undefined,
    coding,
    awaitsContinue,
    expectsMore: isExpecting && !awaitsContinue,
  }
}
