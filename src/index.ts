export * from './common.ts'
// what needs the Node server
export { createApp } from './server/app.ts'
export type { App } from './server/app.ts'
export { upgrade } from './server/adapters/node/upgrade-reply.ts'
export type { TakeConnection, UpgradedConnection } from './server/adapters/node/upgrade-reply.ts'
export type { ListenOptions } from './server/adapters/node/listen-options.ts'
