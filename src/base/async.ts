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
    const result = work()
    if (isPromise(result)) ignoreRejection(result)
  } catch {
    if (orElse !== undefined) ignoreFailure(orElse)
  }
}

/** Marks a rejection as handled, because the promise has no consumer any more. */
export function ignoreRejection(promise: unknown): void {
  void Promise.resolve(promise).catch(() => undefined)
}

/** What logs errors, such as a request. */
interface Logs {
  readonly log: { error(details: object, message?: string): unknown }
}

/**
 * Returns the value of a function of the application that isn't awaited. For a promise it logs an error with the code `async_function` and
 * returns what is safe instead.
 */
export function valueOr<T>(value: T, safe: T, name: string, source: Logs): T {
  try {
    return requireValue(value, name)
  } catch (err) {
    ignoreFailure(() => source.log.error({ err }, 'A function is not awaited'))
    return safe
  }
}

/** Returns the value of a function of the application that isn't awaited. @throws `TypeError` with the code `async_function` for a promise. */
export function requireValue<T>(value: T, name: string): T {
  if (!isPromise(value)) return value
  ignoreRejection(value)
  const error = new TypeError(`${name} returned a promise, and it is not awaited: return the value itself`)
  throw Object.assign(error, { code: 'async_function' })
}
