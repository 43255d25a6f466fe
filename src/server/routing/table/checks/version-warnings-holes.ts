import type { DefinitionWarning } from '../../../../base/definition-error.ts'
import type { TableRoute } from '../table.ts'
import { versionsText, type RouteGroup, type WarningContext } from './version-groups.ts'

/** Warns of a route that exists in an older and in a newer version, but not in one between them. */
export function holeWarnings(context: WarningContext): readonly DefinitionWarning[] {
  const { known, rows } = context
  if (!known.isOrdered) return []
  // a version without routes is a hole in all of them, and has a warning of its own
  const claimed = new Set(rows.flatMap(({ spec }) => [...spec.claims.keys()]))
  const versions = known.list.filter((version) => claimed.has(version))
  return toFamilies(context.groups).flatMap((family) => holesOf(family, versions, context))
}

/** Routes that are the same over the versions: those of one name, and those for one method at one path shape. */
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
