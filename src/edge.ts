export * from './exports.ts'
// apart, so that the package has it in a file of its own, which bundles without schemes leave out
export { defineVersioningScheme, VersioningSchemes } from './versioning/schemes/schemes.ts'
// what needs nothing of Node to load
export { createEdgeApp } from './server/app/edge-app.ts'
