export { defineUpstream, type Upstream } from './define.ts'
export type { UpstreamOptions, UpstreamTimeouts, UpstreamUrls } from './options.ts'
