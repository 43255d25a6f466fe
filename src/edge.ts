export * from './common.ts'
// apart, so that files of the package have it apart, which bundles without schemes leave out
export { defineVersioningScheme, VersioningSchemes } from './server/versioned/schemes.ts'
// what needs nothing of Node to load
export { createEdgeApp } from './server/edge/edge-app.ts'
