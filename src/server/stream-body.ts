import { httpError } from '../errors.ts'
import type { HttpError } from '../errors.ts'
import type { BodyStream, RawBody } from '../http.ts'
import { bodyEndedEarly, bodyTooLarge, collectChunks } from '../request/body-bytes.ts'
import { toBytes } from './byte-source.ts'
import { openStream } from './stream.ts'
import type { ChunkSource } from './stream.ts'

/** A body that comes as a stream, without a socket. A class because it remembers how far it was read. */
export class StreamBody implements RawBody {
  readonly length: number | undefined
  readonly #stream: BodyStream
  readonly #onFailure: (error: unknown) => void
  #source: ChunkSource | undefined
  #isOver = false

  /** `length` is the declared one, in bytes; `onFailure` is told what the stream fails with. */
  constructor(stream: BodyStream, length: number | undefined, onFailure: (error: unknown) => void = ignore) {
    this.length = length
    this.#stream = stream
    this.#onFailure = onFailure
  }

  read(limit: number): Promise<Uint8Array> {
    return collectChunks(this.chunks(limit))
  }

  async *chunks(limit: number): AsyncGenerator<Uint8Array> {
    const { length } = this
    if (length === 0) return
    if (length !== undefined && length > limit) throw bodyTooLarge(limit)
    let size = 0
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
        size += chunk.length
        if (size > limit) throw bodyTooLarge(limit)
        if (length !== undefined && size > length) throw otherLength()
        if (chunk.length > 0) yield chunk
      }
      if (length !== undefined && size < length) throw otherLength()
    } finally {
      this.discard()
    }
  }

  /** Tells the stream that nobody reads what is left of it. */
  discard(): void {
    if (this.#isOver) return
    this.#isOver = true
    try {
      ;(this.#source ?? openStream(this.#stream)).cancel()
    } catch {
      // somebody else reads it
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver) throw bodyEndedEarly()
    this.#source ??= openStream(this.#stream)
    try {
      const { done, value } = await this.#source.next()
      if (done !== true) return toBytes(value)
      this.#isOver = true
      return undefined
    } catch (error) {
      this.#onFailure(error)
      throw bodyEndedEarly(error)
    }
  }
}

function ignore(): void {}

function otherLength(): HttpError {
  return httpError('malformed_request', 'The body is not as long as its Content-Length says')
}
