import { httpError, type HttpError } from '../../../http/errors.ts'
import {
  isDetached,
  openStream,
  type BodyStream,
  type RawBody,
  type ChunkSource,
} from '../../../http/http.ts'
import { bodyEndedEarly, bodyTooLarge, collectChunks } from '../../request/body.ts'
import type { RequestContext } from '../../pipeline/context.ts'

/** A body that comes as a stream, without a socket. A class because it remembers how far it was read. */
export class StreamBody implements RawBody {
  readonly length: number | undefined
  readonly #stream: BodyStream
  readonly #onFailure: (error: unknown) => void
  #source: ChunkSource | undefined
  #isOver = false
  #breakReading: ((error: HttpError) => void) | undefined

  /** `length` is the declared one, in bytes; `onFailure` is told what the stream fails with. */
  constructor(stream: BodyStream, length: number | undefined, onFailure: (error: unknown) => void = ignore) {
    this.length = length
    this.#stream = stream
    this.#onFailure = onFailure
  }

  /** Whether it is being read and has not ended. */
  get isArriving(): boolean {
    return this.#source !== undefined && !this.#isOver
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

  /** Cancels the rest of the stream. */
  discard(): void {
    if (this.#isOver) return
    this.#isOver = true
    try {
      ;(this.#source ?? openStream(this.#stream)).cancel()
    } catch {
      // somebody else reads it
    }
  }

  /** Ends with its request: when that is answered, and when its signal aborts, also while the stream gives nothing more. */
  endWith(context: Pick<RequestContext, 'atEnd'>, signal: AbortSignal): void {
    const stop = (): void => {
      this.#breakReading?.(bodyEndedEarly())
      this.discard()
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    context.atEnd(() => {
      signal.removeEventListener('abort', stop)
      this.discard()
    })
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver) throw bodyEndedEarly()
    const source = (this.#source ??= openStream(this.#stream))
    try {
      const { done, value } = await new Promise<Awaited<ReturnType<ChunkSource['next']>>>(
        (resolve, reject) => {
          this.#breakReading = reject
          source.next().then(resolve, reject)
        },
      )
      if (done !== true) return toBytes(value)
      this.#isOver = true
      return undefined
    } catch (error) {
      if (this.#isOver) throw bodyEndedEarly()
      this.#onFailure(error)
      throw bodyEndedEarly(error)
    }
  }
}

function ignore(): void {}

/** The error of a body whose head says another length. */
export function otherLength(): HttpError {
  return httpError('malformed_request', 'The body is not as long as its Content-Length says')
}

/** A chunk of a streamed body as bytes. @throws `TypeError` when it is neither text nor bytes */
export function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  if (chunk instanceof Uint8Array) {
    // it looks like an empty one, and what follows would be taken for the whole
    if (isDetached(chunk)) throw new TypeError('A chunk of a streamed body was transferred elsewhere')
    return chunk
  }
  throw new TypeError(`A chunk of a streamed body is a ${typeof chunk}, neither text nor bytes`)
}
