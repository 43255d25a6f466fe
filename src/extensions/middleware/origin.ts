import type { ExecutionContext } from '../../define/context.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'

/** Returns whether pages of an origin may read responses. */
export type OriginTest = (origin: string, context: ExecutionContext) => Awaitable<boolean>

export type AllowedOrigins = true | string | RegExp | readonly (string | RegExp)[] | OriginTest

/** A scheme, the longest host name (253 characters) and a port are shorter, and no origin has blanks. */
const ORIGIN = /^[!-~]{1,512}$/

export function createGrant(
  allowed: AllowedOrigins,
): (context: ExecutionContext) => Awaitable<string | undefined> {
  if (allowed === '*') return () => '*'
  const test = toTest(allowed)
  return (context) => {
    const origin = context.request.header('origin')
    if (origin === undefined || !ORIGIN.test(origin)) return undefined
    const answer = test(origin, context)
    // not all functions are typed
    const grant = (isAllowed: unknown): string | undefined => (isAllowed === true ? origin : undefined)
    return isPromise(answer) ? answer.then(grant) : grant(answer)
  }
}

function toTest(allowed: AllowedOrigins): OriginTest {
  if (allowed === true) return () => true
  if (typeof allowed === 'function') return allowed
  const entries = typeof allowed === 'string' || allowed instanceof RegExp ? [allowed] : allowed
  const exact = new Set(entries.filter((entry) => typeof entry === 'string'))
  // copies: the flags g and y make an expression remember where it was, and others may use it too
  const patterns = entries.filter((entry) => entry instanceof RegExp).map((entry) => new RegExp(entry))
  return (origin) =>
    exact.has(origin) ||
    patterns.some((pattern) => {
      pattern.lastIndex = 0
      return pattern.test(origin)
    })
}

/** Whether the value can say which origins are allowed. */
export function isAllowedOrigins(value: unknown): boolean {
  if (value === '*' || value === true || typeof value === 'function') return true
  return Array.isArray(value) ? value.every(isOriginEntry) : isOriginEntry(value)
}

function isOriginEntry(value: unknown): boolean {
  return value instanceof RegExp || (typeof value === 'string' && isOrigin(value))
}

/** Whether the text is an origin as browsers send it: scheme and host in lower case, no default port, nothing behind (RFC 6454). */
function isOrigin(text: string): boolean {
  if (text === 'null') return true
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#*]+$/.test(text) || !URL.canParse(text)) return false
  const { origin } = new URL(text)
  // only browsers know the origins of other schemes, such as those of extensions
  return origin === text || origin === 'null'
}
