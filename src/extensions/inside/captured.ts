import type { ServerResponse } from 'node:http'

import { bodyEndedEarly } from '../../server/request/body.ts'
import type { HostResponse } from '../../http/http.ts'
import { GONE, setHeaders, toHeaderRecord } from './headers.ts'

/** Bytes that wait for the conversion before the application is asked to pause. */
const HIGH_WATER = 65_536

/** The methods of a response by which an application writes it. */
type Writers = Pick<ServerResponse, 'writeHead' | 'write' | 'end' | 'flushHeaders'>

/**
 * The response of Node that an application writes to, of which nothing is sent. A class because one is made for every such response. Methods
 * are replaced by assignments, and Node's own state tells that a head is written, because deleted or defined members make responses slow.
 */
export class Captured {
  /** Resolves with the head, and with all of the body if that was written at once. */
  readonly response: Promise<HostResponse>
  readonly #target: ServerResponse
  readonly #before: Writers
  /** Called when the application has ended its response. */
  readonly #onEnd: ((isWhole: boolean) => void) | undefined
  #resolve: ((response: HostResponse) => void) | undefined
  #body: WrittenBody | undefined
  #hasEnded = false
  #isReleased = false

  constructor(target: ServerResponse, onEnd?: (isWhole: boolean) => void) {
    // called on their response only
    // oxlint-disable-next-line typescript/unbound-method
    const { writeHead, write, end, flushHeaders } = target
    this.#target = target
    this.#before = { writeHead, write, end, flushHeaders }
    this.#onEnd = onEnd
    this.response = new Promise((resolve) => {
      this.#resolve = resolve
      if (target.destroyed) resolve(GONE)
      else target.once('close', () => resolve(GONE))
    })
    Object.assign(target, {
      writeHead: (status: number, ...rest: readonly unknown[]) => this.#writeHead(status, rest.at(-1)),
      write: (chunk: unknown, ...rest: readonly unknown[]) =>
        this.#open().add(toBytes(chunk, rest[0]), callbackOf(rest)),
      end: (...given: readonly unknown[]) => this.#end(given),
      flushHeaders: () => void this.#open(),
    })
  }

  /** Takes a response that the application hands over in another way. */
  tell(response: HostResponse): void {
    this.#resolve?.(response)
  }

  /** Has the application write the response itself again. */
  restore(): void {
    Object.assign(this.#target, this.#before)
    this.#setState(null, false)
  }

  /** Returns the response, without headers, for another one to be sent. What the application still writes goes to the body as before. */
  release(): ServerResponse {
    const target = this.#target
    this.#isReleased = true
    if (this.#hasEnded) this.restore()
    else this.#setState(null, false)
    for (const name of target.getHeaderNames()) target.removeHeader(name)
    target.statusMessage = ''
    if (this.#hasEnded) return target
    const get = (): boolean => this.#hasEnded
    return viewOf(Object.defineProperty(target, 'writableEnded', { get, configurable: true }), this.#before)
  }

  /** Sets the state that Node reads: the head that was written, after which headers cannot be set, and whether the response has ended. */
  #setState(head: string | null, hasEnded: boolean): void {
    Reflect.set(this.#target, '_header', head)
    Reflect.set(this.#target, 'finished', hasEnded)
  }

  #writeHead(status: number, headers: unknown): ServerResponse {
    const target = this.#target
    if (target.headersSent) refuseHead()
    target.statusCode = status
    setHeaders(target, headers)
    if (!this.#isReleased) this.#setState('HTTP/1.1', false)
    return target
  }

  #begin(body: HostResponse['body']): void {
    const target = this.#target
    // by its name, because middleware may have put a function of its own around it
    if (!target.headersSent) target.writeHead(target.statusCode)
    this.tell({ status: target.statusCode, headers: toHeaderRecord(target.getHeaders()), body })
  }

  #open(): WrittenBody {
    if (this.#body !== undefined) return this.#body
    this.#body = new WrittenBody(this.#target)
    this.#begin(this.#body)
    return this.#body
  }

  #end(given: readonly unknown[]): ServerResponse {
    const target = this.#target
    if (this.#hasEnded) return target
    const [chunk, encoding] = typeof given[0] === 'function' ? [] : given
    const bytes = chunk === undefined || chunk === null ? undefined : toBytes(chunk, encoding)
    const done = callbackOf(given)
    if (done !== undefined) target.once('finish', done)
    if (this.#body === undefined) this.#begin(bytes ?? null)
    else this.#body.end(bytes)
    this.#hasEnded = true
    if (!this.#isReleased) Reflect.set(target, 'finished', true)
    this.#onEnd?.(this.#body === undefined)
    return target
  }
}

/** The response with the methods that it had, while the application has others. */
function viewOf(response: ServerResponse, writers: Writers): ServerResponse {
  const prototype: unknown = Object.getPrototypeOf(response)
  return new Proxy(response, {
    get: (target, name) => {
      const own: unknown = Reflect.get(writers, name)
      const value: unknown =
        own ?? Reflect.get(name === 'writableEnded' ? Object(prototype) : target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  })
}

/** Does as Node does once a head is sent. */
function refuseHead(): never {
  const error = new Error('Cannot write headers after they are sent to the client')
  throw Object.assign(error, { code: 'ERR_HTTP_HEADERS_SENT' })
}

type Callback = (error?: Error | null) => void

function callbackOf(given: readonly unknown[]): Callback | undefined {
  // the last argument of methods of streams, if it is a function, is called back
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return given.find((each) => typeof each === 'function') as Callback | undefined
}

function toBytes(chunk: unknown, encoding: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  const named = String(encoding)
  return Buffer.from(String(chunk), Buffer.isEncoding(named) ? named : 'utf8')
}

/** The chunks that an application writes. A class because its state is that of one response. */
class WrittenBody implements AsyncIterable<Uint8Array> {
  readonly #response: ServerResponse
  readonly #chunks: { readonly bytes: Uint8Array; readonly done: Callback | undefined }[] = []
  #size = 0
  #wake: (() => void) | undefined
  #hasEnded = false
  #isGone = false

  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => {
      this.#isGone = true
      this.#wake?.()
    })
  }

  /** Returns whether more may follow at once. */
  add(bytes: Uint8Array, done?: Callback): boolean {
    this.#chunks.push({ bytes, done })
    this.#size += bytes.length
    this.#wake?.()
    return this.#size < HIGH_WATER
  }

  end(bytes: Uint8Array | undefined): void {
    if (bytes !== undefined && bytes.length > 0) this.add(bytes)
    this.#hasEnded = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#chunks.shift()
      if (next !== undefined) {
        const wasFull = this.#size >= HIGH_WATER
        this.#size -= next.bytes.length
        yield next.bytes
        next.done?.()
        if (wasFull && this.#size < HIGH_WATER) this.#response.emit('drain')
      } else if (this.#hasEnded) return
      else if (this.#isGone) throw bodyEndedEarly()
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
