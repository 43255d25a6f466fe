import { find } from '../../../router/find.ts'
import type { Table } from '../table/table.ts'
import { withoutVersion } from './resolution.ts'
import type { Locate, Resolution } from './resolution.ts'

/** Creates the lookup of an application without versioning. */
export function createPlainLocate(table: Table): Locate {
  const off: Resolution = { ...withoutVersion(table), kind: 'off' }
  return (_context, target, method) => ({ match: find(table.bare, target, method), resolution: off })
}
