import { context as active, type Context } from '@opentelemetry/api'

import { openStream, type BodyStream, type ChunkSource } from '../../http/http.ts'

/** How a streamed body ended: with how many bytes, and the error that broke it off. */
export type StreamEnd = (bytes: number, error?: unknown) => void

/**
 * A streamed body whose source runs in the context of its request, also after the handler has returned. A class, because adapters open
 * the iterator and destroy the body of the same object.
 */
export class ObservedBody implements AsyncIterable<Uint8Array | string> {
  readonly #body: BodyStream
  readonly #context: Context
  readonly #onEnd: StreamEnd
  #source: ChunkSource | undefined
  #bytes = 0
  #hasEnded = false

  constructor(body: BodyStream, context: Context, onEnd: StreamEnd) {
    this.#body = body
    this.#context = context
    this.#onEnd = onEnd
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array | string> {
    this.#open()
    return { next: () => active.with(this.#context, () => this.#next()) }
  }

  /** Abandons the source because it has no reader. */
  destroy(): void {
    this.#end()
    active.with(this.#context, () => this.#open().cancel())
  }

  #open(): ChunkSource {
    try {
      return (this.#source ??= active.with(this.#context, () => openStream(this.#body)))
    } catch (error) {
      this.#end(error)
      throw error
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array | string>> {
    try {
      const { done, value } = await this.#open().next()
      if (done === true || value === undefined) {
        this.#end()
        return { done: true, value: undefined }
      }
      this.#bytes += typeof value === 'string' ? Buffer.byteLength(value) : value.length
      return { value }
    } catch (error) {
      this.#end(error)
      throw error
    }
  }

  #end(error?: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onEnd(this.#bytes, error)
  }
}
