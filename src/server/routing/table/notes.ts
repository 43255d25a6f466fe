import type { DefinitionProblem } from '../../../base/definition-error.ts'
import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import { atDefinition, labelBeside } from '../../../base/source-location.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { TableRoute } from './table.ts'

/** Collects what conflicts and what is used while leaves are chosen. */
export interface Notes {
  readonly duplicate: (a: ResolvedRoute, b: ResolvedRoute, method: string, version: string | null) => void
  readonly use: (endpoint: Endpoint) => void
  readonly isUsed: (row: TableRoute) => boolean
  readonly problems: () => readonly DefinitionProblem[]
}

/** `isVersioned`: whether versions count. */
export function createNotes(isVersioned: boolean): Notes {
  const problems = new Map<string, DefinitionProblem>()
  const used = new Set<Endpoint>()
  return {
    duplicate: (a, b, method, version) => {
      const key = `${a.label}\n${b.label}\n${method}`
      if (problems.has(key)) return
      const versions = isVersioned && version !== null ? ` for version ${version}` : ''
      const problem: DefinitionProblem = {
        code: 'duplicate_route',
        where: b.label,
        message: `${labelBeside(a, b)} answers ${method} on the same path${versions} too`,
        fix:
          !isVersioned && (a.version !== undefined || b.version !== undefined)
            ? 'call app.enableVersioning: their versions do not count before'
            : 'change the path, the method or the version of one of them',
      }
      problems.set(key, atDefinition(problem, ...b.definitions))
    },
    use: (endpoint) => void used.add(endpoint),
    isUsed: ({ endpoints }) => [...endpoints.values()].some((endpoint) => used.has(endpoint)),
    problems: () => [...problems.values()],
  }
}
