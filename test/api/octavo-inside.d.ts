// The public types of octavo/inside. npm run api writes this file, and nothing imports it.

export interface Host extends Provider<UpstreamApp>, ForwardTarget {}

export type InsideApp = Pick<EdgeApp, 'fetch'>

export interface InsideOptions<C> {
  readonly version?: (context: C) => string | undefined
}

export const host: Host
