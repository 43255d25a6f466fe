export * from './common.ts'
// apart, so that files of the package have it apart, which bundles without schemes leave out
export { defineVersioningScheme, VersioningSchemes } from './server/versioned/schemes.ts'
// what needs the Node server
export { createApp } from './server/app.ts'
export type { App } from './server/app.ts'
export { upgrade } from './server/adapters/node/upgrade-reply.ts'
export type { TakeConnection, UpgradedConnection } from './server/adapters/node/upgrade-reply.ts'
export type { ListenOptions } from './server/adapters/node/listen-options.ts'
