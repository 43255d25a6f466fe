import { httpError } from '../../errors.ts'
import type { HttpError } from '../../errors.ts'
import { METHODS } from '../../http.ts'
import type { Method } from '../../http.ts'
import type { Leaf } from '../../router/node.ts'
import type { Enabled } from '../../versioning/versioning.ts'
import { isRetired } from '../../versioning/policy.ts'
import type { Lifetime } from '../../versioning/policy.ts'
import { cutVersion } from '../../versioning/version.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import type { VersionReport } from '../table/lifetimes.ts'
import { createPlaces } from './places.ts'
import type { Located, Resolution } from './resolution.ts'
import type { Table } from '../table/table.ts'

/** What to answer when nothing matched: an error, or the methods of an OPTIONS request. */
export type MissAnswer = {
  /** Whether a header may decide at this path. */
  readonly varies: boolean
  /** The versions of the path, where they are worth telling. */
  readonly report: VersionReport | undefined
} & ({ readonly error: HttpError } | { readonly allow: readonly Method[] })

/** Tells why nothing matched. */
export interface Miss {
  (located: Located, method: number, isPreflight: boolean): MissAnswer
  /** The methods that a path answers, in the version of the request or in any. */
  readonly allowed: (located: Located, isPreflight: boolean) => readonly Method[]
}

type Leaves = readonly Leaf<Endpoint>[]

const OPTIONS = METHODS.indexOf('OPTIONS')

/** The kinds of version errors, by what was wrong, with what to say. */
const FAULTS = {
  ambiguous: 'The request names several versions',
  invalid: 'The version is not written as this API writes versions',
  unsupported: 'This version is not served here',
  unspecified: 'The request names no version',
  retired: 'This version is not served any more',
} as const

/** Makes the function that tells why nothing matched, in the order of the versioning rules (section 2.3, step 7). */
export function createMiss(
  table: Table,
  enabled: Enabled | undefined,
  mode: { readonly strict: boolean; readonly prefix: string },
): Miss {
  const places = createPlaces(table, mode)
  const clock = enabled?.common.clock ?? Date.now
  const isLate = createIsLate(enabled)
  const versionError = createVersionError(enabled)

  /** What is served in the version of the request; of all versions where none is known, or a preflight cannot tell (rule M6). */
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
      const allow = methodsOf(leaves)
      if (method === OPTIONS) return { varies, report, allow }
      return { varies, report: undefined, error: notAllowed(allow) }
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
 * Makes the function that tells whether a preflight leaves the version open (rule M6). It has neither the headers nor the cookies of the
 * request that it asks for, in which the version may be, and by which a default version may be chosen.
 */
function createIsLate(enabled: Enabled | undefined): (resolution: Resolution) => boolean {
  if (enabled === undefined) return () => false
  const { vary, defaultVersion, common } = enabled
  const isOpen = vary.length > 0 || typeof defaultVersion === 'function'
  // a header that is looked at before wins over what was found
  const isOverruled = ({ vary: before }: Resolution, found: readonly string[]): boolean =>
    common.conflict === 'first' && before.some((name) => !found.includes(name))
  return (resolution) =>
    resolution.scheme === undefined ? isOpen : isOverruled(resolution, resolution.scheme.vary)
}

/** Writes a version error; `lifetime`: of what is retired. */
export type VersionError = (
  fault: keyof typeof FAULTS,
  resolution: Resolution,
  report: VersionReport,
  lifetime?: Lifetime,
) => HttpError

/** Makes the function that writes version errors, with the statuses of the schemes. */
export function createVersionError(enabled: Enabled | undefined): VersionError {
  const [first, ...others] = (enabled?.schemes ?? []).filter(({ isCompanion }) => !isCompanion)
  return (fault, { requested, sources, scheme }, { supported, deprecated }, lifetime) => {
    // the status belongs to the scheme that found the version; where several found none, or contradict, to none of them
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

/** Whether the version cannot be read: where versions count, that is told before a wrong method. */
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

/** RFC 9110 section 15.5.6. */
function notAllowed(methods: readonly Method[]): HttpError {
  const allow = methods.join(', ')
  return httpError('method_not_allowed', `This path answers ${allow}`, { headers: { allow } })
}

function cutSource(source: { readonly in: string; readonly name: string; readonly value: string }): object {
  return { ...source, value: cutVersion(source.value) }
}
