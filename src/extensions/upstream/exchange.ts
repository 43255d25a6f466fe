import type { Dispatcher } from 'undici'

import { ignoreRejection, type Awaitable } from '../../base/values.ts'
import { noteOutcome } from '../../http/outcome.ts'
import { isBodyless } from '../../server/pipeline/framing.ts'
import { joinChunks } from '../../server/request/body.ts'
import { toAddressKey } from '../../server/stores/client-key.ts'
import { BodyStream } from './body-stream.ts'
import type { ConnectionQueue, WaitingRequest } from './connection-queue.ts'
import {
  invalidResponse,
  isReset,
  isUnconnected,
  noConnection,
  toAbortReason,
  queueFull,
  toUpstreamError,
} from './failures.ts'
import type { IncomingResponse, OutgoingRequest, Receiver, Sender, UpstreamTimeouts } from './options.ts'

type UpstreamController = Dispatcher.DispatchController

/** The longest body that is awaited and sent in one piece, in bytes. */
const SMALL = 65_536

/** Responses before the response. More are an upstream that never answers. */
const MAX_INFORMATIONAL = 16

/** Methods whose requests can be sent twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'])

/** Those that `retries` sends again, and after which statuses. */
const RETRIED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const PASSING_FAILURES: ReadonlySet<number> = new Set([502, 503, 504])

/** Milliseconds before a request is sent again, which double each time. */
const FIRST_WAIT = 100

const ignoreLateError = (): void => undefined

/** The connections to an API. */
export interface Line {
  readonly name: string
  readonly queue: ConnectionQueue
  readonly timeouts: Pick<Required<UpstreamTimeouts>, 'headers' | 'body'>
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>
  /** The number of its addresses. */
  readonly addresses: number
  readonly retries: number
}

/** One request on its way through undici. A class because one is made for every request. */
export class Exchange<T> implements Dispatcher.DispatchHandler, WaitingRequest {
  /** The protocol that it asks for, `null` for HTTP. */
  protected readonly upgrade: string | null = null
  readonly #line: Line
  readonly #request: OutgoingRequest
  readonly #sender: Sender
  readonly #receiver: Receiver<T>
  protected resolve: (result: Awaitable<T>) => void = ignoreLateError
  #reject: (error: unknown) => void = ignoreLateError
  /** How often the request was sent again. */
  #repeated = 0
  #controller: UpstreamController | undefined
  #informational = 0
  #head: Omit<IncomingResponse, 'body'> | undefined
  #chunks: Uint8Array[] | undefined
  #stream: BodyStream | undefined
  #hasEnded = false
  /** Ends the request, on platforms without a cheaper way. */
  #signal: AbortSignal | undefined
  #isWatching = false
  /** Ends the wait for a connection, which began then. */
  #timer: NodeJS.Timeout | undefined
  #since = 0
  #client: string | undefined

  constructor(line: Line, request: OutgoingRequest, sender: Sender, receiver: Receiver<T>) {
    this.#line = line
    this.#request = request
    this.#sender = sender
    this.#receiver = receiver
  }

