import { isPromise } from '../http.ts'
import { findLeaves } from '../router/find.ts'
import type { Match } from '../router/find.ts'
import type { Leaf } from '../router/node.ts'
import { EMPTY_NODE } from '../router/seal.ts'
import { isWellFormed } from '../versioning/version.ts'
import type { Endpoint } from './endpoint.ts'
import { withoutVersion } from './resolution.ts'
import type { Locate, Located, PathEnds, Resolution, Site } from './resolution.ts'
import { ALL_METHODS, createFloor } from './resolve.ts'

/** Finds the version which a path names; `undefined` for ordinary paths. */
export interface Segments {
  readonly named: (at: PathEnds, match: Match<Endpoint>) => Located | undefined
  /** What a path is in another version; `requested` is what the request says. */
  readonly inVersion: (at: PathEnds, version: string, requested: string, method: number) => Located
}

/** Versions in the path: the trie itself leads from their segments into their roots. */
export function createSegmentLocate(site: Site): Locate {
  const { table, enabled, ends, look, bare } = site
  const dynamic = typeof enabled.defaultVersion === 'function'
  const { named } = createSegments(site, enabled.vary)
  return (context, path, method) => {
    const at = ends(path)
    const match = look(table.entry, at, method)
    const found = named(at, match)
    if (found !== undefined) return found
    const settle = (resolution: Resolution): Located => ({
      match: dynamic ? look(resolution.root, at, method) : match,
      resolution,
    })
    const resolution = bare(context)
    return isPromise(resolution) ? resolution.then(settle) : settle(resolution)
  }
}

/** Makes what reads version segments. `vary`: the headers that may have decided too. */
export function createSegments(site: Site, vary: readonly string[]): Segments {
  const { table, enabled, strict, prefix, ends, look } = site
  const { format } = table.known
  const scheme = enabled.path
  const floorOf = createFloor(table.known.list)
  // without parameters in the first segment, what matches an ordinary path names no version
  const wild = table.unionBehind.edges.length > 0 || table.unionBehind.rest !== null
  const common: Resolution = { ...withoutVersion(table, vary), root: EMPTY_NODE, scheme, inPath: true }
  const byVersion = new Map<string | null, Resolution>(
    [...table.inPath].map(([version, root]) => [
      version,
      { ...common, kind: 'known', root, version, requested: version },
    ]),
  )

  return { named, inVersion }

  function named(at: PathEnds, match: Match<Endpoint>): Located | undefined {
    const resolution = byVersion.get(match.version)
    if (resolution !== undefined) return { match, resolution }
    if (match.leaf !== null && !(wild && beginsWithParameter(match.leaf, prefix))) return undefined
    const version = candidateIn(at.path)
    if (version === undefined) return undefined
    const equal = format === 'string' ? undefined : table.known.find(version)
    // an equal version in its compiled spelling, as /v1/cars for /v1.0/cars
    return equal === undefined ? unknown(at, match, version) : inVersion(at, equal, version, match.method)
  }

  function inVersion(at: PathEnds, version: string, requested: string, method: number): Located {
    const [segment = ''] = scheme?.scheme.segments?.(version, scheme.options) ?? []
    const path = ends(`${prefix}/${segment}${at.path.slice(segmentEnd(at.path, prefix))}`)
    const resolution = byVersion.get(version) ?? common
    return { match: look(table.entry, path, method), resolution: { ...resolution, requested } }
  }

  function unknown(at: PathEnds, match: Match<Endpoint>, requested: string): Located | undefined {
    const stop = segmentEnd(at.path, prefix)
    // where slashes count, a path that ends with its version segment is none
    const union = strict && stop === at.path.length ? EMPTY_NODE : table.unionBehind
    const rest = findLeaves(union, at.path, Math.min(stop + 1, at.end), at.end)
    // an ordinary route keeps what only looks like a version, unless versions are served behind it
    const isServed =
      match.leaf === null ? rest.length > 0 : rest.some(({ shape }) => shape.versions.length > 0)
    if (!isServed) return undefined
    const wellFormed = isWellFormed(requested, format)
    const floor =
      wellFormed && enabled.common.unknown === 'floor'
        ? floorOf(requested, (version) =>
            ALL_METHODS.some((method) => inVersion(at, version, requested, method).match.leaf !== null),
          )
        : undefined
    if (floor !== undefined) {
      const found = inVersion(at, floor, requested, match.method)
      return { ...found, resolution: { ...found.resolution, isFloor: true } }
    }
    const kind = wellFormed ? 'unknown' : 'invalid'
    return { match: { ...match, leaf: null }, resolution: { ...common, kind, requested } }
  }

  /** The version-shaped text that the first segment holds (rule U2). */
  function candidateIn(path: string): string | undefined {
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

/** Whether the first segment of a pattern, after the prefix, is no plain literal. */
function beginsWithParameter({ shape }: Leaf<Endpoint>, prefix: string): boolean {
  return shape.pattern.slice(prefix.length, segmentEnd(shape.pattern, prefix)).includes('{')
}
