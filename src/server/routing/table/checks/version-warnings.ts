import { atDefinition, type DefinitionWarning } from '../../../../base/definition-error.ts'
import { historyCodeOf } from '../../../../routes/resolved-route.ts'
import type { PathShape } from '../../../../router/node.ts'
import { toTime } from '../../../../versioning/moment.ts'
import type { Versioning } from '../../../../versioning/versioning.ts'
import type { TableRoute } from '../table.ts'
import { byKnown } from '../lifetimes.ts'
import { cutList, toGroups, versionsText, type RouteGroup, type WarningContext } from './version-groups.ts'
import { parameterWarnings, writtenTwiceWarnings } from './version-warnings-paths.ts'
import { holeWarnings } from './version-warnings-holes.ts'

/** Warns of versions that may surprise: docs/errors.md#warnings */
export function versionWarnings(
  shapes: readonly PathShape<TableRoute>[],
  versioning: Versioning,
  rest: Omit<WarningContext, 'rows' | 'groups' | 'versioning'>,
): readonly DefinitionWarning[] {
  const rows = shapes.flatMap(({ routes }) => routes)
  const context: WarningContext = { rows, groups: toGroups(shapes), versioning, ...rest }
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
    ...endedPreviews(versioning),
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
  const where = 'enableVersioning'
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
    scheme.warnings(options, isKnown).map((warning) => ({ ...warning, where: `enableVersioning(${name})` })),
  )
}

/** Warns of previews that have ended. Their changes are neither released nor available. */
function endedPreviews({ history, common }: Versioning): readonly DefinitionWarning[] {
  return [...(historyCodeOf(history)?.previews.all ?? [])].flatMap(([name, { until, changes }]) => {
    const end = toTime(until)
    if (end === undefined || end > common.clock()) return []
    const warning: DefinitionWarning = {
      code: 'preview_ended',
      where: `preview "${name}"`,
      message: `it ended on ${until}, so requests for it are refused`,
      fix: 'release its changes by a version, give it a later until, or remove them',
    }
    return [atDefinition(warning, ...changes)]
  })
}
