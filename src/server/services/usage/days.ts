import type { Places } from './places.ts'
import { createTable, dayOf, type Table } from './table.ts'

/** The tables of days: that of today, and those that are not stored since they ended. */
export interface Days {
  readonly today: (now: number) => Table
  /** The tables with something that is not stored. */
  readonly dirty: () => readonly Table[]
  /** Begins all tables anew. */
  readonly clear: () => void
  /** Adds up what tables have with what was counted since. */
  readonly restore: (tables: readonly Table[]) => void
  /** Drops the tables that have ended and are stored. */
  readonly dropStored: () => void
}

/** Creates the tables. */
export function createDays(limit: number, places: Places): Days {
  const tables = new Map<string, Table>()
  const open = (moment: number): Table => {
    const day = dayOf(moment)
    const table = tables.get(day) ?? createTable(moment, limit, places)
    tables.set(day, table)
    return table
  }
  let current = open(Date.now())
  return {
    today: (now) => {
      if (now >= current.end) current = open(now)
      return current
    },
    dirty: () => [...tables.values()].filter(({ isDirty }) => isDirty),
    clear: () => {
      tables.clear()
      current = open(Date.now())
    },
    restore: (taken) => {
      for (const entry of taken.flatMap((table) => table.entries())) {
        const { version, route, client, lastSeen, lastBrownout = lastSeen, changes = [] } = entry
        const last = Date.parse(lastSeen)
        const table = open(last)
        const name = client ?? undefined
        table.add(places.named(version, route), name, {
          ...entry,
          last,
          lastBrownout: Date.parse(lastBrownout),
        })
        for (const { id, count, ...change } of changes)
          table.add(places.named(version, route, id), name, { count, last: Date.parse(change.lastSeen) })
      }
    },
    dropStored: () => {
      for (const [day, table] of tables) if (table !== current && !table.isDirty) tables.delete(day)
    },
  }
}
