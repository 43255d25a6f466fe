import type { Awaitable } from '../../../base/async.ts'
import type { Match, PathAt } from '../../../router/find.ts'
import type { Node } from '../../../router/node.ts'
import type { Lifetime } from '../../../versioning/policy.ts'
import type { Versioning, ActiveScheme } from '../../../versioning/versioning.ts'
import type { VersionSource } from '../../../versioning/schemes/scheme.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { Target } from './target.ts'
import type { Table } from '../table/table.ts'

/** The version that a request asks for. Made when the application is built, for every known version. */
export interface VersionMatch {
  /** `known`: a version the application has; `none`: no version and no default; the others are mistakes of the client. */
  readonly kind: 'off' | 'none' | 'known' | 'unknown' | 'invalid' | 'ambiguous'
  /** Where the path is looked up. */
  readonly root: Node<Endpoint>
  readonly version: string | null
  /** The version as the request spells it, for the problem document. */
  readonly requested: string | undefined
  readonly sources: readonly VersionSource[]
  /** The scheme that found it, or `undefined` if the request names no version. */
  readonly scheme: ActiveScheme | undefined
  /** Whether the path begins with a version segment, which `root` does not contain. */
  readonly inPath: boolean
  /** Whether the version is not the one that was asked for: the nearest earlier one, or one in the place of a retired one. */
  readonly isReplaced: boolean
  /** The retired version in whose place it answers. */
  readonly ended?: { readonly version: string; readonly lifetime: Lifetime }
  /** The headers that a response depends on where versions decide. */
  readonly vary: readonly string[]
}

/** A lookup: what was found, and how its version came about. */
export interface RouteMatch {
  readonly match: Match<Endpoint>
  readonly resolution: VersionMatch
}

/** Finds what answers a request. */
export type Locate = (context: RequestContext, target: Target, method: number) => Awaitable<RouteMatch>

/** Settles the version of a request that names none. */
export type ResolveDefault = (context: RequestContext) => Awaitable<VersionMatch>

/** The parts that all ways to look up share. */
export interface LookupParts {
  readonly table: Table
  readonly versioning: Versioning
  readonly strict: boolean
  /** A path that is a text of its own. */
  readonly whole: (path: string) => PathAt
  readonly resolveDefault: ResolveDefault
}

/** The resolution of a request that names no version where there is no default. */
export function withoutVersion(table: Table, vary: readonly string[] = []): VersionMatch {
  return {
    kind: 'none',
    root: table.withoutVersion,
    version: null,
    requested: undefined,
    sources: [],
    scheme: undefined,
    inPath: false,
    isReplaced: false,
    vary,
  }
}

/** The same with a path that begins its text, as is expected where what answers is not found. */
export function withOwnPath(located: RouteMatch): RouteMatch {
  const { match, resolution } = located
  const { start, end, fullEnd } = match
  if (start === 0) return located
  const text = match.text.slice(start)
  return { match: { ...match, text, start: 0, end: end - start, fullEnd: fullEnd - start }, resolution }
}
