import type { RawBody } from '../../src/http/http.ts'

/** The body of requests that have none. */
export const NO_BODY: RawBody = {
  length: 0,
  read: async () => new Uint8Array(),
  chunks: async function* chunks() {
    yield* []
  },
}
