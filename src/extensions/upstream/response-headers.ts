import type { ResponseHeaders } from '../../server/pipeline/response-head.ts'
import { connectionNames } from './request-headers.ts'
import type { IncomingResponse } from './transport.ts'

/** Headers about one connection alone (RFC 9110 section 7.6.1). */
const DROPPED: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-connection proxy-authenticate te trailer transfer-encoding upgrade'.split(' '),
)

/** Writes an address of the API behind as one of the application, or returns it as it is. */
export type ToOwnAddress = (address: string) => string

/** The headers of a response as the client receives them. */
export function toResponseHeaders(
  headers: IncomingResponse['headers'],
  toOwnAddress: ToOwnAddress,
): ResponseHeaders {
  const own: ResponseHeaders = {}
  const { connection } = headers
  const dropped = connectionNames(connection === undefined ? undefined : [connection].flat().join())
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || DROPPED.has(name) || dropped.includes(name)) continue
    own[name] = value
  }
  // the server writes one, which is that of a response that was made now
  if (own['age'] === undefined) delete own['date']
  for (const name of ['location', 'content-location'])
    if (typeof own[name] === 'string') own[name] = toOwnAddress(own[name])
  if (own['link'] !== undefined)
    own['link'] = [own['link']]
      .flat()
      .join(', ')
      .replaceAll(/<([^<>]*)>/g, (_, address: string) => `<${toOwnAddress(address)}>`)
  return own
}
