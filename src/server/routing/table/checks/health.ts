import { DefinitionError, type DefinitionProblem } from '../../../../base/definition-error.ts'
import { METHOD_INDEX } from '../../../../http/http.ts'
import { find, wholePath } from '../../../../router/find.ts'
import type { Versioning } from '../../../../versioning/versioning.ts'
import type { Table } from '../table.ts'

/** @throws `DefinitionError` for routes of exactly the paths of health questions: they would never be asked. */
export function checkHealthPaths(
  paths: readonly string[],
  table: Table,
  versioning: Versioning | undefined,
): void {
  const elsewhere = versioning?.path === undefined ? table.all : table.pathRoot
  const root = versioning === undefined ? table.withoutVersion : elsewhere
  const problems = paths.flatMap((path) =>
    [...METHOD_INDEX].flatMap(([method, index]): readonly DefinitionProblem[] => {
      const { leaf, values } = find(root, wholePath(path, true), index)
      const route = leaf?.methods[index]
      if (route === undefined || route.info.method !== method || values.length > 0) return []
      return [
        {
          code: 'duplicate_route',
          where: `${route.info.name}: ${method} ${route.info.path}`,
          message: `health answers everything at ${path}`,
          fix: 'give the route or the health option another path',
        },
      ]
    }),
  )
  if (problems.length > 0) throw new DefinitionError(problems)
}
