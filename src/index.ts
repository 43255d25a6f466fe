export * from './edge.ts'
// an application that Node serves, in the place of the one that any platform has
export { createApp } from './server/app.ts'
export type { App } from './server/app.ts'
export type { ListenOptions } from './server/adapters/node/listen-options.ts'
