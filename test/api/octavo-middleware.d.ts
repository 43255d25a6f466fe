// The public types of octavo/middleware. npm run api writes this file, and nothing imports it.

export type CompressionLevels = Readonly<Record<ContentEncoding, number>>

export interface CompressionOptions {
  readonly encodings?: readonly ContentEncoding[]
  readonly filter?: (response: FinishedResponse, context: ExecutionContext) => boolean
  readonly level?: Partial<CompressionLevels>
  readonly threshold?: number
}

export type ContentEncoding = (typeof ENCODINGS)[number]

export interface CorsOptions {
  readonly allowedHeaders?: readonly string[]
  readonly credentials?: boolean
  readonly exposedHeaders?: readonly string[]
  readonly maxAge?: number
  readonly methods?: readonly Method[]
  readonly origin?: true | string | RegExp | readonly (string | RegExp)[] | OriginTest
}

export type CspDirectives = Readonly<Record<string, readonly string[] | true>>

export interface CsrfOptions {
  readonly origins?: string | RegExp | readonly (string | RegExp)[] | OriginTest
  readonly sameSite?: boolean
  readonly skip?: (context: ExecutionContext) => boolean
}

const ENCODINGS: readonly ['br', 'zstd', 'gzip']

export interface EtagOptions {
  readonly weak?: boolean
}

export interface HstsOptions {
  readonly includeSubDomains?: boolean
  readonly maxAge?: number
  readonly preload?: boolean
}

export interface LoadSheddingOptions {
  readonly maxDelay?: number
  readonly measure?: () => number
  readonly retryAfter?: number
}

export type OriginTest = (origin: string, context: ExecutionContext) => Awaitable<boolean>

export interface RateLimit extends Middleware, Guard {
  readonly kind: 'guard'
  readonly name: string
}

export interface RateLimitOptions<I = never> {
  readonly by?: (context: ExecutionContext<I>) => Awaitable<string | number | bigint | undefined>
  readonly cost?: number | ((context: ExecutionContext<I>) => Awaitable<number>)
  readonly limit: number | ((context: ExecutionContext<I>) => Awaitable<number>)
  readonly maxKeys?: number
  readonly name?: string
  readonly onStoreError?: 'allow' | 'refuse'
  readonly skip?: (context: ExecutionContext<I>) => Awaitable<boolean>
  readonly store?: Store
  readonly storeTimeout?: number
  readonly window: number
}

export interface RequestIdOptions {
  readonly generate?: (context: ExecutionContext) => string
  readonly header?: string
  readonly trust?: boolean | ((context: ExecutionContext) => boolean)
}

export interface SecurityHeadersOptions {
  readonly contentSecurityPolicy?: CspDirectives | false
  readonly contentSecurityPolicyReportOnly?: CspDirectives | false
  readonly crossOriginEmbedderPolicy?: string | false
  readonly crossOriginOpenerPolicy?: string | false
  readonly crossOriginResourcePolicy?: string | false
  readonly originAgentCluster?: string | false
  readonly permissionsPolicy?: string | false
  readonly referrerPolicy?: string | false
  readonly strictTransportSecurity?: HstsOptions | false
  readonly xContentTypeOptions?: string | false
  readonly xDnsPrefetchControl?: string | false
  readonly xDownloadOptions?: string | false
  readonly xFrameOptions?: string | false
  readonly xPermittedCrossDomainPolicies?: string | false
  readonly xXssProtection?: string | false
}

export interface StaticFilesOptions extends CacheOptions {
  readonly dotfiles?: 'allow' | 'ignore'
  readonly followLinks?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly index?: string | false
  readonly prefix?: string
  readonly root: string | URL
}

export function compression(options?: CompressionOptions): Middleware

export function cors(options?: CorsOptions): Middleware

export function csrf(options?: CsrfOptions): Middleware

export function etag(options?: EtagOptions): Middleware

export function loadShedding(options?: LoadSheddingOptions): Middleware

export function rateLimit<I = never>(options: RateLimitOptions<I>): RateLimit

export function requestId(options?: RequestIdOptions): Middleware

export function securityHeaders(options?: SecurityHeadersOptions): Middleware

export function staticFiles(options: StaticFilesOptions): Middleware
