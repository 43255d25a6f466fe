import { httpError } from '../../errors.ts'
import type { HttpError } from '../../errors.ts'
import { METHODS } from '../../http.ts'
import type { Method } from '../../http.ts'
import type { Leaf } from '../../router/node.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import { isRetired } from '../../versioning/policy.ts'
import type { Lifetime } from '../../versioning/policy.ts'
import { cutVersion } from '../../versioning/version.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import type { VersionReport } from '../table/lifetimes.ts'
import { createPlaces } from './places.ts'
import type { Located, Resolution } from './resolution.ts'
import type { Table } from '../table/table.ts'

/** The answer if no route matched: an error, or the headers of an answer to OPTIONS. */
export type MissAnswer = {
  /** Whether a header may decide at this path. */
  readonly varies: boolean
  /** The versions of the path, if the answer lists them. */
  readonly report: VersionReport | undefined
} & ({ readonly error: HttpError } | { readonly headers: Record<string, string> })

/** Explains why no route matched. */
export interface Miss {
  (located: Located, method: number, isPreflight: boolean): MissAnswer
  /** The methods that a path answers, in the version of the request or in any. */
  readonly allowed: (located: Located, isPreflight: boolean) => readonly Method[]
}

type Leaves = readonly Leaf<Endpoint>[]

const OPTIONS = METHODS.indexOf('OPTIONS')
/** The methods whose media types are announced. */
const ANNOUNCING = [METHODS.indexOf('QUERY'), METHODS.indexOf('PATCH')]

/** The kinds of version errors, each with its detail. */
const FAULTS = {
  ambiguous: 'The request names several versions',
  invalid: 'The version is not written as this API writes versions',
  unsupported: 'This version is not served here',
  unspecified: 'The request names no version',
  retired: 'This version is not served any more',
} as const

/** Explains why no route matched, in the order of docs/guide/versioning-rules.md#misses */
export function createMiss(
  table: Table,
  versioning: Versioning | undefined,
  mode: { readonly strict: boolean },
): Miss {
  const places = createPlaces(table, mode)
  const clock = versioning?.common.clock ?? Date.now
  const isLate = createIsLate(versioning)
  const versionError = createVersionError(versioning)

  /** The leaves in the version of the request. All versions count if it is not known, or if a preflight leaves it open. */
  const chosen = (located: Located, all: Leaves, isPreflight: boolean): Leaves => {
    const { resolution } = located
    if (resolution.kind === 'none' || (isPreflight && isLate(resolution))) return all
    return isUnreadable(resolution) && all.some(hasVersions) ? [] : places.own(located)
  }

  const miss = (located: Located, method: number, isPreflight: boolean): MissAnswer => {
    const { resolution } = located
    const all = places.anywhere(located)
    const varies = all.some(({ shape }) => shape.vary)
    if (all.length === 0) {
      const error = httpError('route_not_found', 'Nothing is served at this path')
      return { varies: false, report: undefined, error }
    }
    const report = table.lifetimes.report(
      all.map(({ shape }) => shape),
      clock(),
    )
    const isHere = all.some(({ methods }) => methods[method] !== undefined)
    if (resolution.kind === 'none' && method !== OPTIONS && isHere)
      return { varies, report, error: versionError('unspecified', resolution, report) }
    const leaves = chosen(located, all, isPreflight)
    if (leaves.length > 0) {
      const headers = { allow: methodsOf(leaves).join(', '), ...announcementsOf(leaves) }
      if (method === OPTIONS) return { varies, report, headers }
      return { varies, report: undefined, error: notAllowed(headers) }
    }
    const { version } = resolution
    const lifetime = version === null ? undefined : table.lifetimes.ofVersion(version)
    const isOver = resolution.kind === 'known' && isRetired(lifetime, clock)
    return {
      varies,
      report,
      error: isOver
        ? versionError('retired', resolution, report, lifetime)
        : versionError(faultOf(resolution), resolution, report),
    }
  }

  return Object.assign(miss, {
    allowed: (located: Located, isPreflight: boolean): readonly Method[] => {
      const all = places.anywhere(located)
      const own = chosen(located, all, isPreflight)
      const leaves = own.length > 0 ? own : all
      return leaves.length === 0 ? [] : methodsOf(leaves)
    },
  })
}

