import { isPromise } from '../http.ts'
import { findLeaves } from '../router/find.ts'
import type { Match } from '../router/find.ts'
import type { Leaf } from '../router/node.ts'
import { EMPTY_NODE } from '../router/seal.ts'
import type { Enabled } from '../versioning/enable.ts'
import { canonicalVersion } from '../versioning/version.ts'
import type { VersionFormat } from '../versioning/version.ts'
import type { Endpoint } from './endpoint.ts'
import { withoutVersion } from './resolution.ts'
import type { Bare, Locate, Located, Look, PathEnds, Resolution } from './resolution.ts'
import type { Table } from './table.ts'

/** The lookup of a path, and of requests that name no version. */
interface Shared {
  readonly ends: (path: string) => PathEnds
  readonly look: Look
  readonly bare: Bare
}

/** Versions in the path: the trie itself leads from their segments into their roots. */
export function createSegmentLocate(
  table: Table,
  enabled: Enabled,
  mode: { readonly strict: boolean; readonly prefix: string },
  { ends, look, bare }: Shared,
): Locate {
  const dynamic = typeof enabled.defaultVersion === 'function'
  const named = createNamed(table, enabled, mode, { ends, look })
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

/** Makes the function that finds the version which a path names; it gives `undefined` for ordinary paths. */
function createNamed(
  table: Table,
  { scheme, options }: Enabled,
  mode: { readonly strict: boolean; readonly prefix: string },
  { ends, look }: Omit<Shared, 'bare'>,
): (at: PathEnds, match: Match<Endpoint>) => Located | undefined {
  const { prefix } = mode
  const { format } = table.known
  const { known, unknown } = createResolutions(table, mode)
  // without parameters in the first segment, what matches an ordinary path names no version
  const wild = table.unionBehind.edges.length > 0 || table.unionBehind.rest !== null

  return (at, match) => {
    if (match.version !== null) return { match, resolution: known(at.path, match.version, match.version) }
    if (match.leaf !== null && !(wild && beginsWithParameter(match.leaf, prefix))) return undefined
    const version = candidateIn(at.path)
    if (version === undefined) return undefined
    const equal = format === 'string' ? undefined : table.known.find(version)
    if (equal !== undefined) {
      // an equal version in its compiled spelling, as /v1/cars for /v1.0/cars
      const [segment = ''] = scheme.segments?.(equal, options) ?? []
      const respelled = ends(`${prefix}/${segment}${at.path.slice(segmentEnd(at.path, prefix))}`)
      const resolution = known(respelled.path, equal, version)
      return { match: look(table.entry, respelled, match.method), resolution }
    }
    const resolution = unknown(at.path, version)
    const start = Math.min(resolution.start, at.end)
    const rest = findLeaves(resolution.union, at.path, start, at.end)
    // an ordinary route keeps what only looks like a version, unless versions are served behind it
    const isServed =
      match.leaf === null ? rest.length > 0 : rest.some(({ shape }) => shape.versions.length > 0)
    return isServed ? { match: { ...match, leaf: null }, resolution } : undefined
  }

  /** The version-shaped text that the first segment holds (rule U2). */
  function candidateIn(path: string): string | undefined {
    if (!path.startsWith(`${prefix}/`)) return undefined
    const segment = path.slice(prefix.length + 1, segmentEnd(path, prefix))
    const version = scheme.candidate?.(segment, options)
    if (version === undefined) return undefined
    return /^\d+(?:\.\d+)*$/.test(version) || (format !== 'string' && isWellFormed(version, format))
      ? version
      : undefined
  }
}

/** Makes the functions that describe what a path with a version segment asks for. */
function createResolutions(
  table: Table,
  { strict, prefix }: { readonly strict: boolean; readonly prefix: string },
): {
  readonly known: (path: string, version: string, requested: string) => Resolution
  readonly unknown: (path: string, requested: string) => Resolution
} {
  const { format } = table.known
  const roots = new Map([...table.roots.values()].map(({ version, node }) => [version, node]))
  const behind = (path: string): Resolution => {
    const end = segmentEnd(path, prefix)
    // where slashes count, a path that ends with its version segment is none
    const union = strict && end === path.length ? EMPTY_NODE : table.unionBehind
    return { ...withoutVersion(table), root: EMPTY_NODE, union, start: end + 1 }
  }
  return {
    known: (path, version, requested) => {
      const root = roots.get(version) ?? EMPTY_NODE
      return { ...behind(path), kind: 'known', root, version, requested }
    },
    unknown: (path, requested) => {
      const kind = isWellFormed(requested, format) ? 'unknown' : 'invalid'
      return { ...behind(path), kind, requested }
    },
  }
}

/** Where the first segment after the prefix ends. */
function segmentEnd(path: string, prefix: string): number {
  const slash = path.indexOf('/', prefix.length + 1)
  return slash === -1 ? path.length : slash
}

function isWellFormed(version: string, format: VersionFormat): boolean {
  return format === 'string' || canonicalVersion(version, format) !== undefined
}

/** Whether the first segment of a pattern, after the prefix, is no plain literal. */
function beginsWithParameter({ shape }: Leaf<Endpoint>, prefix: string): boolean {
  return shape.pattern.slice(prefix.length, segmentEnd(shape.pattern, prefix)).includes('{')
}
