import { createScriptRunner } from '../../server/stores/redis.ts'
import { isString, ignoreRejection, withTimeout } from '../../base/values.ts'
import type { IdempotencyStore } from './store.ts'

/*
 * A key is a hash: f the fingerprint, t the token of the run, l the end of its lease by the clock of Redis, r the result. A script runs
 * whole or not at all, so that of several requests one starts a key. A client may send a script again after it lost its connection: then a
 * run finds its own token. A key that is not there when its run ends was lost, by a restart of Redis: the result is kept all the same.
 */
const BEGIN = `
local e = redis.call('HMGET', KEYS[1], 'f', 't', 'l', 'r')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if e[1] then
  if e[4] then return { 'finished', e[1], e[4] } end
  local left = tonumber(e[3]) - now
  if e[2] ~= ARGV[1] and (left > 0 or ARGV[5] == '0' or e[1] ~= ARGV[2]) then
    return { 'running', e[1], string.format('%.0f', left) }
  end
end
redis.call('HSET', KEYS[1], 'f', ARGV[2], 't', ARGV[1], 'l', string.format('%.0f', now + ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { 'started' }`

const RENEW = `
local e = redis.call('HMGET', KEYS[1], 't', 'r')
if e[1] ~= ARGV[1] or e[2] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'l', string.format('%.0f', now + ARGV[2]))
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1`

const FINISH = `
local t = redis.call('HGET', KEYS[1], 't')
if t and t ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'f', ARGV[4], 't', ARGV[1], 'r', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`

const FAIL = `
local e = redis.call('HMGET', KEYS[1], 't', 'r')
if e[1] == ARGV[1] and not e[2] then redis.call('DEL', KEYS[1]) end
return 1`

/** Creates the store of all processes that share a Redis. */
export function createRedisStore(client: object): IdempotencyStore {
  const run = createScriptRunner(client)
  if (run === undefined) throw new TypeError('idempotency: store is no client of Redis')
  const repeat = createRepeater()
  return {
    begin: async (key, { token, fingerprint, lease, lifetime, takesOver }) => {
      const found = await run(BEGIN, toName(key), [
        token,
        fingerprint,
        String(lease),
        String(lifetime),
        takesOver ? '1' : '0',
      ])
      const [state, known, last] = Array.isArray(found) ? found.map(String) : []
      if (state === 'started') return { state }
      if (isString(known) && isString(last)) {
        if (state === 'finished') return { state, fingerprint: known, result: last }
        if (state === 'running') return { state, fingerprint: known, left: Number(last) }
      }
      throw new TypeError('Redis gave no state of an idempotency key')
    },
    renew: async (key, token, lease) => Number(await run(RENEW, toName(key), [token, String(lease)])) === 1,
    finish: async (key, token, { text, lifetime, fingerprint }) =>
      Number(await run(FINISH, toName(key), [token, text, String(lifetime), fingerprint])) === 1,
    fail: async (key, token) => {
      const release = async (): Promise<unknown> => run(FAIL, toName(key), [token])
      try {
        return await release()
      } catch (error) {
        // the key would be held by a run that there never was, or that has failed
        repeat(release)
        throw error
      }
    },
  }
}

function toName(key: string): string {
  return `octavo:idempotency:${key}`
}

/** The most calls that wait for another try. */
const MOST = 10_000

/** Milliseconds. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000
const LONGEST_CALL = 1000

/**
 * Creates a function that takes calls which a store has refused, and makes them until they work. They wait for each other, so that a store
 * that is down is asked once at a time. Beyond 10,000 calls, the oldest are given up.
 */
function createRepeater(): (call: () => Promise<unknown>) => void {
  const calls = new Set<() => Promise<unknown>>()
  let isRunning = false
  const run = async (): Promise<void> => {
    isRunning = true
    for (let delay = FIRST_DELAY; calls.size > 0; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      // without keeping the process alive, on platforms that have the method
      await new Promise((resolve) => setTimeout(resolve, delay).unref?.())
      if (await makeAll(calls)) delay = FIRST_DELAY
    }
    isRunning = false
  }
  return (call) => {
    const [oldest] = calls
    if (oldest !== undefined && calls.size >= MOST) calls.delete(oldest)
    calls.add(call)
    if (!isRunning) ignoreRejection(run())
  }
}

/** Repeats calls up to the first that fails. Returns whether one has worked. */
async function makeAll(calls: Set<() => Promise<unknown>>): Promise<boolean> {
  let hasWorked = false
  for (const call of calls) {
    // a failed key must not delay other keys
    calls.delete(call)
    try {
      await withTimeout(LONGEST_CALL, call())
      hasWorked = true
    } catch {
      calls.add(call)
      return hasWorked
    }
  }
  return hasWorked
}