  /** Sends the request. */
  send(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve
      this.#reject = reject
      this.#enter()
    })
  }

  get client(): string | undefined {
    const ip = this.#client === undefined ? this.#sender.request?.ip : undefined
    // behind a socket of Unix all clients have none
    return (this.#client ??= ip ? toAddressKey(ip) : undefined)
  }

  #enter(): void {
    const { queue, timeouts } = this.#line
    this.#hasEnded = false
    if (queue.enter(this)) return this.#dispatch(null)
    if (!queue.wait(this)) return this.#refuse(queueFull(this.#line.name))
    this.#since = performance.now()
    this.#timer = setTimeout(this.#expire, timeouts.headers)
    this.#watch()
  }

  /** There is a connection, and less time for the response. */
  start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waited = performance.now() - this.#since
    this.#dispatch(Math.max(1, Math.ceil(this.#line.timeouts.headers - waited)))
  }

  readonly #expire = (): void => {
    this.#timer = undefined
    this.end()
    this.#fail(noConnection())
  }

  #dispatch(headersTimeout: number | null): void {
    const { upgrade } = this
    const { method, path, headers, body } = this.#request
    // undici takes iterables of chunks, which its types leave out
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const options = { method, path, headers, body: body as Uint8Array | null, upgrade, headersTimeout }
    try {
      this.#line.dispatcher.dispatch(options, this)
    } catch (error) {
      this.end()
      this.#fail(error)
    }
  }

  onRequestStart(controller: UpstreamController): void {
    const hasWaited = this.#isWatching
    this.#controller = controller
    this.#watch()
    // whoever left before there was a controller
    if (hasWaited && this.#sender.signal.aborted) this.#leave(this.#sender.signal.reason)
  }

  /** Ends with the client, wherever it is. */
  #watch(): void {
    const { raw } = this.#sender
    if (raw?.whenGone !== undefined) {
      if (!this.#isWatching) raw.whenGone(this.#leave)
      this.#isWatching = true
      return
    }
    const { signal } = this.#sender
    this.#signal = signal
    if (signal.aborted) this.handleEvent()
    else signal.addEventListener('abort', this)
  }

  onResponseStart(
    controller: UpstreamController,
    status: number,
    headers: IncomingResponse['headers'],
  ): void {
    if (status < 200) return this.#onInformational(controller)
    const problem = headProblem(status, headers)
    if (problem !== undefined) return controller.abort(invalidResponse(this.#line.name, new Error(problem)))
    // it is read to its end, and no part of it is passed on
    if (PASSING_FAILURES.has(status) && this.#isRetried()) return
    this.#head = { status, headers }
    const length = headers['content-length']
    if (this.#request.method === 'HEAD' || isBodyless(status) || length === '0') return this.#settle(null)
    if (typeof length === 'string' && Number(length) <= SMALL) {
      this.#chunks = []
      return
    }
    const stream = new BodyStream(controller, this.#line.timeouts.body)
    this.#stream = stream
    // later, because a short body arrives with its head
    queueMicrotask(() => this.#settle(stream))
  }

  onResponseData(_controller: UpstreamController, chunk: Buffer): void {
    if (this.#chunks === undefined) this.#stream?.add(chunk)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.end()
    if (this.#head === undefined) this.#repeat()
    else if (this.#chunks === undefined) this.#stream?.end()
    else this.#settle(joinChunks(this.#chunks))
  }

  onResponseError(_controller: UpstreamController, error: Error): void {
    this.end()
    if (this.#stream === undefined) this.#fail(error)
    else this.#stream.fail(toUpstreamError(this.#line.name, error))
  }

  /** A gateway may drop these (RFC 9110 section 15.2), and early hints are for pages. */
  #onInformational(controller: UpstreamController): void {
    this.#informational++
    if (this.#informational <= MAX_INFORMATIONAL) return
    const problem = `It has sent ${MAX_INFORMATIONAL} responses of 1xx`
    controller.abort(invalidResponse(this.#line.name, new Error(problem)))
  }

  readonly #leave = (reason: unknown): void => {
    if (this.#hasEnded) return
    if (this.#timer === undefined) return this.#controller?.abort(toAbortReason(reason))
    this.end()
    this.#refuse(reason)
  }

  /** The signal has aborted. */
  handleEvent(): void {
    this.#leave(this.#signal?.reason)
  }

  /** Passes the response on. It is final, because a promise is settled once. */
  #settle(body: IncomingResponse['body']): void {
    if (this.#head === undefined) return
    const { status, headers } = this.#head
    try {
      this.resolve(this.#receiver.take({ status, headers, body }))
    } catch (error) {
      this.#reject(error)
    }
  }

  #refuse(error: unknown): void {
    const { body } = this.#request
    // what has not been sent is not read either
    if (body !== null && !(body instanceof Uint8Array)) ignoreRejection(body.return())
    noteOutcome(error, this.#controller !== undefined)
    this.#reject(this.#receiver.fail(error))
  }

  /** Sends the request once more if that is harmless, and reports the error otherwise. */
  #fail(error: unknown): void {
    const { signal } = this.#sender
    if (!signal.aborted && this.#head === undefined && this.#canRepeat(error)) this.#repeat()
    else this.#refuse(signal.aborted ? error : toUpstreamError(this.#line.name, error))
  }

  /** A kept connection may end while a request is sent, which is no failure, and of several upstreams one may be down. */
  #canRepeat(error: unknown): boolean {
    const { method, body } = this.#request
    if (body !== null && !(body instanceof Uint8Array)) return false
    if (isUnconnected(error)) return this.#repeated + 1 < this.#line.addresses || this.#isRetried()
    if (body !== null || !isReset(error)) return false
    return (this.#repeated === 0 && IDEMPOTENT.has(method)) || this.#isRetried()
  }

  #isRetried(): boolean {
    const { method, body } = this.#request
    return this.#repeated < this.#line.retries && body === null && RETRIED.has(method)
  }

  #repeat(): void {
    const wait = this.#line.retries > 0 ? FIRST_WAIT * 2 ** this.#repeated : 0
    this.#repeated++
    setTimeout(() => {
      const { signal } = this.#sender
      if (signal.aborted) this.#refuse(signal.reason)
      else this.#enter()
    }, wait)
  }

  protected end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#line.queue.leave(this)
    this.#signal?.removeEventListener('abort', this)
  }
}

/** Why a head cannot be passed on. The parser takes codings that it does not decode, and bodies behind them that end with the connection. */
function headProblem(status: number, headers: IncomingResponse['headers']): string | undefined {
  if (status > 599) return `It has answered with the status ${status}`
  const { 'transfer-encoding': coding, 'content-length': length } = headers
  if (coding !== undefined && String(coding).toLowerCase() !== 'chunked')
    return `It has answered in the transfer coding ${String(coding)}`
  return Array.isArray(length) ? 'It has sent several lengths' : undefined
}
