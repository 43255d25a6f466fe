import { PHRASES } from '../../../http.ts'
import type { FinishedResponse } from '../../../http.ts'
import { isStream } from '../../../stream.ts'

/**
 * The response as a server wants it that counts the bytes of a body and knows the reason phrases itself. Deno sends a text with a
 * content type and nothing else in a third of the time.
 */
export function toServed(finished: FinishedResponse): Response {
  const { body, headers, status } = finished
  if (isStream(body) || body === null) return toResponse(finished)
  const lines: Record<string, string> = {}
  for (const name in headers) {
    if (name === 'content-length' || name === 'transfer-encoding') continue
    const value = headers[name]
    // a record holds no lists
    if (typeof value !== 'string') return toResponse(finished)
    lines[name] = value
  }
  return new Response(hasType(finished) || typeof body !== 'string' ? body : Buffer.from(body), {
    status,
    headers: lines,
  })
}

/** The response with all that it says, for any platform; without its body if that is a stream, which is passed beside it. */
export function toResponse(finished: FinishedResponse, stream?: ReadableStream<Uint8Array>): Response {
  const { body } = finished
  if (isStream(body)) return new Response(stream ?? null, toInit(finished))
  return new Response(typeof body === 'string' && !hasType(finished) ? Buffer.from(body) : body, toInit(finished))
}

/** Whether a text may be passed as it is: without a content type it would bring its own. */
function hasType({ headers }: FinishedResponse): boolean {
  return headers['content-type'] !== undefined
}

function toInit({ status, headers }: FinishedResponse): ResponseInit {
  const lines = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // how a body is framed is up to the server
    if (name === 'transfer-encoding') continue
    if (typeof value === 'string') lines.set(name, value)
    else for (const line of value) lines.append(name, line)
  }
  const init = { status, statusText: PHRASES[status] ?? '', headers: lines }
  // workerd would encode once more what is encoded; other platforms know nothing of it
  return headers['content-encoding'] === undefined ? init : { ...init, ...ENCODED }
}

const ENCODED = { encodeBody: 'manual' } as const
