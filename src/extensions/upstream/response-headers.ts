import type { ResponseHeaders } from '../../server/pipeline/response-head.ts'
import { CONTENT_DIGESTS } from '../../http/http.ts'
import { toLine } from '../../server/request/header.ts'
import { connectionNames } from './request-headers.ts'
import type { IncomingResponse } from './options.ts'

/** Headers about one connection alone (RFC 9110 section 7.6.1). */
const DROPPED: ReadonlySet<string> = new Set(
  // the last would become the prototype of the others
  'connection keep-alive proxy-connection proxy-authenticate te trailer transfer-encoding upgrade __proto__'.split(
    ' ',
  ),
)

/** Those about bytes which are not sent, because a body is written anew. */
const OF_BYTES: ReadonlySet<string> = new Set([
  ...DROPPED,
  ...CONTENT_DIGESTS,
  'content-length',
  'content-encoding',
  'accept-ranges',
])

/** Writes an address of the API behind as one of the application, or returns it as it is. */
export type ToOwnAddress = (address: string) => string

/** The headers of a response as the client receives them. `isWritten` tells whether its body is written anew. */
export function toResponseHeaders(
  headers: IncomingResponse['headers'],
  toOwnAddress: ToOwnAddress,
  isWritten: boolean,
): ResponseHeaders {
  const own: ResponseHeaders = {}
  const dropped = connectionNames(toLine('connection', headers['connection']))
  // the server writes a date, which is that of a response that was made now
  const isNew = headers['age'] === undefined
  const without = isWritten ? OF_BYTES : DROPPED
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || without.has(name) || dropped.includes(name)) continue
    if (!isNew || name !== 'date') own[name] = value
  }
  for (const name of ['location', 'content-location'])
    if (typeof own[name] === 'string') own[name] = toOwnAddress(own[name])
  if (own['link'] !== undefined)
    own['link'] = [own['link']]
      .flat()
      .join(', ')
      .replaceAll(/<([^<>]*)>/g, (_, address: string) => `<${toOwnAddress(address)}>`)
  return own
}
