export * from './common.ts'
// what needs nothing of Node to load
export { createEdgeApp } from './server/edge/edge-app.ts'
