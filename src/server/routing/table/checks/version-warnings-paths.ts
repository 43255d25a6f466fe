import type { DefinitionWarning } from '../../../../base/definition-error.ts'
import type { Segment } from '../../../../router/path/pattern.ts'
import { accepts } from '../../../../router/overlap.ts'
import { depthOf, versionsBySegment } from './versioning-paths.ts'
import { cutList, type RouteGroup, type WarningContext } from './version-groups.ts'

/**
 * Warns of a parameter in the first segment if versions are in the path, because it never receives a version segment. All routes share
 * one warning. A rest parameter causes none: a catch-all page is meant to come last.
 */
export function parameterWarnings(context: WarningContext): readonly DefinitionWarning[] {
  const segments = [...versionsBySegment(context.versioning, context.known).keys()]
  if (segments.length === 0) return []
  const hidden = new Set<string>()
  const labels: string[] = []
  for (const group of context.groups) {
    for (const row of group.rows) {
      const first = row.pattern.segments[depthOf(row)]
      if (!isParameter(first) || !isOrdinary(group, row, context)) continue
      const own = segments.filter((segment) => accepts(first, segment))
      for (const segment of own) hidden.add(segment)
      if (own.length > 0) labels.push(row.route.label)
    }
  }
  if (labels.length === 0) return []
  return [
    {
      code: 'parameter_hidden',
      where: 'enableVersioning',
      message: `the parameter in the first segment of ${cutList(labels)} is never ${cutList(hidden)}: a path that begins so asks for a version`,
      fix: 'put a literal segment before the parameter, or choose another versionParameter',
    },
  ]
}

/**
 * Routes that have a version and a path that begins with a version segment: they are served at `/v1/v1/…`, which is never intended.
 * One warning for all of them.
 */
export function writtenTwiceWarnings({
  rows,
  versioning,
  known,
}: WarningContext): readonly DefinitionWarning[] {
  const versions = versionsBySegment(versioning, known)
  const twice = rows.filter((row) => {
    const { pattern, spec } = row
    const first = pattern.segments[depthOf(row)]
    return spec.claims.size > 0 && first?.kind === 'literal' && versions.has(first.text)
  })
  if (twice.length === 0) return []
  return [
    {
      code: 'version_written_twice',
      where: 'enableVersioning',
      message: `the version segment is put before the paths of ${cutList(twice.map(({ route }) => route.label))}, which begin with one already`,
      fix: 'take it out of their prefix or path',
    },
  ]
}

function isParameter(segment: Segment | undefined): segment is Segment & { kind: 'param' | 'mixed' } {
  return segment?.kind === 'param' || segment?.kind === 'mixed'
}

/** Whether the route answers on paths without version segment. */
function isOrdinary(
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
