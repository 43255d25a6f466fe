import { isString } from '../../../base/values.ts'
import type { IncomingResponse } from '../options.ts'

/** Reads the response of an application in this process. */
export function toAppResponse(method: string, response: Response): IncomingResponse {
  const { status } = response
  const body = method === 'HEAD' ? null : (takeWhole(response) ?? response.body)
  return { status, headers: toHeaderMap(response.headers), body }
}

/** The headers of a response by lower-case name. */
export function toHeaderMap(given: Headers): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  given.forEach((value, key) => {
    if (key !== 'set-cookie') headers[key] = value
  })
  const cookies = given.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  return headers
}

/**
 * The body that a response was created with, if that is a text or bytes: to read it as a stream takes Node longer than a small request. Node 20
 * and 22 keep it in the state of a response, and the server of Hono in a cache. `undefined` for other bodies, and where it is hidden.
 */
function takeWhole(response: Response): Uint8Array | undefined {
  if (key === undefined || !(key in response)) key = Object.getOwnPropertySymbols(response).find(isKey)
  const kept: unknown = key && Reflect.get(response, key)
  return toBytes(Array.isArray(kept) ? kept[1] : Object(Object(kept).body).source)
}

/** The key that was found last. */
let key: symbol | undefined

function isKey({ description }: symbol): boolean {
  return description === 'state' || description === 'cache'
}

function toBytes(body: unknown): Uint8Array | undefined {
  if (isString(body)) return Buffer.from(body)
  return body instanceof Uint8Array ? body : undefined
}
