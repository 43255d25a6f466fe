import type { Middleware } from '../../define/layers.ts'
import { httpError } from '../../http/errors.ts'

/** The pattern of a Host header (RFC 9110 section 7.2, RFC 3986 section 3.2); user information isn't part of it. */
const HOST = /^(?:\[[\da-fv.:]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i

/** Whether a Host header may hold this: a name or an address, and a port; an empty one names no host (RFC 9112 section 3.2). */
export function isHost(text: string): boolean {
  return HOST.test(text)
}

/** A name or an address, also with a port, or all names below one: `.example.com`. */
const PATTERN = /^(?:\.?[\w-]+(?:\.[\w-]+)*|\[[\da-f.:]+\])(?::\d+)?$/i

/** Whether a text says which hosts are allowed. */
export function isHostPattern(text: unknown): boolean {
  return typeof text === 'string' && PATTERN.test(text)
}

/** Creates the check whether a host is one of those that patterns allow. */
function createHostMatch(patterns: readonly string[]): (host: string) => boolean {
  const names = new Set(patterns.map((pattern) => pattern.toLowerCase()))
  const suffixes = [...names].filter((name) => name.startsWith('.'))
  return (given) => {
    const host = given.toLowerCase()
    const [name = ''] = /^(?:\[[^\]]*\]|[^:]*)/.exec(host) ?? []
    // a dot at the end names the root of all names
    const plain = name.replace(/\.$/, '')
    return (
      !plain.startsWith('.') &&
      (names.has(plain) || names.has(host) || suffixes.some((suffix) => plain.endsWith(suffix)))
    )
  }
}

export function checkHosts(allowed: readonly string[]): Middleware {
  const isAllowed = createHostMatch(allowed)
  return ({ request }, next) => {
    if (isAllowed(request.host)) return next()
    throw httpError('host_not_allowed', 'The application does not answer for this host')
  }
}
