import type { Dispatcher } from 'undici'

import type { Awaitable } from '../../base/values.ts'
import { clientWentAway } from '../../http/http.ts'
import { toBuffer } from '../../server/request/body.ts'

type Handler = Dispatcher.DispatchHandler

/** A request under way, as its handler controls it. */
export class Exchange implements Dispatcher.DispatchController {
  readonly #handler: Handler
  #abort: AbortController | undefined
  #wake: (() => void) | undefined
  #settle: (() => void) | undefined
  /** Resolves once the handler gets no further call. */
  readonly settled = new Promise<void>((resolve) => (this.#settle = resolve))
  isSettled = false
  paused = false
  rawHeaders: Buffer[] = []
  readonly rawTrailers: null = null

  constructor(handler: Handler) {
    this.#handler = handler.onRequestStart === undefined ? toModern(handler, this) : handler
  }

  /** Made when it is asked for, because it takes as long as the rest of a short request. */
  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal
  }

  get aborted(): boolean {
    return this.#abort?.signal.aborted === true
  }

  get reason(): Error | null {
    const reason: unknown = this.#abort?.signal.reason
    return reason instanceof Error ? reason : null
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    this.#wake?.()
  }

  /** Ends the request at any stage. The handler receives the reason as it is. Interceptors put functions of their own in the place of `abort`. */
  readonly fail = (reason?: unknown): void => {
    if (this.isSettled) return
    this.#end()
    const abort = (this.#abort ??= new AbortController())
    abort.abort(reason ?? clientWentAway())
    this.#handler.onResponseError?.(this, abort.signal.reason)
    this.resume()
  }

  abort = this.fail

  /** Sends the request, and passes the response to the handler at its pace. */
  async run(send: () => Awaitable<Response>): Promise<void> {
    try {
      this.#handler.onRequestStart?.(this, null)
      if (this.isSettled) return
      const response = await send()
      const { status, statusText, headers, body } = response
      if (this.isSettled) return void body?.cancel(this.signal.reason)
      this.rawHeaders = [...headers].flatMap((line) => line.map((text) => Buffer.from(text, 'latin1')))
      const record: Record<string, string | string[]> = Object.fromEntries(headers)
      const cookies = headers.getSetCookie()
      if (cookies.length > 1) record['set-cookie'] = cookies
      this.#handler.onResponseStart?.(this, status, record, statusText)
      for await (const chunk of isShort(response)
        ? [new Uint8Array(await response.arrayBuffer())]
        : (body ?? [])) {
        if (this.paused) await new Promise<void>((resolve) => (this.#wake = resolve))
        if (this.isSettled) return
        this.#handler.onResponseData?.(this, toBuffer(chunk))
      }
      if (this.isSettled) return
      this.#finish()
    } catch (error) {
      this.fail(error)
    }
  }

  #finish(): void {
    this.#end()
    try {
      this.#handler.onResponseEnd?.(this, {})
    } catch (error) {
      // what was thrown is passed on as it is
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      this.#handler.onResponseError?.(this, error as Error)
    }
  }

  #end(): void {
    this.isSettled = true
    this.#settle?.()
  }
}

/** Bytes of a body that are read at once, because a stream takes several times as long. */
const SHORT = 65_536

function isShort({ body, headers }: Response): boolean {
  return body !== null && Number(headers.get('content-length') ?? Infinity) <= SHORT
}

/** A handler of the shape that undici had before version 7, and that the `fetch` of Node up to 24 still has. */
function toModern(handler: Handler, exchange: Exchange): Handler {
  return {
    onRequestStart: () => handler.onConnect?.(exchange.abort),
    onResponseStart: (_, status, _headers, text = '') => {
      const isTaken = handler.onHeaders?.(status, exchange.rawHeaders, () => exchange.resume(), text)
      if (isTaken === false) exchange.pause()
    },
    onResponseData: (_, chunk) => {
      if (handler.onData?.(chunk) === false) exchange.pause()
    },
    onResponseEnd: () => handler.onComplete?.([]),
    onResponseError: (_, error) => handler.onError?.(error),
  }
}
