import type { UsageEntry } from '../../server/options/usage.ts'
import type { VersionInfo } from '../../server/routing/report/versions.ts'
import { sumBy } from './summary.ts'
import type { Calls } from './summary.ts'

interface NamedChange {
  readonly version: string
  readonly title: string
}

/** The effect of retiring a version. */
export interface Retirement {
  readonly version: string
  /** The clients that still call it, the most recent first. `null` as the name stands for those that have none. */
  readonly clients: readonly (Pick<Calls, 'count' | 'lastSeen'> & {
    readonly client: string | null
    readonly routes: readonly string[]
  })[]
  /** The routes that are still called in it. */
  readonly routes: readonly (Calls & { readonly route: string })[]
  /** The routes that no other version has, so that nothing calls their handlers any more. */
  readonly deadRoutes: readonly string[]
  /** The changes that no other version is older than, so that they turn nothing any more. */
  readonly deadChanges: readonly NamedChange[]
  /** The other changes that altered no counted request of another version, though such a request can reach them. */
  readonly idleChanges: readonly NamedChange[]
}

/** The changes of versions that are newer than the oldest other one, without those that some request of the others needed. */
function findIdle(
  others: readonly VersionInfo[],
  all: readonly VersionInfo[],
  entries: readonly UsageEntry[],
): readonly NamedChange[] {
  // counts of a time before changes were counted say nothing of them
  if (!entries.some(({ changes }) => changes !== undefined)) return []
  const oldest = all.findIndex((info) => info === others[0])
  const names = new Set(others.map((info) => info.version))
  const needed = new Set(
    entries
      .filter(({ version }) => version !== null && names.has(version))
      .flatMap(({ changes = [] }) => changes.map(({ id }) => id)),
  )
  return all
    .slice(oldest + 1)
    .flatMap(({ version, changes = [] }) =>
      changes.filter(({ id }) => !needed.has(id)).map(({ title }) => ({ version, title })),
    )
}

/** Describes the effect of retiring a version. `versions` are all, oldest first. */
export function toRetirement(
  version: string,
  versions: readonly VersionInfo[],
  entries: readonly UsageEntry[],
): Retirement {
  const called = entries.filter((entry) => entry.version === version)
  const routesOf = (client: string | null): readonly string[] => [
    ...new Set(called.filter((entry) => entry.client === client).map(({ route }) => route)),
  ]
  const index = versions.findIndex((each) => each.version === version)
  const others = versions.filter((_, place) => place !== index)
  const kept = new Set(others.flatMap(({ routes }) => routes.map(({ name }) => name)))
  const own = versions[index]?.routes ?? []
  // the changes of the next version turn only the oldest one
  const after = index === 0 ? versions.slice(1, 2) : []
  return {
    version,
    clients: [...sumBy(called, ({ client }) => client)].map(([client, { count, lastSeen }]) => ({
      client,
      count,
      lastSeen,
      routes: routesOf(client),
    })),
    routes: [...sumBy(called, ({ route }) => route)].map(([route, calls]) => ({ route, ...calls })),
    deadRoutes: [...new Set(own.map(({ name }) => name))].filter((name) => !kept.has(name)),
    deadChanges: after.flatMap((info) =>
      (info.changes ?? []).map(({ title }) => ({ version: info.version, title })),
    ),
    idleChanges: findIdle(others, versions, entries),
  }
}
