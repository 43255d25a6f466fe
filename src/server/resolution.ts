import type { Awaitable } from '../http.ts'
import { isPromise } from '../http.ts'
import type { Match } from '../router/find.ts'
import type { Node } from '../router/node.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { VersionSource } from '../versioning/scheme.ts'
import type { RequestContext } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import type { Table } from './table.ts'

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
  /** All routes of all versions, for the path from `start` on. */
  readonly union: Node<Endpoint>
}

/** A lookup: what was found, and how its version came about. */
export interface Located {
  readonly match: Match<Endpoint>
  readonly resolution: Resolution
}

/** Finds what answers a request. */
export type Locate = (context: RequestContext, path: string, method: number) => Awaitable<Located>

/** Where a path ends, with and without a trailing slash that does not count. */
export interface PathEnds {
  readonly path: string
  readonly fullEnd: number
  readonly end: number
}

/** Looks a path up in a root. */
export type Look = (root: Node<Endpoint>, at: PathEnds, method: number) => Match<Endpoint>

/** Settles the version of a request that names none. */
export type Bare = (context: RequestContext) => Awaitable<Resolution>

/** The resolution of a request that names no version where there is no default. */
export function withoutVersion(table: Table): Resolution {
  return {
    kind: 'none',
    root: table.bare,
    version: null,
    requested: undefined,
    sources: [],
    start: 1,
    union: table.union,
  }
}

/** Makes the function that settles the version of requests that name none. */
export function createBare(table: Table, { defaultVersion }: Enabled): Bare {
  const none = withoutVersion(table)
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
