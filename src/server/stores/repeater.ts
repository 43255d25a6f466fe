import { ignoreRejection, within } from '../../base/async.ts'

/** The most calls that wait for another try. */
const MOST = 10_000

/** Milliseconds. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000
const LONGEST_CALL = 1000

/**
 * Creates a function that takes calls which a store has refused, and makes them until they work. They wait for each other, so that a store
 * that is down is asked once at a time. Beyond 10,000 calls, the oldest are given up.
 */
export function createRepeater(): (call: () => Promise<unknown>) => void {
  const calls = new Set<() => Promise<unknown>>()
  let isRunning = false
  const run = async (): Promise<void> => {
    isRunning = true
    for (let delay = FIRST_DELAY; calls.size > 0; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      await pause(delay)
      if (await makeAll(calls)) delay = FIRST_DELAY
    }
    isRunning = false
  }
  return (call) => {
    const [oldest] = calls
    if (oldest !== undefined && calls.size >= MOST) calls.delete(oldest)
    calls.add(call)
    if (!isRunning) ignoreRejection(run())
  }
}

/** Repeats calls up to the first that fails. Returns whether one has worked. */
async function makeAll(calls: Set<() => Promise<unknown>>): Promise<boolean> {
  let hasWorked = false
  for (const call of calls) {
    // one that fails for a reason of its own does not keep the others waiting
    calls.delete(call)
    try {
      await within(LONGEST_CALL, call())
      hasWorked = true
    } catch {
      calls.add(call)
      return hasWorked
    }
  }
  return hasWorked
}

/** Waits, without keeping the process alive. */
async function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    // not all platforms have the method
    setTimeout(resolve, milliseconds).unref?.()
  })
}
