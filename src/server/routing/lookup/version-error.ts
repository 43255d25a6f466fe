import { httpError, type HttpError, type HttpErrorOptions } from '../../../http/errors.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import type { Lifetime } from '../../../versioning/policy.ts'
import { cutVersion } from '../../../versioning/version.ts'
import type { VersionReport } from '../table/table.ts'
import type { VersionMatch } from './resolution.ts'

/** The kinds of version errors, each with its code, the status of schemes that it has, and its detail. */
const FAULTS = {
  ambiguous: ['ambiguous_version', 'ambiguous', 'The request names several versions'],
  invalid: ['invalid_version', 'invalid', 'The version is not written as this API writes versions'],
  unsupported: ['unsupported_version', 'unsupported', 'This version is not served here'],
  unspecified: ['unspecified_version', 'unspecified', 'The request names no version'],
  elsewhere: ['unsupported_version', 'unsupported', 'Another deployment serves this version'],
  retired: ['retired_version', 'retired', 'This version is not served any more'],
  brownout: ['version_brownout', 'retired', 'This version is not served for a while, because it ends soon'],
} as const

/** When a brownout ends, and the time now, in milliseconds since 1970. */
interface Wait {
  readonly to: number
  readonly now: number
}

/** Builds a version error. `lifetime` is that of the version that ends. */
export type VersionError = (
  fault: keyof typeof FAULTS,
  resolution: VersionMatch,
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
    const [code, kind, detail] = FAULTS[fault]
    const status = statuses?.[kind]
    return httpError(code, detail, {
      ...(fault === 'elsewhere' ? { elsewhere: true } : {}),
      ...(fault === 'ambiguous' ? { sources: sources.map(cutSource) } : {}),
      ...(requested === undefined || fault === 'ambiguous' ? {} : { requested: cutVersion(requested) }),
      supported,
      ...(deprecated.length === 0 ? {} : { deprecated }),
      ...(status === undefined ? {} : { status }),
      ...(kind === 'retired' ? goneOptions(requested !== undefined, lifetime, wait) : {}),
    })
  }
}

/** How long caches may keep the error of a retired version that the request named: an hour, because a sunset can be moved. */
const KEPT = 'max-age=3600'

/**
 * The end of the version, and that of its brownout with the seconds to wait, at least one (RFC 9110 section 10.2.3). Without
 * `Cache-Control`, caches may keep a 410 as long as they choose (RFC 9111 section 4.2.2).
 */
function goneOptions(
  isNamed: boolean,
  lifetime: Lifetime | undefined,
  wait: Wait | undefined,
): HttpErrorOptions {
  const sunset = lifetime?.sunset === undefined ? {} : { sunset: new Date(lifetime.sunset).toISOString() }
  if (wait === undefined) return { ...sunset, headers: { 'cache-control': isNamed ? KEPT : 'no-store' } }
  const seconds = Math.max(1, Math.ceil((wait.to - wait.now) / 1000))
  return {
    ...sunset,
    until: new Date(wait.to).toISOString(),
    headers: { 'cache-control': 'no-store', 'retry-after': String(seconds) },
  }
}

function cutSource(source: { readonly in: string; readonly name: string; readonly value: string }): object {
  return { ...source, value: cutVersion(source.value) }
}
