import type { DefinitionProblem } from '../../../../base/definition-error.ts'
import { shapeOf, type Pattern } from '../../../../router/path/pattern.ts'
import type { Versioning } from '../../../../versioning/versioning.ts'
import type { KnownVersions } from '../../../../versioning/version.ts'
import type { TableRoute, Versions } from '../table.ts'

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
    const depth = depthOf(row)
    const first = row.pattern.segments[depth]
    const version = first?.kind === 'literal' ? versions.get(first.text) : undefined
    if (version === undefined) return []
    const rivals = byShape.get(shapeOf(row.pattern, false)) ?? []
    if (!row.spec.unversioned && !answers(row, defaultAt(rivals) ?? '')) return []
    const twins = byShape.get(shapeWithout(row.pattern, depth)) ?? []
    const twin = twins.find((other) => other !== row && answers(other, version))
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
export function depthOf({ route }: TableRoute): number {
  return route.prefix.split('/').filter(Boolean).length
}

/** The version of each version segment. Empty if versions are not in the path. */
export function versionsBySegment(
  { path }: Versioning,
  { list }: KnownVersions,
): ReadonlyMap<string, string> {
  return new Map(
    list.flatMap((version) =>
      (path?.scheme.segments?.(version, path.options) ?? []).map((segment) => [segment, version] as const),
    ),
  )
}

function answers({ spec }: TableRoute, version: string): boolean {
  return spec.neutral || spec.claims.has(version)
}

function groupByShape(rows: readonly TableRoute[]): ReadonlyMap<string, readonly TableRoute[]> {
  const groups = new Map<string, TableRoute[]>()
  for (const row of rows) {
    const shape = shapeOf(row.pattern, false)
    const group = groups.get(shape) ?? []
    group.push(row)
    groups.set(shape, group)
  }
  return groups
}

/** The shape of the path after the version segment. */
function shapeWithout(pattern: Pattern, depth: number): string {
  return shapeOf({ ...pattern, segments: pattern.segments.toSpliced(depth, 1) }, false)
}
