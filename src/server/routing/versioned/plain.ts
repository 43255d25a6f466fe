import { createPlainLocate } from '../lookup/locate.ts'
import { createPlainMiss } from '../lookup/miss.ts'
import { createPlainTable } from '../table/plain-table.ts'
import { choosePlainLink } from '../table/url-for.ts'
import { REPORTING } from '../report/names.ts'
import type { Routing } from './routing.ts'

/** The way of applications without versions. */
export const PLAIN: Routing = {
  writeOut: (routes) => routes,
  createMigrating: () => undefined,
  createTable: (routes, _versioning, mode) => createPlainTable(routes, mode),
  createLocate: createPlainLocate,
  createMiss: createPlainMiss,
  createReporter: () => undefined,
  createChooseLink: () => choosePlainLink,
  // a handler may write them itself
  reportingHeaders: () => REPORTING,
  listVersions: () => [],
}
