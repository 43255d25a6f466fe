export * from './common.ts'
// what needs the Node server
export { createApp } from './server/app.ts'
export type { App } from './server/app.ts'
export type { ListenOptions } from './server/adapters/node/listen-options.ts'
