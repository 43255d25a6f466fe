import type { Awaitable } from '../../../base/async.ts'
import type { RawBody } from '../../../http/http.ts'
import { bodyEndedEarly, bodyTooLarge, toBuffer } from '../../request/body.ts'
import { otherLength } from '../shared/stream-body.ts'

/** Opens a body as a stream, for who reads it as it arrives. */
interface Opener {
  openStream(length: number): RawBody
}

/**
 * A body whose length its server guarantees, so that it can be read in one call, without the stream that takes these servers longer
 * than all the rest. A class because one is made for every request that has such a body.
 */
export class WholeBody implements RawBody {
  readonly length: number
  /** Whether it is being read and the client still sends it. */
  isArriving = false
  readonly #request: Request
  readonly #opener: Opener

  constructor(request: Request, length: number, opener: Opener) {
    this.#request = request
    this.length = length
    this.#opener = opener
  }

  read(limit: number): Promise<Uint8Array> {
    return this.readThen(limit, toBuffer)
  }

  readThen<T>(limit: number, use: (bytes: Uint8Array) => Awaitable<T>): Promise<T> {
    if (this.length > limit) return Promise.reject(bodyTooLarge(limit))
    if (this.#request.bodyUsed)
      return Promise.reject(new TypeError('The body of the request was read before Octavo got it'))
    this.isArriving = true
    return this.#request.arrayBuffer().then(
      (buffer) => {
        this.isArriving = false
        if (buffer.byteLength !== this.length) throw otherLength()
        return use(new Uint8Array(buffer))
      },
      (cause) => {
        this.isArriving = false
        throw bodyEndedEarly(cause)
      },
    )
  }

  chunks(limit: number): AsyncIterable<Uint8Array> {
    return this.#opener.openStream(this.length).chunks(limit)
  }
}
