import { createClient } from '@redis/client'
import { createRedisStore } from 'octavo/stores'

/** Opens the stores of an instance in Redis. If the connection breaks, it is opened again, and commands wait for that. */
export function openStores(url: string) {
  const redis = createClient({ url })
  // without a listener, an error ends the process. Commands that fail reject anyway
  redis.on('error', () => undefined)
  return {
    connect: async () => void (await redis.connect()),
    /** Counts requests for the rate limit and usage, and keeps sessions, pins and idempotency keys with their results. */
    store: createRedisStore(redis),
  }
}
