import { after } from '../../base/async.ts'
import { LONGEST_TIMER } from '../../base/values.ts'

/** Tries of renewing a lease before it ends: a store that fails for a moment loses none. */
const TRIES = 3

/** Renews a lease of so many milliseconds while a handler runs. Call the returned function when it has ended. */
export function keepLease(lease: number, renew: () => unknown): () => void {
  const timer = setInterval(
    () => {
      after(renew(), (isHeld) => {
        if (isHeld === false) clearInterval(timer)
      })
    },
    Math.min(lease / TRIES, LONGEST_TIMER),
  )
  // a request that is answered keeps the process alive by itself; not all platforms have the method
  timer.unref?.()
  return () => clearInterval(timer)
}
