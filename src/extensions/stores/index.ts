/** The entry point `octavo/stores`: where state is kept that processes share. */
export { createMemoryStore, type MemoryStoreOptions } from '../../server/stores/memory.ts'
export { createRedisStore, type RedisStoreOptions } from '../../server/stores/redis.ts'
