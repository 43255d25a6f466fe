import type { Awaitable } from '../../../base/values.ts'
import { findLeaves, type Match, type PathAt } from '../../../router/find.ts'
import type { Node, Endpoints } from '../../../router/node.ts'
import type { Lifetime } from '../../../versioning/policy.ts'
import type { Versioning, ActiveScheme } from '../../../versioning/versioning.ts'
import type { VersionSource } from '../../../versioning/schemes/scheme.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { Target } from './target.ts'
import { httpError, type HttpError } from '../../../http/errors.ts'
import { METHODS, type Method } from '../../../http/http.ts'
import type { Table, VersionReport } from '../table/table.ts'

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

/** The answer if no route matched: an error, or the headers of an answer to OPTIONS. */
export type MissAnswer = {
  /** Whether a header may decide at this path. */
  readonly varies: boolean
  /** The versions of the path, if the answer lists them. */
  readonly report: VersionReport | undefined
} & ({ readonly error: HttpError } | { readonly headers: Record<string, string> })

/** Explains why no route matched. */
export interface Miss {
  (located: RouteMatch, method: number, isPreflight: boolean): MissAnswer
  /** The methods that a path answers, in the version of the request or in any. */
  readonly allowed: (located: RouteMatch, isPreflight: boolean) => readonly Method[]
}

/** The endpoints at a path. */
export type Leaves = readonly Endpoints<Endpoint>[]

const OPTIONS = METHODS.indexOf('OPTIONS')
/** The methods whose media types are announced. */
const ANNOUNCING = [METHODS.indexOf('QUERY'), METHODS.indexOf('PATCH')]

/** Explains why no route matched in an application without versioning. */
export function createPlainMiss(table: Table): Miss {
  const leavesAt = ({ match }: RouteMatch): Leaves =>
    findLeaves(table.withoutVersion, match.text, 1, match.end)
  const miss = (located: RouteMatch, method: number): MissAnswer => {
    const leaves = leavesAt(located)
    if (leaves.length === 0) return notFound()
    const headers = allowHeaders(leaves)
    const answer = method === OPTIONS ? { headers } : { error: notAllowed(headers) }
    return { varies: false, report: undefined, ...answer }
  }
  return Object.assign(miss, {
    allowed: (located: RouteMatch): readonly Method[] => {
      const leaves = leavesAt(located)
      return leaves.length === 0 ? [] : methodsOf(leaves)
    },
  })
}

/** The answer at a path that nothing serves. */
export function notFound(): MissAnswer {
  const error = httpError('route_not_found', 'Nothing is served at this path')
  return { varies: false, report: undefined, error }
}

/** The methods that leaves answer. */
export function methodsOf(leaves: Leaves): readonly Method[] {
  return METHODS.filter(
    (_, index) => index === OPTIONS || leaves.some(({ methods }) => methods[index] !== undefined),
  )
}

/** The headers that announce what leaves answer. */
export function allowHeaders(leaves: Leaves): { readonly allow: string } & Record<string, string> {
  return { allow: methodsOf(leaves).join(', '), ...announcementsOf(leaves) }
}

/** The media types that the path takes by QUERY and PATCH, as the routes that would answer say. */
function announcementsOf(leaves: Leaves): ReturnType<Endpoint['announce']> {
  const found = ANNOUNCING.map((index) =>
    leaves.find(({ methods }) => methods[index] !== undefined)?.methods[index]?.announce(),
  )
  return Object.assign({}, ...found)
}

/** The error of a path that answers other methods (RFC 9110 section 15.5.6). */
export function notAllowed(headers: { readonly allow: string }): HttpError {
  return httpError('method_not_allowed', `This path answers ${headers.allow}`, { headers })
}
