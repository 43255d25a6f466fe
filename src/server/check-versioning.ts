import type { DefinitionProblem } from '../definition-error.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import { shapeOf } from '../pattern.ts'
import type { Pattern } from '../pattern.ts'
import type { Enabled } from '../versioning/enable.ts'
import { coveredBy, declaredVersions, isRange, toEntries } from '../versioning/spec.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import { canonicalVersion } from '../versioning/version.ts'

/** Every mistake in the versions of the routes, given how versions travel (rules E2 and E5 to E9). */
export function versioningProblems(
  routes: readonly FlatRoute[],
  enabled: Enabled,
  known: KnownVersions,
  prefix: string,
): readonly DefinitionProblem[] {
  return [
    ...defaultProblems(enabled, known),
    ...routes.flatMap((route) => [
      ...formatProblems(route, enabled, known),
      ...rangeProblems(route, enabled, known),
    ]),
    ...literalClashes(routes, enabled, known, prefix),
  ]
}

function defaultProblems(
  { defaultVersion, name }: Enabled,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  if (typeof defaultVersion !== 'string' || known.find(defaultVersion) !== undefined) return []
  const list = known.list.length === 0 ? 'there are none' : `known are ${known.list.join(', ')}`
  return [
    {
      code: 'default_version_unknown',
      where: `enableVersioning(${name})`,
      message: `the default version "${defaultVersion.slice(0, 64)}" is not a known version; ${list}`,
      fix: 'name a version that a route has, or list it in versions',
    },
  ]
}

function formatProblems(
  route: FlatRoute,
  enabled: Enabled,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  return declaredVersions(route.version).flatMap((version): DefinitionProblem[] => {
    if (canonicalVersion(version, known.format) === undefined) {
      return [
        {
          code: 'invalid_version',
          where: route.label,
          message: `the version "${version}" is not written as the format ${known.format} says`,
          fix: 'mend it, or choose another format',
        },
      ]
    }
    const problem = enabled.scheme.problem(version, enabled.options)
    return problem === undefined
      ? []
      : [
          {
            code: 'version_not_encodable',
            where: route.label,
            message: `the version "${version}" cannot travel in the scheme ${enabled.name}: ${problem}`,
            fix: 'rename the version, or choose another scheme',
          },
        ]
  })
}

function rangeProblems(
  route: FlatRoute,
  enabled: Enabled,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  return toEntries(route.version).flatMap((entry): DefinitionProblem[] => {
    if (typeof entry !== 'string' || !isRange(entry)) return []
    const where = route.label
    if (enabled.versions.length === 0) {
      return [
        {
          code: 'range_without_versions',
          where,
          message: `the range "${entry}" needs an ordered list of versions`,
          fix: "list them: enableVersioning(scheme, { versions: ['2', '1'] })",
        },
      ]
    }
    const missing = known.list.filter(
      (version) => !enabled.versions.some((listed) => known.find(listed) === version),
    )
    if (missing.length > 0) {
      return [
        {
          code: 'version_not_listed',
          where,
          message: `ranges are used, and versions does not list ${missing.join(', ')}`,
          fix: 'list every version',
        },
      ]
    }
    const covered = coveredBy(entry, known)
    if (covered === undefined) {
      return [
        {
          code: 'invalid_version',
          where,
          message: `the range "${entry}" cannot be read`,
          fix: "write comparators joined by spaces, as in '>=1.2 <2'",
        },
      ]
    }
    return covered.length > 0
      ? []
      : [
          {
            code: 'range_empty',
            where,
            message: `the range "${entry}" matches none of ${known.list.join(', ')}`,
            fix: 'change the range, or list the versions it is for',
          },
        ]
  })
}

/** A path such as `/v1/legacy` beside `/legacy` in version 1: one of them could never be reached (rule U6). */
function literalClashes(
  routes: readonly FlatRoute[],
  enabled: Enabled,
  known: KnownVersions,
  prefix: string,
): readonly DefinitionProblem[] {
  const { segments } = enabled.scheme
  if (segments === undefined) return []
  const depth = prefix.split('/').filter(Boolean).length
  const versions = new Map(
    known.list.flatMap((version) =>
      segments(version, enabled.options).map((segment) => [segment, version] as const),
    ),
  )
  return routes.flatMap((route): DefinitionProblem[] => {
    const first = route.pattern.segments[depth]
    const version = first?.kind === 'literal' ? versions.get(first.text) : undefined
    if (version === undefined) return []
    const twin = routes.find(
      (other) =>
        other !== route &&
        declaredVersions(other.version).some((own) => known.find(own) === version) &&
        isTwin(route.pattern, other.pattern, depth),
    )
    return twin === undefined
      ? []
      : [
          {
            code: 'version_literal_clash',
            where: route.label,
            message: `${twin.label} is served at the same path in version ${version}`,
            fix: 'change one of the paths',
          },
        ]
  })
}

/** Whether the first pattern, without its version segment, has the shape of the second. */
function isTwin(literal: Pattern, versioned: Pattern, depth: number): boolean {
  return (
    shapeOf({ ...literal, segments: literal.segments.toSpliced(depth, 1) }, false) ===
    shapeOf(versioned, false)
  )
}
