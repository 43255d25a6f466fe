import { joinChunks } from '../../server/request/body.ts'

/** Bytes that wait for whoever reads a body, before its connection is no longer read. */
const HIGH_WATER = 65_536

/** The side that a body comes from. */
export interface BodySource {
  pause(): void
  resume(): void
  abort(reason: unknown): void
}

type BodyChunk = IteratorResult<Uint8Array, undefined>

const DONE: BodyChunk = { done: true, value: undefined }

/** The body of a response, read no faster than it is taken. A class because one is made for every response that is a stream. */
export class BodyStream implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: BodySource
  /** Milliseconds for which it may wait to be read. */
  readonly #limit: number
  #timer: NodeJS.Timeout | undefined
  #chunks: Uint8Array[] = []
  #waiting = 0
  #isEnded = false
  #isTaken = false
  #error: Error | undefined
  #wake: ((chunk: BodyChunk) => void) | undefined
  #fail: ((error: Error) => void) | undefined

  constructor(source: BodySource, limit: number) {
    this.#source = source
    this.#limit = limit
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** The whole body if all of it is there, instead of the stream. */
  takeWhole(): Uint8Array | undefined {
    if (!this.#isEnded || this.#error !== undefined) return undefined
    this.#isTaken = true
    return joinChunks(this.#chunks)
  }

  add(chunk: Uint8Array): void {
    if (this.#isTaken) return
    const wake = this.#wake
    if (wake !== undefined) {
      this.#wake = undefined
      return wake({ done: false, value: chunk })
    }
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting < HIGH_WATER || this.#timer !== undefined) return
    this.#source.pause()
    this.#timer = setTimeout(this.#giveUp, this.#limit)
  }

  end(): void {
    this.#close()
    this.#wake?.(DONE)
    this.#wake = undefined
  }

  fail(error: Error): void {
    if (this.#isEnded) return
    this.#error = error
    this.#close()
    if (this.#wake === undefined) return
    this.#wake = undefined
    this.#fail?.(error)
  }

  next(): Promise<BodyChunk> {
    const value = this.#chunks.shift()
    if (value !== undefined) {
      this.#waiting -= value.length
      if (this.#waiting < HIGH_WATER && this.#timer !== undefined) {
        clearTimeout(this.#timer)
        this.#timer = undefined
        this.#source.resume()
      }
      return Promise.resolve({ done: false, value })
    }
    if (this.#error !== undefined) return Promise.reject(this.#error)
    if (this.#isEnded) return Promise.resolve(DONE)
    return new Promise((resolve, reject) => {
      this.#wake = resolve
      this.#fail = reject
    })
  }

  /** Cancels the rest, which ends the request. */
  return(): Promise<BodyChunk> {
    this.destroy()
    return Promise.resolve(DONE)
  }

  destroy(): void {
    this.#isTaken = true
    this.#chunks = []
    if (this.#isEnded) return
    this.end()
    this.#source.abort(new Error('The response is no longer read'))
  }

  #close(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Frees the connection, which others wait for. */
  readonly #giveUp = (): void => {
    const error = new Error(`The client has not read the response for ${this.#limit} ms`)
    this.#chunks = []
    this.fail(error)
    this.#source.abort(error)
  }
}
