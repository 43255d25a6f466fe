import { createUuid } from '../../../base/platform.ts'
import { isRecord, type Awaitable } from '../../../base/values.ts'
import type { Store } from '../../../define/store.ts'
import { guardStore } from '../../stores/guarded-store.ts'
import type { UsageEntry } from '../../options/usage.ts'
import { DAY, dayOf, NUMBERS, numbersOf, type Table } from './table.ts'

/** The counts of all processes, in a store. */
export interface StoredUsage {
  /** Stores the table of a day, in place of the one that this process stored last. */
  readonly write: (table: Table) => Promise<void>
  /** Reads the entries of all processes from a day on, such as `'2026-01-05'`, or of all days. */
  readonly read: (since?: string) => Promise<readonly UsageEntry[]>
}

const KEPT_DAYS = 400

/** Milliseconds until a store that does not answer has failed. What it stores later is written again, and counts once. */
const STORE_TIMEOUT = 5000

/** Values that a reader asks for side by side. A table can be a megabyte. */
const BATCH = 10

/** The most tries to join a list. The pauses between them add up to about three seconds. */
const MOST_TRIES = 20

/** Milliseconds between two of them, at most. */
const LONGEST_PAUSE = 500

/** Whoever writes or reads logs the error. */
const CALLER = { log: undefined }

/**
 * Opens the counts in a store, which keeps them for days. Each process writes the whole table of a day at `usage:<day>:<writer>`, so that
 * processes never overwrite each other and repeated writes count once. The list of its writers is at `usage:<day>`, because a store cannot
 * list its keys.
 */
export function openStoredUsage(store: Store, keep = KEPT_DAYS): StoredUsage {
  const writer = createUuid()
  const guarded = guardStore(store, { name: 'usage', timeout: STORE_TIMEOUT })

  /** Puts this process on the list of a day. It looks each time, because a store may lose the list. */
  const join = async (day: string, ttl: number): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const list = await guarded.get(keyOf(day), CALLER)
      const writers = toWriters(list)
      if (writers.includes(writer)) return
      const condition = list === undefined ? { ifAbsent: true } : { ifEqual: list }
      const text = [...writers, writer].join(' ')
      if (await guarded.set(keyOf(day), text, { ttl, ...condition }, CALLER)) return
      // many processes begin a day at the same moment
      await wait(Math.random() * Math.min(LONGEST_PAUSE, 2 ** tries))
    }
    throw new Error(`Too many processes joined the list ${keyOf(day)} at once`)
  }

  const findKeys = async (day: string): Promise<readonly string[]> =>
    toWriters(await guarded.get(keyOf(day), CALLER)).map((name) => keyOf(day, name))

  return {
    write: async ({ day, end, entries }) => {
      const ttl = Math.max(1, end + keep * DAY - Date.now())
      // a list with a name too many does no harm, but nothing finds a table that is on no list
      await join(day, ttl + DAY)
      await guarded.set(keyOf(day, writer), JSON.stringify(entries()), { ttl }, CALLER)
    },
    read: async (since = '') => {
      const days = daysOf(keep).filter((day) => day >= since)
      const keys: string[] = []
      for await (const found of inBatches(days, findKeys)) keys.push(...found)
      const merged = new Map<string, UsageEntry>()
      for await (const text of inBatches(keys, (key) => guarded.get(key, CALLER))) {
        for (const entry of toEntries(text)) merge(merged, entry)
        // requests that wait have their turn between two tables
        await wait(0)
      }
      return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
    },
  }
}

function keyOf(...parts: readonly string[]): string {
  return ['usage', ...parts].join(':')
}

function toWriters(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(' ')
}

/** The days that may have counts. The last is tomorrow, because the clock of another process may be ahead. */
function daysOf(keep: number): readonly string[] {
  const now = Date.now()
  return Array.from({ length: keep + 2 }, (_, index) => dayOf(now + (index - keep) * DAY))
}

function toEntries(text: string | undefined): readonly UsageEntry[] {
  const entries: unknown = text === undefined ? [] : JSON.parse(text)
  // written by a process of the application
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Array.isArray(entries) ? (entries.filter(isRecord) as unknown as readonly UsageEntry[]) : []
}

// asks for a few values side by side, and then for the next ones
async function* inBatches<T, V>(items: readonly T[], ask: (item: T) => Awaitable<V>): AsyncGenerator<V> {
  for (let at = 0; at < items.length; at += BATCH)
    yield* await Promise.all(items.slice(at, at + BATCH).map(ask))
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
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
