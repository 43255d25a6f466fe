import { createUuid } from '../../../base/platform.ts'
import { createStoreGuard } from '../../stores/guard.ts'
import { isFunction, isRecord } from '../../../base/values.ts'
import type { UsageEntry, UsageOptions, UsageStore } from '../../options/usage.ts'
import { DAY, NUMBERS, numbersOf, type Table } from './table.ts'

/** Keeps what tables count. */
export interface UsageWriter {
  /** Stores the counts of tables. If it rejects, `restore` has been called with the counts that are not stored. */
  readonly store: (tables: readonly Table[]) => Promise<void>
  /** Whether a stored table begins anew, because only what was counted since is stored the next time. */
  readonly takesDifferences: boolean
  /**
   * Reads what was stored from a day on, such as `'2026-01-05'`, or all of it. `undefined` if it cannot be read.
   */
  readonly read: ((since?: string) => Promise<readonly UsageEntry[]>) | undefined
}

const KEPT_DAYS = 400

export function createUsageWriter({ store, keep = KEPT_DAYS }: UsageOptions): UsageWriter {
  if (isFunction(store)) return createCaller(store)
  return createStoring(store ?? createMemory(), keep * DAY)
}

function createCaller(store: (entries: readonly UsageEntry[]) => unknown): UsageWriter {
  return {
    takesDifferences: true,
    read: undefined,
    store: async (tables) => {
      const entries = tables.flatMap((table) => table.entries())
      if (entries.length > 0) await store(entries)
    },
  }
}

/** Milliseconds until a store that does not answer has failed. What it stores later is written again, and counts once. */
const STORE_TIMEOUT = 5000

function rethrow(cause: unknown): never {
  throw cause
}

const PREFIX = 'usage:'
/** A Keyv removes its namespace from keys twice, so that of the documentation, `usage`, takes the prefix along. */
const KEY = /^(?:usage:)?(\d{4}-\d\d-\d\d):/

/**
 * Each process writes the whole table of a day under its own key, so that processes never overwrite each other and repeated writes count
 * once.
 */
function createStoring(store: UsageStore, ttlMs: number): UsageWriter {
  const writer = createUuid()
  const guard = createStoreGuard('usage', STORE_TIMEOUT)
  let failure: unknown
  // without a listener, the event itself would be an error
  store.on?.('error', (error) => {
    failure = error
  })
  return {
    takesDifferences: false,
    store: async (tables) => {
      for (const table of tables) {
        const text = JSON.stringify(table.entries())
        table.isDirty = false
        try {
          failure = undefined
          const key = `${PREFIX}${table.day}:${writer}`
          const work = async (): Promise<void> => {
            const result = await store.set(key, text, ttlMs)
            if (result === false) throw new Error('The store did not store', { cause: failure })
          }
          // whoever flushes logs the error
          await guard({ operation: 'set', work, log: undefined }, rethrow)
        } catch (error) {
          table.isDirty = true
          throw error
        }
      }
    },
    read: async (since = '') => {
      const merged = new Map<string, UsageEntry>()
      const pairs = pairsOf(store)
      for (;;) {
        // whoever reads logs the error
        const next = await guard({ operation: 'read', work: () => pairs.next(), log: undefined }, rethrow)
        if (next.done === true) break
        const [key, value] = next.value
        const [, day] = KEY.exec(key) ?? []
        // a day can be a megabyte, and one that is not wanted is not parsed
        if (day === undefined || day < since || typeof value !== 'string') continue
        const entries: unknown = JSON.parse(value)
        if (!Array.isArray(entries)) continue
        // written by a process of the application
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        for (const entry of entries.filter(isRecord) as unknown as readonly UsageEntry[]) merge(merged, entry)
        // requests that wait have their turn between two days
        await new Promise((resolve) => setTimeout(resolve))
      }
      return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
    },
  }
}

async function* pairsOf(store: UsageStore): AsyncGenerator<readonly [string, unknown], void> {
  if (store.iterator !== undefined) yield* store.iterator()
}

/** Adds an entry to the one that differs in nothing but its counts, which comes from another process. */
function merge(merged: Map<string, UsageEntry>, entry: UsageEntry): void {
  const { day, version, route, client } = entry
  const key = JSON.stringify([day, version, route, client])
  const known = merged.get(key)
  merged.set(
    key,
    known === undefined
      ? entry
      : { ...entry, ...add(known, entry), ...addOutcomes(known, entry), ...addChanges(known, entry) },
  )
}

/** The number of calls, and the time of the last one. */
type Seen = Pick<UsageEntry, 'count' | 'lastSeen'>

function add(one: Seen, other: Seen): Seen {
  return { count: one.count + other.count, lastSeen: later(one.lastSeen, other.lastSeen) }
}

function addOutcomes(one: UsageEntry, other: UsageEntry): Partial<UsageEntry> {
  const sums = NUMBERS.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)] as const)
  const lastBrownout = later(one.lastBrownout ?? '', other.lastBrownout ?? '')
  return { ...numbersOf(Object.fromEntries(sums)), ...(lastBrownout === '' ? {} : { lastBrownout }) }
}

/** The later of two moments in ISO 8601. */
function later(one: string, other: string): string {
  return one > other ? one : other
}

function addChanges(
  { changes = [] }: UsageEntry,
  { changes: others = [] }: UsageEntry,
): Pick<UsageEntry, 'changes'> {
  const sums = new Map(changes.map((change) => [change.id, change]))
  for (const { id, ...seen } of others) {
    const known = sums.get(id)
    sums.set(id, { id, ...(known === undefined ? seen : add(known, seen)) })
  }
  return sums.size === 0 ? {} : { changes: [...sums.values()] }
}

function createMemory(): UsageStore {
  const kept = new Map<string, { readonly value: string; readonly until: number }>()
  return {
    set: (key, value, ttlMs = Infinity) => {
      const now = Date.now()
      for (const [each, { until }] of kept) if (until < now) kept.delete(each)
      kept.set(key, { value, until: now + ttlMs })
    },
    iterator: async function* () {
      for (const [key, { value }] of kept) yield [key, value] as const
    },
  }
}
