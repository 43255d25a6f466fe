import type { DefinitionProblem } from '../../../../base/definition-error.ts'
import { findDefault, isSelector, type Versioning } from '../../../../versioning/versioning.ts'
import { cutVersion, type KnownVersions } from '../../../../versioning/version.ts'
import type { TableRoute, Versions } from '../table.ts'
import { patternShape, type Pattern } from '../../../../router/path/pattern.ts'

/** Reports common options that contradict each other or the known versions. */
export function commonOptionProblems(
  rows: readonly TableRoute[],
  versioning: Versioning,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  return [
    ...defaultVersionProblems(versioning, known),
    ...requiredProblems(versioning),
    ...floorProblems(versioning, known),
    ...closedListProblems(versioning),
    ...successorProblems(versioning),
    ...policyVersionProblems(rows, versioning, known),
  ]
}

function defaultVersionProblems(versioning: Versioning, known: KnownVersions): readonly DefinitionProblem[] {
  const { defaultVersion } = versioning
  const names = typeof defaultVersion === 'string' ? [defaultVersion] : (defaultVersion?.names ?? [])
  return names.flatMap((name) => defaultNameProblems(name, versioning, known))
}

function defaultNameProblems(
  defaultVersion: string,
  versioning: Versioning,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  if (findDefault(defaultVersion, known) !== undefined) return []
  const { schemes, placeOf } = versioning
  const where = placeOf(schemes.flatMap(({ name, isCompanion }) => (isCompanion ? [] : name)).join(', '))
  if (!isSelector(defaultVersion)) {
    return [
      {
        code: 'default_version_unknown',
        where,
        message: `the default version "${cutVersion(defaultVersion)}" is not a known version; ${knownText(known)}`,
        fix: 'name a version that a route has, or list it in versions',
      },
    ]
  }
  if (!known.isOrdered) return [withoutOrder(where, `defaultVersion: '${defaultVersion}'`, versioning, known)]
  const kind = defaultVersion === 'latestStable' ? 'a version without a status such as -beta' : 'a version'
  return [
    {
      code: 'default_version_unknown',
      where,
      message: `defaultVersion: '${defaultVersion}' needs ${kind}; ${knownText(known)}`,
      fix: 'give routes a version, or list one in versions',
    },
  ]
}

function requiredProblems({ common, defaultVersion, placeOf }: Versioning): readonly DefinitionProblem[] {
  if (!common.required || defaultVersion === null) return []
  const given = typeof defaultVersion === 'string' ? `"${cutVersion(defaultVersion)}"` : 'a function'
  return [
    {
      code: 'required_with_default',
      where: placeOf(),
      message: `required is true, and defaultVersion is ${given}`,
      fix: 'keep one of them',
    },
  ]
}

function floorProblems(versioning: Versioning, known: KnownVersions): readonly DefinitionProblem[] {
  if (versioning.common.unknown !== 'floor' || known.isOrdered) return []
  return [withoutOrder(versioning.placeOf(), "unknown: 'floor'", versioning, known)]
}

function withoutOrder(
  where: string,
  option: string,
  { versions }: Versioning,
  known: KnownVersions,
): DefinitionProblem {
  const listed = new Set(versions.map((version) => known.find(version)))
  const missing = known.list.filter((version) => !listed.has(version))
  return {
    code: 'versions_without_order',
    where,
    message: `${option} needs versions that have an order; not all of ${known.list.join(', ')} are numbers or dates, and versions does not list ${missing.join(', ')}`,
    fix: 'list every version, the newest first',
  }
}

function closedListProblems({ common, versions, placeOf }: Versioning): readonly DefinitionProblem[] {
  if (!common.closed || versions.length > 0) return []
  return [
    {
      code: 'invalid_option',
      where: placeOf(),
      message: 'closed is true, and versions lists none',
      fix: "list them: versions: ['2', '1']",
    },
  ]
}

