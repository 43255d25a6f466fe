// The public types of octavo/inside. npm run api writes this file, and nothing imports it.

export interface Host extends Provider<UpstreamApp>, ForwardTarget {}

export const host: Host
