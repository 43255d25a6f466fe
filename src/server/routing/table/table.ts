import type { DefinitionWarning } from '../../../base/definition-error.ts'
import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import type { Method } from '../../../http/http.ts'
import type { Prefix } from '../../../router/path/pattern.ts'
import type { PathInfo, Node, PathShape } from '../../../router/node.ts'
import type { Lifetime } from '../../../versioning/policy.ts'
import type { Versioned, KnownVersions } from '../../../versioning/version.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'

/** A route on its way into the table: its pattern for the trie, its versions written out. */
export interface TableRoute extends Versioned {
  readonly route: ResolvedRoute
  readonly pattern: ResolvedRoute['pattern']
  /** One for each method of the route. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** The versions of an application. */
export interface Versions {
  readonly known: KnownVersions
  /** That of requests which name none, or `null` if there is none or a function chooses it. */
  readonly defaultVersion: string | null
  /** The versions with a handler among the routes of a path shape, oldest first; neutral ones do not count. */
  readonly servedAt: (rows: readonly Versioned[]) => readonly string[]
  /** The default version at the path shape of some routes. `'latest'` and its like choose among the versions that it has. */
  readonly defaultAt: (rows: readonly Versioned[]) => string | null
}

/** Every route, compiled for lookups. Nothing in it is written after it was built. */
export interface Table extends Versions {
  /** Where a request without a version looks: the default version's routes, or those that answer without. */
  readonly withoutVersion: Node<Endpoint>
  /** Where versions are in the path: the start of every lookup. Version segments lead from it into their roots. */
  readonly pathRoot: Node<Endpoint>
  /** For versions that a header, the query or the host names. */
  readonly roots: Roots
  /** For versions that a default function chooses: unversioned routes answer there too. */
  readonly defaults: Roots
  /** For values that name no known version: paths that never opted into versioning. */
  readonly unknownVersion: Node<Endpoint>
  /** All routes of all versions, to tell apart why nothing matched. */
  readonly all: Node<Endpoint>
  /** Where version segments stand, most paths first. */
  readonly prefixZones: readonly [Zone, ...Zone[]]
  readonly zoneAt: (path: string) => Zone
  /**
   * Under a scheme that puts versions into the path, the neutral routes that answer without one. That is their only address in links,
   * clients and documents.
   */
  readonly withoutSegment: ReadonlySet<ResolvedRoute>
  readonly lifetimes: Lifetimes
  /** Every route, with its versions written out. */
  readonly rows: readonly TableRoute[]
  /** The same by path shape. */
  readonly shapes: readonly PathShape<TableRoute>[]
  /** Finds what deserves a look. Its code is loaded when it is called. */
  readonly findWarnings: () => Promise<readonly DefinitionWarning[]>
}

/** A part of the paths, in which versions are the first segment behind a prefix. */
export interface Zone {
  readonly prefix: string
  /** The roots of versions in the path, without what stands before their segments. */
  readonly inPath: Roots
  /** All routes of all versions behind a version segment. */
  readonly unionBehind: Node<Endpoint>
}

/** The root of each known version; versions that answer alike share one. */
export type Roots = ReadonlyMap<string, Node<Endpoint>>

/** The versions of a path, oldest first. A deprecated version is in the second list only, a retired one in neither. */
export interface VersionReport {
  readonly supported: readonly string[]
  readonly deprecated: readonly string[]
}

/** A route that answers in a version. */
export interface AnsweringRoute {
  readonly row: TableRoute
  /** Those of its methods that no other route answers there. */
  readonly methods: readonly Method[]
  readonly lifetime: Lifetime | undefined
}

/** The lifetimes of versions and routes, created when the application is built. Only the time is read later. */
export interface Lifetimes {
  /** Whether there are no policies at all. */
  readonly isEmpty: boolean
  /** Whether a later version answers in the place of some that are retired. */
  readonly forwards: boolean
  /** Of a version as a whole. */
  readonly ofVersion: (version: string) => Lifetime | undefined
  /** Of an endpoint, in the version that it answers. */
  readonly of: (endpoint: Endpoint, version: string | null) => Lifetime | undefined
  /** The versions with a handler at some of the shapes. */
  readonly report: (shapes: readonly PathInfo[], now: number) => VersionReport
  /**
   * By version, the routes that name it, and those without version that answer as the default one beside them. Neutral ones do not
   * count.
   */
  readonly answering: () => ReadonlyMap<string, readonly AnsweringRoute[]>
}

/** A route with the function of each of its methods. */
export interface CompiledRoute {
  readonly route: ResolvedRoute
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** How paths are read. */
export interface TableMode {
  /** Whether a trailing slash makes another path. */
  readonly strict: boolean
  readonly prefix: Prefix
}
