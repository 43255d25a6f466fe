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
  let forget: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    // the reason is what `fetch` would reject with
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    forget = whenAborted(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    forget?.()
  }
}

/** Those who wait for each signal: one listener for all, for Node warns of more than ten. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls a function when the signal is aborted. Returns the function that forgets it. */
function whenAborted(signal: AbortSignal, stop: () => void): () => void {
  const known = waiting.get(signal)
  const all = known ?? new Set<() => void>()
  if (known === undefined) {
    waiting.set(signal, all)
    signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true })
  }
  all.add(stop)
  return () => void all.delete(stop)
}

/** Waits for some milliseconds. Rejects with the reason of the signal once it is aborted. */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  try {
    await unlessAborted(over, signal)
  } finally {
    clearTimeout(timer)
  }
}
