import type { DefinitionProblem } from '../../../../base/definition-error.ts'
import type { Lifetime } from '../../../../versioning/policy.ts'
import type { KnownVersions } from '../../../../versioning/version.ts'
import type { TableRoute, Lifetimes } from '../table.ts'

/** Reports a sunset before the deprecation, of a version and of every route in its versions (RFC 9745 section 4). */
export function lifetimeProblems(
  rows: readonly TableRoute[],
  lifetimes: Lifetimes,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  return [
    ...known.list.flatMap((version) =>
      problemOf('enableVersioning', [version], wrongOrder(lifetimes.ofVersion(version))),
    ),
    // policies of versions alone are reported with the versions
    ...rows.filter(({ route }) => route.policies.length > 0).flatMap((row) => ofRoute(row, lifetimes, known)),
  ]
}

function ofRoute(
  { route, spec, endpoints }: TableRoute,
  lifetimes: Lifetimes,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  const [endpoint] = endpoints.values()
  if (endpoint === undefined) return []
  const versions = spec.unversioned || spec.neutral ? [null, ...known.list] : spec.claims.keys()
  const places = new Map<string, (string | null)[]>()
  for (const version of versions) {
    const wrong = wrongOrder(lifetimes.of(endpoint, version))
    if (wrong === undefined) continue
    if (version !== null && wrong === wrongOrder(lifetimes.ofVersion(version))) continue
    places.set(wrong, [...(places.get(wrong) ?? []), version])
  }
  return [...places].flatMap(([wrong, found]) =>
    problemOf(route.label, found.includes(null) ? [] : found.map(String), wrong),
  )
}

function wrongOrder(lifetime: Lifetime | undefined): string | undefined {
  if (lifetime === undefined) return undefined
  const { deprecated, sunset } = lifetime
  if (typeof deprecated === 'boolean' || sunset === undefined || sunset >= deprecated) return undefined
  return `the sunset ${formatTime(sunset)} comes before the deprecation ${formatTime(deprecated)}`
}

function formatTime(time: number): string {
  return new Date(time).toISOString()
}

function problemOf(
  where: string,
  versions: readonly string[],
  wrong: string | undefined,
): readonly DefinitionProblem[] {
  if (wrong === undefined) return []
  const scope = versions.length === 0 ? '' : `in version ${versions.join(', ')}, `
  return [
    {
      code: 'sunset_before_deprecation',
      where,
      message: scope + wrong,
      fix: 'move one of them: a version is deprecated before it ends',
    },
  ]
}
