import { DefinitionError } from '../definition-error.ts'
import type { DefinitionProblem } from '../definition-error.ts'
import { flatten } from '../define/flatten.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import type { AnyModule } from '../define/module.ts'
import type { Enabled } from '../versioning/enable.ts'
import { createDispatch } from './dispatch.ts'
import type { Dispatch } from './dispatch.ts'
import { createEndpoints, injectProblems } from './endpoint.ts'
import { createLocate } from './locate.ts'
import type { Settings } from './settings.ts'
import { createMiss } from './miss.ts'
import { createTable } from './table.ts'
import type { Table } from './table.ts'
import { createUrlFor } from './url-for.ts'
import type { UrlFor } from './url-for.ts'

/** An application, built: nothing in it changes any more. */
export interface Compiled {
  readonly table: Table
  readonly dispatch: Dispatch
  readonly urlFor: UrlFor
}

/**
 * Lists the routes of a module. `mistakes` are those that the options have.
 *
 * @throws `DefinitionError` with every mistake that does not depend on versioning.
 */
export function readDefinitions(
  module: AnyModule,
  prefix: string,
  mistakes: readonly DefinitionProblem[],
): readonly FlatRoute[] {
  const { routes, problems } = flatten(module, prefix)
  const all = [...mistakes, ...problems, ...routes.flatMap(injectProblems)]
  if (all.length > 0) throw new DefinitionError(all)
  return routes
}

/** Builds everything that requests need. @throws `DefinitionError` with every mistake that depends on versioning. */
export function compile(
  routes: readonly FlatRoute[],
  settings: Settings,
  enabled: Enabled | undefined,
): Compiled {
  const mode = { strict: settings.trailingSlash === 'strict', prefix: settings.prefix }
  const hidden = enabled?.scheme.queryParameter(enabled.options)
  const rows = routes.map((route) => ({ route, endpoints: createEndpoints(route, settings, hidden) }))
  const table = createTable(rows, enabled, mode)
  const urlFor = createUrlFor(routes, enabled, table.known, settings.prefix)
  // by segments: those of the prefix may be percent-encoded in the path
  const depth = settings.prefix.split('/').length
  const versionFree = (path: string): string => path.split('/').toSpliced(depth, 1).join('/') || '/'
  const lent = { settings, urlFor, versionFree }
  const site = {
    locate: createLocate(table, enabled, mode),
    miss: createMiss(table, enabled),
    vary: enabled?.vary ?? [],
    redirects: settings.trailingSlash === 'redirect',
  }
  return {
    table,
    urlFor,
    dispatch: createDispatch(site, lent),
  }
}
