// The public types of octavo/auth. npm run api writes this file, and nothing imports it.

type AllowedIdentity<A> = true extends A ? OrNone<Exclude<A, true>> : A

export interface ApiKeyOptions<V, D = {}> extends AuthOptions<D> {
  readonly in: 'header' | 'query' | 'cookie'
  readonly name: string
  readonly schemeName?: string
  readonly verify: (key: string, context: ExecutionContext, inject: Injected<D>) => V & Decision<V>
}

export interface AuthOptions<D = {}> {
  readonly description?: string
  readonly inject?: D
  readonly realm?: string
}

export interface BasicOptions<V, D = {}> extends AuthOptions<D> {
  readonly schemeName?: string
  readonly verify: (
    user: string,
    password: string,
    context: ExecutionContext,
    inject: Injected<D>,
  ) => V & Decision<V>
}

export interface BearerOptions<V, D = {}> extends AuthOptions<D> {
  readonly bearerFormat?: string
  readonly scheme?: string
  readonly schemeName?: string
  readonly verify: (token: string, context: ExecutionContext, inject: Injected<D>) => V & Decision<V>
}

export type ClaimsOf<S> = S extends Schema ? OutputOf<S> : JwtClaims

type Decision<V> = unknown extends V
  ? unknown
  : void extends Awaited<V>
    ? 'verify has to return who it is, true, or undefined to refuse'
    : unknown

type Falsy = false | null | undefined | 0 | 0n | ''

type Identities<G> = {
  readonly [K in keyof G]: G[K] extends Guard<infer I> ? ([I] extends [never] ? undefined : I) : never
}

export type IdentityOf<V> = 0 extends 1 & V ? unknown : AllowedIdentity<Exclude<Awaited<V>, Falsy | void>>

type IdentityOfAny<G extends readonly unknown[]> = [Exclude<Identities<G>[number], undefined>] extends [never]
  ? never
  : Identities<G>[number]

export type JwtAlgorithm = 'RS256' | 'ES256' | 'EdDSA' | 'HS256'

export interface JwtClaims {
  readonly [claim: string]: unknown
  readonly aud?: string | readonly string[]
  readonly exp?: number
  readonly iat?: number
  readonly iss?: string
  readonly jti?: string
  readonly nbf?: number
  readonly scope?: string
  readonly sub?: string
}

export interface JwtOptions<S = undefined, V = unknown, D = {}> extends Omit<AuthOptions<D>, 'inject'> {
  readonly algorithms: readonly JwtAlgorithm[]
  readonly audience: string | readonly string[]
  readonly claims?: S
  readonly clockTolerance?: number
  readonly identity?: (claims: ClaimsOf<S>, context: ExecutionContext, inject: Injected<D>) => V
  readonly inject?: D
  readonly isRevoked?: (
    claims: JwtClaims,
    context: ExecutionContext,
    inject: Injected<D>,
  ) => Awaitable<boolean>
  readonly issuer: string | readonly string[]
  readonly jwks?:
    | string
    | URL
    | {
        readonly keys: readonly object[]
      }
  readonly jwksTimeout?: number
  readonly maxTokens?: number
  readonly publicKey?: string | object
  readonly resourceMetadata?: string
  readonly scheme?: string
  readonly schemeName?: string
  readonly scopes?: readonly string[]
  readonly secret?: string | Uint8Array
  readonly securityScheme?: SecurityScheme
  readonly typ?: string | readonly string[]
}

type OrNone<I> = [I] extends [never] ? never : I | undefined

export interface ResourceMetadata extends Middleware {
  readonly url: string
}

export interface ResourceMetadataOptions {
  readonly authorizationServers: readonly string[]
  readonly documentation?: string
  readonly more?: Readonly<Record<string, unknown>>
  readonly name?: string
  readonly resource: string
  readonly scopes?: readonly string[]
}

export function anyOf<const G extends readonly [AnyGuard, ...AnyGuard[]]>(
  ...guards: G
): Guard<IdentityOfAny<G>>

export function apiKey<V, D extends Tokens = {}>(options: ApiKeyOptions<V, D>): Guard<IdentityOf<V>>

export function basicAuth<V, D extends Tokens = {}>(options: BasicOptions<V, D>): Guard<IdentityOf<V>>

export function bearerAuth<V, D extends Tokens = {}>(options: BearerOptions<V, D>): Guard<IdentityOf<V>>

export function jwtAuth<S extends Schema | undefined = undefined, V = ClaimsOf<S>, D extends Tokens = {}>(
  options: JwtOptions<S, V, D>,
): Guard<IdentityOf<V>>

export function optional<I>(guard: Guard<I>): Guard<[I] extends [never] ? never : I | undefined>

export function resourceMetadata(options: ResourceMetadataOptions): ResourceMetadata

export function safeEqual(a: string, b: string): boolean

export function scopes(...names: readonly [string, ...string[]]): Guard
