import type { ExecutionContext } from '../../../define/context.ts'
import type { SecurityScheme } from '../../../define/guard.ts'
import type { Injected } from '../../../define/token.ts'
import type { Awaitable } from '../../../base/values.ts'
import type { OutputOf, Schema } from '../../../schema/schema.ts'
import type { AuthOptions } from '../options.ts'
import type { JwtClaims } from './claims.ts'

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
   * Who the token stands for: anything falsy is a 401, anything else becomes `context.identity`. What it throws is passed on. It runs with
   * every request. @default the claims
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
  /** Whether tokens without `exp` are accepted, which never expire. @default false */
  readonly withoutExpiry?: boolean
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
