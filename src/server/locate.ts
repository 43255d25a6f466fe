import type { Awaitable } from '../http.ts'
import { isPromise } from '../http.ts'
import { find, trimSlash } from '../router/find.ts'
import type { Match } from '../router/find.ts'
import type { Node } from '../router/node.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { VersionSource, VersionValue } from '../versioning/scheme.ts'
import { canonicalVersion, MAX_VERSION_LENGTH } from '../versioning/version.ts'
import type { RequestContext } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import type { Table, VersionRoot } from './table.ts'

/** What is known of the version that a request asks for. */
export interface Resolution {
  /** `known`: a version the application has; `none`: no version and no default; the others are mistakes of the client. */
  readonly kind: 'off' | 'none' | 'known' | 'unknown' | 'invalid' | 'ambiguous'
  /** Where the path is looked up. */
  readonly root: Node<Endpoint>
  readonly version: string | null
  /** What the request asked for, for the problem document. */
  readonly requested: string | undefined
  readonly sources: readonly VersionSource[]
  /** Where the version-free path begins. */
  readonly start: number
}

/** A lookup: what was found, and how its version came about. */
export interface Located {
  readonly match: Match<Endpoint>
  readonly resolution: Resolution
}

/** Where a path ends, with and without a trailing slash that does not count. */
export interface PathEnds {
  readonly path: string
  readonly fullEnd: number
  readonly end: number
}

/** Finds what answers a request. */
export type Locate = (context: RequestContext, path: string, method: number) => Awaitable<Located>

/** Makes the lookup for a table, for the way versions travel. */
export function createLocate(
  table: Table,
  enabled: Enabled | undefined,
  mode: { readonly strict: boolean; readonly prefix: string },
): Locate {
  const off: Resolution = {
    kind: 'off',
    root: table.bare,
    version: null,
    requested: undefined,
    sources: [],
    start: 1,
  }
  const ends = (path: string): PathEnds => ({
    path,
    fullEnd: path.length,
    end: mode.strict ? path.length : trimSlash(path, path.length),
  })
  const look = (root: Node<Endpoint>, { path, fullEnd, end }: PathEnds, method: number): Match<Endpoint> =>
    find(root, path, fullEnd, end, method)
  if (enabled === undefined) {
    return (_context, path, method) => ({ match: look(table.bare, ends(path), method), resolution: off })
  }
  const bare = createBare(table, enabled)
  if (enabled.scheme.segments !== undefined)
    return createSegmentLocate(table, enabled, mode, { ends, look, bare })
  return (context, path, method) => {
    const at = ends(path)
    const locate = (value: VersionValue): Awaitable<Located> => {
      if (value === undefined || value === '') {
        const resolution = bare(context)
        return isPromise(resolution) ? resolution.then(lookUp) : lookUp(resolution)
      }
      return lookUp(
        typeof value === 'string'
          ? resolve(table, value)
          : choose(table, value, (root) => reaches(look, root, at)),
      )
    }
    const lookUp = (resolution: Resolution): Located => ({
      match: look(resolution.root, at, method),
      resolution,
    })
    const value = enabled.read(context.request)
    return isPromise(value) ? value.then(locate) : locate(value)
  }
}

type Bare = (context: RequestContext) => Awaitable<Resolution>

/** The resolution of requests that name no version. */
function createBare(table: Table, { defaultVersion }: Enabled): Bare {
  const none: Resolution = {
    kind: 'none',
    root: table.bare,
    version: null,
    requested: undefined,
    sources: [],
    start: 1,
  }
  if (defaultVersion === null) return () => none
  if (typeof defaultVersion === 'string') {
    const known: Resolution = { ...none, kind: 'known', version: table.known.find(defaultVersion) ?? null }
    return () => known
  }
  const toResolution = (version: string | null): Resolution => {
    if (version === null) return none
    const root = table.defaults.get(table.known.find(version) ?? '')
    if (root === undefined) throw new Error('The function defaultVersion chose a version that is not known')
    return { ...none, kind: 'known', root: root.node, version: root.version }
  }
  return (context) => {
    const chosen = defaultVersion(context.request)
    return isPromise(chosen) ? chosen.then(toResolution) : toResolution(chosen)
  }
}

