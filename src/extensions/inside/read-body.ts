import type { RawBody } from '../../http/http.ts'
import { bodyTooLarge } from '../../server/request/body.ts'

/** A body that the framework has read, which `bytesOf` returns. `length` is `undefined` if it is not known before. */
export function toReadBody(length: number | undefined, bytesOf: () => Promise<Uint8Array>): RawBody {
  const read = async (limit: number): Promise<Uint8Array> => {
    const bytes = await bytesOf()
    if (bytes.length > limit) throw bodyTooLarge(limit)
    return bytes
  }
  return {
    length,
    read,
    chunks: async function* chunks(limit) {
      yield await read(limit)
    },
  }
}
