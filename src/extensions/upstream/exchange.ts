import type { Dispatcher } from 'undici'

import { joinChunks } from '../../server/request/body.ts'
import { BodyStream } from './body-stream.ts'
import { invalidResponse, toUpstreamError } from './failures.ts'
import type { IncomingResponse, Sender } from './transport.ts'

type Controller = Dispatcher.DispatchController

/** The longest body that is awaited and sent in one piece, in bytes. */
const SMALL = 65_536

/** Responses before the response. More are an upstream that never answers. */
const MAX_INFORMATIONAL = 16

/** The outcome of a request. */
export interface Outcome {
  readonly resolve: (response: IncomingResponse) => void
  /** Called with what undici reports, before anything of the response was passed on. `isUntouched` if nothing of it has come at all. */
  readonly reject: (error: unknown, isUntouched: boolean) => void
}

/** One request on its way through undici. A class because one is made for every request. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #name: string
  readonly #method: string
  readonly #sender: Sender
  readonly #outcome: Outcome
  #controller: Controller | undefined
  #informational = 0
  #response: Omit<IncomingResponse, 'body'> | undefined
  /** The chunks of a body that is awaited. */
  #chunks: Uint8Array[] | undefined
  #stream: BodyStream | undefined
  #isOver = false
  #hasEnded = false
  /** Ends the request, on platforms without a cheaper way. */
  #signal: AbortSignal | undefined

  constructor(name: string, method: string, sender: Sender, outcome: Outcome) {
    this.#name = name
    this.#method = method
    this.#sender = sender
    this.#outcome = outcome
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    const { raw } = this.#sender
    if (raw?.whenGone !== undefined) return raw.whenGone(this.#leave)
    const { signal } = this.#sender
    this.#signal = signal
    if (signal.aborted) this.#abortBySignal()
    else signal.addEventListener('abort', this.#abortBySignal)
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingResponse['headers']): void {
    if (status < 200) {
      this.#informational++
      if (this.#informational > MAX_INFORMATIONAL)
        controller.abort(
          invalidResponse(this.#name, new Error(`It has sent ${MAX_INFORMATIONAL} responses of 1xx`)),
        )
      else if (status === EARLY_HINTS) this.#sender.raw?.sendEarlyHints?.(linkLines(headers))
      return
    }
    const problem = headProblem(status, headers)
    if (problem !== undefined) return controller.abort(invalidResponse(this.#name, new Error(problem)))
    this.#response = { status, headers }
    const length = headers['content-length']
    if (this.#method === 'HEAD' || isBodyless(status) || length === '0') return this.#settle(null)
    if (typeof length === 'string' && Number(length) <= SMALL) {
      this.#chunks = []
      return
    }
    const stream = new BodyStream(controller)
    this.#stream = stream
    this.#settle(stream)
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#chunks === undefined) this.#stream?.add(chunk)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#end()
    if (this.#chunks === undefined) this.#stream?.end()
    else this.#settle(joinChunks(this.#chunks))
  }

  onResponseError(_controller: Controller, error: Error): void {
    const isOver = this.#isOver
    this.#end()
    if (this.#stream !== undefined) this.#stream.fail(toUpstreamError(this.#name, error))
    else if (!isOver) this.#outcome.reject(error, this.#response === undefined)
  }

  readonly #leave = (reason: unknown): void => {
    if (!this.#hasEnded) this.#controller?.abort(toError(reason))
  }

  readonly #abortBySignal = (): void => this.#leave(this.#signal?.reason)

  #settle(body: IncomingResponse['body']): void {
    if (this.#response === undefined) return
    if (!(body instanceof BodyStream)) this.#isOver = true
    this.#outcome.resolve({ ...this.#response, body })
  }

  #end(): void {
    this.#hasEnded = true
    this.#signal?.removeEventListener('abort', this.#abortBySignal)
  }
}

const EARLY_HINTS = 103

/** Why a head cannot be passed on. The parser takes codings that it does not decode, and bodies behind them that end with the connection. */
function headProblem(status: number, headers: IncomingResponse['headers']): string | undefined {
  if (status > 599) return `It has answered with the status ${status}`
  const { 'transfer-encoding': coding, 'content-length': length } = headers
  if (coding !== undefined && String(coding).toLowerCase() !== 'chunked')
    return `It has answered in the transfer coding ${String(coding)}`
  return Array.isArray(length) ? 'It has sent several lengths' : undefined
}

function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

function linkLines({ link }: IncomingResponse['headers']): readonly string[] {
  return link === undefined ? [] : [link].flat()
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The request was given up', { cause: reason })
}
