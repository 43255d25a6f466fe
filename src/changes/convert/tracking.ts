import { noteAltered } from '../../routes/altered.ts'
import { RequestExtra, type MigrationTracking } from '../../routes/resolved-route.ts'

class TrackedExtra extends RequestExtra {
  readonly changes = new Set<string>()
  readonly altered = (change: string): unknown => this.changes.add(change)
}

/** Creates what notes which changes alter something. `address` are the ids of the changes without which the route would have another one. */
export function createTracking(
  address: readonly string[],
  statusChange: (newest: number) => string | undefined,
): MigrationTracking {
  return {
    begin: (context) => new TrackedExtra(context),
    end: (context, extra) => {
      if (extra instanceof TrackedExtra) for (const change of extra.changes) noteAltered(context, change)
    },
    address: (context) => {
      for (const change of address) noteAltered(context, change)
    },
    status: (context, newest) => {
      const change = statusChange(newest)
      if (change !== undefined) noteAltered(context, change)
    },
  }
}

/** Whether two values are written differently. */
export function differs(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return false
  if (typeof one !== 'object' || typeof other !== 'object') return true
  try {
    return JSON.stringify(one) !== JSON.stringify(other)
  } catch {
    // such as a bigint in it
    return true
  }
}
