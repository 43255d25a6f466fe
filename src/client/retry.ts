import { readRetryAfter } from '../http/http.ts'
import type { OutgoingRequest, RetryOptions } from './client-options.ts'

/** The methods that may be sent again, because that changes nothing (RFC 9110 section 9.2.2). */
const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']
/** The statuses that may be gone at the next try. */
const PASSING = [408, 429, 502, 503, 504]

/** When requests are sent again. */
export interface Retry {
  /** How often a request may be sent again. One with a key may be whatever its method is, because the application runs it once. */
  readonly limitFor: (request: Pick<OutgoingRequest, 'method' | 'body'>, hasKey?: boolean) => number
  /** Returns the milliseconds until the next attempt, or `undefined` for no attempt. Without a response, the network failed. */
  readonly delayAfter: (attempt: number, response?: Response, hasKey?: boolean) => number | undefined
}

/** Reads the option `retry`. */
export function createRetry(given: number | RetryOptions = 0): Retry {
  const options = typeof given === 'number' ? { limit: given } : given
  const { limit = 2, methods, statuses = PASSING, minDelay = 300, maxDelay = 30_000 } = options
  return {
    // a stream can be sent once
    limitFor: ({ method, body }, hasKey = false) =>
      (methods?.includes(method) ?? (hasKey || IDEMPOTENT.includes(method))) &&
      !(body instanceof ReadableStream)
        ? limit
        : 0,
    delayAfter: (attempt, response, hasKey = false) => {
      if (response !== undefined && !statuses.includes(response.status) && !(hasKey && isInUse(response)))
        return undefined
      const asked = response === undefined ? undefined : readRetryAfter(response.headers.get('retry-after'))
      if (asked === undefined) return toDelay(attempt, minDelay, maxDelay)
      // a server that asks for more is not asked again
      return asked <= maxDelay ? asked : undefined
    },
  }
}

/** Whether an earlier try still runs. */
function isInUse({ status, headers }: Response): boolean {
  return status === 409 && headers.has('retry-after')
}

/** At random, so that clients do not come back together, up to a limit that doubles from try to try. */
function toDelay(attempt: number, minDelay: number, maxDelay: number): number {
  const longest = Math.min(maxDelay, minDelay * 2 ** attempt)
  return minDelay + Math.random() * Math.max(0, longest - minDelay)
}
