import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { HttpError } from '../../../http/errors.ts'
import { clientWentAway, type HeaderMap, type RawBody, type RawRequest } from '../../../http/http.ts'
import { bodyEndedEarly, bodyTooLarge, joinChunks } from '../../request/body.ts'
import { joinLines, linesOf } from '../../request/header.ts'
import { isSingleInNode } from '../shared/single-headers.ts'
import { DirectRequest } from './direct.ts'
import { isEncrypted, isLingering } from './lingering-close.ts'

const NOTHING = new Uint8Array(0)

/** A request of node:http. A class because one is made for every request, and little of it is needed. */
export class NodeRequest implements RawRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Kept, for Node takes it from a request whose body breaks off while it is read. */
  readonly #socket: Socket
  #abort: AbortController | undefined
  #leave: ((reason: unknown) => void) | undefined
  /** Whether the body was refused, or is not read to its end: then the connection ends with the answer. */
  refused = false
  #isRead = false

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request
    this.response = response
    this.#socket = request.socket
  }

  get method(): string {
    return this.request.method ?? 'GET'
  }

  get target(): string {
    return this.request.url ?? '/'
  }

  get base(): string | undefined {
    const base: unknown = Reflect.get(this.request, 'baseUrl')
    return typeof base === 'string' ? base : undefined
  }

  get headers(): HeaderMap {
    return this.request.headers
  }

  get env(): object {
    return { incoming: this.request, outgoing: this.response }
  }

  lines(name: string): readonly string[] {
    const { headers, rawHeaders } = this.request
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (value === undefined) return []
    // not headersDistinct, which requests of HTTP/2 lack
    const lines = linesOf(rawHeaders, name)
    // software in front of the application may have changed the headers, or have made a request without this list
    return isMadeOf(value, name, lines) ? lines : [value].flat().map(String)
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  get protocol(): 'http' | 'https' {
    return isEncrypted(this.#socket) ? 'https' : 'http'
  }

  get body(): RawBody {
    const length = this.bodyLength
    return {
      length,
      read: (limit) => this.#read(limit, length),
      chunks: (limit) => this.#chunks(limit, length),
    }
  }

  /** The declared length of the body; without one there is no body, unless it is chunked (RFC 9112 section 6.3). */
  protected get bodyLength(): number | undefined {
    const { headers } = this.request
    return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
  }

  /** Whether all of the request has arrived. */
  protected get isComplete(): boolean {
    return this.request.complete
  }

  /**
   * Whether the client waits to be told to send its body; HTTP/1.0 knows nothing of it (RFC 9110 section 10.1.1). A server without a
   * listener for it has told it already. Not the request of the response: adapters for serverless platforms give that a method alone.
   */
  protected get awaitsContinue(): boolean {
    const { request, response } = this
    const { expect } = request.headers
    if (
      expect === undefined ||
      request.httpVersionMinor === 0 ||
      !/(?:^|\W)100-continue(?:$|\W)/i.test(expect)
    )
      return false
    return !('_sent100' in response && response._sent100 === true)
  }

  get isArriving(): boolean {
    return this.#isRead && !this.isComplete && !this.#isGone()
  }

  get signal(): AbortSignal {
    return (this.#abort ??= this.#createAbort()).signal
  }

  abort(reason: unknown): void {
    // nobody reads the rest of the body, so no other request can follow on this connection
    if (!this.isComplete) this.refused = true
    ;(this.#abort ??= this.#createAbort()).abort(reason)
    this.#leave?.(reason)
  }

  whenGone(leave: (reason: unknown) => void): void {
    this.#leave = leave
    this.#onGone(leave)
  }

  #createAbort(): AbortController {
    const abort = new AbortController()
    this.#onGone((reason) => abort.abort(reason))
    return abort
  }

  #onGone(leave: (reason: unknown) => void): void {
    const stop = (): void => {
      if (!this.response.writableFinished || this.request.aborted) leave(clientWentAway())
    }
    if (this.response.destroyed) stop()
    // `once` takes as long again, and it comes once
    else this.response.on('close', stop)
  }

  #read(limit: number, length: number | undefined): Promise<Uint8Array> {
    if (length === 0) return Promise.resolve(NOTHING)
    if (length !== undefined && length > limit) return Promise.reject(this.#tooLarge(limit))
    const refusal = this.#refusal()
    if (refusal !== undefined) return Promise.reject(refusal)
    this.#isRead = true
    if (this.request.destroyed) return this.#collectArrived(limit)
    // only now: a client that asked whether to go on is not told to send what would be refused
    if (this.awaitsContinue) this.response.writeContinue()
    return new Promise((resolve, reject) => {
      const { request } = this
      const chunks: Uint8Array[] = []
      let size = 0
      let isEnded = false
      const end = (): void => {
        isEnded = true
        resolve(joinChunks(chunks))
      }
      const add = (chunk: Uint8Array): void => {
        size += chunk.length
        if (size <= limit) chunks.push(chunk)
        else if (!this.refused) reject(this.#tooLarge(limit))
      }
      const take = (chunk: Uint8Array | null): boolean => {
        if (chunk === null) end()
        else add(chunk)
        return !this.refused
      }
      const stop = (): void => {
        if (!isEnded) reject(bodyEndedEarly())
      }
      const isTaken = request instanceof DirectRequest && request.collect(take)
      if (!isTaken) request.on('data', add).on('end', end).on('error', stop)
      request.on('close', stop)
      // a request that the parser gave up is never closed
      this.response.on('close', stop)
    })
  }

  async *#chunks(limit: number, length: number | undefined): AsyncGenerator<Uint8Array> {
    if (length === 0) return
    if (length !== undefined && length > limit) throw this.#tooLarge(limit)
    const { request, response } = this
    const refusal = this.#refusal()
    if (refusal !== undefined) throw refusal
    this.#isRead = true
    if (request.destroyed) return yield await this.#collectArrived(limit)
    if (this.awaitsContinue) response.writeContinue()
    let size = 0
    // until all of it is read, no other request can follow on this connection
    this.refused = true
    // a request that the parser gave up is never closed; to destroy one destroys its connection, which may still have to deliver the answer
    const stop = (): void => {
      if (isLingering(request.socket)) request.emit('close')
      else request.destroy()
    }
    response.once('close', stop)
    try {
      const chunks: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false })
      for await (const chunk of chunks) {
        size += chunk.length
        if (size > limit) throw this.#tooLarge(limit)
        yield chunk
      }
      this.refused = false
    } catch (error) {
      throw error instanceof HttpError ? error : bodyEndedEarly()
    } finally {
      response.off('close', stop)
    }
  }

  /** Why the body cannot be read, or `undefined` if it can. */
  #refusal(): Error | undefined {
    const { request, response } = this
    // Node reads the rest of the body away once a request is over; one that was read by something else is destroyed, too
    const isOver = response.destroyed || response.writableEnded
    if (request.readableDidRead)
      return isOver
        ? bodyEndedEarly()
        : new Error(
            'The body was read before the application got it: put app.handler before express.json() and other body readers',
          )
    return this.#isGone() ? bodyEndedEarly() : undefined
  }

  /** Whether the rest of the body can never come. A request that the parser gave up is never destroyed, but its response is. */
  #isGone(): boolean {
    const { request, response } = this
    return (request.destroyed || response.destroyed) && !this.isComplete
  }

  /** The rest in the stream of a request whose client has left when all of the body had arrived. */
  async #collectArrived(limit: number): Promise<Uint8Array> {
    const { request } = this
    const chunks: Uint8Array[] = []
    let size = 0
    for (let chunk: unknown = request.read(); chunk instanceof Uint8Array; chunk = request.read()) {
      size += chunk.length
      chunks.push(chunk)
    }
    if (size > limit) throw this.#tooLarge(limit)
    return joinChunks(chunks)
  }

  #tooLarge(limit: number): Error {
    this.refused = true
    return bodyTooLarge(limit)
  }
}

/** Whether Node makes the value of a header of these lines. */
function isMadeOf(value: string | string[], name: string, lines: readonly string[]): boolean {
  if (typeof value !== 'string')
    return value.length === lines.length && value.every((line, at) => line === lines[at])
  return value === (isSingleInNode(name) ? lines[0] : joinLines(name, lines))
}

/** Passes a request on to what is behind the application, as Express has it. */
export type NodeNext = () => void

/** A request that is passed on if the application serves nothing at its path. */
export class PassingRequest extends NodeRequest {
  readonly next: NodeNext
  isPassed = false

  constructor(request: IncomingMessage, response: ServerResponse, next: NodeNext) {
    super(request, response)
    this.next = next
  }

  pass(): void {
    this.isPassed = true
  }
}
