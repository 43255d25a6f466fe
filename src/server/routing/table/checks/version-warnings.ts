import type { DefinitionWarning } from '../../../../base/definition-error.ts'
import type { PathShape } from '../../../../router/node.ts'
import type { Versioning } from '../../../../versioning/versioning.ts'
import type { TableRoute } from '../table.ts'
import { byKnown } from '../lifetimes.ts'
import {
  cutList,
  routeGroups,
  versionsText,
  type RouteGroup,
  type WarningContext,
} from './versioning-lifetimes.ts'
import type { Segment } from '../../../../router/path/pattern.ts'
import { accepts } from '../../../../router/overlap.ts'
import { versionSegmentIndex, versionsBySegment } from './versioning-options.ts'

/** Warns of versions that may surprise: docs/errors.md#warnings */
export function versionWarnings(
  shapes: readonly PathShape<TableRoute>[],
  versioning: Versioning,
  rest: Omit<WarningContext, 'rows' | 'groups' | 'versioning'>,
): readonly DefinitionWarning[] {
  const rows = shapes.flatMap(({ routes }) => routes)
  const context: WarningContext = { rows, groups: routeGroups(shapes), versioning, ...rest }
  const twice = defaultTwice(context)
  const warnings = [
    ...unreachable(context, new Set(twice.map(({ row }) => row))),
    ...twice.map(({ warning }) => warning),
    ...neutralShadowed(context),
    ...parameterWarnings(context),
    ...writtenTwiceWarnings(context),
    ...holeWarnings(context),
    ...versionsWithout(context),
    ...schemeWarnings(context),
  ]
  // a route of several methods is looked at for each of them
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()]
}

function unreachable(
  { groups, unused, versioning }: WarningContext,
  reported: ReadonlySet<TableRoute>,
): readonly DefinitionWarning[] {
  if (unused.size === 0) return []
  const rivals = new Map<TableRoute, string[]>()
  for (const group of groups) {
    for (const row of group.rows.filter((each) => unused.has(each))) {
      rivals.set(row, [...(rivals.get(row) ?? []), ...rivalsOf(row, group, unused)])
    }
  }
  return [...unused].flatMap((row): DefinitionWarning[] => {
    if (reported.has(row)) return []
    const message =
      row.spec.unversioned && versioning.common.required
        ? 'versions are required at this path, and this route has none: it can never be reached'
        : `this route can never be reached: its requests go to ${cutList(rivals.get(row) ?? [])}`
    return [
      {
        code: 'unreachable_route',
        where: row.route.label,
        message,
        fix: 'remove it, or change its path, method or version',
      },
    ]
  })
}

/** The routes that replace this one. */
function rivalsOf(
  { spec }: TableRoute,
  { rows, claimant }: RouteGroup,
  unused: ReadonlySet<TableRoute>,
): readonly string[] {
  const isSpecific = !spec.neutral && !spec.unversioned
  const others = isSpecific
    ? [...spec.claims.keys()].flatMap((version) => claimant(version) ?? [])
    : rows.filter((row) => !unused.has(row))
  return others.map(({ route }) => route.label)
}

/** Warns of an unversioned route beside one for the default version. */
function defaultTwice({
  groups,
  defaultVersion,
}: WarningContext): readonly { readonly row: TableRoute; readonly warning: DefinitionWarning }[] {
  if (defaultVersion === null) return []
  return groups.flatMap(({ rows, claimant }) => {
    const row = rows.find(({ spec }) => spec.unversioned)
    const other = row && claimant(defaultVersion)
    if (row === undefined || other === undefined) return []
    const warning: DefinitionWarning = {
      code: 'default_twice',
      where: row.route.label,
      message: `${other.route.label} answers version ${defaultVersion}, which is the default: this route without version never answers`,
      fix: 'remove it, or give it a version',
    }
    return [{ row, warning }]
  })
}

