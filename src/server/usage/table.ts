import type { UsageEntry } from '../options/usage.ts'
import { createCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import type { Place, Places } from './places.ts'

/** Counts the calls of one day. */
export interface Table {
  readonly day: string
  /** The first millisecond of the next day. */
  readonly end: number
  /** Whether something was counted since it was stored. */
  isDirty: boolean
  readonly add: (place: Place, client: string | undefined, count: number, at: number) => void
  readonly entries: () => readonly UsageEntry[]
}

/** The milliseconds of a day. */
export const DAY = 86_400_000
/** The part of the entries that is folded at once, so that a request rarely sorts. */
const FOLDED_PART = 10
/** Longer names of clients are cut, so that the memory of an entry has a limit. */
const LONGEST_NAME = 200
/** The client of entries that stand for several. */
const FOLDED = '*'

/** What folding reads of places. */
type KnownPlaces = Pick<Places, 'list' | 'foldedOf'>

/** The day of a moment in UTC, such as `2026-01-05`. */
export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10)
}

/** Creates the table of the day of a moment, with entries up to the limit. */
export function createTable(moment: number, limit: number, places: KnownPlaces): Table {
  const start = moment - (moment % DAY)
  let counts = createCounts()
  const table: Table = {
    day: dayOf(start),
    end: start + DAY,
    isDirty: false,
    add: ({ id }, client, count, at) => {
      // a clock that is set back
      counts.add(id, client && cut(client), count, Math.max(0, at - start))
      if (counts.size() > limit) counts = fold(counts, limit, places)
      table.isDirty = true
    },
    entries: () =>
      counts.pairs().flatMap(({ place: id, client, count, last }) => {
        const place = places.list[id]
        if (place === undefined) return []
        const { version, route } = place
        const called = { day: table.day, version, route, client: client ?? null }
        const seen = { count, lastSeen: new Date(start + last).toISOString() }
        return [{ ...called, ...seen }]
      }),
  }
  return table
}

function cut(name: string): string {
  return name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name
}

/** Folds the least used pairs into one for each version. */
function fold(counts: Counts, limit: number, { list, foldedOf }: KnownPlaces): Counts {
  const all = counts.pairs()
  const rare = new Set(
    all
      .filter(({ place }) => list[place]?.isFolded === false)
      .toSorted((a, b) => a.count - b.count || a.last - b.last)
      .slice(0, Math.ceil(limit / FOLDED_PART)),
  )
  const folded = createCounts()
  for (const pair of all) {
    const place = list[pair.place]
    if (place === undefined) continue
    if (rare.has(pair)) folded.add(foldedOf(place).id, FOLDED, pair.count, pair.last)
    else folded.add(pair.place, pair.client, pair.count, pair.last)
  }
  return folded
}
