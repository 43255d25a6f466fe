import type { DefinitionProblem } from '../../../../base/definition-error.ts'
import type { PathShape } from '../../../../router/node.ts'
import type { KnownVersions } from '../../../../versioning/version.ts'
import type { TableRoute } from '../table.ts'
import { cutList, toGroups, versionsText, type RouteGroup } from './version-groups.ts'

/**
 * Reports a range that goes on above a version which another route names, so that a newer version would get older code than the one
 * before it. A range that leaves the version out goes on because its definition says so.
 */
export function rangeSplits(
  shapes: readonly PathShape<TableRoute>[],
  known: KnownVersions,
): readonly DefinitionProblem[] {
  const shared = shapes.filter(({ routes }) => routes.length > 1 && routes.some(hasRange))
  const problems = toGroups(shared).flatMap((group) =>
    group.rows.flatMap((row) => splitOf(row, group, known)),
  )
  // a route of several methods is looked at for each of them
  return [...new Map(problems.map((problem) => [problem.where + problem.message, problem])).values()]
}

function hasRange({ spec }: TableRoute): boolean {
  // a loop, because hundreds of routes may name a hundred versions each
  for (const { strength } of spec.claims.values()) if (strength === 1) return true
  return false
}

function splitOf(
  row: TableRoute,
  { claimant }: RouteGroup,
  { list }: KnownVersions,
): readonly DefinitionProblem[] {
  const covered = list.filter((version) => row.spec.claims.get(version)?.strength === 1)
  const own = covered.filter((version) => claimant(version) === row)
  const [lowest = '', highest = ''] = [own[0], own.at(-1)]
  const inside = covered.slice(covered.indexOf(lowest), covered.indexOf(highest) + 1)
  const named = inside.filter((version) => claimant(version)?.spec.claims.get(version)?.strength === 0)
  const [first] = named
  if (first === undefined) return []
  const labels = named.flatMap((version) => claimant(version)?.route.label ?? [])
  const above = own.filter((version) => covered.indexOf(version) > covered.indexOf(first))
  const verb = new Set(labels).size === 1 ? 'answers' : 'answer'
  return [
    {
      code: 'range_split',
      where: row.route.label,
      message: `${cutList(labels)} ${verb} ${versionsText(named)} inside this range, and the range answers ${versionsText(above)} above`,
      fix: `end the range with <${first}, or leave the ${named.length === 1 ? 'version' : 'versions'} out if it is to go on: [${rangesWithout(named, covered, list).join(', ')}]`,
    },
  ]
}

/** Ranges over the covered versions that leave out the named ones. */
function rangesWithout(
  named: readonly string[],
  covered: readonly string[],
  list: readonly string[],
): readonly string[] {
  const top = covered.at(-1)
  const end = top === undefined || top === list.at(-1) ? '' : ` <=${top}`
  const starts = [`>=${covered[0]}`, ...named.map((version) => `>${version}`)]
  const ends = [...named.map((version) => ` <${version}`), end]
  const places = [-1, ...named.map((version) => covered.indexOf(version)), covered.length]
  return starts.flatMap((start, index) => {
    const isEmpty = (places[index + 1] ?? 0) - (places[index] ?? 0) < 2
    return isEmpty ? [] : [`'${start}${ends[index]}'`]
  })
}
