export { mcp, type McpOptions } from './mcp.ts'
export type { ToolCandidate } from './tools.ts'
