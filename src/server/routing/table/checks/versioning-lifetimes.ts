import type { DefinitionProblem } from '../../../../base/definition-error.ts'
import type { Lifetime } from '../../../../versioning/policy.ts'
import { createSelect, isVersioned, type KnownVersions } from '../../../../versioning/version.ts'
import type { Lifetimes, TableRoute, Versions } from '../table.ts'
import type { PathShape } from '../../../../router/node.ts'
import type { Versioning } from '../../../../versioning/versioning.ts'

/** Reports a sunset before the deprecation, of a version and of every route in its versions (RFC 9745 section 4). */
export function lifetimeProblems(
  rows: readonly TableRoute[],
  lifetimes: Lifetimes,
  known: KnownVersions,
  where: string,
): readonly DefinitionProblem[] {
  return [
    ...known.list.flatMap((version) =>
      orderProblem(where, [version], wrongOrder(lifetimes.ofVersion(version))),
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
    orderProblem(route.label, found.includes(null) ? [] : found.map(String), wrong),
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

function orderProblem(
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

/** The routes for one method at one path shape. */
export interface RouteGroup {
  readonly rows: readonly TableRoute[]
  /** Those for every method there. */
  readonly all: readonly TableRoute[]
  /** Whether some route at the shape names a version. */
  readonly opted: boolean
  /** The route that names a version and answers it. */
  readonly claimant: (version: string) => TableRoute | undefined
}

/** The parts that the warnings look at. */
export interface WarningContext extends Versions {
  readonly rows: readonly TableRoute[]
  readonly groups: readonly RouteGroup[]
  readonly versioning: Versioning
  /** The routes that no request reaches. */
  readonly unused: ReadonlySet<TableRoute>
}

/** The routes by method and path shape. */
export function routeGroups(shapes: readonly PathShape<TableRoute>[]): readonly RouteGroup[] {
  return shapes.flatMap(({ routes }) => {
    const opted = isVersioned(routes)
    const methods = new Set(routes.flatMap(({ endpoints }) => [...endpoints.keys()]))
    return [...methods].map((method): RouteGroup => {
      const rows = routes.filter(({ endpoints }) => endpoints.has(method))
      const select = createSelect(rows)
      return { rows, all: routes, opted, claimant: (version) => select(version, NOBODY)[0] }
    })
  })
}

const NOBODY = { unversioned: false, neutral: false }

const SHOWN = 5

/** Some names, and how many more there are: messages are for people. */
export function cutList(names: Iterable<string>): string {
  const all = [...new Set(names)]
  const more = all.length - SHOWN
  return all.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** `version 2`, or `versions 2, 3`. */
export function versionsText(versions: readonly string[]): string {
  return `version${versions.length === 1 ? '' : 's'} ${cutList(versions)}`
}
