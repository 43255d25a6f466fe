/** A time after which something is aborted, unless it is met. */
export interface Deadline {
  readonly signal: AbortSignal | undefined
  /** Whatever was to be done in time is done. */
  readonly meet: () => void
}

/** The deadline of a call that the caller may abort too. `timeout` is in milliseconds. */
export function createDeadline(given: AbortSignal | undefined, timeout: number | undefined): Deadline {
  if (timeout === undefined) return { signal: given, meet: () => undefined }
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new DOMException(`There was no answer within ${timeout} ms`, 'TimeoutError')),
    timeout,
  )
  return {
    signal: given === undefined ? late.signal : AbortSignal.any([given, late.signal]),
    meet: () => clearTimeout(timer),
  }
}

/** The promise, as long as the signal is not aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  if (signal.aborted) {
    // nobody waits for it any more, and what it says is not lost on anybody
    promise.catch(() => undefined)
    throw signal.reason
  }
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    // the reason is what `fetch` would reject with
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}
