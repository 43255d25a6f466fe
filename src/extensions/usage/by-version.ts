import { within } from '../../base/values.ts'
import type { DocsUsage, VersionUsage } from '../../server/options/docs.ts'
import { countClients, type UsageEntry } from '../../server/options/usage.ts'
import { DAY, dayOf } from '../../server/services/usage/table.ts'

/** The days that `byVersion` adds up. */
export interface UsagePeriod {
  /** The first day in UTC, such as `'2026-01-31'`. @default 29 days before today */
  readonly since?: string | undefined
}

const DAYS = 30
/** Milliseconds that a page waits for a store. */
const PATIENCE = 1000

/** Creates the function that adds up the entries of each version. */
export function createByVersion(
  read: (filter: { readonly since: string }, time: number) => Promise<readonly UsageEntry[]>,
): (period?: UsagePeriod) => Promise<DocsUsage> {
  return async ({ since = firstDay() } = {}) => {
    const entries = await within(PATIENCE, read({ since }, PATIENCE))
    const found = new Map<string, UsageEntry[]>()
    for (const entry of entries) {
      if (entry.version === null) continue
      const known = found.get(entry.version)
      if (known === undefined) found.set(entry.version, [entry])
      else known.push(entry)
    }
    const versions = [...found].map(([version, used]) => [version, toVersionUsage(used)] as const)
    return { since, versions: Object.fromEntries(versions) }
  }
}

function firstDay(): string {
  return dayOf(Date.now() - (DAYS - 1) * DAY)
}

function toVersionUsage(entries: readonly UsageEntry[]): VersionUsage {
  let requests = 0
  let lastSeen = ''
  for (const entry of entries) {
    requests += entry.count
    if (entry.lastSeen > lastSeen) lastSeen = entry.lastSeen
  }
  return { requests, ...countClients(entries), lastSeen }
}
