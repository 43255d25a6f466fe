import { METHODS } from '../../../http/http.ts'
import { find, type PathAt } from '../../../router/find.ts'
import type { ActiveScheme } from '../../../versioning/versioning.ts'
import type { VersionValue } from '../../../versioning/schemes/scheme.ts'
import {
  compareVersions,
  hasOrder,
  isWellFormed,
  MAX_VERSION_LENGTH,
  type KnownVersions,
} from '../../../versioning/version.ts'
import { isRetired } from '../../../versioning/policy.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { withoutVersion, type VersionMatch, type LookupParts } from './resolution.ts'
import type { Table } from '../table/table.ts'

/** Resolves a version value of a request at a path. */
export type Resolve = (value: Exclude<VersionValue, undefined>, at: PathAt, method: number) => VersionMatch

/** Where the versions of a scheme are looked up. */
export interface VersionRoots {
  /** The match of requests that name no known version. */
  readonly common: VersionMatch
  readonly find: (version: string, at: PathAt, method: number) => Endpoint | undefined
}

/** Where versions are looked up at paths without version segment. `vary`: the headers that may have decided. */
export function createVersionRoots({ table, versioning }: Omit<LookupParts, 'resolveDefault'>): VersionRoots {
  return {
    common: { ...withoutVersion(table, versioning.vary), root: table.unknownVersion },
    find: (version, at, method) =>
      find(table.roots.get(version) ?? table.unknownVersion, at, method).leaf?.methods[method],
  }
}

/** Whether a version serves a path, whatever the method. */
function isServed(roots: Pick<VersionRoots, 'find'>, version: string, at: PathAt): boolean {
  return ALL_METHODS.some((method) => roots.find(version, at, method) !== undefined)
}

export function createResolve(
  { table, versioning }: Omit<LookupParts, 'resolveDefault'>,
  scheme: ActiveScheme,
  versionRoots: VersionRoots,
): Resolve {
  const { known, lifetimes } = table
  const common: VersionMatch = { ...versionRoots.common, scheme }
  const { exact, byVersion } = createExact(table, scheme, common)
  const floorOf = createFloor(known, versioning.common.unknown)

  return (value, at, method) => {
    if (typeof value === 'string') return exact(value) ?? floor(value, at, method) ?? missing(value)
    if ('ambiguous' in value) return { ...common, kind: 'ambiguous', sources: value.ambiguous }
    const requested = value.join(', ')
    const served = value.map((each) => servedOnly(exact(each), at))
    const isBest = (each: VersionMatch | undefined): boolean =>
      each !== undefined && !isOver(each, at, method)
    const best = served.find(isBest)
    if (best !== undefined) return { ...best, requested }
    // an earlier version counts only if none of the listed ones is served
    const others = [...value.map((each) => floor(each, at, method)), ...served]
    const found = others.find(isBest) ?? others.find((each) => each !== undefined)
    return { ...(found ?? { ...common, kind: 'unknown' }), requested }
  }

  /** The nearest earlier version, unless the path accepts unknown versions: docs/guide/versioning-rules.md#nearest-earlier-version */
  function floor(requested: string, at: PathAt, method: number): VersionMatch | undefined {
    if (floorOf === noFloor || exact(requested) !== undefined) return undefined
    if (find(common.root, at, method).leaf !== null) return undefined
    const found = byVersion.get(floorOf(versionRoots, requested, at) ?? '')
    return found === undefined ? undefined : { ...found, requested, isReplaced: true }
  }

  function missing(requested: string): VersionMatch {
    const kind = isWellFormed(requested, known.format) ? 'unknown' : 'invalid'
    return { ...common, kind, requested }
  }

  /** Whether the answering version is retired, so that another one would serve the client better. */
  function isOver({ version }: VersionMatch, at: PathAt, method: number): boolean {
    if (lifetimes.isEmpty) return false
    const endpointsOf = (asked: readonly number[]): readonly Endpoint[] =>
      asked.flatMap((index) => versionRoots.find(version ?? '', at, index) ?? [])
    const own = endpointsOf([method])
    // a version without the method, as with automatic OPTIONS, is over when everything is that it has here
    const endpoints = own.length > 0 ? own : endpointsOf(ALL_METHODS)
    const { clock } = versioning.common
    return endpoints.length > 0 && endpoints.every((each) => isRetired(lifetimes.of(each, version), clock))
  }

  function servedOnly(found: VersionMatch | undefined, at: PathAt): VersionMatch | undefined {
    return found !== undefined && isServed(versionRoots, found.version ?? '', at) ? found : undefined
  }
}

/** The resolutions of all known versions, and the function that finds the one which equals a value. */
interface Exact {
  readonly byVersion: ReadonlyMap<string, VersionMatch>
  readonly exact: (value: string) => VersionMatch | undefined
}

function createExact(
  { known, roots }: Table,
  { scheme, options }: ActiveScheme,
  common: VersionMatch,
): Exact {
  const byVersion = new Map<string, VersionMatch>()
  const bySpelling = new Map<string, VersionMatch>()
  for (const [version, root] of roots) {
    const requested = scheme.fold(version, options)
    const resolution: VersionMatch = { ...common, kind: 'known', root, version, requested }
    byVersion.set(version, resolution)
    bySpelling.set(requested, resolution)
  }
  return {
    byVersion,
    exact: (value) => {
      const found = bySpelling.get(value)
      if (found !== undefined || known.format === 'string' || value.length > MAX_VERSION_LENGTH) return found
      const equal = byVersion.get(known.find(value) ?? '')
      return equal === undefined ? undefined : { ...equal, requested: value }
    },
  }
}

/** The indexes of all methods. */
const ALL_METHODS = [...METHODS.keys()]

/** The nearest earlier version than a value that serves a path, or `undefined` without `unknown: 'floor'`. */
type Floor = (versionRoots: VersionRoots, requested: string, at: PathAt) => string | undefined

const noFloor: Floor = () => undefined

/** Creates the function that finds the nearest earlier version that is served. */
export function createFloor(
  { list, format, isElsewhere }: KnownVersions,
  unknown: 'error' | 'floor' | undefined,
): Floor {
  if (unknown !== 'floor') return noFloor
  const newestFirst = list.filter((version) => !isElsewhere(version)).toReversed()
  const isAnchor = (requested: string): boolean =>
    requested.length <= MAX_VERSION_LENGTH && isWellFormed(requested, format) && hasOrder(requested)
  return (versionRoots, requested, at) =>
    isAnchor(requested)
      ? newestFirst.find(
          (version) => compareVersions(version, requested) < 0 && isServed(versionRoots, version, at),
        )
      : undefined
}
