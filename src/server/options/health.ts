import { invalidOption, type DefinitionProblem, type Rules } from '../../base/definition-error.ts'
import { isFunction, isMilliseconds, isRecord, LONGEST_TIMER } from '../../base/values.ts'
import type { Token } from '../../define/context.ts'

/** The argument of a check of `health.checks`. */
export interface HealthContext {
  /** Aborted when the check has taken too long. */
  readonly signal: AbortSignal
  /** Resolves a token, as the root module sees it. */
  readonly resolve: <T>(token: Token<T>) => Promise<T>
}

/** A health check. It fails if it throws, rejects or returns `false`. */
export type HealthCheck = (context: HealthContext) => unknown

/**
 * The `health` option of `createApp`: paths for orchestrators and load balancers.
 *
 * @example
 * createApp(AppModule, {
 *   health: { live: '/livez', ready: '/readyz', checks: { db: async ({ resolve }) => (await resolve(Database)).ping() } },
 * })
 */
export interface HealthOptions {
  /** The path that returns 200 as long as the process responds at all. */
  readonly live?: string
  /** The path that returns 200 while the application takes requests and no check fails, else 503. */
  readonly ready?: string
  /**
   * The checks of the services that the application needs. Their names appear in the response. They run for each request, at the same
   * time, and requests that arrive meanwhile share the result.
   */
  readonly checks?: Readonly<Record<string, HealthCheck>>
  /** Milliseconds that a check may take. @default 1000 */
  readonly timeout?: number
}

const isHealthPath = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:\/[\w.~!$&'()*+,;=:@-]+)+$/.test(value)
const PATH = [isHealthPath, "a path of literal segments, such as '/readyz'"] as const

export const HEALTH_RULES: Rules = {
  live: PATH,
  ready: PATH,
  checks: [(value) => isRecord(value) && Object.values(value).every(isFunction), 'an object of functions'],
  timeout: [isMilliseconds, `a number of milliseconds from 1 to ${LONGEST_TIMER}`],
}

/** Reports paths and checks of `health` that cannot be used together. */
export function healthProblems({ live, ready, checks }: HealthOptions): readonly DefinitionProblem[] {
  const found: DefinitionProblem[] = []
  if (live !== undefined && live === ready) {
    const message = 'health.live and health.ready are the same path'
    found.push(invalidOption('createApp', message, 'give each a path of its own'))
  }
  if (checks !== undefined && ready === undefined) {
    const fix = "give health.ready a path, such as '/readyz'"
    found.push(invalidOption('createApp', 'health.checks are never asked for', fix))
  }
  return found
}
