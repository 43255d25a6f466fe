import type { Awaitable } from '../../base/values.ts'
import type { RawBody } from '../../http/http.ts'
import { toBuffer } from './body.ts'

/** A body that is passed on as soon as it is there. A promise of its bytes alone is made for who asks for them as well. */
export class PassedBody {
  #bytes: Uint8Array | undefined
  #passed: Promise<unknown> | undefined
  #resolve: ((bytes: Uint8Array) => void) | undefined

  /** `bytes` is the body if it is there. */
  constructor(bytes: Uint8Array | undefined) {
    this.#bytes = bytes
  }

  read<T>(body: RawBody, limit: number, use: (bytes: Uint8Array) => Awaitable<T>): Promise<T> {
    const pass = (bytes: Uint8Array): Awaitable<T> => {
      this.#bytes = bytes
      this.#resolve?.(toBuffer(bytes))
      return use(bytes)
    }
    const passed = body.readThen?.(limit, pass) ?? body.read(limit).then(pass)
    this.#passed = passed
    return passed
  }

  /** The bytes. Of a body that is still read, before it is passed on: what it is passed to may wait for who asks here. */
  bytes(): Promise<Uint8Array> {
    const bytes = this.#bytes
    if (bytes !== undefined) return Promise.resolve(toBuffer(bytes))
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#passed?.catch(reject)
    })
  }
}
