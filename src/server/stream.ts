import type { FinishedResponse } from '../http.ts'

export { drained, isStream, openStream, quieten } from '../stream.ts'
export type { ChunkSource } from '../stream.ts'

/**
 * Lets Node watch the length that a stream promises: one that is not kept would make the next response on the connection part of
 * this one. As a number, for Node 20.19.0 compares it with what was written without converting it.
 */
export function withStrictLength(
  response: { strictContentLength: boolean },
  headers: FinishedResponse['headers'],
): Record<string, string | number | string[]> {
  const length = headers['content-length']
  if (length === undefined) return headers
  response.strictContentLength = true
  return { ...headers, 'content-length': Number(length) }
}
