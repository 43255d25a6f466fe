import type { Awaitable } from '../../../base/values.ts'
import { findLeaves, find, type Match, type PathAt } from '../../../router/find.ts'
import type { Node, Endpoints } from '../../../router/node.ts'
import { isRetired, type Lifetime } from '../../../versioning/policy.ts'
import type { Versioning, ActiveScheme } from '../../../versioning/versioning.ts'
import type { VersionSource, VersionValue } from '../../../versioning/schemes/scheme.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { Target } from './target.ts'
import { httpError, type HttpError } from '../../../http/errors.ts'
import { METHODS, type Method } from '../../../http/http.ts'
import type { Table, VersionReport } from '../table/table.ts'
import {
  compareVersions,
  hasOrder,
  isWellFormed,
  MAX_VERSION_LENGTH,
  type KnownVersions,
} from '../../../versioning/version.ts'

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
  /** Whether routes answer in other versions alone, so that an API behind does not. */
  readonly isElsewhere?: true
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

/** A resolution whose path begins its text, as errors of unknown paths expect. */
export function withOwnPath(located: RouteMatch): RouteMatch {
  const { match } = located
  const { start, end, fullEnd } = match
  if (start === 0) return located
  const text = match.text.slice(start)
  return { ...located, match: { ...match, text, start: 0, end: end - start, fullEnd: fullEnd - start } }
}

/** The answer if no route matched: an error, or the headers of an answer to OPTIONS. */
export type MissAnswer = {
  /** Whether a header may decide at this path. */
  readonly varies: boolean
  /** Whether no version answers the method at this path. */
  readonly isUndescribed: boolean
  /** The versions of the path, if the answer lists them. */
  readonly report: VersionReport | undefined
} & (
  | { readonly error: HttpError }
  | { readonly headers: Record<string, string>; readonly leaves: PathLeaves }
)

/** Explains why no route matched. */
export interface Miss {
  (located: RouteMatch, method: number, isPreflight: boolean): MissAnswer
  /** The methods that a path answers, in the version of the request or in any. */
  readonly allowed: (located: RouteMatch, isPreflight: boolean) => readonly Method[]
}

/** The endpoints at a path. */
export type PathLeaves = readonly Endpoints<Endpoint>[]

const OPTIONS = METHODS.indexOf('OPTIONS')
/** The methods whose media types are announced. */
const ANNOUNCING = [METHODS.indexOf('QUERY'), METHODS.indexOf('PATCH')]

/** Explains why no route matched in an application without versioning. */
export function createPlainMiss(table: Table): Miss {
  const leavesAt = ({ match }: RouteMatch): PathLeaves =>
    findLeaves(table.withoutVersion, match.text, 1, match.end)
  const miss = (located: RouteMatch, method: number): MissAnswer => {
    const leaves = leavesAt(located)
    return leaves.length === 0 ? notFoundAnswer() : otherMethods(leaves, method)
  }
  return Object.assign(miss, {
    allowed: (located: RouteMatch): readonly Method[] => {
      const leaves = leavesAt(located)
      return leaves.length === 0 ? [] : allowedMethods(leaves)
    },
  })
}

/** The answer at a path that serves other methods. */
function otherMethods(leaves: PathLeaves, method: number): MissAnswer {
  const headers = allowHeaders(leaves)
  const answer = method === OPTIONS ? { headers, leaves } : { error: notAllowed(headers) }
  return { varies: false, isUndescribed: true, report: undefined, ...answer }
}

/** The answer at a path that nothing serves. */
export function notFoundAnswer(): MissAnswer {
  const error = httpError('route_not_found', 'Nothing is served at this path')
  return { varies: false, isUndescribed: true, report: undefined, error }
}

export function allowedMethods(leaves: PathLeaves): readonly Method[] {
  return METHODS.filter(
    (_, index) => index === OPTIONS || leaves.some(({ methods }) => methods[index] !== undefined),
  )
}

/** The headers that announce what leaves answer. */
export function allowHeaders(leaves: PathLeaves): { readonly allow: string } & Record<string, string> {
  return { allow: allowedMethods(leaves).join(', '), ...announcementsOf(leaves) }
}

/** The media types that the path takes by QUERY and PATCH, as the routes that would answer say. */
function announcementsOf(leaves: PathLeaves): ReturnType<Endpoint['announce']> {
  const found = ANNOUNCING.map((index) =>
    leaves.find(({ methods }) => methods[index] !== undefined)?.methods[index]?.announce(),
  )
  return Object.assign({}, ...found)
}

/** The error of a path that answers other methods (RFC 9110 section 15.5.6). */
export function notAllowed(headers: { readonly allow: string }): HttpError {
  return httpError('method_not_allowed', `This path answers ${headers.allow}`, { headers })
}

export type ResolveVersion = (
  value: Exclude<VersionValue, undefined>,
  at: PathAt,
  method: number,
) => VersionMatch

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
): ResolveVersion {
  const { known, lifetimes } = table
  const common: VersionMatch = { ...versionRoots.common, scheme }
  const { exact, byVersion } = createExact(table, scheme, common)
  const floorOf = createFloor(known, versioning.common.unknown)

  return (value, at, method) => {
    if (typeof value === 'string') return exact(value) ?? floor(value, at, method) ?? missingVersion(value)
    if ('ambiguous' in value) return { ...common, kind: 'ambiguous', sources: value.ambiguous }
    const requested = value.join(', ')
    const served = value.map((each) => servedOnly(exact(each), at))
    const isBest = (each: VersionMatch | undefined): boolean =>
      each !== undefined && !isVersionOver(each, at, method)
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

  function missingVersion(requested: string): VersionMatch {
    const kind = isWellFormed(requested, known.format) ? 'unknown' : 'invalid'
    return { ...common, kind, requested }
  }

  /** Whether the answering version is retired, so that another one would serve the client better. */
  function isVersionOver({ version }: VersionMatch, at: PathAt, method: number): boolean {
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
  for (const [spelling, version] of known.spellings) {
    const resolution = byVersion.get(version)
    const requested = scheme.fold(spelling, options)
    if (resolution !== undefined) bySpelling.set(requested, { ...resolution, requested })
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
