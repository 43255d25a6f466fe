import { optionProblems, type DefinitionProblem, type Rules } from '../../base/definition-error.ts'
import { describeValue, isMilliseconds, LONGEST_TIMER } from '../../base/values.ts'
import type { Token } from '../../define/token.ts'

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

const isPath = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:\/[\w.~!$&'()*+,;=:@-]+)+$/.test(value)
const PATH = [isPath, "a path of literal segments, such as '/readyz'"] as const

const RULES: Rules = {
  live: PATH,
  ready: PATH,
  checks: [
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((check) => typeof check === 'function'),
    'an object of functions',
  ],
  timeout: [isMilliseconds, `a number of milliseconds from 1 to ${LONGEST_TIMER}`],
}

/** Reports every option of `health` that cannot be used. */
export function healthProblems(options: unknown): readonly DefinitionProblem[] {
  if (options === undefined) return []
  const where = 'createApp'
  if (typeof options !== 'object' || options === null) {
    const fix = "give an object with live and ready, such as { live: '/livez', ready: '/readyz' }"
    return [{ code: 'invalid_option', where, message: `health is ${describeValue(options)}`, fix }]
  }
  const { live, ready, checks }: HealthOptions = options
  const found = optionProblems(where, options, RULES, 'health.')
  if (live !== undefined && live === ready)
    return [
      ...found,
      {
        code: 'invalid_option',
        where,
        message: 'health.live and health.ready are the same path',
        fix: 'give each a path of its own',
      },
    ]
  if (checks === undefined || ready !== undefined) return found
  const fix = "give health.ready a path, such as '/readyz'"
  return [...found, { code: 'invalid_option', where, message: 'health.checks are never asked for', fix }]
}
