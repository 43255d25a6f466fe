import { HttpError } from './errors.ts'

const outcomes = new WeakMap<object, boolean>()

/** Notes whether the work of a request that has failed may have been done all the same, because it was sent to another server. */
export function noteOutcome(error: unknown, isUnknown: boolean): void {
  if (typeof error === 'object' && error !== null) outcomes.set(error, isUnknown)
}

/** Whether the work may have been done though it failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  const noted = typeof error === 'object' && error !== null ? outcomes.get(error) : undefined
  return noted ?? (error instanceof HttpError && isUnknownStatus(error.status))
}

/** Whether a gateway has got no answer, or none that it can use (RFC 9110 sections 15.6.3 and 15.6.5). */
export function isUnknownStatus(status: unknown): boolean {
  return status === 502 || status === 504
}
