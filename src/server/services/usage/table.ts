import { FOLDED, type ChangeUsage, type UsageEntry } from '../../options/usage.ts'
import { createCounts, type Counts, type Pair, type Tally } from './counts.ts'
import type { Place, Places } from './places.ts'

/** One call, or several of an entry: its numbers, with moments in milliseconds since 1970. */
type Calls = Partial<Tally> & Pick<Tally, 'count' | 'last'>

/** Counts the calls of one day. */
export interface Table {
  readonly day: string
  /** The first millisecond of the next day. */
  readonly end: number
  /** Whether something was counted since it was stored. */
  isDirty: boolean
  readonly add: (place: Place, client: string | undefined, calls: Calls) => void
  readonly entries: () => readonly UsageEntry[]
}

/** The milliseconds of a day. */
export const DAY = 86_400_000
/** The part of the entries that is folded at once, so that a request rarely looks at all of them. */
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
  const counts = createCounts()
  let most = limit
  // a clock that is set back
  const within = (at: number): number => Math.max(0, at - start)
  const table: Table = {
    day: dayOf(start),
    end: start + DAY,
    isDirty: false,
    add: ({ id }, client, { count, last, ...more }) => {
      const { clientErrors = 0, serverErrors = 0, brownouts = 0, pinned = 0, defaulted = 0 } = more
      const lastBrownout = brownouts === 0 ? 0 : within(more.lastBrownout ?? last)
      counts.add(id, client && cut(client), {
        count,
        last: within(last),
        clientErrors,
        serverErrors,
        brownouts,
        lastBrownout,
        pinned,
        defaulted,
      })
      if (counts.size() > most) {
        fold(counts, atOnce, places)
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

interface Called extends Pick<Place, 'version' | 'route'> {
  readonly client: string | undefined
  /** The pair of the call itself. */
  own: Pair | undefined
  /** The pairs of the changes that altered it. */
  readonly changes: (Pair & { readonly change: string })[]
}

/** The calls, each with its changes. */
function toCalled(counts: Counts, { list }: Pick<KnownPlaces, 'list'>): readonly Called[] {
  const found: Map<string | undefined, Called>[] = []
  for (const pair of counts.pairs()) {
    const place = list[pair.place]
    if (place === undefined) continue
    const { version, route, change } = place
    const { client } = pair
    const clients = (found[place.call] ??= new Map<string | undefined, Called>())
    const called = clients.get(client) ?? { version, route, client, own: undefined, changes: [] }
    clients.set(client, called)
    if (change === undefined) called.own = pair
    else called.changes.push({ ...pair, change })
  }
  return found.flatMap((clients) => [...clients.values()])
}

function toEntry({ version, route, client, own, changes }: Called, day: string, start: number): UsageEntry {
  const seen = (at: number): string => new Date(start + at).toISOString()
  const last = Math.max(own?.last ?? 0, ...changes.map((change) => change.last))
  const { count = 0, brownouts = 0, lastBrownout = 0 } = own ?? {}
  return {
    day,
    version,
    route,
    client: client ?? null,
    count,
    lastSeen: seen(last),
    ...numbersOf(own ?? {}),
    ...(brownouts > 0 ? { lastBrownout: seen(lastBrownout) } : {}),
    ...(changes.length === 0
      ? {}
      : {
          changes: changes.map((change): ChangeUsage => ({
            id: change.change,
            count: change.count,
            lastSeen: seen(change.last),
          })),
        }),
  }
}

/** The numbers of an entry that are absent if they are 0. */
export const NUMBERS = ['clientErrors', 'serverErrors', 'brownouts', 'pinned', 'defaulted'] as const

type Numbers = Partial<Record<(typeof NUMBERS)[number], number>>

export function numbersOf(calls: Numbers): Numbers {
  return Object.fromEntries(NUMBERS.flatMap((name) => (calls[name] ? [[name, calls[name]] as const] : [])))
}

/** Folds the calls of the clients that have not called for the longest time into one for each version, so many calls at once. */
function fold(counts: Counts, atOnce: number, { list, foldedOf }: KnownPlaces): void {
  const changesOf = new Map<number, Place[]>()
  const calls: Place[] = []
  for (const place of list) {
    if (place.isFolded) continue
    if (place.change === undefined) calls.push(place)
    else changesOf.set(place.call, [...(changesOf.get(place.call) ?? []), place])
  }
  const latest = calls.flatMap(({ id }) => Array.from(counts.clients(id), ([, last]) => last))
  const threshold = Float64Array.from(latest).toSorted()[Math.min(atOnce, latest.length) - 1] ?? 0
  let left = atOnce
  for (const place of calls) {
    const old = Array.from(counts.clients(place.id)).filter(([, last]) => last <= threshold)
    for (const [client] of old.slice(0, left)) {
      left--
      for (const each of [place, ...(changesOf.get(place.id) ?? [])])
        counts.move(each.id, client, foldedOf(each).id, FOLDED)
    }
  }
}
