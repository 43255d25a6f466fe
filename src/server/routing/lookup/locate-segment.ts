import { isPromise, type Awaitable } from '../../../base/values.ts'
import { find, findLeaves, type Match, type PathAt } from '../../../router/find.ts'
import type { Endpoints } from '../../../router/node.ts'
import { EMPTY_NODE } from '../../../router/compile-trie.ts'
import { isWellFormed } from '../../../versioning/version.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import {
  withoutVersion,
  createFloor,
  type Locate,
  type RouteMatch,
  type VersionMatch,
  type LookupParts,
  type VersionRoots,
} from './resolution.ts'
import { pathOf } from './target.ts'
import type { Zone } from '../table/table.ts'

/** Finds the version which a path names, or `undefined` for ordinary paths. */
export interface Segments {
  readonly named: (at: PathAt, match: Match<Endpoint>) => RouteMatch | undefined
  /** Looks up the path in another version. `requested` is the text of the request. */
  readonly inVersion: (at: PathAt, version: string, requested: string, method: number) => RouteMatch
}

/** Versions in the path: the trie itself leads from their segments into their roots. */
export function createSegmentLocate(parts: LookupParts): Locate {
  const { table, versioning, whole, resolveDefault } = parts
  const dynamic = typeof versioning.defaultVersion === 'function'
  const { named } = createSegments(parts)
  return (context, target, method) => {
    const at = whole(pathOf(target))
    const match = find(table.pathRoot, at, method)
    return named(at, match) ?? unnamed(context, at, match)
  }

  function unnamed(context: RequestContext, at: PathAt, match: Match<Endpoint>): Awaitable<RouteMatch> {
    const settle = (resolution: VersionMatch): RouteMatch => ({
      match: dynamic ? find(resolution.root, at, match.method) : match,
      resolution,
    })
    const resolution = resolveDefault(context)
    return isPromise(resolution) ? resolution.then(settle) : settle(resolution)
  }
}

/** Creates the reader of version segments. */
export function createSegments(parts: LookupParts): Segments {
  const { prefixZones: zones, zoneAt } = parts.table
  const [first, ...others] = zones
  const segments = createZoneSegments(parts, first)
  if (others.length === 0) return segments
  const byZone = new Map(others.map((zone) => [zone, createZoneSegments(parts, zone)]))
  const at = (path: string): Segments => byZone.get(zoneAt(path)) ?? segments
  return {
    named: (path, match) => at(path.text).named(path, match),
    inVersion: (path, version, requested, method) =>
      at(path.text).inVersion(path, version, requested, method),
  }
}

function createZoneSegments(parts: LookupParts, zone: Zone): Segments {
  const { prefix, inPath, unionBehind } = zone
  const { table, versioning, strict, whole } = parts
  const { format } = table.known
  const scheme = versioning.path
  const candidateIn = createCandidate(parts, prefix)
  const floorOf = createFloor(table.known, versioning.common.unknown)
  // without parameters in the first segment, or excluded routes that have some, an ordinary match names no version
  const isPart = table.prefixZones.length > 1
  const wild = isPart || unionBehind.edge !== null || unionBehind.rest !== null
  const bare = withoutVersion(table, versioning.vary)
  const common: VersionMatch = { ...bare, root: EMPTY_NODE, scheme, inPath: true }
  const byVersion = new Map<string | null, VersionMatch>(
    [...inPath].map(([version, root]) => [
      version,
      { ...common, kind: 'known', root, version, requested: version },
    ]),
  )
  const versionRoots: VersionRoots = {
    common,
    find: (version, at, method) => inVersion(at, version, version, method).match.leaf?.methods[method],
  }

  return { named, inVersion }

  function named(at: PathAt, match: Match<Endpoint>): RouteMatch | undefined {
    const resolution = byVersion.get(match.version)
    if (resolution !== undefined) return { match: isPart ? within(match, prefix) : match, resolution }
    if (match.leaf !== null && !(wild && beginsWithParameter(match.leaf, prefix))) return undefined
    const version = candidateIn(at.text)
    if (version === undefined) return undefined
    const equal = format === 'string' ? undefined : table.known.find(version)
    // an equal version in its compiled spelling, as /v1/cars for /v1.0/cars
    if (equal !== undefined) return inVersion(at, equal, version, match.method)
    return isBehind(zone, at, match.leaf, strict) ? unknown(at, match, version) : undefined
  }

  function inVersion(at: PathAt, version: string, requested: string, method: number): RouteMatch {
    const [segment = ''] = scheme?.scheme.segments?.(version, scheme.options) ?? []
    const path = whole(`${prefix}/${segment}${at.text.slice(segmentEnd(at.text, prefix))}`)
    const resolution = byVersion.get(version) ?? common
    const match = find(table.pathRoot, path, method)
    return { match: isPart ? within(match, prefix) : match, resolution: { ...resolution, requested } }
  }

  function unknown(at: PathAt, match: Match<Endpoint>, requested: string): RouteMatch {
    const floor = floorOf(versionRoots, requested, at)
    if (floor !== undefined) {
      const found = inVersion(at, floor, requested, match.method)
      return { ...found, resolution: { ...found.resolution, isReplaced: true } }
    }
    const kind = isWellFormed(requested, format) ? 'unknown' : 'invalid'
    return { match: { ...match, leaf: null }, resolution: { ...common, kind, requested } }
  }
}

/** Returns a match without what a version lacks: excluded routes that take the prefix as a parameter don't answer there. */
function within(match: Match<Endpoint>, prefix: string): Match<Endpoint> {
  const isOutside = match.leaf !== null && !match.leaf.shape.pattern.startsWith(prefix)
  return isOutside ? { ...match, leaf: null } : match
}

/** Whether a route serves the rest of the path. If an ordinary route takes the segment as a parameter, only versioned ones count. */
function isBehind(
  { prefix, unionBehind }: Zone,
  at: PathAt,
  leaf: Endpoints<Endpoint> | null,
  strict: boolean,
): boolean {
  const stop = segmentEnd(at.text, prefix)
  // if slashes count, a path that ends with its version segment has no rest
  if (strict && stop === at.text.length) return false
  const rest = findLeaves(unionBehind, at.text, Math.min(stop + 1, at.end), at.end)
  return leaf === null ? rest.length > 0 : rest.some(({ shape }) => shape.versions.length > 0)
}

/** Creates the function that reads the first segment: docs/guide/versioning-rules.md#segments-that-look-like-a-version */
function createCandidate(
  { table, versioning }: LookupParts,
  prefix: string,
): (path: string) => string | undefined {
  const { format } = table.known
  const scheme = versioning.path
  return (path) => {
    if (!path.startsWith(`${prefix}/`)) return undefined
    const segment = path.slice(prefix.length + 1, segmentEnd(path, prefix))
    const version = scheme?.scheme.candidate?.(segment, scheme.options)
    if (version === undefined) return undefined
    return /^\d+(?:\.\d+)*$/.test(version) || (format !== 'string' && isWellFormed(version, format))
      ? version
      : undefined
  }
}

/** Where the first segment after the prefix ends. */
export function segmentEnd(path: string, prefix: string): number {
  const slash = path.indexOf('/', prefix.length + 1)
  return slash === -1 ? path.length : slash
}

/** Whether a pattern takes the first segment after the prefix, or the prefix itself, as a parameter. */
export function beginsWithParameter({ shape }: Endpoints<Endpoint>, prefix: string): boolean {
  const { pattern } = shape
  return (
    !pattern.startsWith(prefix) || pattern.slice(prefix.length, segmentEnd(pattern, prefix)).includes('{')
  )
}
