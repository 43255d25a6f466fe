import type { VersionFinding } from '../finding.ts'
import { toApiFinding } from './api-finding.ts'

/** How requests reach the routes of versions, as far as documents don't contain it. */
export interface VersionServing {
  /** The places of a request that may name a version, such as `header x-api-version`. */
  readonly schemes: readonly string[]
  /** Versions by operation, such as `POST /users`. Those in one list are served by one route. */
  readonly routes: ReadonlyMap<string, readonly (readonly string[])[]>
}

/** Checks that every place that could name a version still can. */
export function checkSchemes(
  old: VersionServing | undefined,
  now: VersionServing,
): readonly VersionFinding[] {
  const lost = (old?.schemes ?? []).filter((scheme) => !now.schemes.includes(scheme))
  if (lost.length === 0) return []
  const values = { was: lost.join(' or '), now: now.schemes.join(' or ') || 'no place' }
  return [toApiFinding('', 'version-scheme-changed', values)]
}

/**
 * Finds released versions that another route serves. Routes have no names that last, so this looks at versions that were served by one
 * route and are no longer, and the other way round. It is a warning if the documents of the operation stay as they were.
 */
export function checkRoutes(
  old: VersionServing | undefined,
  now: VersionServing,
  findings: readonly VersionFinding[],
): readonly VersionFinding[] {
  return [...(old?.routes ?? [])].flatMap(([operation, groups]) => {
    const newer = now.routes.get(operation) ?? []
    const versions = groups.flat().filter((version) => newer.some((group) => group.includes(version)))
    for (const [at, version] of versions.entries())
      for (const other of versions.slice(0, at)) {
        const was = areTogether(groups, other, version)
        if (was === areTogether(newer, other, version)) continue
        const [together, apart] = ['one route', 'a route each']
        const values = {
          versions: `${other} and ${version}`,
          was: was ? together : apart,
          now: was ? apart : together,
        }
        const hasChanged = findings.some(
          (finding) =>
            [other, version].includes(finding.version) &&
            finding.places.some(
              (place) =>
                place.level !== 'info' && place.level !== 'none' && isAtOperation(place.operation, operation),
            ),
        )
        const finding = toApiFinding(version, 'range-retargeted', values, { isExpected: !hasChanged })
        return [{ ...finding, operation }]
      }
    return []
  })
}

/** Whether routes of their own serve an operation in two versions, so that the author wrote the difference by hand. */
export function isByHand(
  { routes }: VersionServing,
  operation: string,
  older: string,
  newer: string,
): boolean {
  const [found] = [...routes]
    .filter(([of]) => isAtOperation(operation, of))
    // a path may end as another one does
    .toSorted(([one], [other]) => other.length - one.length)
  return found !== undefined && !areTogether(found[1], older, newer)
}

function areTogether(groups: readonly (readonly string[])[], one: string, other: string): boolean {
  return groups.some((group) => group.includes(one) && group.includes(other))
}

/** Whether an operation of a document is one whose path has no version and no prefix here. */
function isAtOperation(operation: string, of: string): boolean {
  const [method, path = ''] = operation.split(' ')
  const [itsMethod, itsPath = ''] = of.split(' ')
  return method === itsMethod && withoutParameterNames(path).endsWith(withoutParameterNames(itsPath))
}

function withoutParameterNames(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}')
}
