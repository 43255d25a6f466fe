import { FOLDED } from '../../options/usage.ts'
import type { ChangeUsage, UsageEntry } from '../../options/usage.ts'
import { createCounts } from './counts.ts'
import type { Counts, Pair } from './counts.ts'
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

/** The members of places that folding reads. */
type KnownPlaces = Pick<Places, 'list' | 'foldedOf'>

/** The day of a moment in UTC, such as `2026-01-05`. */
export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10)
}

/** Creates the table of the day of a moment, with entries up to the limit. */
export function createTable(moment: number, limit: number, places: KnownPlaces): Table {
  const start = moment - (moment % DAY)
  const atOnce = Math.ceil(limit / FOLDED_PART)
  let counts = createCounts()
  let most = limit
  const table: Table = {
    day: dayOf(start),
    end: start + DAY,
    isDirty: false,
    add: ({ id }, client, count, at) => {
      // a clock that is set back
      counts.add(id, client && cut(client), count, Math.max(0, at - start))
      if (counts.size() > most) {
        counts = fold(counts, atOnce, places)
        // what cannot be folded any more, as of many versions, must not be tried with each request
        most = counts.size() > limit ? counts.size() + atOnce : limit
      }
      table.isDirty = true
    },
    entries: () => toCalled(counts, places).map((called) => toEntry(called, table.day, start)),
  }
  return table
}

function cut(name: string): string {
  return name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name
}

/** A route in a version that a client called. */
interface Called extends Pick<Place, 'version' | 'route' | 'isFolded'> {
  readonly client: string | undefined
  count: number
  last: number
  /** The pair of the call, and those of the changes that altered it. */
  readonly pairs: (Pair & { readonly of: Place })[]
}

/** The calls, each with its changes. */
function toCalled(counts: Counts, { list }: Pick<KnownPlaces, 'list'>): readonly Called[] {
  const found: Map<string | undefined, Called>[] = []
  for (const pair of counts.pairs()) {
    const place = list[pair.place]
    if (place === undefined) continue
    const { version, route, change, isFolded } = place
    const { client } = pair
    const clients = (found[place.call] ??= new Map<string | undefined, Called>())
    const known = clients.get(client)
    const called = known ?? { version, route, isFolded, client, count: 0, last: 0, pairs: [] }
    if (known === undefined) clients.set(client, called)
    if (change === undefined) called.count = pair.count
    called.last = Math.max(called.last, pair.last)
    called.pairs.push({ ...pair, of: place })
  }
  return found.flatMap((clients) => [...clients.values()])
}

function toEntry(
  { version, route, client, count, last, pairs }: Called,
  day: string,
  start: number,
): UsageEntry {
  const seen = (at: number): string => new Date(start + at).toISOString()
  const changes = pairs.flatMap((pair): readonly ChangeUsage[] => {
    const id = pair.of.change
    return id === undefined ? [] : [{ id, count: pair.count, lastSeen: seen(pair.last) }]
  })
  const entry = { day, version, route, client: client ?? null, count, lastSeen: seen(last) }
  return changes.length === 0 ? entry : { ...entry, changes }
}

/** Folds the least used calls into one for each version, until so many pairs are folded. */
function fold(counts: Counts, atOnce: number, { list, foldedOf }: KnownPlaces): Counts {
  const all = toCalled(counts, { list })
  const rare = new Set<Called>()
  let size = 0
  for (const called of all.toSorted((a, b) => a.count - b.count || a.last - b.last)) {
    if (called.isFolded) continue
    if (size >= atOnce) break
    rare.add(called)
    size += called.pairs.length
  }
  const folded = createCounts()
  for (const called of all) {
    for (const { of, place, client, count, last } of called.pairs) {
      if (rare.has(called)) folded.add(foldedOf(of).id, FOLDED, count, last)
      else folded.add(place, client, count, last)
    }
  }
  return folded
}
