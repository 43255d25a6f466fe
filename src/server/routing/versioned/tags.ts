import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import { patternShape } from '../../../router/path/pattern.ts'
import {
  coveredBy,
  createKnown,
  declaredVersions,
  isRange,
  specEntries,
  type KnownVersions,
  type VersionEntry,
} from '../../../versioning/version.ts'
import type { Versioning } from '../../../versioning/versioning.ts'

/**
 * Creates the function that tells the entity tags of routes apart that answer at one URL in several versions
 * (RFC 9110 section 8.8.1). The newest of them has its tags as they are.
 */
export function createSuffixOf(
  routes: readonly ResolvedRoute[],
  versioning: Versioning,
): (route: ResolvedRoute) => string | undefined {
  if (versioning.defaultVary.length === 0) return () => undefined
  const versions = olderRoutes(routes, versioning)
  return (route) => {
    const version = versions.get(route)
    return version === undefined ? undefined : `;v=${encodeURIComponent(version)}`
  }
}

/** The routes that answer beside a newer one, each with its newest version. */
function olderRoutes(
  routes: readonly ResolvedRoute[],
  { versions, format }: Versioning,
): ReadonlyMap<ResolvedRoute, string> {
  const places = new Map<string, ResolvedRoute[]>()
  for (const route of routes) {
    const shape = patternShape(route.pattern, false)
    for (const method of route.methods) {
      const key = `${method} ${shape}`
      const others = places.get(key)
      if (others === undefined) places.set(key, [route])
      else others.push(route)
    }
  }
  const declared = declaredVersions(routes.map(({ version }) => version))
  const rankOf = createRank(createKnown({ versions, format }, declared))
  const older = new Map<ResolvedRoute, string>()
  for (const beside of places.values()) {
    if (beside.length === 1) continue
    const newest = Math.max(...beside.map((route) => rankOf(route).rank))
    for (const route of beside) {
      const { rank, version } = rankOf(route)
      if (rank < newest) older.set(route, version)
    }
  }
  return older
}

interface RankedVersion {
  readonly rank: number
  readonly version: string
}

/** Creates the function that finds the newest version of a route. Routes without a version come before all others. */
function createRank(known: KnownVersions): (route: ResolvedRoute) => RankedVersion {
  const ranks = new Map<ResolvedRoute['version'], RankedVersion>()
  const places = new Map(known.list.map((version, place) => [version, place]))
  const rankOfEntry = (entry: VersionEntry): number => {
    if (typeof entry === 'symbol') return -1
    const newest = isRange(entry) ? coveredBy(entry, known)?.at(-1) : known.find(entry)
    return places.get(newest ?? '') ?? -1
  }
  return ({ version }) => {
    const found = ranks.get(version)
    if (found !== undefined) return found
    const rank = Math.max(-1, ...specEntries(version).map(rankOfEntry))
    const made = { rank, version: known.list[rank] ?? 'none' }
    ranks.set(version, made)
    return made
  }
}
