import { createWorkerWarning } from '../stores/worker-warning.ts'
import { flatCopy } from '../values.ts'
import { LOST } from './outcome.ts'
import type { IdempotencyStore } from './store.ts'

/** A key whose handler runs. */
interface Running {
  readonly fingerprint: string
  readonly token: string
  /** When the lease ends, in milliseconds since 1970. */
  readonly lease: number
  /** When the key is forgotten. */
  readonly until: number
}

/** A key whose handler has run: most of what the store holds, so it has no more than a replay needs. */
interface Finished {
  readonly fingerprint: string
  readonly result: string
  readonly until: number
}

/** About what an entry takes besides its texts, in bytes. */
const OVERHEAD = 300

/** What an entry takes, in bytes. */
function sizeOf(key: string, fingerprint: string, result: string): number {
  return OVERHEAD + key.length + fingerprint.length + Buffer.byteLength(result)
}

/** Calls `drop` for the entries that have ended. Returns when the next one ends. */
function eachEnded<T extends { readonly until: number }>(
  entries: ReadonlyMap<string, T>,
  now: number,
  drop: (key: string, entry: T) => void,
): number {
  for (const [key, entry] of entries) {
    if (entry.until > now) return entry.until
    drop(key, entry)
  }
  return Infinity
}

/** Extends the lease of a run, and its lifetime if that ends sooner. Returns whether the run holds the key. */
function extend(running: Map<string, Running>, key: string, token: string, lease: number): boolean {
  const known = running.get(key)
  if (known?.token !== token) return false
  running.delete(key)
  running.set(flatCopy(key), { ...known, lease, until: Math.max(known.until, lease) })
  return true
}

const WORKER =
  'Each worker keeps its own idempotency keys in memory, so a handler can run twice: give idempotency a store'

/**
 * Creates the store of one process, which logs a warning in a worker. Keys that have ended are dropped. It never forgets others: if there is
 * no room for a new key, `begin` throws, because the handler of a forgotten key would run again.
 */
export function createMemoryStore(maxBytes: number): IdempotencyStore {
  // all live equally long: the first to end is the first, or one that was renewed
  const running = new Map<string, Running>()
  const finished = new Map<string, Finished>()
  let size = 0
  /** When the first entry ends, or a moment before. */
  let due = Infinity
  const warnInWorker = createWorkerWarning(WORKER)
  const dropRunning = (key: string, entry: Running): void => {
    if (running.delete(key)) size -= sizeOf(key, entry.fingerprint, '')
  }
  const dropEnded = (now: number): void => {
    const ofRunning = eachEnded(running, now, dropRunning)
    const ofFinished = eachEnded(finished, now, (key, { fingerprint, result }) => {
      finished.delete(key)
      size -= sizeOf(key, fingerprint, result)
    })
    due = Math.min(ofRunning, ofFinished)
  }
  return {
    begin: (key, { token, fingerprint, lease, lifetime, takesOver }, { log }) => {
      warnInWorker(log)
      const now = Date.now()
      if (now >= due) dropEnded(now)
      const known = finished.get(key)
      if (known !== undefined)
        return { state: 'finished', fingerprint: known.fingerprint, result: known.result }
      const other = running.get(key)
      if (other !== undefined) {
        const left = other.lease - now
        if (left > 0 || !takesOver || other.fingerprint !== fingerprint)
          return { state: 'running', fingerprint: other.fingerprint, left }
        dropRunning(key, other)
      } else if (size > maxBytes)
        throw new Error(`The memory for idempotency keys, ${maxBytes} bytes, is full`)
      size += sizeOf(key, fingerprint, '')
      const until = now + lifetime
      running.set(flatCopy(key), { fingerprint, token, lease: now + lease, until })
      if (until < due) due = until
      return { state: 'started' }
    },
    renew: (key, token, lease) => extend(running, key, token, Date.now() + lease),
    finish: (key, token, { text, lifetime }) => {
      const known = running.get(key)
      if (known?.token !== token) return false
      // begin lets no more keys in then, and those that run may all have long results
      const isTooMuch = text.length > OVERHEAD && size + Buffer.byteLength(text) > maxBytes
      const result = isTooMuch ? LOST : text
      running.delete(key)
      size += Buffer.byteLength(result)
      finished.set(flatCopy(key), { fingerprint: known.fingerprint, result, until: Date.now() + lifetime })
      return true
    },
    fail: (key, token) => {
      const known = running.get(key)
      if (known?.token === token) dropRunning(key, known)
    },
  }
}
