import type { RawRequest } from '../../http/http.ts'
import { collectChunks } from './body.ts'
import { readHeader } from './header.ts'

/**
 * Reads the whole content of a request: its body without content coding.
 *
 * @throws `HttpError` as the body does; 415 for a coding that is not known, 400 for content that is not in its coding, 413 when it is
 * longer than `limit` bytes, encoded or not.
 */
export function readContent(raw: RawRequest, limit: number): Promise<Uint8Array> {
  const coding = codingOf(raw)
  return coding === undefined ? raw.body.read(limit) : collectChunks(decodeBody(raw, coding, limit))
}

/** Opens the content of a request, to be read as it arrives, once. @throws `HttpError` while it is read, as `readContent` does */
export function openContent(raw: RawRequest, limit: number): AsyncIterable<Uint8Array> {
  const coding = codingOf(raw)
  return coding === undefined ? raw.body.chunks(limit) : decodeBody(raw, coding, limit)
}

/** Whether a body has a content coding. */
export function isCoded(raw: RawRequest): boolean {
  return codingOf(raw) !== undefined
}

/** The content coding of a body in lower case, several as a list, or `undefined` if it has none (RFC 9110 section 8.4). */
function codingOf(raw: RawRequest): string | undefined {
  const given = readHeader(raw, 'content-encoding')
  if (given === undefined) return undefined
  const codings = given
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  return codings.length === 0 ? undefined : codings.join(', ')
}

/**
 * Decodes a body, with code that is loaded with the first one that has a coding.
 *
 * @yields what comes out
 */
async function* decodeBody({ body }: RawRequest, coding: string, limit: number): AsyncGenerator<Uint8Array> {
  // what is not there has no coding that could be wrong
  if (body.length === 0) return
  const { decode } = await import('./content-coding.ts')
  yield* decode(body.chunks(limit), coding, limit)
}
