import type { DefinitionProblem } from '../definition-error.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import { shapeOf } from '../pattern.ts'
import type { Pattern } from '../pattern.ts'
import { staticDefault } from '../versioning/enable.ts'
import type { Enabled } from '../versioning/enable.ts'
import { coveredBy, declaredVersions, expandSpec, isRange, toEntries } from '../versioning/spec.ts'
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
    ...enabled.versions.flatMap((version) => encodingProblems(version, 'enableVersioning', enabled)),
    ...foldProblems(enabled, known),
    ...routes.flatMap((route) => [
      ...formatProblems(route, enabled, known),
      ...rangeProblems(route, enabled, known),
    ]),
    ...literalClashes(routes, enabled, known, prefix),
  ]
}

function defaultProblems(enabled: Enabled, known: KnownVersions): readonly DefinitionProblem[] {
  const { defaultVersion, schemes } = enabled
  if (typeof defaultVersion !== 'string' || staticDefault(enabled, known) !== undefined) return []
  const list = known.list.length === 0 ? 'there are none' : `known are ${known.list.join(', ')}`
  return [
    {
      code: 'default_version_unknown',
      where: `enableVersioning(${schemes
        .filter(({ isCompanion }) => !isCompanion)
        .map(({ name }) => name)
        .join(', ')})`,
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
  return declaredVersions(route.version).flatMap((version): readonly DefinitionProblem[] => {
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
    return encodingProblems(version, route.label, enabled)
  })
}

function encodingProblems(
  version: string,
  where: string,
  { schemes }: Enabled,
): readonly DefinitionProblem[] {
  return schemes.flatMap(({ scheme, options, name }): DefinitionProblem[] => {
    const problem = scheme.problem(version, options)
    if (problem === undefined) return []
    return [
      {
        code: 'version_not_encodable',
        where,
        message: `the version "${version}" cannot travel in the scheme ${name}: ${problem}`,
        fix: 'rename the version, or choose another scheme',
      },
    ]
  })
}

/** Two versions that the scheme reads as one, as host labels that differ by case. */
function foldProblems({ schemes }: Enabled, known: KnownVersions): readonly DefinitionProblem[] {
  return schemes.flatMap((scheme) => (scheme.isCompanion ? [] : foldProblemsOf(scheme, known)))
}

function foldProblemsOf(
  { scheme, name, options }: Enabled['schemes'][number],
  { list }: KnownVersions,
): readonly DefinitionProblem[] {
  const seen = new Map<string, string>()
  return list.flatMap((version): DefinitionProblem[] => {
    const folded = scheme.fold(version, options)
    const other = seen.get(folded)
    seen.set(folded, version)
    if (other === undefined) return []
    return [
      {
        code: 'version_not_encodable',
        where: 'enableVersioning',
        message: `the scheme ${name} cannot tell the versions "${other}" and "${version}" apart`,
        fix: 'rename one of them, or choose another scheme',
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
  const { path, defaultVersion } = enabled
  const { segments } = path?.scheme ?? {}
  if (path === undefined || segments === undefined) return []
  const depth = prefix.split('/').filter(Boolean).length
  const versions = new Map(
    known.list.flatMap((version) =>
      segments(version, path.options).map((segment) => [segment, version] as const),
    ),
  )
  const answers = ({ version }: FlatRoute, asked: string): boolean => {
    const { claims, neutral } = expandSpec(version, known)
    return neutral || claims.has(asked)
  }
  const isOrdinary = (route: FlatRoute): boolean =>
    route.version === undefined ||
    answers(route, typeof defaultVersion === 'string' ? (staticDefault(enabled, known) ?? '') : '')
  return routes.flatMap((route): DefinitionProblem[] => {
    const first = route.pattern.segments[depth]
    const version = first?.kind === 'literal' ? versions.get(first.text) : undefined
    if (version === undefined || !isOrdinary(route)) return []
    const twin = routes.find(
      (other) => other !== route && answers(other, version) && isTwin(route.pattern, other.pattern, depth),
    )
    if (twin === undefined) return []
    return [
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
