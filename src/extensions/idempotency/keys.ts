import { ignoreFailure, ignoreRejection, withTimeout, type Awaitable } from '../../base/values.ts'
import type { ExecutionContext } from '../../define/context.ts'
import type { Store, StoreSetOptions } from '../../define/store.ts'
import { guardStore, type GuardedStore } from '../../server/stores/guarded-store.ts'
import { LOST } from './request-key.ts'

/*
 * The value of a key is a line of fingerprint, token and the end of the lease, in milliseconds since 1970. A result follows behind a line
 * break. Each write has a condition: of several requests one starts a key, and a write that arrives late replaces no other. A client of Redis
 * may send a write again after it lost its connection. Then the condition isn't met, and the run finds its own token.
 */

/** A run of a handler that wants a key. */
export interface Claim {
  readonly key: string
  /** A random text that names the run. Stores are shared, so a count wouldn't do. */
  readonly token: string
  /** A digest of method, route and input. */
  readonly fingerprint: string
  /** The client whose key it is. */
  readonly owner: string
}

/** A key that another run has. */
export interface KnownKey {
  readonly fingerprint: string
  readonly token: string
  /** Milliseconds until the lease of that run ends, 0 or less if it has ended. */
  readonly left: number
  /** `undefined` while the run has no result. */
  readonly result: string | undefined
}

/** The key of a run. */
export interface HeldKey {
  /** Extends the lease. Returns whether the run still has its key. */
  readonly renew: () => Promise<boolean>
  /** Keeps the result of the run. */
  readonly finish: (result: string) => Promise<void>
  /** Forgets the key, so that the next request runs the handler. */
  readonly release: () => Promise<void>
}

export interface Keys {
  /** Starts a key, or returns whose it is. Returns `undefined` if the store has no room. Rejects if the store fails. */
  readonly begin: (claim: Claim, context: ExecutionContext) => Promise<HeldKey | KnownKey | undefined>
}

/** Times in milliseconds. */
interface KeyOptions {
  readonly lifetime: number
  readonly lease: number
  /** Whether a run whose lease has ended loses its key to one with the same fingerprint. */
  readonly takesOver: boolean
  readonly storeTimeout: number
}

/** Tries to start a key that another run starts, or that ends, at the same moment. */
const TRIES = 3

/** Opens the idempotency keys in a store. */
export function openKeys(store: Store, options: KeyOptions): Keys {
  const { lifetime, lease, takesOver, storeTimeout } = options
  const guarded = guardStore(store, { name: 'idempotency keys', timeout: storeTimeout })
  const repeat = createRepeater()
  return {
    begin: async (claim, context) => {
      const { fingerprint, token, owner } = claim
      const key = toName(claim)
      const value = toRunning(claim, lease)
      const hold = (held: string): HeldKey =>
        holdKey({ store, guarded, repeat, options }, claim, held, context)
      let pending: Awaitable<unknown>
      let isAsked = false
      const begun = (call: Awaitable<unknown>): void => {
        isAsked = true
        pending = call
      }
      const caller = { log: context.log, begun }
      let known: KnownKey | undefined
      let condition: StoreSetOptions = { ifAbsent: true }
      try {
        for (let tries = 0; tries < TRIES; tries++) {
          if (await guarded.set(key, value, { ttl: lifetime, owner, ...condition }, caller))
            return hold(value)
          const found = await guarded.get(key, context)
          known = found === undefined ? undefined : parse(found)
          if (found !== undefined && known?.token === token) return hold(found)
          if (known !== undefined && !(takesOver && isLost(known, fingerprint))) break
          condition = found === undefined ? { ifAbsent: true } : { ifEqual: found }
        }
        return known
      } catch (error) {
        // it may have started the key, or do so later, which would refuse the next request
        if (isAsked)
          ignoreFailure(async () => {
            await Promise.resolve(pending).catch(() => undefined)
            await releaseKey(store, claim, value).catch(() => repeat(() => releaseKey(store, claim, value)))
          })
        throw error
      }
    },
  }
}

