interface Entry {
  readonly value: string
  readonly expires: number
}

/** A store in the memory of this process. */
interface MemoryStore {
  readonly size: number
  get(key: string): string | undefined
  set(key: string, value: string, ttlMs?: number): void
  delete(key: string): boolean
}

/** Entries that a process keeps: whoever sends no cookie gets a new session with every request that writes to it. */
const MAX_ENTRIES = 50_000

/**
 * Creates a store in the memory of this process. Each `set` removes expired entries from the front, where the oldest are: no timer is
 * needed, and an entry stays at most as long as those that were written before it. Above `max` entries, the oldest go before their time.
 */
export function createMemoryStore(max = MAX_ENTRIES): MemoryStore {
  const entries = new Map<string, Entry>()
  return {
    get size() {
      return entries.size
    },
    get: (key) => {
      const entry = entries.get(key)
      return entry === undefined || entry.expires <= Date.now() ? undefined : entry.value
    },
    set: (key, value, ttlMs = Infinity) => {
      const now = Date.now()
      // at the end again, behind everything that was written before
      entries.delete(key)
      for (const [oldest, { expires }] of entries) {
        if (expires > now && entries.size < max) break
        entries.delete(oldest)
      }
      entries.set(key, { value, expires: now + ttlMs })
    },
    delete: (key) => entries.delete(key),
  }
}
