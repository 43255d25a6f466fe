// The public types of octavo/mcp. npm run api writes this file, and nothing imports it.

export interface McpOptions {
  readonly guards?: readonly AnyGuard[]
  readonly include?: (candidate: ToolCandidate) => boolean
  readonly instructions?: string
  readonly list?: 'all' | 'allowed'
  readonly middleware?: readonly Middleware[]
  readonly name: string
  readonly prefix?: string
  readonly tags?: readonly string[]
  readonly ttl?: number
}

export type McpRouter = Controller<'mcp', string, readonly []>

export interface ToolCandidate {
  readonly method: string
  readonly operationId: string
  readonly tags: readonly string[]
}

export function mcp(options: McpOptions): McpRouter
