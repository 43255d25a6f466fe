import { followSignal, whenAborted, whenCollected } from '../base/signals.ts'

/** A time after which something is aborted, unless it is met. */
export interface Deadline {
  readonly signal: AbortSignal | undefined
  /** Whatever was to be done in time is done. Until a body that is left has been collected, the caller's signal aborts it. */
  readonly meet: (left?: Pick<Response, 'body' | 'bodyUsed'>) => void
}

/** The deadline of a call that the caller may abort too. `timeout` is in milliseconds. */
export function createDeadline(given: AbortSignal | undefined, timeout: number | undefined): Deadline {
  if (timeout === undefined) return { signal: given, meet: () => undefined }
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new DOMException(`There was no answer within ${timeout} ms`, 'TimeoutError')),
    timeout,
  )
  const forget = given === undefined ? undefined : followSignal(given, late)
  return {
    signal: late.signal,
    meet: (left) => {
      clearTimeout(timer)
      if (forget === undefined) return
      if (left?.body && !left.bodyUsed) whenCollected(left.body, forget)
      else forget()
    },
  }
}

/** The promise, as long as the signal is not aborted. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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

/** Waits for some milliseconds. Rejects with the reason of the signal once it is aborted. */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  try {
    await orAborted(over, signal)
  } finally {
    clearTimeout(timer)
  }
}
