import { Keyv } from 'keyv'

import type { SessionStore } from './options.ts'

interface Entry {
  readonly value: unknown
  readonly expires: number
}

/** Sessions that a process keeps: whoever sends no cookie gets a new one with every request that writes to it. */
const MAX_ENTRIES = 50_000

/** A Keyv in the memory of this process that lets go of what has expired. */
export function createMemoryStore(): SessionStore {
  return new Keyv({ store: createExpiringMap() })
}

/**
 * A map whose entries end. Each `set` removes expired entries from the front, where the oldest are: no timer is needed, and an entry
 * stays at most as long as those that were written before it. Above `max` entries, the oldest go before their time.
 *
 * @internal
 */
export function createExpiringMap(max = MAX_ENTRIES): {
  readonly size: number
  get(key: string): unknown
  set(key: string, value: unknown, ttlMs?: number): void
  delete(key: string): boolean
  clear(): void
} {
  const entries = new Map<string, Entry>()
  return {
    get size() {
      return entries.size
    },
    get: (key) => entries.get(key)?.value,
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
    clear: () => entries.clear(),
  }
}
