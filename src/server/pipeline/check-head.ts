import { httpError, type HttpError } from '../../http/errors.ts'
import { isHost } from '../request/host.ts'
import type { Limits } from '../options/app-options.ts'

/**
 * Finds why a request does not get as far as the application. `needsHost`: it must name its host, as all but HTTP/1.0 must; `length`: that of the target in characters; `lines`:
 * names and values in turn, as they were sent.
 */
export type FindRefusal = (
  length: number,
  host: string | undefined,
  needsHost: boolean,
  lines: readonly string[],
) => HttpError | undefined

/**
 * Headers that must not come twice: readers that disagree on which of them counts can be played against each other. Guards see to
 * `Authorization`.
 */
const SINGLE = ['host', 'content-type', 'content-length'] as const

/** Creates the check of heads, which is the same for HTTP/1.1 and HTTP/2. */
export function createHeadCheck(limits: Required<Limits>): FindRefusal {
  // in a list, because every line of every request is looked up
  const byLength: (number | undefined)[] = []
  for (const [index, { length }] of SINGLE.entries()) byLength[length] = index
  // the hosts of requests differ seldom
  let known = ''
  return (length, host, needsHost, lines) => {
    // Node would refuse this by itself, without saying why (RFC 9112 section 3.2)
    if (host === undefined && needsHost) return httpError('missing_host', 'The request has no Host header')
    if (length > limits.url) return urlTooLong(limits.url)
    // two separating characters after each
    let size = 2 * lines.length
    let seen = 0
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const name = lines[at] ?? ''
      size += name.length + (lines[at + 1] ?? '').length
      const index = byLength[name.length]
      if (index === undefined || SINGLE[index] !== name.toLowerCase()) continue
      if ((seen & (1 << index)) !== 0) return sentTwice(name)
      seen |= 1 << index
    }
    if (size > limits.headers) return headersTooLarge(limits.headers)
    if (host === undefined || host === known) return undefined
    if (!isHost(host)) return notHost()
    known = host
    return undefined
  }
}

/** The error of a request to a server that closes. */
export function serverClosing(): HttpError {
  return httpError('closing', 'The server is shutting down')
}

/** The error of a Host header that holds something else. */
export function notHost(): HttpError {
  return httpError('malformed_request', 'The Host header is not a host')
}

/** The error of a header that must not be repeated. */
export function sentTwice(name: string): HttpError {
  return httpError('malformed_request', `The request has several ${toTitle(name)} headers`)
}

/** The error of a request target over its limit. */
export function urlTooLong(limit: number): HttpError {
  return httpError('url_too_long', `The request target is longer than ${limit} characters`)
}

/** The error of headers over their limit. */
export function headersTooLarge(limit: number): HttpError {
  return httpError('headers_too_large', `The headers are longer than ${limit} bytes`)
}

/** `content-type` as `Content-Type`. */
function toTitle(name: string): string {
  return name.toLowerCase().replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
