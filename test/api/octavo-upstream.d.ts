// The public types of octavo/upstream. npm run api writes this file, and nothing imports it.

export interface Upstream extends Provider<UpstreamApp>, ForwardTarget {
  readonly check: (context: {
    readonly resolve: <T>(token: Token<T>) => Promise<T>
    readonly signal: AbortSignal
  }) => Promise<void>
}

export interface UpstreamOptions<D> {
  readonly app?: UpstreamApp | ((request: never, response: never) => unknown)
  readonly checkPath?: string
  readonly connections?: number
  readonly host?: 'keep'
  readonly inject?: D
  readonly name: string
  readonly prefix?: string
  readonly responseLimit?: number
  readonly retries?: number
  readonly timeouts?: UpstreamTimeouts
  readonly url?: UpstreamUrls | ((deps: Injected<D>) => Awaitable<UpstreamUrls | undefined>)
  readonly validate?: boolean
}

export interface UpstreamTimeouts {
  readonly body?: number
  readonly connect?: number
  readonly headers?: number
}

export type UpstreamUrls = string | readonly string[]

export function defineUpstream<D extends Tokens = {}>(options: UpstreamOptions<D>): Upstream
