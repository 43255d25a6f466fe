import { FOLDED, type UsageEntry } from '../../server/options/usage.ts'
import type { VersionInfo } from '../../server/routing/report/versions.ts'
import { toDay } from '../../gate/changelog/create-changelog.ts'
import { groupBy, sumBy, sumChanges, type CountedCalls, type KeptClients } from './read-usage.ts'

interface ReleasedChange {
  readonly version: string
  readonly title: string
}

interface AlteringChange extends Pick<ReleasedChange, 'title'> {
  /** Absent for a change that the application no longer has, whose title is its id. */
  readonly version?: string
  /** The day of its release, if it is known. */
  readonly day?: string
  /** Where the changelog describes it. Absent without the page of the changelog. */
  readonly link?: string
}

/**
 * How a client took the last brownout. `moved`: its calls failed, and then it called another version. `stayed`: it called the version
 * again. `failed`: it has not called since. `unnoticed`: it called on other days alone.
 */
type BrownoutEffect = 'moved' | 'stayed' | 'failed' | 'unnoticed'

/** A client that calls a version. */
export interface CallingClient extends Pick<CountedCalls, 'count' | 'lastSeen'> {
  /** `null` stands for clients without a name, `'*'` for folded ones. */
  readonly client: string | null
  readonly routes: readonly string[]
  /** The changes that altered its calls. Without any, it can move to the newest version as it is. Absent if changes were not counted. */
  readonly changes?: readonly AlteringChange[]
  /** Calls in the version because the client is pinned to it. Absent for none. */
  readonly pinned?: number
  /** Calls in the version because it is the default. Absent for none. */
  readonly defaulted?: number
  /** Absent if no brownout refused a call of the version, and for names that stand for several clients. */
  readonly brownout?: BrownoutEffect
}

/** A client that did not call a version, and would miss it all the same. */
interface QuietClient {
  readonly client: string
  readonly reason: 'pinned' | 'subscribed'
  /** The day of its last call of any version, or `null`. */
  readonly lastDay: string | null
}

/** The effect of retiring a version. */
export interface Retirement {
  readonly version: string
  /** The clients that still call it, the most recent first. `null` as the name stands for those that have none. */
  readonly clients: readonly CallingClient[]
  /** The clients that did not call it, and are pinned to it or get webhooks in it. */
  readonly quiet: readonly QuietClient[]
  /** The routes that are still called in it. */
  readonly routes: readonly (CountedCalls & { readonly route: string })[]
  /** The routes that no other version has, so that nothing calls their handlers any more. */
  readonly deadRoutes: readonly string[]
  /** The changes that no other version is older than, so that they turn nothing any more. */
  readonly deadChanges: readonly ReleasedChange[]
}

/** The facts about clients beside their calls. */
interface RetirementSources {
  /** The first day that counts. */
  readonly since?: string | undefined
  readonly pins?: KeptClients
  readonly subscriptions?: KeptClients
  /** The page of the changelog. */
  readonly changelog?: string | undefined
  /** The days of releases by version, where the version is no day itself. */
  readonly days?: ReadonlyMap<string, string>
}

/** Describes the effect of retiring a version. `versions` are all, oldest first, and `all` are entries of any day. */
export function toRetirement(
  version: string,
  versions: readonly VersionInfo[],
  all: readonly UsageEntry[],
  { since = '', pins = [], subscriptions = [], changelog, days = new Map() }: RetirementSources = {},
): Retirement {
  const entries = all.filter(({ day }) => day >= since)
  const called = entries.filter((entry) => entry.version === version)
  const toClient = createToClient(version, versions, entries, { changelog, days })
  // a version that ended may be listed without routes, and needs no change
  const served = versions.filter(
    (each) => each.version === version || each.status !== 'retired' || each.routes.length > 0,
  )
  const index = served.findIndex((each) => each.version === version)
  const others = served.filter((_, place) => place !== index)
  const kept = new Set(others.flatMap(({ routes }) => routes.map(({ name }) => name)))
  const own = served[index]?.routes ?? []
  // the changes of the next version turn only the oldest one
  const after = index === 0 ? served.slice(1, 2) : []
  return {
    version,
    clients: [...sumBy(called, ({ client }) => client)].map(toClient),
    quiet: findQuiet(version, { called, all, pins, subscriptions }),
    routes: [...sumBy(called, ({ route }) => route)].map(([route, calls]) => ({ route, ...calls })),
    deadRoutes: [...new Set(own.map(({ name }) => name))].filter((name) => !kept.has(name)),
    deadChanges: after.flatMap((info) =>
      (info.changes ?? []).map(({ title }) => ({ version: info.version, title })),
    ),
  }
}

