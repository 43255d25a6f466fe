import type { Awaitable } from '../http.ts'
import { isPromise } from '../http.ts'
import { find, trimSlash } from '../router/find.ts'
import type { Node } from '../router/node.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { VersionValue } from '../versioning/scheme.ts'
import { canonicalVersion, MAX_VERSION_LENGTH } from '../versioning/version.ts'
import type { Endpoint } from './endpoint.ts'
import { createSegmentLocate } from './locate-segment.ts'
import { createBare, withoutVersion } from './resolution.ts'
import type { Locate, Located, Look, PathEnds, Resolution } from './resolution.ts'
import type { Table, VersionRoot } from './table.ts'

/** Makes the lookup for a table, for the way versions travel. */
export function createLocate(
  table: Table,
  enabled: Enabled | undefined,
  mode: { readonly strict: boolean; readonly prefix: string },
): Locate {
  const ends = (path: string): PathEnds => ({
    path,
    fullEnd: path.length,
    end: mode.strict ? path.length : trimSlash(path, path.length),
  })
  if (enabled === undefined) {
    const off: Resolution = { ...withoutVersion(table), kind: 'off' }
    return (_context, path, method) => ({ match: look(table.bare, ends(path), method), resolution: off })
  }
  const bare = createBare(table, enabled)
  if (enabled.scheme.segments !== undefined)
    return createSegmentLocate(table, enabled, mode, { ends, look, bare })
  return (context, path, method) => {
    const at = ends(path)
    const locate = (value: VersionValue): Awaitable<Located> => {
      if (value === undefined || value === '') {
        const resolution = bare(context)
        return isPromise(resolution) ? resolution.then(lookUp) : lookUp(resolution)
      }
      return lookUp(
        typeof value === 'string' ? resolve(table, value) : choose(table, value, (root) => reaches(root, at)),
      )
    }
    const lookUp = (resolution: Resolution): Located => ({
      match: look(resolution.root, at, method),
      resolution,
    })
    const value = enabled.read(context.request)
    return isPromise(value) ? value.then(locate) : locate(value)
  }
}

const look: Look = (root, { path, fullEnd, end }, method) => find(root, path, fullEnd, end, method)

/** The resolution of one value that a request gave. */
function resolve(table: Table, requested: string): Resolution {
  const found = rootOf(table, requested)
  const common = { ...withoutVersion(table), requested }
  if (found !== undefined) return { ...common, kind: 'known', root: found.node, version: found.version }
  const malformed =
    table.known.format !== 'string' && canonicalVersion(requested, table.known.format) === undefined
  return { ...common, kind: malformed ? 'invalid' : 'unknown', root: table.other }
}

/** The root a value leads to: by its spelling, else by an equal version. */
function rootOf(table: Table, value: string): VersionRoot | undefined {
  const exact = table.roots.get(value)
  if (exact !== undefined || table.known.format === 'string' || value.length > MAX_VERSION_LENGTH)
    return exact
  return table.roots.get(table.known.find(value) ?? '')
}

/** The resolution of several values: the first one that is served at the path, or a contradiction. */
function choose(
  table: Table,
  value: Exclude<VersionValue, string | undefined>,
  served: (root: Node<Endpoint>) => boolean,
): Resolution {
  const common = { ...withoutVersion(table), root: table.other }
  if ('ambiguous' in value) return { ...common, kind: 'ambiguous', sources: value.ambiguous }
  const requested = value.join(', ')
  for (const preferred of value) {
    const found = rootOf(table, preferred)
    if (found !== undefined && served(found.node))
      return { ...common, kind: 'known', root: found.node, version: found.version, requested }
  }
  return { ...common, kind: 'unknown', requested }
}

/** Whether a root serves the path, whatever the method. */
function reaches(root: Node<Endpoint>, at: PathEnds): boolean {
  return ALL_METHODS.some((method) => look(root, at, method).leaf !== null)
}

const ALL_METHODS = [0, 1, 2, 3, 4, 5, 6, 7]
