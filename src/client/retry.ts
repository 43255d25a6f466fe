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
      // an earlier try still runs
      const isInUse = hasKey && response?.status === 409 && response.headers.has('retry-after')
      if (response !== undefined && !statuses.includes(response.status) && !isInUse) return undefined
      const asked = response === undefined ? undefined : readRetryAfter(response.headers.get('retry-after'))
      if (asked === undefined) {
        const longest = Math.min(maxDelay, minDelay * 2 ** attempt)
        // at random, so that clients do not come back together
        return minDelay + Math.random() * Math.max(0, longest - minDelay)
      }
      // a server that asks for more is not asked again
      return asked <= maxDelay ? asked : undefined
    },
  }
}
