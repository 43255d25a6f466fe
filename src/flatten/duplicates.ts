import type { DefinitionProblem } from '../definition-error.ts'
import { shapeOf } from '../path/pattern.ts'
import { toEntries } from '../versioning/spec.ts'
import type { FlatRoute } from './flat-route.ts'

/**
 * Reports names that several routes share, unless they are versions of one route: the same methods, and no version in common.
 * Routes that answer the same requests are left to the report on duplicate routes.
 */
export function duplicateNames(routes: readonly FlatRoute[]): readonly DefinitionProblem[] {
  const byName = new Map<string, FlatRoute[]>()
  const problems: DefinitionProblem[] = []
  for (const route of routes) {
    const others = byName.get(route.name) ?? []
    const other = others.find(
      (candidate) => !areVersions(candidate, route) && !sameRequests(candidate, route),
    )
    if (other !== undefined) {
      problems.push({
        code: 'duplicate_name',
        where: route.label,
        message: `${other.label} has the same name`,
        fix: 'give one of them another name; only versions of one route may share it',
      })
    }
    byName.set(route.name, [...others, route])
  }
  return problems
}

function areVersions(a: FlatRoute, b: FlatRoute): boolean {
  const left = toEntries(a.version)
  const right = toEntries(b.version)
  const sameMethods = a.methods.join() === b.methods.join()
  return sameMethods && left.length + right.length > 0 && !left.some((entry) => right.includes(entry))
}

function sameRequests(a: FlatRoute, b: FlatRoute): boolean {
  return (
    shapeOf(a.pattern, false) === shapeOf(b.pattern, false) &&
    a.methods.some((method) => b.methods.includes(method))
  )
}