/** Creates the function that describes a client by its entries. */
function createToClient(
  version: string,
  versions: readonly VersionInfo[],
  entries: readonly UsageEntry[],
  { changelog, days }: { readonly changelog: string | undefined; readonly days: ReadonlyMap<string, string> },
): (sum: readonly [client: string | null, calls: CountedCalls]) => CallingClient {
  const titles = new Map(
    versions.flatMap((info) =>
      (info.changes ?? []).map(({ id, title }): readonly [string, AlteringChange] => {
        const link = changelog === undefined ? {} : { link: changelog }
        const day = toDay(info.version) ?? days.get(info.version)
        return [id, { version: info.version, title, ...(day === undefined ? {} : { day }), ...link }]
      }),
    ),
  )
  // counts of a time before changes were counted say nothing of them
  const isCounted = entries.some((entry) => entry.changes !== undefined)
  const hasBrownouts = entries.some((entry) => entry.version === version && entry.lastBrownout !== undefined)
  const groups = groupBy(entries, ({ client }) => client)
  return ([client, { count, lastSeen }]) => {
    const all = groups.get(client) ?? []
    const own = all.filter((entry) => entry.version === version)
    const changes = [...sumChanges(own).keys()].map((id) => titles.get(id) ?? { title: id })
    const sum = (name: 'pinned' | 'defaulted'): object => {
      const total = own.reduce((before, entry) => before + (entry[name] ?? 0), 0)
      return total === 0 ? {} : { [name]: total }
    }
    return {
      client,
      count,
      lastSeen,
      routes: [...new Set(own.map(({ route }) => route))],
      ...(isCounted ? { changes } : {}),
      ...sum('pinned'),
      ...sum('defaulted'),
      ...(hasBrownouts && client !== null && client !== FOLDED
        ? { brownout: toEffect(version, all, own) }
        : {}),
    }
  }
}

function toEffect(version: string, all: readonly UsageEntry[], own: readonly UsageEntry[]): BrownoutEffect {
  const failed =
    own
      .map(({ lastBrownout = '' }) => lastBrownout)
      .toSorted()
      .at(-1) ?? ''
  if (failed === '') return 'unnoticed'
  // the refused call is the last one of its entry, if no other came
  if (own.some(({ lastSeen }) => lastSeen > failed)) return 'stayed'
  // a route of every version is no other version
  return all.some((entry) => ![version, null].includes(entry.version) && entry.lastSeen > failed)
    ? 'moved'
    : 'failed'
}

function findQuiet(
  version: string,
  {
    called,
    all,
    pins,
    subscriptions,
  }: {
    readonly called: readonly UsageEntry[]
    readonly all: readonly UsageEntry[]
    readonly pins: KeptClients
    readonly subscriptions: KeptClients
  },
): readonly QuietClient[] {
  const callers = new Set(called.map(({ client }) => client))
  const groups = groupBy(all, ({ client }) => client)
  const lastDayOf = (name: string): string | null =>
    (groups.get(name) ?? [])
      .map(({ day }) => day)
      .toSorted()
      .at(-1) ?? null
  const toQuiet = (kept: KeptClients, reason: QuietClient['reason']): readonly QuietClient[] =>
    [...new Set(kept.filter((each) => each.version === version).map(({ client }) => client))].map(
      (client) => ({
        client,
        reason,
        lastDay: lastDayOf(client),
      }),
    )
  // webhooks reach a client that calls the version, too: its calls move and its payloads don't
  return [
    ...toQuiet(pins, 'pinned').filter(({ client }) => !callers.has(client)),
    ...toQuiet(subscriptions, 'subscribed'),
  ]
}
