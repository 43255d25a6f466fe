/**
 * Waits for a promise up to `time` milliseconds. Gives whether it was fulfilled in time.
 *
 * @throws what the promise is rejected with in time; a later rejection is ignored.
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

/** Calls a function the first time only, and returns its promise every time: for code that is loaded when something first needs it. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => (loading ??= load())
}
