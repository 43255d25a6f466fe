import { find } from '../../../router/find.ts'
import type { Table } from '../table/table.ts'
import { withoutVersion, type Locate, type VersionMatch } from './resolution.ts'

/** Creates the lookup of an application without versioning. */
export function createPlainLocate(table: Table): Locate {
  const off: VersionMatch = { ...withoutVersion(table), kind: 'off' }
  return (_context, target, method) => ({
    match: find(table.withoutVersion, target, method),
    resolution: off,
  })
}
