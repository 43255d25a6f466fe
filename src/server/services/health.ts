import type { Logger, Token } from '../../define/context.ts'
import type { WriteError } from '../options/error-writer.ts'
import { httpError } from '../../http/errors.ts'
import type { Awaitable } from '../../base/values.ts'
import type { FinishedResponse, RawRequest } from '../../http/http.ts'
import type { HealthCheck, HealthContext, HealthOptions } from '../options/health.ts'
import { finish } from '../pipeline/response-head.ts'
import { toOriginForm } from '../request/origin-form.ts'

/** Milliseconds that a check may take, where nothing else is said. */
const DEFAULT_TIMEOUT = 1_000

/** Answers a request for a health path, or returns `undefined` for any other. */
export type AnswerHealth = (
  raw: Pick<RawRequest, 'method' | 'target'>,
) => Awaitable<FinishedResponse> | undefined

/**
 * Creates the function that answers health probes. `isReady` returns whether the application takes requests. Octavo does not log probes, but
 * logs when a check starts failing and when it recovers.
 */
export function createHealth(
  { live, ready, checks = {}, timeout = DEFAULT_TIMEOUT }: HealthOptions,
  {
    isReady,
    writeError,
    ...running
  }: Omit<Checking, 'timeout'> & {
    readonly isReady: () => boolean
    readonly writeError: WriteError
  },
): AnswerHealth {
  const check = createChecks(Object.entries(checks), { timeout, ...running })
  const answerReady = async (method: string): Promise<FinishedResponse> => {
    const results = await check()
    const isWell = isReady() && Object.values(results).every((result) => result === 'ok')
    return toAnswer(method, isWell, results)
  }
  const answerAt = (path: string, method: string): Awaitable<FinishedResponse> | undefined => {
    const isLive = path === live
    if (!isLive && path !== ready) return undefined
    if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed(method, writeError)
    if (isLive) return toAnswer(method, true, {})
    return isReady() ? answerReady(method) : toAnswer(method, false, {})
  }
  return ({ method, target }) => {
    const url = target.startsWith('/') ? target : toOriginForm(target)
    const mark = url?.indexOf('?') ?? -1
    return url === undefined ? undefined : answerAt(mark === -1 ? url : url.slice(0, mark), method)
  }
}

/** Creates the answer: which checks passed, and never why one did not. */
function toAnswer(
  method: string,
  isWell: boolean,
  checks: Readonly<Record<string, CheckResult>>,
): FinishedResponse {
  const body = JSON.stringify({ status: isWell ? 'ok' : 'unavailable', checks })
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  const answer = finish(isWell ? 200 : 503, headers, body)
  return method === 'HEAD' ? { ...answer, body: null } : answer
}

const ALLOW = 'GET, HEAD'

function methodNotAllowed(method: string, writeError: WriteError): FinishedResponse {
  if (method === 'OPTIONS') return finish(204, { allow: ALLOW }, undefined)
  return writeError(
    httpError('method_not_allowed', 'Questions about health are asked with GET or HEAD', {
      headers: { allow: ALLOW },
    }),
  )
}

/** How a check went. */
type CheckResult = 'ok' | 'failed' | 'timeout'

/** The parts that the checks are run with. */
interface Checking {
  readonly timeout: number
  readonly resolve: (token: Token<unknown>) => Promise<unknown>
  readonly logger: Logger
}

/** Creates the runner of all checks. Requests during a run share its result. */
function createChecks(
  checks: readonly (readonly [name: string, check: HealthCheck])[],
  { timeout, resolve, logger }: Checking,
): () => Promise<Readonly<Record<string, CheckResult>>> {
  const last = new Map<string, CheckResult>()
  let running: Promise<Readonly<Record<string, CheckResult>>> | undefined
  const run = async (name: string, check: HealthCheck): Promise<readonly [string, CheckResult]> => {
    const [result, err] = await runCheck(check, { timeout, resolve })
    const before = last.get(name) ?? 'ok'
    last.set(name, result)
    if (result !== before) {
      if (result === 'ok') logger.info({ check: name }, 'A health check passes again')
      else logger.warn({ check: name, result, err }, 'A health check fails')
    }
    return [name, result]
  }
  const runAll = async (): Promise<Readonly<Record<string, CheckResult>>> => {
    const results = await Promise.all(checks.map(([name, check]) => run(name, check)))
    running = undefined
    return Object.fromEntries(results)
  }
  return () => (running ??= runAll())
}

async function runCheck(
  check: HealthCheck,
  { timeout, resolve }: Pick<Checking, 'timeout' | 'resolve'>,
): Promise<readonly [result: CheckResult, error?: unknown]> {
  const abort = new AbortController()
  const context: HealthContext = {
    signal: abort.signal,
    // a token carries the type of what it supplies
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    resolve: <T>(token: Token<T>) => resolve(token) as Promise<T>,
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly ['timeout']>((settle) => {
    timer = setTimeout(() => {
      settle(['timeout'])
      abort.abort(new DOMException('The health check took too long', 'TimeoutError'))
    }, timeout)
  })
  const ran = (async (): Promise<readonly [CheckResult, unknown?]> => {
    try {
      return (await check(context)) === false ? ['failed'] : ['ok']
    } catch (error) {
      return ['failed', error]
    }
  })()
  try {
    return await Promise.race([ran, late])
  } finally {
    clearTimeout(timer)
  }
}
