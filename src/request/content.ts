import type { RawRequest } from '../http.ts'

/** Reads the whole content of a request: its body without content coding. @throws `HttpError` as the body does */
export function readContent({ body }: RawRequest, limit: number): Promise<Uint8Array> {
  return body.read(limit)
}

/** Opens the content of a request, to be read as it arrives, once. @throws `HttpError` while it is read, as the body does */
export function openContent({ body }: RawRequest, limit: number): AsyncIterable<Uint8Array> {
  return body.chunks(limit)
}
