import { joinChunks } from '../../server/request/body.ts'

/** Bytes that wait for whoever reads a body, before its connection is no longer read. */
const HIGH_WATER = 65_536

/** The side that a body comes from. */
export interface BodySource {
  pause(): void
  resume(): void
  abort(reason: unknown): void
}

type Chunk = IteratorResult<Uint8Array, undefined>

const DONE: Chunk = { done: true, value: undefined }

/** The body of a response, read no faster than it is taken. A class because one is made for every response that is a stream. */
export class BodyStream implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: BodySource
  #chunks: Uint8Array[] = []
  #waiting = 0
  #isEnded = false
  #isTaken = false
  #error: Error | undefined
  #wake: ((chunk: Chunk) => void) | undefined
  #fail: ((error: Error) => void) | undefined

  constructor(source: BodySource) {
    this.#source = source
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
    if (this.#waiting >= HIGH_WATER) this.#source.pause()
  }

  end(): void {
    this.#isEnded = true
    this.#wake?.(DONE)
    this.#wake = undefined
  }

  fail(error: Error): void {
    this.#error = error
    this.#isEnded = true
    if (this.#wake === undefined) return
    this.#wake = undefined
    this.#fail?.(error)
  }

  next(): Promise<Chunk> {
    const value = this.#chunks.shift()
    if (value !== undefined) {
      this.#waiting -= value.length
      if (this.#waiting < HIGH_WATER) this.#source.resume()
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
  return(): Promise<Chunk> {
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
}
