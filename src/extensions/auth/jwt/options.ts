import type { ExecutionContext, Injected } from '../../../define/context.ts'
import type { SecurityScheme } from '../../../define/layers.ts'
import type { Awaitable } from '../../../base/values.ts'
import type { OutputOf, Schema } from '../../../schema/schema.ts'
import type { AuthOptions } from '../options.ts'

/** An algorithm of signatures. `HS256` needs a `secret`, the others `jwks` or a `publicKey`. */
export type JwtAlgorithm = 'RS256' | 'ES256' | 'EdDSA' | 'HS256'

/** The claims that `identity` of `jwtAuth` receives, as the schema returns them, or those of the token. */
export type ClaimsOf<S> = S extends Schema ? OutputOf<S> : JwtClaims

/** The options of `jwtAuth`. */
export interface JwtOptions<S = undefined, V = unknown, D = {}> extends Omit<AuthOptions<D>, 'inject'> {
  /** The issuers of tokens, compared with `iss`. */
  readonly issuer: string | readonly string[]
  /** The names of this API, one of which has to be in `aud`. */
  readonly audience: string | readonly string[]
  /** The algorithms that are accepted. No other one is, whatever a token names. */
  readonly algorithms: readonly JwtAlgorithm[]
  /** The URL of the keys of the issuer (RFC 7517), or the keys. */
  readonly jwks?:
    | string
    | URL
    | {
        /** The keys as JWKs. */
        readonly keys: readonly object[]
      }
  /** The secret that the issuer shares with this API, at least 32 bytes. */
  readonly secret?: string | Uint8Array
  /** The public key of the issuer: PEM, a JWK, a `CryptoKey` or a `KeyObject`. It has one algorithm. */
  readonly publicKey?: string | object
  /** The scopes that every token needs. @default none */
  readonly scopes?: readonly string[]
  /** The schema of the claims. A token whose claims do not fit is a 401. */
  readonly claims?: S
  /**
   * Returns the identity for a token: anything falsy is a 401, anything else becomes `context.identity`. Its errors are passed on. It runs
   * with every request.
   *
   * @default the claims
   */
  readonly identity?: (claims: ClaimsOf<S>, context: ExecutionContext, inject: Injected<D>) => V
  /** Returns whether a token is revoked, which is a 401. It runs with every request. @default no token is */
  readonly isRevoked?: (
    claims: JwtClaims,
    context: ExecutionContext,
    inject: Injected<D>,
  ) => Awaitable<boolean>
  /** The tokens that `identity` and `isRevoked` need, by the keys under which they receive them as their last argument. */
  readonly inject?: D
  /** The types of tokens that are accepted, such as `at+jwt` (RFC 9068). @default 'JWT', 'at+jwt' and none */
  readonly typ?: string | readonly string[]
  /** Seconds by which the clocks of the issuer and this API may differ. @default 5 */
  readonly clockTolerance?: number
  /** The URL of the metadata of this API (RFC 9728), which challenges name: `url` of `resourceMetadata`. */
  readonly resourceMetadata?: string
  /** The word before the token in `Authorization`, and in the challenge. @default 'Bearer' */
  readonly scheme?: string
  /** The security scheme in documents. @default bearer tokens with the format `JWT` */
  readonly securityScheme?: SecurityScheme
  /** Names the guard, and the scheme in documents. @default 'jwtAuth' */
  readonly schemeName?: string
  /** How many verified tokens are remembered, each for a minute at most. With 0, every request is verified anew. @default 1000 */
  readonly maxTokens?: number
  /** Milliseconds until a URL that does not answer has failed. @default 5000 */
  readonly jwksTimeout?: number
}

/** The options about tokens alone. */
export type TokenRules = Omit<JwtOptions, 'claims' | 'identity' | 'isRevoked' | 'inject'>

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
export function hasClaimTypes({ sub = '', jti = '' }: JwtClaims): boolean {
  return typeof sub === 'string' && typeof jti === 'string'
}

/** Freezes claims, because requests with the same token share them. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freezeDeep(member)
  return Object.freeze(value)
}
