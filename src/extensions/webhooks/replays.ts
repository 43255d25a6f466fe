import type { Awaitable } from '../../base/values.ts'

/** Where `verifyWebhook` remembers the requests that it allowed. */
export interface ReplayStore {
  /**
   * Remembers a key for some milliseconds. Returns `false` if it is remembered already. Of several calls with one key at the same time, one
   * returns `true`.
   */
  add(key: string, ttl: number): Awaitable<boolean>
}

/**
 * Creates a memory of requests for one process. Several processes need a store that they share, such as Redis.
 *
 * @example
 * const Signed = verifyWebhook({ secrets, replays: createReplayMemory() })
 *
 * @param max the most requests that it remembers. The oldest ones are forgotten first. @default 100000
 */
export function createReplayMemory(max = 100_000): ReplayStore {
  /** When each is forgotten, in milliseconds since 1970, in the order in which they came. */
  const seen = new Map<string, number>()
  const memory: ReplayStore = {
    add: (key, ttl) => {
      const now = Date.now()
      const until = seen.get(key)
      if (until !== undefined && until > now) return false
      seen.delete(key)
      for (const [oldest, end] of seen) {
        if (end > now && seen.size < max) break
        seen.delete(oldest)
      }
      seen.set(key, now + ttl)
      return true
    },
  }
  memories.add(memory)
  return memory
}

const memories = new WeakSet<ReplayStore>()

/** Whether the store is the memory of this process. */
export function keepsInMemory(store: ReplayStore): boolean {
  return memories.has(store)
}
