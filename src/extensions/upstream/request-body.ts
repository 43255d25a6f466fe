import { ignoreRejection } from '../../base/values.ts'
import { httpError } from '../../http/errors.ts'
import type { RawBody } from '../../http/http.ts'
import { joinChunks } from '../../server/request/body.ts'
import type { OutgoingBody, OutgoingRequest } from './options.ts'

/** The longest body that is sent in one piece, and as much of a longer one as has to arrive within the time limit, in bytes. */
export const SMALL = 65_536

/**
 * Opens a body that is sent as it arrives. Its first bytes are read before, so that a client that sends them slowly takes no connection.
 * Returns a short one in one piece.
 *
 * @throws `HttpError` 413 if it is longer than `most` bytes, 400 if it ends early
 */
export async function openLong(
  body: RawBody,
  most: number,
  timeout: number,
): Promise<OutgoingRequest['body']> {
  const source = body.chunks(most)[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let size = 0
  while (size < SMALL) {
    const { done, value } = await source.next()
    if (done === true) return size === 0 ? null : joinChunks(chunks)
    chunks.push(value)
    size += value.length
  }
  return new PacedBody(source, joinChunks(chunks), timeout)
}

type RequestChunk = IteratorResult<Uint8Array, undefined>

/** A long body, which fails if its client sends too slowly. The time that the API takes does not count. */
class PacedBody implements OutgoingBody {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #timeout: number
  #first: Uint8Array | undefined
  /** Milliseconds that are left for the bytes up to the next mark. */
  #left: number
  #size = 0

  constructor(source: AsyncIterator<Uint8Array>, first: Uint8Array, timeout: number) {
    this.#source = source
    this.#first = first
    this.#timeout = timeout
    this.#left = timeout
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<RequestChunk> {
    const value = this.#first
    if (value === undefined) return this.#read()
    this.#first = undefined
    return Promise.resolve({ done: false, value })
  }

  return(): Promise<RequestChunk> {
    this.#first = undefined
    ignoreRejection(this.#source.return?.())
    return Promise.resolve({ done: true, value: undefined })
  }

  async #read(): Promise<RequestChunk> {
    const since = performance.now()
    const { done, value } = await this.#limited(this.#source.next())
    if (done === true) return { done, value: undefined }
    this.#size += value.length
    this.#left -= performance.now() - since
    if (this.#size >= SMALL) {
      this.#size = 0
      this.#left = this.#timeout
    }
    return { done: false, value }
  }

  #limited(next: Promise<IteratorResult<Uint8Array, unknown>>): typeof next {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        void this.return()
        reject(httpError('request_timeout', 'The body arrives too slowly'))
      }
      const timer = setTimeout(giveUp, Math.max(0, this.#left))
      next.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}
