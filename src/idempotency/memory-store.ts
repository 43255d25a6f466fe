import { LOST } from './outcome.ts'
import type { IdempotencyStore } from './store.ts'

interface Entry {
  readonly fingerprint: string
  token: string
  /** When the lease ends, in milliseconds since 1970. */
  lease: number
  /** When the key is forgotten. */
  until: number
  result: string | undefined
  size: number
}

/** About what an entry takes besides its texts, in bytes. */
const OVERHEAD = 300

/**
 * Creates the store of one process. Keys that have ended are dropped. It never forgets others: if there is no room for a new key, `begin`
 * throws, because the handler of a forgotten key would run again.
 */
export function createMemoryStore(maxBytes: number): IdempotencyStore {
  // every change of an entry moves it to the end, and all live equally long: the first to end is the first
  const entries = new Map<string, Entry>()
  let size = 0
  const drop = (key: string, entry: Entry): void => {
    if (entries.delete(key)) size -= entry.size
  }
  const put = (key: string, entry: Entry): void => {
    const before = entries.get(key)
    if (before !== undefined) drop(key, before)
    entry.size = OVERHEAD + key.length + entry.fingerprint.length + Buffer.byteLength(entry.result ?? '')
    size += entry.size
    entries.set(key, entry)
  }
  const dropEnded = (now: number): void => {
    for (const [key, entry] of entries) {
      if (entry.until > now) return
      drop(key, entry)
    }
  }
  return {
    begin: (key, { token, fingerprint, lease, lifetime, takesOver }) => {
      const now = Date.now()
      dropEnded(now)
      const known = entries.get(key)
      if (known?.result !== undefined)
        return { state: 'finished', fingerprint: known.fingerprint, result: known.result }
      if (known !== undefined) {
        const left = known.lease - now
        if (left > 0 || !takesOver || known.fingerprint !== fingerprint)
          return { state: 'running', fingerprint: known.fingerprint, left }
      }
      if (size > maxBytes) throw new Error(`The memory for idempotency keys, ${maxBytes} bytes, is full`)
      put(key, {
        fingerprint,
        token,
        lease: now + lease,
        until: now + lifetime,
        result: undefined,
        size: 0,
      })
      return { state: 'started' }
    },
    finish: (key, token, { text, lifetime }) => {
      const known = entries.get(key)
      if (known === undefined || known.token !== token) return false
      // begin lets no more keys in then, and those that run may all have long results
      const isTooMuch = text.length > OVERHEAD && size + Buffer.byteLength(text) > maxBytes
      put(key, { ...known, result: isTooMuch ? LOST : text, until: Date.now() + lifetime })
      return true
    },
    fail: (key, token) => {
      const known = entries.get(key)
      if (known?.token === token && known.result === undefined) drop(key, known)
    },
  }
}
