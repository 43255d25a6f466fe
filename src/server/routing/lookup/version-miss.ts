import { METHODS, type Method } from '../../../http/http.ts'
import type { Endpoints } from '../../../router/node.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import { isRetired } from '../../../versioning/policy.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import {
  allowHeaders,
  createPlainMiss,
  methodsOf,
  notAllowed,
  notFound,
  type Leaves,
  type Miss,
  type MissAnswer,
  type RouteMatch,
  type VersionMatch,
} from './resolution.ts'
import type { Table } from '../table/table.ts'
import { createPlaces } from './places.ts'
import { createVersionError } from './version-error.ts'

const OPTIONS = METHODS.indexOf('OPTIONS')

/** The versions in which a path without versions of its own answers. */
export function livingVersions({ known, lifetimes }: Table, clock: () => number): readonly string[] {
  return known.list.filter((version) => !isRetired(lifetimes.ofVersion(version), clock))
}

/** Explains why no route matched, in the order of docs/guide/versioning-rules.md#misses */
export function createVersionMiss(
  table: Table,
  versioning: Versioning | undefined,
  mode: { readonly strict: boolean },
): Miss {
  if (versioning === undefined) return createPlainMiss(table)
  const places = createPlaces(table, mode)
  const { clock } = versioning.common
  const isLate = createIsLate(versioning)
  const versionError = createVersionError(versioning)

  /** The leaves in the version of the request. All versions count if it is not known, or if a preflight leaves it open. */
  const chosen = (located: RouteMatch, all: Leaves, isPreflight: boolean): Leaves => {
    const { resolution } = located
    if (resolution.kind === 'none' || (isPreflight && isLate(resolution))) return all
    return isUnreadable(resolution) && all.some(hasVersions) ? [] : places.own(located)
  }

  const miss = (located: RouteMatch, method: number, isPreflight: boolean): MissAnswer => {
    const { resolution } = located
    const all = places.anywhere(located)
    if (all.length === 0) return notFound()
    const shapes = all.map(({ shape }) => shape)
    const report = table.lifetimes.report(shapes, clock())
    const varies = shapes.some(({ vary }) => vary)
    const isHere = all.some(({ methods }) => methods[method] !== undefined)
    if (resolution.kind === 'none' && method !== OPTIONS && isHere)
      return { varies, report, error: versionError('unspecified', resolution, report) }
    const leaves = chosen(located, all, isPreflight)
    if (leaves.length > 0) {
      const headers = allowHeaders(leaves)
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
        : versionError(
            faultOf(resolution, table),
            resolution,
            all.some(hasVersions) ? report : { ...report, supported: livingVersions(table, clock) },
          ),
    }
  }

  return Object.assign(miss, {
    allowed: (located: RouteMatch, isPreflight: boolean): readonly Method[] => {
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
function createIsLate({ vary, defaultVersion }: Versioning): (resolution: VersionMatch) => boolean {
  const isOpen = vary.length > 0 || typeof defaultVersion === 'function'
  return ({ scheme }) => scheme === undefined && isOpen
}

function faultOf(
  { kind, version }: VersionMatch,
  { known }: Table,
): 'ambiguous' | 'invalid' | 'unsupported' | 'elsewhere' {
  if (kind === 'ambiguous' || kind === 'invalid') return kind
  return version !== null && known.isElsewhere(version) ? 'elsewhere' : 'unsupported'
}

/** Whether the version cannot be read. At paths with versions, that error comes before a wrong method. */
function isUnreadable({ kind }: VersionMatch): boolean {
  return kind === 'ambiguous' || kind === 'invalid'
}

function hasVersions({ shape }: Endpoints<Endpoint>): boolean {
  return shape.versions.length > 0
}
