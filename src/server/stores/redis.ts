import { checkOptions, DefinitionError, invalidOption, type Rules } from '../../base/definition-error.ts'
import { isFunction, isString } from '../../base/values.ts'
import type { Store } from '../../define/store.ts'

/** The options of `createRedisStore`. */
export interface RedisStoreOptions {
  /** The text that all keys begin with. Applications that share a database of Redis need different ones. @default 'octavo:' */
  readonly prefix?: string
}

/*
 * A script runs whole or not at all, so that a condition and its write are one step. Scripts are the one way in which both clients take
 * commands alike, and put a prefix of their own before keys.
 */
const GET = `return redis.call('GET', KEYS[1])`

// value, milliseconds to live or '', '1' for ifAbsent, '1' for ifEqual, the expected value
const SET = `
if ARGV[4] == '1' and redis.call('GET', KEYS[1]) ~= ARGV[5] then return 0 end
local set = { 'SET', KEYS[1], ARGV[1] }
if ARGV[2] ~= '' then
  set[4] = 'PX'
  set[5] = ARGV[2]
end
if ARGV[3] == '1' then set[#set + 1] = 'NX' end
return redis.call(unpack(set)) and 1 or 0`

// '1' for ifEqual, the expected value
const DELETE = `
if ARGV[1] == '1' and redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
return redis.call('DEL', KEYS[1])`

// amount, milliseconds to live
const INCREMENT = `
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return { total, left }`

const WHERE = 'createRedisStore'

const OPTIONS: Rules = { prefix: [isString, 'a text'] }

/**
 * Creates a store in Redis, which all processes share that have it.
 *
 * @param client a connected client of the package `ioredis` or `redis`.
 *
 * @example
 * const app = createApp(AppModule, { store: createRedisStore(new Redis(process.env.REDIS_URL)) })
 *
 * @throws `DefinitionError` for anything but such a client.
 */
export function createRedisStore(client: object, options: RedisStoreOptions = {}): Store {
  checkOptions(WHERE, options, OPTIONS)
  const { prefix = 'octavo:' } = options
  const run = createScriptRunner(client)
  if (run === undefined)
    throw new DefinitionError([
      invalidOption(WHERE, 'client is no client of Redis', 'give a client of the package ioredis or redis'),
    ])
  return {
    get: async (key) => {
      const value = await run(GET, prefix + key, [])
      return isString(value) ? value : undefined
    },
    set: async (key, value, { ttl = Infinity, ifAbsent = false, ifEqual } = {}) => {
      const time = ttl === Infinity ? '' : String(Math.max(1, Math.ceil(ttl)))
      const conditions = [ifAbsent ? '1' : '0', ifEqual === undefined ? '0' : '1', ifEqual ?? '']
      return Number(await run(SET, prefix + key, [value, time, ...conditions])) === 1
    },
    delete: async (key, { ifEqual } = {}) =>
      Number(await run(DELETE, prefix + key, [ifEqual === undefined ? '0' : '1', ifEqual ?? ''])) === 1,
    increment: async (key, amount, ttl) => {
      const [total, left] = [await run(INCREMENT, prefix + key, [String(amount), String(ttl)])]
        .flat()
        .map(Number)
      if (total === undefined || left === undefined) throw new TypeError('Redis gave no count')
      return { total, left }
    },
  }
}

/** Runs a script of Redis for one key. */
type RunScript = (script: string, key: string, args: readonly string[]) => unknown

/** Creates the function that runs scripts by a client of the package `ioredis` or `redis`. Returns `undefined` for anything else. */
function createScriptRunner(client: object): RunScript | undefined {
  const evaluate: unknown = Object(client).eval
  if (!isFunction(evaluate)) return undefined
  // of the two, ioredis alone can define commands. The other one takes keys and arguments by name
  return 'defineCommand' in client
    ? (script, key, args) => Reflect.apply(evaluate, client, [script, 1, key, ...args])
    : (script, key, args) => Reflect.apply(evaluate, client, [script, { keys: [key], arguments: [...args] }])
}
