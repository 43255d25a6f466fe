export { mcp, type McpRouter } from './mcp.ts'
export type { McpOptions } from './options.ts'
export type { ToolCandidate } from '../../define/layers.ts'
