import type { RawBody } from '../../../http/http.ts'
import { bodyTooLarge } from '../../request/body.ts'

/** A body that is there already. A class because one is made for every request that has a body. */
export class BytesBody implements RawBody {
  readonly #bytes: Uint8Array
  readonly length: number

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.length = bytes.length
  }

  read(limit: number): Promise<Uint8Array> {
    if (this.length <= limit) return Promise.resolve(this.#bytes)
    return Promise.reject(bodyTooLarge(limit))
  }

  async *chunks(limit: number): AsyncGenerator<Uint8Array> {
    if (this.length > limit) throw bodyTooLarge(limit)
    // in pieces, as a socket gives them
    for (let at = 0; at < this.length; at += CHUNK) yield this.#bytes.subarray(at, at + CHUNK)
  }
}

const CHUNK = 65_536

/** The body of requests that have none. */
export const NO_BODY = new BytesBody(new Uint8Array(0))
