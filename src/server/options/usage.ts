import type { Rules } from '../../base/definition-error.ts'
import { isMilliseconds, LONGEST_TIMER } from '../../base/values.ts'
import { STORE, type Store } from '../../define/store.ts'

/** The client, and the route, of entries that stand for several. */
export const FOLDED = '*'

/** The number of clients that entries name. `hasMoreClients` if one of them stands for several. */
export function countNamedClients(entries: readonly Pick<UsageEntry, 'client'>[]): {
  readonly clients: number
  readonly hasMoreClients: boolean
} {
  const clients = new Set(entries.map(({ client }) => client))
  clients.delete(null)
  const hasMoreClients = clients.delete(FOLDED)
  return { clients: clients.size, hasMoreClients }
}

/** How often a client called a route in a version on a day. */
export interface UsageEntry {
  /** The day in UTC, such as `'2026-01-05'`. */
  readonly day: string
  /** The version that answered. `null` for a route of every version if the request named none. */
  readonly version: string | null
  /** The name of the route, or `'*'` in the entry that folds the least used ones of a version. */
  readonly route: string
  /** The client, as the option `client` names it, `null` if it named none, or `'*'` in the entry that folds the least used ones. */
  readonly client: string | null
  /** The number of calls. */
  readonly count: number
  /** The moment of the last call, in ISO 8601. */
  readonly lastSeen: string
  /** The number of calls that were answered with 4xx, brownouts left out. Absent for none. */
  readonly clientErrors?: number
  /** The number of calls that were answered with 5xx. Absent for none. */
  readonly serverErrors?: number
  /** The number of calls that a brownout refused. Absent for none. */
  readonly brownouts?: number
  /** The moment of the last of these, in ISO 8601. */
  readonly lastBrownout?: string
  /** The number of calls in the version that `pinned` keeps for the client. Absent for none. */
  readonly pinned?: number
  /** The number of calls in the default version, which the request did not name. Absent for none. */
  readonly defaulted?: number
  /** The changes that altered some of the calls. Without it, no change did. */
  readonly changes?: readonly ChangeUsage[]
}

/** How often a change of a history altered calls: their requests, their responses or their addresses. */
export interface ChangeUsage {
  /** The id of the change. */
  readonly id: string
  /** The number of calls that it altered. */
  readonly count: number
  /** The moment of the last of them, in ISO 8601. */
  readonly lastSeen: string
}

/** The `usage` option of `createApp`: counts who calls which route in which version. */
export interface UsageOptions {
  /** Where counts are kept. @default the store of `createApp`, and one of them is required */
  readonly store?: Store
  /** Milliseconds between two flushes to the store. The last flush is part of closing. @default 10000 */
  readonly interval?: number
  /** The most entries of a day that a process counts. Beyond it, it folds the least used ones into one for each version. @default 10000 */
  readonly limit?: number
  /** Days that the store keeps the counts of a day after its end. @default 400 */
  readonly keep?: number
}

/** The most entries for which the numbers of a counter stay small integers. */
const MAX_LIMIT = 60_000
/** Fewer would be folded all the time. */
const MIN_LIMIT = 100

const isWhole = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= most

export const USAGE_RULES: Rules = {
  store: STORE,
  interval: [isMilliseconds, `a number of milliseconds from 1 to ${LONGEST_TIMER}`],
  limit: [
    (value) => isWhole(value, MAX_LIMIT) && Number(value) >= MIN_LIMIT,
    `a number from ${MIN_LIMIT} to ${MAX_LIMIT}`,
  ],
  keep: [(value) => isWhole(value, MAX_LIMIT), 'a number of days above 0'],
}
