import type { DefinitionProblem } from '../../base/definition-error.ts'
import { sessionProblems } from '../session/options.ts'
import type { AnyAppOptions } from '../options/app-options.ts'
import { docsProblems } from '../options/docs.ts'
import { errorFormatProblems } from '../options/error-format.ts'
import { healthProblems } from '../options/health.ts'
import type { HealthOptions } from '../options/health.ts'
import { prefixProblems } from '../options/prefix-problems.ts'
import { usageProblems } from '../options/usage.ts'
import { checkHealthPaths } from '../routing/table/checks/health.ts'
import type { Table } from '../routing/table/table.ts'
import type { Versioning } from '../../versioning/versioning.ts'

export { createDocsRouter } from '../docs/docs-routes.ts'
export { createErrorWriter } from '../options/error-format.ts'
export { createNamedOpen } from '../pipeline/named-context.ts'

/** Reports what cannot be used in the options that few applications have. */
export function rareOptionProblems({
  errorFormat,
  session,
  health,
  usage,
  docs,
  prefix,
}: AnyAppOptions): readonly DefinitionProblem[] {
  return [
    ...errorFormatProblems(errorFormat),
    ...sessionProblems(session),
    ...healthProblems(health),
    ...usageProblems(usage),
    ...docsProblems(docs),
    ...prefixProblems(prefix),
  ]
}

/** @throws `DefinitionError` for routes that would never be asked, because health answers at their paths. */
export function checkHealth(
  { live, ready }: HealthOptions,
  table: Table,
  versioning: Versioning | undefined,
): void {
  checkHealthPaths([live ?? [], ready ?? []].flat(), table, versioning)
}