/** Warns of a neutral route that other routes replace in every version. Only requests without a version still reach it. */
function neutralShadowed(context: WarningContext): readonly DefinitionWarning[] {
  const { groups, known, unused } = context
  return groups.flatMap((group): DefinitionWarning[] => {
    const { rows, opted, claimant } = group
    const row = rows.find(({ spec }) => spec.neutral && spec.claims.size === 0)
    if (row === undefined || !opted || unused.has(row) || !answersWithout(group, context)) return []
    const others = known.list.map(claimant)
    if (others.includes(undefined)) return []
    const labels = others.flatMap((other) => (other === undefined ? [] : [other.route.label]))
    return [
      {
        code: 'neutral_shadowed',
        where: row.route.label,
        message: `every known version is answered by ${cutList(labels)}: this neutral route only answers requests without one`,
        fix: 'remove it, or its version',
      },
    ]
  })
}

/** Whether neutral routes of the group answer requests without version. */
function answersWithout(
  { rows }: RouteGroup,
  { versioning, defaultVersion }: Pick<WarningContext, 'versioning' | 'defaultVersion'>,
): boolean {
  return defaultVersion === null && !versioning.common.required && !rows.some(({ spec }) => spec.unversioned)
}

/** Warns of known versions that no route answers. Neutral routes do not count. */
function versionsWithout({
  rows,
  groups,
  versioning,
  known,
  defaultVersion,
}: WarningContext): readonly DefinitionWarning[] {
  if (rows.length === 0) return []
  const where = versioning.placeOf()
  const served = new Set(rows.flatMap(({ spec }) => [...spec.claims.keys()]))
  if (served.size === 0) {
    return [
      {
        code: 'everything_neutral',
        where,
        message: 'no route has a version: all of them are unversioned or neutral',
        fix: "give routes, controllers or modules a version, as in version: '1', or do not enable versioning",
      },
    ]
  }
  if (defaultVersion !== null && groups.some(answersDefault)) served.add(defaultVersion)
  // those that are to be answered with 410 are listed because their routes may be gone
  const policies = byKnown(versioning.policies, known)
  const missing = known.list.filter(
    (version) =>
      !served.has(version) &&
      !known.isElsewhere(version) &&
      (policies.get(version)?.retired ?? 'serve') === 'serve',
  )
  if (missing.length === 0) return []
  return [
    {
      code: 'version_without_routes',
      where,
      message: `no route has ${versionsText(missing)}`,
      fix: 'give a route this version, or take it out of versions',
    },
  ]
}

/** Whether an unversioned route answers for the default version there. */
function answersDefault({ rows, opted }: RouteGroup): boolean {
  return opted && rows.some(({ spec }) => spec.unversioned)
}

/** Warns of options of a scheme that may surprise. */
function schemeWarnings({ versioning, known }: WarningContext): readonly DefinitionWarning[] {
  const isKnown = (version: string): boolean => known.find(version) !== undefined
  return versioning.schemes.flatMap(({ scheme, options, name }) =>
    scheme.warnings(options, isKnown).map((warning) => ({ ...warning, where: versioning.placeOf(name) })),
  )
}

/** Warns of a route that exists in an older and in a newer version, but not in one between them. */
function holeWarnings(context: WarningContext): readonly DefinitionWarning[] {
  const { known, rows } = context
  if (!known.isOrdered) return []
  // a version without routes is a hole in all of them, and has a warning of its own
  const claimed = new Set(rows.flatMap(({ spec }) => [...spec.claims.keys()]))
  const versions = known.list.filter((version) => claimed.has(version))
  return toFamilies(context.groups).flatMap((family) => holesOf(family, versions, context))
}

/** Routes that continue each other over the versions: by name, and by method and path shape. */
type Family = readonly RouteGroup[]

function toFamilies(groups: readonly RouteGroup[]): readonly Family[] {
  const byName = new Map<string, Set<RouteGroup>>()
  for (const group of groups) {
    for (const { route } of group.rows) {
      const others = byName.get(route.name) ?? new Set()
      byName.set(route.name, others.add(group))
    }
  }
  const seen = new Set<RouteGroup>()
  const collect = (first: RouteGroup): Family => {
    const family: RouteGroup[] = []
    const open = [first]
    for (let group = open.pop(); group !== undefined; group = open.pop()) {
      if (seen.has(group)) continue
      seen.add(group)
      family.push(group)
      const names = new Set(group.rows.map(({ route }) => route.name))
      for (const name of names) {
        open.push(...(byName.get(name) ?? []))
        byName.delete(name)
      }
    }
    return family
  }
  return groups.map(collect).filter((family) => family.length > 0)
}

