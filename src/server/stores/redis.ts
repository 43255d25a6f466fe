import { isFunction } from '../../base/values.ts'

/** Whether the value is a client of Redis, of the package `ioredis` or `redis`. */
export function isRedis(value: unknown): value is object {
  return isFunction(Object(value).eval)
}

/** Whether a client of Redis is that of `ioredis`: it can define commands, the other one cannot. */
export function isIoredis(client: object): boolean {
  return 'defineCommand' in client
}
