import { CONTENT_DIGESTS, dropBody, isStream, type FinishedResponse } from '../../http/http.ts'

/** Headers about one connection alone, which neither gateways nor HTTP/2 pass on (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2). */
export const OF_CONNECTION: ReadonlySet<string> = new Set(
  'connection http2-settings keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' '),
)

/** Headers about bytes as another server has sent them, which say nothing of a body that is written anew. */
export const OF_BYTES: readonly string[] = [
  ...CONTENT_DIGESTS,
  'content-length',
  'content-encoding',
  'accept-ranges',
]

/** The names that a `Connection` header adds to those of one connection. */
export function connectionNames(connection: string | readonly string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE
  return String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase())
}

const NONE: readonly string[] = []

/** The codings that `fetch` of every platform decodes. It says nothing of them but in the headers of the coded bytes. */
const DECODED = /^\s*(?:x-gzip|gzip|deflate|br)(?:\s*,\s*(?:x-gzip|gzip|deflate|br))*\s*$/i

/** Whether `fetch` has decoded the body of a response, which only responses of `fetch` have a URL for. */
export function isDecoded(url: string | undefined, coding: string | string[] | undefined): boolean {
  return url !== undefined && url !== '' && coding !== undefined && DECODED.test(String(coding))
}

const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Whether responses of a status have no content (RFC 9110 section 6.4.1). */
export function isBodyless(status: number): boolean {
  return BODYLESS.has(status)
}

/** Whether a header says the length of a body that is not there to be counted: a stream, or that of a response to HEAD. */
export function isLength(length: string | string[] | undefined): boolean {
  return length === undefined || (typeof length === 'string' && /^\d{1,15}$/.test(length))
}

/** Sets the length of a response whose status allows no content. Of these, a reader finds the end of a 205 by its length alone. */
export function setNoLength(status: number, headers: FinishedResponse['headers']): void {
  if (status === 205) headers['content-length'] = '0'
  else delete headers['content-length']
}

/**
 * The response with the body that its method and status allow, and a length that is true of it (RFC 9110 sections 8.6, 9.3.2 and 15.3.6).
 * A stream that is not sent is cancelled.
 */
export function framed(response: FinishedResponse, method: string): FinishedResponse {
  // most responses, whose length was counted
  return typeof response.body === 'string' && method !== 'HEAD' && !BODYLESS.has(response.status)
    ? response
    : reframed(response, method)
}

function reframed(response: FinishedResponse, method: string): FinishedResponse {
  const { status, headers, body } = response
  const isHead = method === 'HEAD'
  if (isBodyless(status)) setNoLength(status, headers)
  else if (body === null && !isHead && status >= 200) headers['content-length'] = '0'
  else if ((body === null || isStream(body)) && !isLength(headers['content-length']))
    throw new TypeError('The Content-Length of a response is not a number of bytes')
  if (body === null || (!isHead && !isBodyless(status))) return response
  dropBody(body)
  return { ...response, body: null }
}