function successorProblems({ common, path, placeOf }: Versioning): readonly DefinitionProblem[] {
  if (!common.successorLinks || path !== undefined) return []
  return [
    {
      code: 'invalid_option',
      where: placeOf(),
      message:
        'successorLinks is true, and no scheme puts versions into the path: newer versions have the same URL',
      fix: 'leave it out, or use VersioningSchemes.URL',
    },
  ]
}

/** Reports policies for unknown versions, in the options and in modules, controllers, routers and routes. */
function policyVersionProblems(
  rows: readonly TableRoute[],
  { policies, versions, placeOf }: Versioning,
  known: KnownVersions,
): readonly DefinitionProblem[] {
  // listed versions are known
  const inOptions = versions.length > 0 ? [] : [...policies.keys()]
  // one object for each level, however many routes are below it
  const levels = new Set(rows.flatMap(({ route }) => route.policies))
  const named = [
    ...inOptions.map((version) => ({ where: placeOf(), field: 'versions', version })),
    ...[...levels].flatMap(({ where, versions: each = {} }) =>
      Object.keys(each).map((version) => ({ where, field: 'policy.versions', version })),
    ),
  ]
  return named.flatMap(({ where, field, version }): DefinitionProblem[] =>
    known.find(version) !== undefined
      ? []
      : [
          {
            code: 'unknown_policy_version',
            where,
            message: `${field} has a policy for "${cutVersion(version)}", which is not a known version; ${knownText(known)}`,
            fix: 'correct it, or list the version in the option versions',
          },
        ],
  )
}

function knownText({ list }: KnownVersions): string {
  return list.length === 0 ? 'there are none' : `known are ${list.join(', ')}`
}

/** Reports a path such as `/v1/legacy` beside `/legacy` in version 1, because one of them could never be reached. */
export function literalClashes(
  rows: readonly TableRoute[],
  versioning: Versioning,
  { known, defaultAt }: Versions,
): readonly DefinitionProblem[] {
  const versions = versionsBySegment(versioning, known)
  if (versions.size === 0) return []
  const byShape = groupByShape(rows)
  return rows.flatMap((row): DefinitionProblem[] => {
    const depth = versionSegmentIndex(row)
    const first = row.pattern.segments[depth]
    const version = first?.kind === 'literal' ? versions.get(first.text) : undefined
    if (version === undefined) return []
    const rivals = byShape.get(patternShape(row.pattern, false)) ?? []
    if (!row.spec.unversioned && !answersVersion(row, defaultAt(rivals) ?? '')) return []
    const twins = byShape.get(shapeWithout(row.pattern, depth)) ?? []
    const twin = twins.find((other) => other !== row && answersVersion(other, version))
    if (twin === undefined) return []
    return [
      {
        code: 'version_literal_clash',
        where: row.route.label,
        message: `${twin.route.label} is served at the same path in version ${version}`,
        fix: 'change one of the paths',
      },
    ]
  })
}

/** The place in a pattern where requests have the version segment. */
export function versionSegmentIndex({ route }: TableRoute): number {
  return route.prefix.split('/').filter(Boolean).length
}

/** The version of each version segment. Empty if versions are not in the path. */
export function versionsBySegment(
  { path }: Versioning,
  { list, spellings }: KnownVersions,
): ReadonlyMap<string, string> {
  const texts = [...spellings, ...list.map((version) => [version, version] as const)]
  return new Map(
    texts.flatMap(([text, version]) =>
      (path?.scheme.segments?.(text, path.options) ?? []).map((segment) => [segment, version] as const),
    ),
  )
}

function answersVersion({ spec }: TableRoute, version: string): boolean {
  return spec.neutral || spec.claims.has(version)
}

function groupByShape(rows: readonly TableRoute[]): ReadonlyMap<string, readonly TableRoute[]> {
  const groups = new Map<string, TableRoute[]>()
  for (const row of rows) {
    const shape = patternShape(row.pattern, false)
    const group = groups.get(shape) ?? []
    group.push(row)
    groups.set(shape, group)
  }
  return groups
}

/** The shape of the path after the version segment. */
function shapeWithout(pattern: Pattern, depth: number): string {
  return patternShape({ ...pattern, segments: pattern.segments.toSpliced(depth, 1) }, false)
}
