import { isPromise } from '../http.ts'
import type { Awaitable } from '../http.ts'
import { find, trimSlash } from '../router/find.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { VersionValue } from '../versioning/scheme.ts'
import { createSegmentLocate } from './locate-segment.ts'
import { createSeveralLocate } from './locate-several.ts'
import { createBare, withoutVersion } from './resolution.ts'
import type { Locate, Located, Look, PathEnds, Resolution, Site } from './resolution.ts'
import { createResolve } from './resolve.ts'
import type { Table } from './table.ts'

/** Makes the lookup for a table, for the way versions travel. */
export function createLocate(
  table: Table,
  enabled: Enabled | undefined,
  { strict, prefix }: { readonly strict: boolean; readonly prefix: string },
): Locate {
  const ends = (path: string): PathEnds => ({
    path,
    fullEnd: path.length,
    end: strict ? path.length : trimSlash(path, path.length),
  })
  if (enabled === undefined) {
    const off: Resolution = { ...withoutVersion(table), kind: 'off' }
    return (_context, path, method) => ({ match: look(table.bare, ends(path), method), resolution: off })
  }
  const site: Site = { table, enabled, strict, prefix, ends, look, bare: createBare(table, enabled) }
  const [only, ...others] = enabled.schemes
  if (only === undefined || others.length > 0) return createSeveralLocate(site)
  return enabled.path === undefined ? createValueLocate(site, only) : createSegmentLocate(site)
}

/** Versions in a header, the query or the host: each leads to a root. */
function createValueLocate(site: Site, scheme: Enabled['schemes'][number]): Locate {
  const { enabled, ends, bare } = site
  const resolve = createResolve(site, scheme, enabled.vary)
  const { read } = scheme
  return (context, path, method) => {
    const at = ends(path)
    const lookUp = (resolution: Resolution): Located => ({
      match: look(resolution.root, at, method),
      resolution,
    })
    const locate = (value: VersionValue): Awaitable<Located> => {
      if (value !== undefined && value !== '') return lookUp(resolve(value, at))
      const resolution = bare(context)
      return isPromise(resolution) ? resolution.then(lookUp) : lookUp(resolution)
    }
    const value = read(context.request)
    return isPromise(value) ? value.then(locate) : locate(value)
  }
}

const look: Look = (root, { path, fullEnd, end }, method) => find(root, path, fullEnd, end, method)
