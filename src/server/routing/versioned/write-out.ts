import type { FlatRoute } from '../../../routes/flat-route.ts'
import { codeOf } from '../../../routes/history.ts'
import type { ExpandRoutes } from '../../../routes/history.ts'
import { createKnown, declaredVersions } from '../../../versioning/known.ts'
import type { Versioning } from '../../../versioning/versioning.ts'

/** The routes of every version: with a history, those that changes reach once for each state that they had. */
export function writeOut(
  routes: readonly FlatRoute[],
  versioning: Versioning | undefined,
  expand: ExpandRoutes | undefined = codeOf(versioning?.history)?.expand,
): readonly FlatRoute[] {
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
