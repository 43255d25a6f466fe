import { FOLDED, type ChangeUsage, type UsageEntry } from '../../options/usage.ts'
import type { RouteInfo } from '../../../define/context.ts'
import { detachString } from '../../../base/values.ts'

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
      counts.add(id, client && (client.length > LONGEST_NAME ? client.slice(0, LONGEST_NAME) : client), {
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

/** A counted call: a route in a version, or a change that altered such a call. Or a change that altered such a call. */
export interface Place {
  readonly id: number
  readonly version: string | null
  readonly route: string
  /** The id of the change, or `undefined` for the route itself. */
  readonly change: string | undefined
  /** The number of the route in the version: that of this place, unless it is one of a change. */
  readonly call: number
  /** Whether it stands for the least used routes and clients of its version. */
  readonly isFolded: boolean
}

/** The places of an application, numbered. */
export interface Places {
  readonly list: readonly Place[]
  readonly of: (route: RouteInfo, version: string | null) => Place
  readonly named: (version: string | null, route: string, change?: string) => Place
  /** The place of a change that altered a call. */
  readonly changed: (place: Place, change: string) => Place
  /** Returns the place that the least used entries of a place are folded into. */
  readonly foldedOf: (place: Place) => Place
}

/** Creates the list of places, which grows with the routes and versions that are used. */
export function createPlaces(): Places {
  const list: Place[] = []
  const byName = new Map<string, Place>()
  const byRoute = new Map<RouteInfo, Map<string | null, Place>>()
  /** The place of each route that was asked for last, because most routes are called in one version. */
  const latest = new Map<RouteInfo, Place>()
  const byChange = new Map<Place, Map<string, Place>>()
  const named: Places['named'] = (version, route, change) => {
    const name = JSON.stringify([version, route, change])
    const known = byName.get(name)
    if (known !== undefined) return known
    const call = change === undefined ? list.length : named(version, route).id
    const place = { id: list.length, version, route, change, call, isFolded: route === FOLDED }
    list.push(place)
    byName.set(name, place)
    return place
  }
  return {
    list,
    named,
    of: (route, version) => {
      const last = latest.get(route)
      if (last !== undefined && last.version === version) return last
      const place =
        byRoute.get(route)?.get(version) ?? keep(byRoute, route, version, named(version, route.name))
      latest.set(route, place)
      return place
    },
    changed: (place, change) =>
      byChange.get(place)?.get(change) ??
      keep(byChange, place, change, named(place.version, place.route, change)),
    foldedOf: ({ version, change }) => named(version, FOLDED, change),
  }
}

function keep<K, L>(places: Map<K, Map<L, Place>>, key: K, inner: L, place: Place): Place {
  const known = places.get(key) ?? new Map<L, Place>()
  places.set(key, known.set(inner, place))
  return place
}

/** The numbers of calls, and moments in milliseconds since the day began, which are small integers. */
export interface Tally {
  readonly count: number
  /** When the last call was. */
  readonly last: number
  readonly clientErrors: number
  /** Answered with 5xx. */
  readonly serverErrors: number
  /** Refused by a brownout. */
  readonly brownouts: number
  readonly lastBrownout: number
  /** In the version that the client is pinned to. */
  readonly pinned: number
  /** In the default version. */
  readonly defaulted: number
}

/** The calls of a client at a place. */
interface Pair extends Tally {
  readonly place: number
  readonly client: string | undefined
}

/** Counts pairs of places and clients. */
interface Counts {
  readonly add: (place: number, client: string | undefined, tally: Tally) => void
  readonly size: () => number
  readonly pairs: () => readonly Pair[]
  readonly clients: (place: number) => Iterable<readonly [client: string | undefined, last: number]>
  /** Moves the calls of a client from one place to another, and to the name of another client. */
  readonly move: (place: number, client: string | undefined, to: number, name: string) => void
}

/** The cells of a pair, in this order. */
const CELLS = [
  'count',
  'last',
  'clientErrors',
  'serverErrors',
  'brownouts',
  'lastBrownout',
  'pinned',
  'defaulted',
] as const
/** Of these cells, the latest moment counts. */
const MOMENTS: readonly string[] = ['last', 'lastBrownout']
const LAST = CELLS.indexOf('last')

/**
 * Creates the counts. The cells of a pair lie side by side in one array, for objects would take twice the memory, and each further place
 * in memory that a rare client is looked up in takes longer than all the rest.
 */
function createCounts(): Counts {
  const cells: number[] = []
  const slots: Map<string | undefined, number>[] = []
  /** Slots whose pair was moved. */
  const free: number[] = []
  const cellOf = (slot: number, index: number): number => cells[slot + index] ?? 0
  const tallyOf = (slot: number): Tally => ({
    count: cellOf(slot, 0),
    last: cellOf(slot, 1),
    clientErrors: cellOf(slot, 2),
    serverErrors: cellOf(slot, 3),
    brownouts: cellOf(slot, 4),
    lastBrownout: cellOf(slot, 5),
    pinned: cellOf(slot, 6),
    defaulted: cellOf(slot, 7),
  })
  const add: Counts['add'] = (place, client, tally) => {
    const own = (slots[place] ??= new Map())
    const known = own.get(client)
    const slot = known ?? free.pop() ?? cells.length
    if (known === undefined) own.set(client === undefined ? client : detachString(client), slot)
    let at = slot
    for (const name of CELLS) {
      const before = known === undefined ? 0 : (cells[at] ?? 0)
      cells[at] = MOMENTS.includes(name) ? Math.max(before, tally[name]) : before + tally[name]
      at++
    }
  }
  return {
    add,
    size: () => cells.length / CELLS.length - free.length,
    pairs: () =>
      // a place without clients is a hole
      slots.flatMap((own, place) => [...own].map(([client, slot]) => ({ place, client, ...tallyOf(slot) }))),
    clients: function* (place) {
      for (const [client, slot] of slots[place] ?? []) yield [client, cellOf(slot, LAST)]
    },
    move: (place, client, to, name) => {
      const slot = slots[place]?.get(client)
      if (slot === undefined) return
      const tally = tallyOf(slot)
      slots[place]?.delete(client)
      free.push(slot)
      add(to, name, tally)
    },
  }
}
