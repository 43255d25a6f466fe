import type { Dispatcher } from 'undici'

import {
  clientWentAway,
  PHRASES,
  dropBody,
  isStream,
  type FinishedResponse,
  type RawRequest,
} from '../../http/http.ts'
import { openBytes, type ByteSource } from '../../server/adapters/shared/stream-body.ts'
import { toBuffer } from '../../server/request/body.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { logBroken, notSent } from '../../server/pipeline/failure.ts'

/**
 * A request of undici and its answer, told to a handler of the present shape (`onRequestStart`, …) or of the one before (`onConnect`,
 * …), which undici 7 and the `fetch` of Node up to 24 still hand over. A class because it is undici's controller of the request.
 */
export class Exchange implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler
  readonly #isModern: boolean
  #request: RawRequest | undefined
  #source: ByteSource | undefined
  #headers: FinishedResponse['headers'] = {}
  /** Continues when the handler wants more. */
  #wake: (() => void) | undefined
  /** Whether the handler has been told the end, and so is told nothing any more. */
  isSettled = false
  /** Called when the handler has been told the end. */
  onSettled: ((exchange: Exchange) => void) | undefined
  aborted = false
  paused = false
  reason: Error | null = null
  readonly rawTrailers: null = null

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler
    this.#isModern = handler.onRequestStart !== undefined
  }

  /** Names and values in turn, one pair for each field line, in bytes. */
  get rawHeaders(): Buffer[] {
    const lines: Buffer[] = []
    for (const [name, value] of Object.entries(this.#headers)) {
      const key = Buffer.from(name, 'latin1')
      if (typeof value === 'string') lines.push(key, Buffer.from(value, 'latin1'))
      else for (const line of value) lines.push(key, Buffer.from(line, 'latin1'))
    }
    return lines
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    if (!this.paused) return
    this.paused = false
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Ends the request at any stage. The handler receives the reason. */
  abort(reason?: unknown): void {
    if (this.isSettled) return
    this.aborted = true
    this.reason = reason instanceof Error ? reason : clientWentAway()
    this.#request?.abort(reason ?? this.reason)
    this.#source?.cancel(reason ?? this.reason)
    this.fail(reason ?? this.reason)
    this.resume()
  }

  /** Reports to the handler that there is no response. */
  fail(error: unknown): void {
    if (this.isSettled) return
    this.#settle()
    // what was thrown is passed on as it is
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const reason = error as Error
    if (this.#isModern) this.#handler.onResponseError?.(this, reason)
    else this.#handler.onError?.(reason)
  }

  /** Reports to the handler that the request begins. The handler may abort it at once. */
  start(): void {
    if (this.#isModern) this.#handler.onRequestStart?.(this, null)
    else this.#handler.onConnect?.((reason) => this.abort(reason))
  }

  /** Sets the request that this aborts. */
  begin(request: RawRequest): void {
    this.#request = request
  }

  /** Passes the response to the handler at its pace. A response that cannot be passed on becomes a 500. */
  answer(finished: FinishedResponse, context: RequestContext | undefined): void {
    try {
      this.#answer(finished, context)
    } catch (error) {
      this.#answer(notSent(context, error), undefined)
    }
  }

  #answer(finished: FinishedResponse, context: RequestContext | undefined): void {
    const { body } = finished
    if (this.isSettled) {
      dropBody(body)
      void context?.end()
    } else if (isStream(body) && context !== undefined) this.#open(finished, body, context)
    else {
      const bytes = body === null || isStream(body) ? undefined : Buffer.from(body)
      const ended = context?.end()
      if (ended === undefined) this.#send(finished, bytes)
      else void ended.then(() => this.#send(finished, bytes))
    }
  }

  #open(finished: FinishedResponse, body: AsyncIterable<Uint8Array | string>, context: RequestContext): void {
    this.#source = openBytes(body, finished.headers, context)
    this.#passHead(finished)
    void this.#pump(this.#source, context)
  }

  async #pump(source: ByteSource, context: RequestContext): Promise<void> {
    try {
      for (;;) {
        if (this.paused) await new Promise<void>((resolve) => (this.#wake = resolve))
        const bytes = await source.next()
        if (this.isSettled) return
        if (bytes === undefined) return this.#passEnd()
        if (bytes.length > 0) this.#passData(toBuffer(bytes))
      }
    } catch (error) {
      if (!this.isSettled) logBroken(context, error)
      this.fail(error)
    }
  }

  #send(finished: FinishedResponse, bytes: Buffer | undefined): void {
    if (this.isSettled) return
    this.#passHead(finished)
    if (this.paused) this.#wake = () => this.#sendBody(bytes)
    else this.#sendBody(bytes)
  }

  #sendBody(bytes: Buffer | undefined): void {
    if (bytes !== undefined && bytes.length > 0 && !this.isSettled) this.#passData(bytes)
    if (!this.isSettled) this.#passEnd()
  }

  #passHead({ status, headers }: FinishedResponse): void {
    delete headers['transfer-encoding'] // how a body is framed is up to this side
    this.#headers = headers
    const text = PHRASES[status] ?? ''
    this.#guarded(() => {
      if (this.#isModern) this.#handler.onResponseStart?.(this, status, headers, text)
      else if (this.#handler.onHeaders?.(status, this.rawHeaders, () => this.resume(), text) === false)
        this.pause()
    })
  }

  #passData(bytes: Buffer): void {
    this.#guarded(() => {
      if (this.#isModern) this.#handler.onResponseData?.(this, bytes)
      else if (this.#handler.onData?.(bytes) === false) this.pause()
    })
  }

  #passEnd(): void {
    this.#settle()
    try {
      if (this.#isModern) this.#handler.onResponseEnd?.(this, {})
      else this.#handler.onComplete?.([])
    } catch (error) {
      this.isSettled = false
      this.fail(error)
    }
  }

  /** Whatever a handler throws ends its request, as undici has it. */
  #guarded(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      this.abort(error)
    }
  }

  #settle(): void {
    this.isSettled = true
    this.onSettled?.(this)
  }
}
