import { atOnceOr, isFunction } from '../../base/values.ts'
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks'

import { documenting, RETRY_AFTER, type Middleware } from '../../define/layers.ts'
import { ownProblem } from '../../define/problem.ts'
import { DefinitionError, checkOptions, invalidOption, type Rules } from '../../base/definition-error.ts'
import { addedError, type HttpError } from '../../http/errors.ts'

/** The options of `loadShedding`. */
export interface LoadSheddingOptions {
  /** Milliseconds that the event loop may be late. Requests are refused while it is later. @default 500 */
  readonly maxDelay?: number
  /** Seconds after which clients should try again. @default 5 */
  readonly retryAfter?: number
  /**
   * Returns how late the process is, in milliseconds. It is called for each request. @default how late the timers of the process ran, as
   * a median over half a second
   */
  readonly measure?: () => number
}

const WHERE = 'loadShedding'

const OPTIONS: Rules = {
  maxDelay: [(value) => Number.isFinite(value) && Number(value) > 0, 'a number of milliseconds above 0'],
  retryAfter: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a number of seconds'],
  measure: [isFunction, 'a function that returns milliseconds'],
}

/**
 * Creates middleware that refuses requests with 503 and `Retry-After` (RFC 9110 section 10.2.3) while the process is overloaded. A
 * request that is refused at once can be sent elsewhere, while one that waits too long is often given up and still computed. List it
 * early among the middleware of the application. Middleware before it still runs.
 *
 * @example
 * createApp(AppModule, { middleware: [loadShedding({ maxDelay: 200 })] })
 *
 * @throws `DefinitionError` when an option is wrong, or the platform measures nothing and there is no `measure`, as in Workers.
 */
export function loadShedding(options: LoadSheddingOptions = {}): Middleware {
  checkOptions(WHERE, options, OPTIONS, [], 'loadShedding({ maxDelay: 200 })')
  const { maxDelay = 500, retryAfter = 5, measure = (watched ??= startWatching()) } = options
  const headers = { 'retry-after': String(retryAfter) }
  const shed: Middleware = (context, next) => {
    if (atOnceOr('loadShedding.measure', measure(), 0, context) > maxDelay) throw overloaded(headers)
    return next()
  }
  return documenting(shed, {
    problems: [ownProblem('Overloaded', overloaded(headers), 'The server is overloaded', RETRY_AFTER)],
  })
}

function overloaded(headers: Readonly<Record<string, string>>): HttpError {
  return addedError('overloaded', 'The server is overloaded; try again later', { headers })
}

/** Milliseconds between two looks at the event loop, and between two sums of what was seen. */
const LOOKING = 20
const SUMMING = 500
const NANOSECONDS = 1_000_000

/** The measure of how late timers run in this process, once somebody needs it. */
let watched: (() => number) | undefined

function startWatching(): () => number {
  const histogram = openHistogram()
  let delay = 0
  const sum = (): void => {
    // what it counts is the time between two looks; the median, for a single long task is no load
    delay = histogram.percentile(50) / NANOSECONDS - LOOKING
    histogram.reset()
  }
  setInterval(sum, SUMMING).unref()
  return () => delay
}

function openHistogram(): IntervalHistogram {
  try {
    const histogram = monitorEventLoopDelay({ resolution: LOOKING })
    histogram.enable()
    return histogram
  } catch (cause) {
    // workerd has the function and throws when it is called
    throw new DefinitionError([NOT_MEASURED], { cause })
  }
}

const NOT_MEASURED = invalidOption(
  WHERE,
  'this platform does not measure how late its event loop is',
  'leave out loadShedding and let the platform distribute the load, or give measure',
)
