import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import { historyCodeOf, type ExpandRoutes } from '../../../routes/history.ts'
import { createKnown, declaredVersions } from '../../../versioning/known.ts'
import type { Versioning } from '../../../versioning/versioning.ts'

/** The routes of every version: with a history, those that changes reach once for each state that they had. */
export function writeOut(
  routes: readonly ResolvedRoute[],
  versioning: Versioning | undefined,
  expand: ExpandRoutes | undefined = historyCodeOf(versioning?.history)?.expand,
): readonly ResolvedRoute[] {
  if (versioning === undefined || expand === undefined) return routes
  return expand(routes, (own) =>
    createKnown(
      versioning.versions,
      declaredVersions(own.map(({ version }) => version)),
      versioning.format,
      versioning.elsewhere,
    ),
  )
}
