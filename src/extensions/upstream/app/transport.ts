import { followSignal, whenAborted } from '../../../base/signals.ts'
import { andThen, isPromise, type Awaitable } from '../../../base/values.ts'
import type { UpstreamApp } from '../../../define/context.ts'
import { dropBody } from '../../../http/http.ts'
import { noteOutcome } from '../../../http/outcome.ts'
import { createAppRequest, type AppRequest } from './request.ts'
import { toAppResponse } from './response.ts'
import { toAbortReason, toUpstreamError } from '../failures.ts'
import type { IncomingResponse, OutgoingRequest, Receiver, Sender, UpstreamTransport } from '../options.ts'

/** The address of an application for requests that no client has sent. */
export const NO_ORIGIN = 'http://upstream.internal'

/** Has an application in this process answer a request. */
export type CallApp = (request: AppRequest, raw: Sender['raw']) => Awaitable<IncomingResponse>

/** Creates what has an application answer by its `fetch`. */
export function createCallFetch(app: UpstreamApp): CallApp {
  return (request, raw) =>
    andThen(
      // with arguments that only some applications have
      // oxlint-disable-next-line typescript/unbound-method
      Reflect.apply(app.fetch, app, [createAppRequest(request), raw?.env, raw?.execution]),
      (response: Response) => toAppResponse(request.method, response),
    )
}

/** Creates the transport to an application in this process. The time limit is for the head of its responses. */
export function createAppTransport(name: string, call: CallApp, limit: number): UpstreamTransport {
  const line = { name, call, deadlines: new Deadlines(limit) }
  return {
    send: (request, sender, receiver) => new AppCall(line, request, sender, receiver).send(),
    upgrade: undefined,
    close: () => Promise.resolve(line.deadlines.stop()),
  }
}

interface AppLine {
  readonly name: string
  readonly call: CallApp
  readonly deadlines: Deadlines
}

/** One request to an application in this process. A class because one is made for every request. */
class AppCall<T> implements AppRequest {
  readonly #line: AppLine
  readonly #request: OutgoingRequest
  readonly #sender: Sender
  readonly #receiver: Receiver<T>
  #controller: AbortController | undefined
  #reject: ((error: unknown) => void) | undefined
  #forget: (() => void) | undefined
  whenGone: (() => void) | undefined
  /** When it began to wait. */
  since = 0

  constructor(line: AppLine, request: OutgoingRequest, sender: Sender, receiver: Receiver<T>) {
    this.#line = line
    this.#request = request
    this.#sender = sender
    this.#receiver = receiver
  }

  get method(): string {
    return this.#request.method
  }

  get url(): string {
    const { request } = this.#sender
    const origin = request === undefined ? NO_ORIGIN : `${request.protocol}://${request.host || 'localhost'}`
    return origin + this.#request.path
  }

  get path(): string {
    return this.#request.path
  }

  get headers(): string[] {
    return this.#request.headers
  }

  get body(): OutgoingRequest['body'] {
    return this.#request.body
  }

  /** Made for an application that asks for it. It follows the request for as long as that lives. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      followSignal(this.#sender.signal, this.#controller)
    }
    return this.#controller.signal
  }

  /** Sends the request. Nothing waits for a response that comes at once. */
  async send(): Promise<T> {
    const { call, name } = this.#line
    let response: Awaitable<IncomingResponse>
    try {
      response = call(this, this.#sender.raw)
    } catch (error) {
      throw this.#failed(toUpstreamError(name, error))
    }
    return this.#receiver.take(isPromise(response) ? await this.#wait(response) : response)
  }

  #wait(response: PromiseLike<IncomingResponse>): Promise<IncomingResponse> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      this.#line.deadlines.add(this)
      this.#watch()
      response.then(
        (settled) => (this.#end() ? resolve(settled) : dropBody(settled.body)),
        (error: unknown) => this.#refuse(toUpstreamError(this.#line.name, error)),
      )
    })
  }

  /** Ends with the client. */
  #watch(): void {
    const { raw, signal } = this.#sender
    if (raw?.whenGone !== undefined) return raw.whenGone(this.#leave)
    if (signal.aborted) this.#leave(signal.reason)
    else this.#forget = whenAborted(signal, () => this.#leave(signal.reason))
  }

  readonly #leave = (reason: unknown): void => this.#refuse(toAbortReason(reason))

  /** No response has come in time. */
  expire(): void {
    const cause = new DOMException('No response in time', 'TimeoutError')
    this.#refuse(toUpstreamError(this.#line.name, { code: 'ETIMEDOUT', cause }))
    this.#controller?.abort(cause)
  }

  #refuse(failure: unknown): void {
    const reject = this.#reject
    if (!this.#end()) return
    this.whenGone?.()
    reject?.(this.#failed(failure))
  }

  /** Returns whether it was still waiting. */
  #end(): boolean {
    if (this.#reject === undefined) return false
    this.#reject = undefined
    this.#line.deadlines.delete(this)
    this.#forget?.()
    return true
  }

  #failed(failure: unknown): unknown {
    noteOutcome(failure, true)
    return this.#receiver.fail(failure)
  }
}

/** The work that waits until a time limit. */
interface Waiting {
  since: number
  readonly expire: () => void
}

/** Ends what waits for too long, with one timer for all. A class because it lives as long as its application. */
class Deadlines {
  readonly #limit: number
  /** Those that began first come first. */
  readonly #waiting = new Set<Waiting>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  add(each: Waiting): void {
    each.since = performance.now()
    this.#waiting.add(each)
    if (this.#timer === undefined) this.#timer = setTimeout(this.#check, this.#limit)
    else if (this.#waiting.size === 1) holdProcess(this.#timer, true)
  }

  delete(each: Waiting): void {
    this.#waiting.delete(each)
    if (this.#waiting.size === 0 && this.#timer !== undefined) holdProcess(this.#timer, false)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  readonly #check = (): void => {
    this.#timer = undefined
    for (const each of this.#waiting) {
      const left = each.since + this.#limit - performance.now()
      if (left > 0) {
        this.#timer = setTimeout(this.#check, Math.ceil(left))
        return
      }
      this.#waiting.delete(each)
      each.expire()
    }
  }
}

/** Has a process go on as long as a timer runs, or not. Platforms without processes have numbers for timers. */
function holdProcess(timer: ReturnType<typeof setTimeout>, isHeld: boolean): void {
  if (typeof timer === 'object') timer[isHeld ? 'ref' : 'unref']()
}
