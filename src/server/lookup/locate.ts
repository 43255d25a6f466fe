import { find, trimSlash } from '../../router/find.ts'
import type { Table } from '../table/table.ts'
import { withoutVersion } from './resolution.ts'
import type { Locate, Look, PathEnds, Resolution } from './resolution.ts'

/** Creates the lookup of an application without versioning. */
export function createPlainLocate(table: Table, mode: { readonly strict: boolean }): Locate {
  const ends = createEnds(mode)
  const off: Resolution = { ...withoutVersion(table), kind: 'off' }
  return (_context, path, method) => ({ match: look(table.bare, ends(path), method), resolution: off })
}

/** Creates the function that tells where a path ends. */
export function createEnds({ strict }: { readonly strict: boolean }): (path: string) => PathEnds {
  return (path) => ({
    path,
    fullEnd: path.length,
    end: strict ? path.length : trimSlash(path, path.length),
  })
}

/** Looks a path up in a root. */
export const look: Look = (root, { path, fullEnd, end }, method) => find(root, path, fullEnd, end, method)