function holesOf(
  family: Family,
  versions: readonly string[],
  { defaultVersion }: WarningContext,
): readonly DefinitionWarning[] {
  const rows = family.flatMap((group) => group.rows)
  if (rows.some(({ spec }) => spec.neutral)) return []
  const served = new Map<string, TableRoute>()
  for (const row of rows) for (const version of row.spec.claims.keys()) served.set(version, row)
  const asDefault = rows.find(({ spec }) => spec.unversioned)
  if (defaultVersion !== null && asDefault !== undefined && !served.has(defaultVersion))
    served.set(defaultVersion, asDefault)
  const first = versions.findIndex((version) => served.has(version))
  const last = versions.findLastIndex((version) => served.has(version))
  const holes = versions.slice(first, last + 1).filter((version) => !served.has(version))
  const [older, newer] = [versions[first] ?? '', versions[last] ?? '']
  const [before, after] = [served.get(older), served.get(newer)]
  if (holes.length === 0 || before === undefined || after === undefined) return []
  return [
    {
      code: 'version_hole',
      where: after.route.label,
      message: `it exists in version ${older} (${before.route.label}) and in version ${newer}, but not in ${versionsText(holes)}`,
      fix: 'give one of them the versions between, unless you left it out on purpose',
    },
  ]
}

/**
 * Warns of a parameter in the first segment if versions are in the path, because it never receives a version segment. All routes share
 * one warning. A rest parameter causes none: a catch-all page is meant to come last.
 */
function parameterWarnings(context: WarningContext): readonly DefinitionWarning[] {
  const segments = [...versionsBySegment(context.versioning, context.known).keys()]
  if (segments.length === 0) return []
  const hidden = new Set<string>()
  const labels: string[] = []
  for (const group of context.groups) {
    for (const row of group.rows) {
      const first = row.pattern.segments[versionSegmentIndex(row)]
      if (!isParameterSegment(first) || !answersWithoutSegment(group, row, context)) continue
      const own = segments.filter((segment) => accepts(first, segment))
      for (const segment of own) hidden.add(segment)
      if (own.length > 0) labels.push(row.route.label)
    }
  }
  if (labels.length === 0) return []
  return [
    {
      code: 'parameter_hidden',
      where: context.versioning.placeOf(),
      message: `the parameter in the first segment of ${cutList(labels)} is never ${cutList(hidden)}: a path that begins so asks for a version`,
      fix: 'put a literal segment before the parameter, or choose another versionParameter',
    },
  ]
}

/**
 * Routes that have a version and a path that begins with a version segment: they are served at `/v1/v1/…`, which is never intended.
 * One warning for all of them.
 */
function writtenTwiceWarnings({ rows, versioning, known }: WarningContext): readonly DefinitionWarning[] {
  const versions = versionsBySegment(versioning, known)
  const twice = rows.filter((row) => {
    const { pattern, spec } = row
    const first = pattern.segments[versionSegmentIndex(row)]
    return spec.claims.size > 0 && first?.kind === 'literal' && versions.has(first.text)
  })
  if (twice.length === 0) return []
  return [
    {
      code: 'version_written_twice',
      where: versioning.placeOf(),
      message: `the version segment is put before the paths of ${cutList(twice.map(({ route }) => route.label))}, which begin with one already`,
      fix: 'take it out of their prefix or path',
    },
  ]
}

function isParameterSegment(segment: Segment | undefined): segment is Segment & { kind: 'param' | 'mixed' } {
  return segment?.kind === 'param' || segment?.kind === 'mixed'
}

/** Whether the route answers on paths without version segment. */
function answersWithoutSegment(
  { opted, all }: RouteGroup,
  row: WarningContext['rows'][number],
  { versioning, defaultAt, unused }: WarningContext,
): boolean {
  const { spec } = row
  if (unused.has(row)) return false
  if (spec.unversioned) return true
  if (spec.neutral) return !(opted && versioning.common.required)
  return typeof versioning.defaultVersion === 'function' || spec.claims.has(defaultAt(all) ?? '')
}
