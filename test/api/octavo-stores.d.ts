// The public types of octavo/stores. npm run api writes this file, and nothing imports it.

export interface MemoryStoreOptions {
  readonly maxBytes?: number
  readonly maxKeys?: number
}

export interface RedisStoreOptions {
  readonly prefix?: string
}

export function createMemoryStore(options?: MemoryStoreOptions): Required<Store>

export function createRedisStore(client: object, options?: RedisStoreOptions): Store
