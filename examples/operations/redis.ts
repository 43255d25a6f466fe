import KeyvRedis, { createClient } from '@keyv/redis'
import { Keyv } from 'keyv'
import { createRedisStore } from 'octavo/stores'

/** Opens the stores of an instance in Redis. If the connection breaks, it is opened again, and commands wait for that. */
export function openStores(url: string) {
  const redis = createClient({ url })
  // without a listener, an error ends the process. Commands that fail reject anyway
  redis.on('error', () => undefined)
  return {
    connect: async () => void (await redis.connect()),
    /** Counts requests for the rate limit, and keeps idempotency keys with their results. */
    client: redis,
    store: createRedisStore(redis),
    usage: new Keyv({ store: new KeyvRedis(redis), namespace: 'usage' }),
    pins: {
      get: (client: string) => redis.hGet('pins', client),
      /** Two instances may pin a client at the same time. `HSETNX` keeps the first version, which both return. */
      set: async (client: string, version: string, reason: 'firstUse' | 'upgrade') => {
        if (reason === 'upgrade') await redis.hSet('pins', client, version)
        else await redis.hSetNX('pins', client, version)
        return redis.hGet('pins', client)
      },
    },
  }
}
