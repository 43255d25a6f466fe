/** A value, now or later. */
export type Awaitable<T> = T | PromiseLike<T>

/** Whether the value has a `then` method, as promises of every origin have. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  // one look: asking for the member before reading it costs twice, on objects of many shapes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** Does something with a value: in the same turn where it is there already, else when it comes. */
export function after<V, T>(value: Awaitable<V>, change: (value: V) => T): T | PromiseLike<T> {
  return isPromise(value) ? value.then(change) : change(value)
}

/**
 * Waits for a promise up to `time` milliseconds. Returns whether it was fulfilled in time. @throws what the promise is rejected with in time; a later rejection is ignored.
 */
export async function settlesWithin(promise: Promise<unknown>, time: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, time, false)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** The result of the work of a store, or an error when it takes longer. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`The store gave no answer within ${milliseconds} ms`))
    const timer = setTimeout(late, milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/**
 * Calls a function the first time only, and returns its promise every time: for code that is loaded when something first needs it. If it
 * rejects, the next call tries again.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  const forget = (error: unknown): never => {
    loading = undefined
    throw error
  }
  return () => (loading ??= load().catch(forget))
}

/** Runs a function and ignores its errors and rejections. `orElse` is done if it throws. */
export function ignoreFailure(work: () => unknown, orElse?: () => unknown): void {
  try {
    ignoreRejection(work())
  } catch {
    if (orElse !== undefined) ignoreFailure(orElse)
  }
}

const ignore = (): void => undefined

/** Marks a rejection as handled, because the promise has no consumer any more. */
export function ignoreRejection(promise: unknown): void {
  try {
    // not followed, because a thenable may resolve to itself for ever
    if (isPromise(promise)) void promise.then(ignore, ignore)
  } catch {
    // a thenable whose `then` throws has no rejection
  }
}

/**
 * Returns the result of a hook that Octavo does not await.
 *
 * @throws `TypeError` with the code `promise_not_awaited` for a promise, whose rejection is ignored.
 */
export function atOnce<T>(hook: string, result: T | PromiseLike<unknown>): T {
  if (!isPromise(result)) return result
  ignoreRejection(result)
  const error = new TypeError(`${hook} returned a promise, which is not awaited`)
  throw Object.assign(error, { code: 'promise_not_awaited' })
}

/** Anything that logs, such as the context of a request. */
interface Logs {
  readonly log: { error(details: object, message: string): unknown }
}

/** Returns the result of a hook that Octavo does not await. A promise is logged, and `otherwise` is returned in its place. */
export function atOnceOr<T>(hook: string, result: T | PromiseLike<unknown>, otherwise: T, source: Logs): T {
  if (!isPromise(result)) return result
  try {
    return atOnce<T>(hook, result)
  } catch (err) {
    ignoreFailure(() => source.log.error({ err }, `${hook} failed`))
    return otherwise
  }
}