interface Opened {
  readonly store: Store
  readonly guarded: GuardedStore
  readonly repeat: (call: () => Promise<unknown>) => void
  readonly options: KeyOptions
}

/** Holds a key that has the value `started`. */
function holdKey(
  { store, guarded, repeat, options: { lifetime, lease } }: Opened,
  claim: Claim,
  started: string,
  context: ExecutionContext,
): HeldKey {
  const key = toName(claim)
  const ends = Date.now() + lifetime
  let held = started
  /** Writes in place of the value that the run has. */
  const replace = async (value: string, ttl: number): Promise<'written' | 'absent' | 'taken' | 'full'> => {
    for (let tries = 0; tries < 2; tries++) {
      const isWritten = await guarded.set(key, value, { ttl, ifEqual: held }, context)
      const found = isWritten ? value : await guarded.get(key, context)
      if (found === undefined) return 'absent'
      if (parse(found).token !== claim.token) return 'taken'
      const before = held
      held = found
      if (found === value) return 'written'
      if (found === before) return 'full'
      // a renewal that timed out was stored after all
    }
    return 'full'
  }
  return {
    renew: async () => {
      // a write without its time to live would keep the key for ever
      const outcome = await replace(toRunning(claim, lease), Math.max(ends - Date.now(), lease))
      return outcome === 'written' || outcome === 'full'
    },
    finish: async (result) => {
      const value = toFinished(claim, result)
      let outcome = await replace(value, lifetime)
      if (outcome === 'full') outcome = await replace(toFinished(claim, LOST), lifetime)
      // a restart of Redis forgets keys
      if (outcome === 'absent')
        await guarded.set(key, value, { ttl: lifetime, ifAbsent: true, owner: claim.owner }, context)
      if (outcome === 'taken')
        ignoreFailure(() =>
          context.log.warn(
            {},
            'A handler ran longer than the lease of its idempotency key: give a longer lease',
          ),
        )
    },
    release: async () => {
      const asked: Pick<Store, 'get' | 'delete'> = {
        get: (name) => guarded.get(name, context),
        delete: (name, conditions = {}) => guarded.delete(name, conditions, context),
      }
      // the key would be held by a run that has failed
      await releaseKey(asked, claim, held).catch(() => repeat(() => releaseKey(store, claim, held)))
    },
  }
}

/** Removes a key that has no result, if the run of the claim has it. */
async function releaseKey(store: Pick<Store, 'get' | 'delete'>, claim: Claim, held: string): Promise<void> {
  const key = toName(claim)
  if (await store.delete(key, { ifEqual: held })) return
  // a renewal that timed out may have been stored after all
  const found = await store.get(key)
  if (typeof found === 'string' && parse(found).token === claim.token)
    await store.delete(key, { ifEqual: found })
}

/** Whether the run with this fingerprint has lost its key, because its lease has ended. */
function isLost({ result, left, ...known }: KnownKey, fingerprint: string): boolean {
  return result === undefined && left <= 0 && known.fingerprint === fingerprint
}

function toName({ key }: Claim): string {
  return `idempotency:${key}`
}

function toRunning({ fingerprint, token }: Claim, lease: number): string {
  return `${fingerprint} ${token} ${Date.now() + lease}`
}

function toFinished({ fingerprint, token }: Claim, result: string): string {
  return `${fingerprint} ${token}\n${result}`
}

function parse(value: string): KnownKey {
  const end = value.indexOf('\n')
  const isFinished = end !== -1
  const [fingerprint = '', token = '', lease] = (isFinished ? value.slice(0, end) : value).split(' ')
  return {
    fingerprint,
    token,
    left: isFinished ? 0 : Number(lease) - Date.now(),
    result: isFinished ? value.slice(end + 1) : undefined,
  }
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
