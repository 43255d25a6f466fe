import { checkOptions, type Rules } from '../../base/definition-error.ts'
import { detachString, isPositive } from '../../base/values.ts'
import type { Store, StoreCount, StoreDeleteOptions, StoreSetOptions } from '../../define/store.ts'

/** The options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  /** The most keys. Beyond it, those that would end first are forgotten. @default 100000 */
  readonly maxKeys?: number
}

/** A store in the memory of this process, which answers at once. */
export interface MemoryStore extends Store {
  /** The number of keys, with those that have ended and are not dropped yet. */
  readonly size: number
  get(key: string): string | undefined
  set(key: string, value: string, options?: StoreSetOptions): boolean
  delete(key: string, options?: StoreDeleteOptions): boolean
  increment(key: string, amount: number, ttl: number): StoreCount
}

const OPTIONS: Rules = { maxKeys: [isPositive, 'a number of keys, at least 1'] }

/**
 * Creates a store in the memory of this process, for development, tests and programs of one process.
 *
 * @example
 * const store = createMemoryStore({ maxKeys: 1000 })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Required<Store> {
  checkOptions('createMemoryStore', options, OPTIONS)
  return openMemory(options)
}

/** The limits of a memory. */
interface MemoryLimits extends MemoryStoreOptions {
  /** Bytes. Beyond it, `set` stores nothing, so no key is forgotten early. @default no limit */
  readonly maxBytes?: number
}

/** Keys that live about equally long, the first to end first. */
type Lane = Map<string, Entry>

interface Entry {
  value: string
  /** Milliseconds since 1970. */
  readonly expires: number
  readonly lane: Lane
  readonly owner: string
  /** Bytes. */
  readonly size: number
}

/** Milliseconds to live by powers of two, so that a lane is in the order of its ends, nearly. The last one is for keys that never end. */
const LANES = 64

/** About what an entry takes besides its texts, in bytes. */
const OVERHEAD = 350

/**
 * Opens a memory. Each `set` drops what has ended, so no timer is needed. Above `maxKeys`, the keys that would end first go before their
 * time. Below `maxBytes`, each owner may take as much as it leaves free: alone it has half of the memory, and each owner more leaves a
 * smaller part to all. So one that fills its part keeps no other out.
 */
export function openMemory({ maxKeys = 100_000, maxBytes = Infinity }: MemoryLimits): MemoryStore {
  const entries = new Map<string, Entry>()
  const lanes: readonly Lane[] = Array.from({ length: LANES + 1 }, () => new Map())
  const owners = new Map<string, number>()
  let size = 0

  const count = ({ owner, size: bytes }: Entry, sign: 1 | -1): void => {
    if (maxBytes === Infinity) return
    size += sign * bytes
    const own = (owners.get(owner) ?? 0) + sign * bytes
    if (own > 0) owners.set(owner, own)
    else owners.delete(owner)
  }
  const remove = (key: string, entry: Entry): void => {
    entries.delete(key)
    entry.lane.delete(key)
    count(entry, -1)
  }
  const find = (key: string): Entry | undefined => {
    const entry = entries.get(key)
    return entry === undefined || entry.expires <= Date.now() ? undefined : entry
  }
  const dropEnded = (now: number): void => {
    for (const lane of lanes) {
      // most lanes are empty, and an iterator for each would cost more than the rest
      if (lane.size === 0) continue
      for (const [key, entry] of lane) {
        if (entry.expires > now) break
        remove(key, entry)
      }
    }
  }
  const dropFirst = (): void => {
    const [first] = lanes.find((lane) => lane.size > 0) ?? []
    if (first !== undefined) remove(...first)
  }
  /** Whether there is room for an entry in place of the known one, which it may replace by little more. */
  const hasRoom = (
    { owner, size: bytes }: Pick<Entry, 'owner' | 'size'>,
    known: Entry | undefined,
  ): boolean => {
    const growth = known === undefined ? 0 : bytes - known.size
    if (known !== undefined && growth <= OVERHEAD) return true
    return (owners.get(owner) ?? 0) + growth <= maxBytes - size
  }
  const add = (key: string, value: string, ttl: number, more: Pick<Entry, 'owner' | 'size'>): void => {
    const lane = lanes[ttl === Infinity ? LANES : Math.min(LANES - 1, Math.ceil(Math.log2(Math.max(1, ttl))))]
    if (lane === undefined) return
    const before = entries.get(key)
    if (before !== undefined) remove(key, before)
    while (entries.size >= maxKeys) dropFirst()
    const own = detachString(key)
    const entry = { value, expires: Date.now() + ttl, lane, ...more }
    entries.set(own, entry)
    lane.set(own, entry)
    count(entry, 1)
  }
  return {
    get size() {
      return entries.size
    },
    get: (key) => find(key)?.value,
    set: (key, value, { ttl = Infinity, ifAbsent = false, ifEqual, owner } = {}) => {
      dropEnded(Date.now())
      const known = find(key)
      if (ifAbsent && known !== undefined) return false
      if (ifEqual !== undefined && known?.value !== ifEqual) return false
      const bytes = maxBytes === Infinity ? 0 : OVERHEAD + key.length + Buffer.byteLength(value)
      const more = { owner: known?.owner ?? detachString(owner ?? ''), size: bytes }
      if (!hasRoom(more, known)) return false
      add(key, value, ttl, more)
      return true
    },
    delete: (key, { ifEqual } = {}) => {
      const known = entries.get(key)
      if (known === undefined || (ifEqual !== undefined && known.value !== ifEqual)) return false
      remove(key, known)
      return true
    },
    increment: (key, amount, ttl) => {
      const known = find(key)
      if (known !== undefined) {
        const total = Number(known.value) + amount
        known.value = String(total)
        return { total, left: known.expires - Date.now() }
      }
      dropEnded(Date.now())
      add(key, String(amount), ttl, { owner: '', size: 0 })
      return { total: amount, left: ttl }
    },
  }
}
