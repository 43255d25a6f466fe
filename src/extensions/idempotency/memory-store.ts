import type { ExecutionContext } from '../../define/context.ts'
import { createWorkerWarning } from '../../server/stores/guard.ts'
import { detachString } from '../../base/values.ts'
import { LOST } from './request-key.ts'
import type { IdempotencyEntry, IdempotencyStart, IdempotencyStore } from './store.ts'

/** The room that the keys of a client take. */
interface Share {
  readonly client: string
  /** In bytes. */
  size: number
  /** The first to end come first. */
  readonly keys: Set<string>
}

/** A key whose handler runs. */
interface Running {
  readonly share: Share
  readonly fingerprint: string
  readonly token: string
  /** When the lease ends, in milliseconds since 1970. */
  readonly lease: number
  /** When the key is forgotten. */
  readonly until: number
}

/** A key whose handler has run: most of what the store holds, so it has no more than a replay needs. */
interface Finished {
  readonly share: Share
  readonly fingerprint: string
  readonly result: string
  readonly until: number
}

/** About what an entry takes besides its texts, in bytes. */
const OVERHEAD = 350

/** Returns the size of an entry, in bytes. */
function sizeOf(key: string, fingerprint: string, result: string): number {
  return OVERHEAD + key.length + fingerprint.length + Buffer.byteLength(result)
}

/** Calls `drop` for the entries that have ended. Returns when the next one ends. */
function eachEnded<T extends { readonly until: number }>(
  entries: ReadonlyMap<string, T>,
  now: number,
  drop: (key: string, entry: T) => void,
): number {
  for (const [key, entry] of entries) {
    if (entry.until > now) return entry.until
    drop(key, entry)
  }
  return Infinity
}

/** Extends the lease of a run, and its lifetime if that ends sooner. Returns whether the run holds the key. */
function extend(running: Map<string, Running>, key: string, token: string, lease: number): boolean {
  const known = running.get(key)
  if (known?.token !== token) return false
  running.delete(key)
  running.set(detachString(key), { ...known, lease, until: Math.max(known.until, lease) })
  return true
}

const WORKER =
  'Each worker keeps its own idempotency keys in memory, so a handler can run twice: give idempotency a store'

/** A client has to wait until keys end. */
export interface Full {
  readonly state: 'full'
  /** Milliseconds until its first key ends. */
  readonly left: number
}

/** A store that knows whose a key is. */
export interface MemoryStore extends Omit<IdempotencyStore, 'begin'> {
  begin(
    key: string,
    start: IdempotencyStart,
    context: ExecutionContext,
    client?: string,
  ): IdempotencyEntry | Full
}

/** Milliseconds between two warnings that a client has no room. */
const QUIET = 60_000

/**
 * Counts what clients take. Each may take as much as it leaves free: alone it has half of the memory, and each client more leaves a smaller
 * part to all. So one that fills its part keeps no other out.
 */
function createShares(maxBytes: number): {
  readonly of: (client: string) => Share
  readonly hasRoom: (share: Share, bytes: number) => boolean
  /** Returns the copy of the key that is kept. */
  readonly take: (share: Share, key: string, bytes: number) => string
  readonly drop: (share: Share, key: string, bytes: number) => void
} {
  const shares = new Map<string, Share>()
  let size = 0
  const change = (share: Share, bytes: number): void => {
    size += bytes
    share.size += bytes
  }
  return {
    of: (client) => shares.get(client) ?? { client: detachString(client), size: 0, keys: new Set() },
    hasRoom: (share, bytes) => share.size + bytes <= maxBytes - size,
    take: (share, key, bytes) => {
      change(share, bytes)
      shares.set(share.client, share)
      // a finished key expires after keys that began later
      const own = detachString(key)
      share.keys.delete(own)
      share.keys.add(own)
      return own
    },
    drop: (share, key, bytes) => {
      change(share, -bytes)
      share.keys.delete(key)
      if (share.keys.size === 0) shares.delete(share.client)
    },
  }
}

/** Creates the function that refuses a key, and logs a warning once in a while. */
function createFull(maxBytes: number): (left: number, context: ExecutionContext) => Full {
  let quietUntil = 0
  return (left, { log }) => {
    const now = Date.now()
    if (now >= quietUntil) {
      quietUntil = now + QUIET
      log.warn({}, `A client has no room for more idempotency keys in ${maxBytes} bytes`)
    }
    return { state: 'full', left }
  }
}

/**
 * Creates the store of one process, which logs a warning in a worker. Keys that have ended are dropped. It never forgets others, because the
 * handler of a forgotten key would run again.
 */
export function createMemoryStore(maxBytes: number): MemoryStore {
  // all live equally long: the first to end is the first, or one that was renewed
  const running = new Map<string, Running>()
  const finished = new Map<string, Finished>()
  const shares = createShares(maxBytes)
  /** When the first entry ends, or a moment before. */
  let due = Infinity
  const full = createFull(maxBytes)
  const warnInWorker = createWorkerWarning(WORKER)
  const dropRunning = (key: string, { share, fingerprint }: Running): void => {
    if (running.delete(key)) shares.drop(share, key, sizeOf(key, fingerprint, ''))
  }
  const dropFinished = (key: string, { share, fingerprint, result }: Finished): void => {
    if (finished.delete(key)) shares.drop(share, key, sizeOf(key, fingerprint, result))
  }
  const endOf = ([first = '']: Share['keys']): number =>
    finished.get(first)?.until ?? running.get(first)?.until ?? due
  return {
    begin: (key, { token, fingerprint, lease, lifetime, takesOver }, context, client = '') => {
      warnInWorker(context.log)
      const now = Date.now()
      if (now >= due)
        due = Math.min(eachEnded(running, now, dropRunning), eachEnded(finished, now, dropFinished))
      const known = finished.get(key)
      if (known !== undefined)
        return { state: 'finished', fingerprint: known.fingerprint, result: known.result }
      const other = running.get(key)
      const share = shares.of(client)
      if (other !== undefined) {
        const left = other.lease - now
        if (left > 0 || !takesOver || other.fingerprint !== fingerprint)
          return { state: 'running', fingerprint: other.fingerprint, left }
        dropRunning(key, other)
      } else if (!shares.hasRoom(share, 0)) return full(endOf(share.keys) - now, context)
      const own = shares.take(share, key, sizeOf(key, fingerprint, ''))
      const until = now + lifetime
      running.set(own, { share, fingerprint, token, lease: now + lease, until })
      if (until < due) due = until
      return { state: 'started' }
    },
    renew: (key, token, lease) => extend(running, key, token, Date.now() + lease),
    finish: (key, token, { text, lifetime }) => {
      const known = running.get(key)
      if (known?.token !== token) return false
      const { share, fingerprint } = known
      // those that run may all have long results
      const isTooMuch = text.length > OVERHEAD && !shares.hasRoom(share, Buffer.byteLength(text))
      const result = isTooMuch ? LOST : text
      running.delete(key)
      const own = shares.take(share, key, Buffer.byteLength(result))
      finished.set(own, { share, fingerprint, result, until: Date.now() + lifetime })
      return true
    },
    fail: (key, token) => {
      const known = running.get(key)
      if (known?.token === token) dropRunning(key, known)
    },
  }
}
