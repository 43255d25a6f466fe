import { httpError } from '../errors.ts'
import type { HttpError } from '../errors.ts'

/** The error of a body that is longer than `limit` bytes. */
export function bodyTooLarge(limit: number): HttpError {
  return httpError('body_too_large', `The body is longer than ${limit} bytes`)
}

/** The error of a body that ends before it is whole. */
export function bodyEndedEarly(cause?: unknown): HttpError {
  return httpError('malformed_request', 'The body ended early', { cause })
}

/** The chunks of a body in one piece. */
export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

/** Reads all that is left of a body. */
export async function collectChunks(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return joinChunks(chunks)
}