/** The resolution of one value that a request gave. */
function resolve(table: Table, value: string): Resolution {
  const found = rootOf(table, value)
  const common = { requested: value, sources: [], start: 1 }
  if (found !== undefined) return { ...common, kind: 'known', root: found.node, version: found.version }
  const malformed =
    table.known.format !== 'string' && canonicalVersion(value, table.known.format) === undefined
  return { ...common, kind: malformed ? 'invalid' : 'unknown', root: table.other, version: null }
}

/** The root a value leads to: by its spelling, else by an equal version. */
function rootOf(table: Table, value: string): VersionRoot | undefined {
  const exact = table.roots.get(value)
  if (exact !== undefined || table.known.format === 'string' || value.length > MAX_VERSION_LENGTH)
    return exact
  return table.roots.get(table.known.find(value) ?? '')
}

/** The resolution of several values: the first one that is served at the path, or a contradiction. */
function choose(
  table: Table,
  value: Exclude<VersionValue, string | undefined>,
  served: (root: Node<Endpoint>) => boolean,
): Resolution {
  if ('ambiguous' in value) {
    return {
      kind: 'ambiguous',
      root: table.other,
      version: null,
      requested: undefined,
      sources: value.ambiguous,
      start: 1,
    }
  }
  const requested = value.join(', ')
  for (const preferred of value) {
    const found = rootOf(table, preferred)
    if (found !== undefined && served(found.node))
      return { kind: 'known', root: found.node, version: found.version, requested, sources: [], start: 1 }
  }
  return { ...resolve(table, value[0] ?? ''), kind: 'unknown', root: table.other, version: null, requested }
}

type Look = (root: Node<Endpoint>, at: PathEnds, method: number) => Match<Endpoint>

/** Whether a root serves the path, whatever the method. */
function reaches(look: Look, root: Node<Endpoint>, at: PathEnds): boolean {
  return ALL_METHODS.some((method) => look(root, at, method).leaf !== null)
}

const ALL_METHODS = [0, 1, 2, 3, 4, 5, 6, 7]

/** Versions in the path: the trie itself leads from their segments into their roots. */
function createSegmentLocate(
  table: Table,
  enabled: Enabled,
  mode: { readonly prefix: string },
  {
    ends,
    look,
    bare,
  }: { readonly ends: (path: string) => PathEnds; readonly look: Look; readonly bare: Bare },
): Locate {
  const dynamic = typeof enabled.defaultVersion === 'function'
  const byVersion = new Map([...table.roots.values()].map((root) => [root.version, root]))
  return (context, path, method) => {
    const at = ends(path)
    const match = look(table.bare, at, method)
    if (match.version !== null) return { match, resolution: entered(match.version) }
    if (match.leaf === null) {
      const named = candidateIn(path)
      if (named !== undefined) return { match, resolution: named }
      if (dynamic) return defaulted()
    }
    const resolution = bare(context)
    return isPromise(resolution)
      ? resolution.then((settled) => ({ match, resolution: settled }))
      : { match, resolution }

    function defaulted(): Awaitable<Located> {
      const resolution = bare(context)
      const lookUp = (settled: Resolution): Located => ({
        match: look(settled.root, at, method),
        resolution: settled,
      })
      return isPromise(resolution) ? resolution.then(lookUp) : lookUp(resolution)
    }

    function entered(version: string): Resolution {
      const root = byVersion.get(version)?.node ?? table.other
      return { kind: 'known', root, version, requested: version, sources: [], start: afterSegment(path) }
    }
  }

  /** The version that the first segment seems to name, when it is none that is known (rule U2). */
  function candidateIn(path: string): Resolution | undefined {
    const from = mode.prefix.length + 1
    const start = afterSegment(path)
    const segment = path.slice(from, start - 1)
    const version = path.startsWith(`${mode.prefix}/`)
      ? enabled.scheme.candidate?.(segment, enabled.options)
      : undefined
    if (version === undefined || !isVersionShaped(version)) return undefined
    return { kind: 'unknown', root: table.other, version: null, requested: version, sources: [], start }
  }

  /** Where the path goes on after its version segment. */
  function afterSegment(path: string): number {
    const slash = path.indexOf('/', mode.prefix.length + 1)
    return slash === -1 ? path.length + 1 : slash + 1
  }

  function isVersionShaped(version: string): boolean {
    const { format } = table.known
    return (
      /^\d+(?:\.\d+)*$/.test(version) ||
      (format !== 'string' && canonicalVersion(version, format) !== undefined)
    )
  }
}
