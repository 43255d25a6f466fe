import { PHRASES, isStream, type FinishedResponse } from '../../../http/http.ts'
import { JSON_TYPE } from '../../pipeline/response-head.ts'

/**
 * The response of the Fetch standard; `stream` is its body if that is a stream. The servers of Bun and Deno count the bytes of a body and
 * know the reason phrases. Without both, Deno sends a text with a content type in a third of the time.
 */
export function toResponse(
  finished: FinishedResponse,
  isOfServer: boolean,
  stream: ReadableStream<Uint8Array> | null = null,
): Response {
  const { body, headers, status } = finished
  if (isOfServer && typeof body === 'string' && isPlainJson(headers))
    return new Response(body, { status, headers: (jsonLines ??= toJsonLines()) })
  const sent = isStream(body) ? stream : body
  const init = { status, headers: toLines(headers, isOfServer && sent !== null && sent === body) }
  // a text without a content type would bring its own
  const isBare = typeof sent === 'string' && headers['content-type'] === undefined
  const content = isBare ? Buffer.from(sent) : sent
  if (isOfServer) return new Response(content, init)
  // workerd would encode once more what is encoded; other platforms know nothing of it
  const encoding = headers['content-encoding'] === undefined ? undefined : ENCODED
  return new Response(content, { ...init, ...encoding, statusText: PHRASES[status] ?? '' })
}

const ENCODED = { encodeBody: 'manual' } as const

type Lines = Headers | Readonly<Record<string, string>>

/** The field lines of a response, without how its body is framed, which is up to the server; `isCounted` if it counts the bytes too. */
function toLines(headers: FinishedResponse['headers'], isCounted: boolean): Lines {
  const lines: Record<string, string> = {}
  let lists: Headers | undefined
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name === 'transfer-encoding' || (isCounted && name === 'content-length'))
      continue
    if (typeof value === 'string') lines[name] = value
    // a record holds no lists
    else for (const line of value) (lists ??= new Headers()).append(name, line)
  }
  if (lists !== undefined) {
    for (const name in lines) lists.set(name, lines[name] ?? '')
    return lists
  }
  return lines
}

/** Whether the headers are those of most responses, for which nothing has to be collected. */
function isPlainJson(headers: FinishedResponse['headers']): boolean {
  for (const name in headers) {
    if (name === 'content-type' ? headers[name] !== JSON_TYPE : name !== 'content-length') return false
  }
  return headers['content-type'] !== undefined
}

/** The lines of most responses. Bun copies headers in half the time that it takes to read a record, and Deno the other way round. */
let jsonLines: Lines | undefined

function toJsonLines(): Lines {
  const lines = { 'content-type': JSON_TYPE }
  return 'Bun' in globalThis ? new Headers(lines) : lines
}
