export * from './exports.ts'
// apart, so that the package has it in a file of its own, which bundles without schemes leave out
export { defineVersioningScheme, VersioningSchemes } from './versioning/schemes/schemes.ts'
// what needs the Node server
export { createApp, type App } from './server/app/app.ts'
export {
  upgrade,
  type TakeConnection,
  type UpgradedConnection,
} from './server/adapters/node/upgrade-reply.ts'
export type { Engine, ListenOptions } from './server/adapters/node/listen-options.ts'
