import type { Span } from '@opentelemetry/api'

import type { Observer } from '../../define/observer.ts'
import { readHttpError } from '../../http/errors.ts'

/** The history of a request for telemetry, which its context keeps. A class because every request has one. */
export class Observed {
  /** The value that was thrown last. */
  failure: unknown = undefined
  hasFailed = false
  /** The state of the version in its life, such as `deprecated`. */
  versionStatus: string | undefined = undefined
  /** The span of its input while that is read. */
  input: Span | undefined = undefined
}

/** Returns what happened to a request, or `undefined` if it is not observed. */
export function observedOf(context: object): Observed | undefined {
  const { telemetry }: { readonly telemetry?: object } = context
  return telemetry instanceof Observed ? telemetry : undefined
}

/** Notes what spans and metrics tell of requests. */
export const observer: Pick<Observer, 'matched' | 'error'> = {
  matched: (context, { status }) => {
    const observed = observedOf(context)
    if (observed !== undefined) observed.versionStatus = status
  },
  error: (context, error) => {
    const observed = observedOf(context)
    if (observed === undefined) return
    observed.failure = error
    observed.hasFailed = true
  },
}

/** The kind of an error of the server. By the conventions, a response below 500 has none. */
export function errorTypeOf(known: Observed, status: number): string | undefined {
  if (status < 500) return undefined
  return problemCode(known, status) ?? (known.hasFailed ? 'internal_error' : String(status))
}

/** The code of the problem that a response with an error has; `undefined` if it has none. */
export function problemCode({ failure }: Observed, status: number): string | undefined {
  return status >= 400 ? readHttpError(failure)?.code : undefined
}
