import { countClients, type UsageEntry } from '../../server/options/usage.ts'

/** How often something was called, by how many clients, and when last. */
export interface Calls {
  readonly count: number
  /** The number of clients with a name. */
  readonly clients: number
  /** Whether there are more, whose calls were folded into one entry. */
  readonly hasMoreClients: boolean
  readonly lastSeen: string
}

/** Groups entries by a key of each. */
export function groupBy<K>(
  entries: readonly UsageEntry[],
  keyOf: (entry: UsageEntry) => K,
): ReadonlyMap<K, readonly UsageEntry[]> {
  const found = new Map<K, UsageEntry[]>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const group = found.get(key)
    if (group === undefined) found.set(key, [entry])
    else group.push(entry)
  }
  return found
}

/** Adds up the calls of each key, most recent first. */
export function sumBy<K>(
  entries: readonly UsageEntry[],
  keyOf: (entry: UsageEntry) => K,
): ReadonlyMap<K, Calls> {
  const sums = [...groupBy(entries, keyOf)].map(([key, group]) => [key, toCalls(group)] as const)
  return new Map(sums.toSorted(([, a], [, b]) => (a.lastSeen < b.lastSeen ? 1 : -1)))
}

/** How many requests each change altered, by its id. */
export function sumChanges(entries: readonly UsageEntry[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { id, count } of entries.flatMap(({ changes = [] }) => changes))
    sums.set(id, (sums.get(id) ?? 0) + count)
  return sums
}

function toCalls(entries: readonly UsageEntry[]): Calls {
  return {
    count: entries.reduce((sum, { count }) => sum + count, 0),
    ...countClients(entries),
    lastSeen: entries.reduce((last, { lastSeen }) => (lastSeen > last ? lastSeen : last), ''),
  }
}
