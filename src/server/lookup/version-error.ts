import { httpError } from '../../errors.ts'
import type { HttpError, HttpErrorOptions } from '../../errors.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import type { Lifetime } from '../../versioning/policy.ts'
import { cutVersion } from '../../versioning/cut-version.ts'
import type { VersionReport } from '../table/table.ts'
import type { Resolution } from './resolution.ts'

/** The kinds of version errors, each with its detail. */
const FAULTS = {
  ambiguous: 'The request names several versions',
  invalid: 'The version is not written as this API writes versions',
  unsupported: 'This version is not served here',
  unspecified: 'The request names no version',
  elsewhere: 'Another deployment serves this version',
  retired: 'This version is not served any more',
  brownout: 'This version is not served for a while, because it ends soon',
} as const

/** When a brownout ends, and the time now, in milliseconds since 1970. */
interface Wait {
  readonly to: number
  readonly now: number
}

/** Builds a version error. `lifetime` is that of the version that ends. */
export type VersionError = (
  fault: keyof typeof FAULTS,
  resolution: Resolution,
  report: VersionReport,
  lifetime?: Lifetime,
  wait?: Wait,
) => HttpError

/** Creates the function that builds version errors, with the statuses of the schemes. */
export function createVersionError(versioning: Versioning | undefined): VersionError {
  const [first, ...others] = (versioning?.schemes ?? []).filter(({ isCompanion }) => !isCompanion)
  return (fault, { requested, sources, scheme }, { supported, deprecated }, lifetime, wait) => {
    // the scheme that found the version has the status; if several found none, or contradict each other, none of them has
    const own = others.length > 0 && ['unspecified', 'ambiguous'].includes(fault) ? undefined : first
    const statuses = (scheme ?? own)?.statusCodes
    const isElsewhere = fault === 'elsewhere'
    const kind = isElsewhere ? 'unsupported' : fault
    const status = statuses?.[kind === 'brownout' ? 'retired' : kind]
    return httpError(kind === 'brownout' ? 'version_brownout' : `${kind}_version`, FAULTS[fault], {
      ...(isElsewhere ? { elsewhere: true } : {}),
      ...(fault === 'ambiguous' ? { sources: sources.map(cutSource) } : {}),
      ...(requested === undefined || fault === 'ambiguous' ? {} : { requested: cutVersion(requested) }),
      supported,
      ...(deprecated.length === 0 ? {} : { deprecated }),
      ...(lifetime?.sunset === undefined ? {} : { sunset: new Date(lifetime.sunset).toISOString() }),
      ...(status === undefined ? {} : { status }),
      ...(wait === undefined ? {} : untilEnd(wait)),
    })
  }
}

/** When to try again, in seconds, at least one (RFC 9110 section 10.2.3). */
function untilEnd({ to, now }: Wait): HttpErrorOptions {
  const seconds = Math.max(1, Math.ceil((to - now) / 1000))
  return { until: new Date(to).toISOString(), headers: { 'retry-after': String(seconds) } }
}

function cutSource(source: { readonly in: string; readonly name: string; readonly value: string }): object {
  return { ...source, value: cutVersion(source.value) }
}
