import type { PathShape } from '../../../../router/node.ts'
import type { Versioning } from '../../../../versioning/versioning.ts'
import { createSelect, isVersioned } from '../../../../versioning/version.ts'
import type { TableRoute, Versions } from '../table.ts'

/** The routes for one method at one path shape. */
export interface RouteGroup {
  readonly rows: readonly TableRoute[]
  /** Those for every method there. */
  readonly all: readonly TableRoute[]
  /** Whether some route at the shape names a version. */
  readonly opted: boolean
  /** The route that names a version and answers it. */
  readonly claimant: (version: string) => TableRoute | undefined
}

/** The parts that the warnings look at. */
export interface WarningContext extends Versions {
  readonly rows: readonly TableRoute[]
  readonly groups: readonly RouteGroup[]
  readonly versioning: Versioning
  /** The routes that no request reaches. */
  readonly unused: ReadonlySet<TableRoute>
}

/** The routes by method and path shape. */
export function toGroups(shapes: readonly PathShape<TableRoute>[]): readonly RouteGroup[] {
  return shapes.flatMap(({ routes }) => {
    const opted = isVersioned(routes)
    const methods = new Set(routes.flatMap(({ endpoints }) => [...endpoints.keys()]))
    return [...methods].map((method): RouteGroup => {
      const rows = routes.filter(({ endpoints }) => endpoints.has(method))
      const select = createSelect(rows)
      return { rows, all: routes, opted, claimant: (version) => select(version, NOBODY)[0] }
    })
  })
}

const NOBODY = { unversioned: false, neutral: false }

const SHOWN = 5

/** Some names, and how many more there are: messages are for people. */
export function cutList(names: Iterable<string>): string {
  const all = [...new Set(names)]
  const more = all.length - SHOWN
  return all.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** `version 2`, or `versions 2, 3`. */
export function versionsText(versions: readonly string[]): string {
  return `version${versions.length === 1 ? '' : 's'} ${cutList(versions)}`
}
