export { compression, type CompressionOptions } from './compression/compression.ts'
export type { CompressionLevels, ContentEncoding } from './compression/compression.ts'
export { cors, type CorsOptions } from './cors.ts'
export type { OriginTest } from './origin.ts'
export { csrf, type CsrfOptions } from './csrf.ts'
export { etag, type EtagOptions } from './etag.ts'
export { loadShedding, type LoadSheddingOptions } from './load-shedding.ts'
export { rateLimit, type RateLimit, type RateLimitOptions } from './rate-limit/rate-limit.ts'
export { requestId, type RequestIdOptions } from './request-id.ts'
export {
  securityHeaders,
  type HstsOptions,
  type SecurityHeadersOptions,
  type CspDirectives,
} from './security-headers.ts'
export { staticFiles, type StaticFilesOptions } from './static-files.ts'
