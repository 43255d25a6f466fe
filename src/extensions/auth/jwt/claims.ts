/** The claims of a verified token (RFC 7519 section 4.1, RFC 9068 section 2.2), frozen. */
export interface JwtClaims {
  /** The issuer. */
  readonly iss?: string
  /** The subject, which is the user or client that the token is about. */
  readonly sub?: string
  /** The audience. */
  readonly aud?: string | readonly string[]
  /** When the token expires, in seconds since 1970. */
  readonly exp?: number
  /** When the token becomes valid, in seconds since 1970. */
  readonly nbf?: number
  /** When the token was issued, in seconds since 1970. */
  readonly iat?: number
  /** The id of the token. */
  readonly jti?: string
  /** The scopes, separated by blanks. */
  readonly scope?: string
  /** Any other claim. */
  readonly [claim: string]: unknown
}

/** The scopes of a token: `scope` (RFC 8693 section 4.2), or `scp`, as Microsoft and Okta write it. */
export function scopesOfClaims({ scope, scp }: JwtClaims): ReadonlySet<string> {
  const found = [scope ?? scp ?? []].flat()
  return new Set(found.flatMap((each) => (typeof each === 'string' ? each.split(' ') : [])))
}

/** A member of JSON text. Strings are read whole, so that what is inside of them counts as nothing. */
const MEMBER = /"(?:[^"\\]|\\.)*"\s*(:?)/g

/** Levels of the deepest header and claims, so that functions which call themselves for each level never exhaust the stack. */
const DEEPEST = 64

/**
 * Why valid JSON text is refused: it has too many levels, or a name twice in one object, of which a parser keeps the last (RFC 7519
 * section 4).
 */
export function flawOf(text: string, parsed: unknown): 'deep' | 'duplicate' | undefined {
  const kept = countMembers(parsed, 0)
  if (Number.isNaN(kept)) return 'deep'
  let members = 0
  for (const [, colon] of text.matchAll(MEMBER)) if (colon === ':') members++
  return members === kept ? undefined : 'duplicate'
}

/** Counts the members of all objects in a value, `NaN` if it has too many levels. */
function countMembers(value: unknown, level: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (level === DEEPEST) return Number.NaN
  const members: readonly unknown[] = Object.values(value)
  const own = Array.isArray(value) ? 0 : members.length
  return members.reduce<number>((sum, member) => sum + countMembers(member, level + 1), own)
}

/** Whether the claims are of the types that `JwtClaims` declares (RFC 7519 section 4.1). jose checks the others. */
export function isTyped({ sub = '', jti = '' }: JwtClaims): boolean {
  return typeof sub === 'string' && typeof jti === 'string'
}

/** Freezes claims, because requests with the same token share them. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freezeDeep(member)
  return Object.freeze(value)
}
