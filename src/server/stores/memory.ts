import { checkOptions, type Rules } from '../../base/definition-error.ts'
import { detachString, isPositive } from '../../base/values.ts'
import type { Store, StoreCount, StoreDeleteOptions, StoreSetOptions } from '../../define/store.ts'

/** The options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  /** The most keys. Beyond it, those that would end first are forgotten. Idempotency keys don't count. @default 100000 */
  readonly maxKeys?: number
  /** The most bytes of idempotency keys and their results. Beyond it, new keys are refused, and none is forgotten. @default 67108864 */
  readonly maxBytes?: number
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

const OPTIONS: Rules = {
  maxKeys: [isPositive, 'a number of keys, at least 1'],
  maxBytes: [isPositive, 'a number of bytes, at least 1'],
}

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

/** Keys that live about equally long, the first to end first. */
type Lane = Map<string, Entry>

interface Entry {
  value: string
  /** Milliseconds since 1970. */
  readonly expires: number
  readonly lane: Lane
  /** `undefined` for an entry that may be forgotten. */
  readonly owner: string | undefined
  /** Bytes, 0 without an owner. */
  readonly size: number
}

/** Milliseconds to live by powers of two, so that a lane is in the order of its ends, nearly. The last one is for keys that never end. */
const LANES = 64

/** About what an entry takes besides its texts, in bytes. */
const OVERHEAD = 350

/**
 * Opens a memory. Each `set` drops what has ended, so no timer is needed. Above `maxKeys`, the keys that would end first go before their
 * time, unless they have an owner. Below `maxBytes`, each owner may take as much as it leaves free: alone it has half of the memory, and
 * each owner more leaves a smaller part to all. So one that fills its part keeps no other out.
 */
export function openMemory(limits: MemoryStoreOptions): MemoryStore {
  const memory = new Memory(limits)
  // a plain object, so that programs can spread it
  return {
    get size() {
      return memory.size
    },
    get: (key) => memory.get(key),
    set: (key, value, options) => memory.set(key, value, options),
    delete: (key, options) => memory.delete(key, options),
    increment: (key, amount, ttl) => memory.increment(key, amount, ttl),
  }
}

function createLanes(): readonly Lane[] {
  return Array.from({ length: LANES + 1 }, () => new Map())
}

class Memory implements MemoryStore {
  readonly #maxKeys: number
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  readonly #lanes = createLanes()
  /** The lanes of entries that have an owner. */
  readonly #ownedLanes = createLanes()
  /** Bytes by owner. */
  readonly #owners = new Map<string, number>()
  #bytes = 0
  /** The number of entries that have an owner. */
  #owned = 0

  constructor({ maxKeys = 100_000, maxBytes = 67_108_864 }: MemoryStoreOptions) {
    this.#maxKeys = maxKeys
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): string | undefined {
    return this.#find(key)?.value
  }

  set(
    key: string,
    value: string,
    { ttl = Infinity, ifAbsent = false, ifEqual, owner: given }: StoreSetOptions = {},
  ): boolean {
    this.#dropEnded()
    const known = this.#find(key)
    if (ifAbsent && known !== undefined) return false
    if (ifEqual !== undefined && known?.value !== ifEqual) return false
    const owner = known?.owner ?? (given === undefined ? undefined : detachString(given))
    const size = owner === undefined ? 0 : OVERHEAD + key.length + Buffer.byteLength(value)
    if (owner !== undefined && !this.#hasRoom(owner, size, known)) return false
    this.#add(key, value, ttl, { owner, size })
    return true
  }

  delete(key: string, { ifEqual }: StoreDeleteOptions = {}): boolean {
    const known = this.#find(key)
    if (known === undefined || (ifEqual !== undefined && known.value !== ifEqual)) return false
    this.#remove(key, known)
    return true
  }

  increment(key: string, amount: number, ttl: number): StoreCount {
    const known = this.#find(key)
    if (known !== undefined) {
      const total = Number(known.value) + amount
      known.value = String(total)
      return { total, left: known.expires - Date.now() }
    }
    this.#dropEnded()
    this.#add(key, String(amount), ttl, { owner: undefined, size: 0 })
    return { total: amount, left: ttl }
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || entry.expires <= Date.now() ? undefined : entry
  }

  #add(key: string, value: string, ttl: number, more: Pick<Entry, 'owner' | 'size'>): void {
    const power = ttl === Infinity ? LANES : Math.min(LANES - 1, Math.ceil(Math.log2(Math.max(1, ttl))))
    const lane = (more.owner === undefined ? this.#lanes : this.#ownedLanes)[power]
    if (lane === undefined) return
    const before = this.#entries.get(key)
    if (before !== undefined) this.#remove(key, before)
    while (more.owner === undefined && this.#entries.size - this.#owned >= this.#maxKeys) {
      const [first] = this.#lanes.find(({ size }) => size > 0) ?? []
      if (first === undefined) break
      this.#remove(...first)
    }
    const own = detachString(key)
    const entry = { value, expires: Date.now() + ttl, lane, ...more }
    this.#entries.set(own, entry)
    lane.set(own, entry)
    this.#count(entry, 1)
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key)
    entry.lane.delete(key)
    this.#count(entry, -1)
  }

  #dropEnded(): void {
    const now = Date.now()
    this.#dropEndedOf(this.#lanes, now)
    if (this.#owned > 0) this.#dropEndedOf(this.#ownedLanes, now)
  }

  #dropEndedOf(lanes: readonly Lane[], now: number): void {
    for (const lane of lanes) {
      // most lanes are empty, and an iterator for each would cost more than the rest
      if (lane.size === 0) continue
      for (const [key, entry] of lane) {
        if (entry.expires > now) break
        this.#remove(key, entry)
      }
    }
  }

  #count({ owner, size }: Entry, sign: 1 | -1): void {
    if (owner === undefined) return
    this.#owned += sign
    this.#bytes += sign * size
    const own = (this.#owners.get(owner) ?? 0) + sign * size
    if (own > 0) this.#owners.set(owner, own)
    else this.#owners.delete(owner)
  }

  /** Whether there is room for an entry in place of the known one, which it may replace by little more. */
  #hasRoom(owner: string, size: number, known: Entry | undefined): boolean {
    const growth = known === undefined ? 0 : size - known.size
    if (known !== undefined && growth <= OVERHEAD) return true
    return (this.#owners.get(owner) ?? 0) + growth <= this.#maxBytes - this.#bytes
  }
}