/**
 * Creates the function that decides whether a preflight leaves the version open. A preflight has neither the headers nor the cookies of
 * the request that it announces: docs/guide/versioning-rules.md#preflights
 */
function createIsLate(versioning: Versioning | undefined): (resolution: Resolution) => boolean {
  if (versioning === undefined) return () => false
  const { vary, defaultVersion, common } = versioning
  const isOpen = vary.length > 0 || typeof defaultVersion === 'function'
  // a header that is read earlier would win over this version
  const isOverruled = ({ vary: before }: Resolution, found: readonly string[]): boolean =>
    common.conflict === 'first' && before.some((name) => !found.includes(name))
  return (resolution) =>
    resolution.scheme === undefined ? isOpen : isOverruled(resolution, resolution.scheme.vary)
}

/** Builds a version error. `lifetime` is that of the retired version. */
export type VersionError = (
  fault: keyof typeof FAULTS,
  resolution: Resolution,
  report: VersionReport,
  lifetime?: Lifetime,
) => HttpError

/** Creates the function that builds version errors, with the statuses of the schemes. */
export function createVersionError(versioning: Versioning | undefined): VersionError {
  const [first, ...others] = (versioning?.schemes ?? []).filter(({ isCompanion }) => !isCompanion)
  return (fault, { requested, sources, scheme }, { supported, deprecated }, lifetime) => {
    // the scheme that found the version has the status; if several found none, or contradict each other, none of them has
    const own = others.length > 0 && ['unspecified', 'ambiguous'].includes(fault) ? undefined : first
    const statuses = (scheme ?? own)?.statusCodes
    const status = statuses?.[fault]
    return httpError(`${fault}_version`, FAULTS[fault], {
      ...(fault === 'ambiguous' ? { sources: sources.map(cutSource) } : {}),
      ...(requested === undefined || fault === 'ambiguous' ? {} : { requested: cutVersion(requested) }),
      supported,
      ...(deprecated.length === 0 ? {} : { deprecated }),
      ...(lifetime?.sunset === undefined ? {} : { sunset: new Date(lifetime.sunset).toISOString() }),
      ...(status === undefined ? {} : { status }),
    })
  }
}

function faultOf({ kind }: Resolution): 'ambiguous' | 'invalid' | 'unsupported' {
  return kind === 'ambiguous' || kind === 'invalid' ? kind : 'unsupported'
}

/** Whether the version cannot be read. At paths with versions, that error comes before a wrong method. */
function isUnreadable({ kind }: Resolution): boolean {
  return kind === 'ambiguous' || kind === 'invalid'
}

function hasVersions({ shape }: Leaf<Endpoint>): boolean {
  return shape.versions.length > 0
}

function methodsOf(leaves: Leaves): readonly Method[] {
  return METHODS.filter(
    (_, index) => index === OPTIONS || leaves.some(({ methods }) => methods[index] !== undefined),
  )
}

/** The media types that the path takes by QUERY and PATCH, as the routes that would answer say. */
function announcementsOf(leaves: Leaves): ReturnType<Endpoint['announce']> {
  const found = ANNOUNCING.map((index) =>
    leaves.find(({ methods }) => methods[index] !== undefined)?.methods[index]?.announce(),
  )
  return Object.assign({}, ...found)
}

/** RFC 9110 section 15.5.6. */
function notAllowed(headers: { readonly allow: string }): HttpError {
  return httpError('method_not_allowed', `This path answers ${headers.allow}`, { headers })
}

function cutSource(source: { readonly in: string; readonly name: string; readonly value: string }): object {
  return { ...source, value: cutVersion(source.value) }
}
