import type { ResponseHeaders } from '../../server/pipeline/response-head.ts'
import { connectionNames, OF_BYTES, OF_CONNECTION } from '../../server/pipeline/framing.ts'
import type { IncomingResponse } from './options.ts'

/** Headers that end here. */
const DROPPED: ReadonlySet<string> = new Set([
  ...OF_CONNECTION,
  'proxy-authenticate',
  // it would become the prototype of the others
  '__proto__',
])

/** Those of a body that is written anew. */
const DROPPED_WITH_BYTES: ReadonlySet<string> = new Set([...DROPPED, ...OF_BYTES])

/** Writes an address of the API behind as one of the application, or returns it as it is. */
export type ToOwnAddress = (address: string) => string

/** The headers of a response as the client receives them. `isWritten` tells whether its body is written anew. */
export function toResponseHeaders(
  headers: IncomingResponse['headers'],
  toOwnAddress: ToOwnAddress,
  isWritten: boolean,
): ResponseHeaders {
  const own: ResponseHeaders = {}
  const dropped = connectionNames(headers['connection'])
  // the server writes a date, which is that of a response that was made now
  const isNew = headers['age'] === undefined
  const without = isWritten ? DROPPED_WITH_BYTES : DROPPED
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
