import { isPromise } from '../../../base/values.ts'
import { findLeaves, find } from '../../../router/find.ts'
import type { Endpoints } from '../../../router/node.ts'
import { EMPTY_NODE } from '../../../router/compile-trie.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { beginsWithParameter, segmentEnd } from './locate-several.ts'
import { withOwnPath, withoutVersion, type RouteMatch, type Locate, type VersionMatch } from './resolution.ts'
import type { Table } from '../table/table.ts'

/** The routes at the path of a request, whatever the method. */
interface PathLookup {
  /** In any version. */
  readonly all: (located: RouteMatch) => readonly Endpoints<Endpoint>[]
  /** The same, and ordinary routes such as `/v1/legacy`: docs/guide/versioning-rules.md#segments-that-look-like-a-version */
  readonly anywhere: (located: RouteMatch) => readonly Endpoints<Endpoint>[]
  /** In the version of the request, and those ordinary routes, which answer before it. */
  readonly own: (located: RouteMatch) => readonly Endpoints<Endpoint>[]
}

/** Creates the functions that list the leaves of a path, for misses and for reports on other versions. */
export function createPathLookup(table: Table, { strict }: { readonly strict: boolean }): PathLookup {
  const prefixAt = (path: string): string => table.zoneAt(path).prefix
  const startOf = ({ match, resolution }: RouteMatch): number =>
    resolution.inPath ? Math.min(segmentEnd(match.text, prefixAt(match.text)) + 1, match.end) : 1
  const ordinary = ({ match, resolution }: RouteMatch): readonly Endpoints<Endpoint>[] =>
    resolution.inPath
      ? findLeaves(table.withoutVersion, match.text, 1, match.end).filter(
          (leaf) => !beginsWithParameter(leaf, prefixAt(match.text)),
        )
      : []
  const all = (located: RouteMatch): readonly Endpoints<Endpoint>[] => {
    const { match, resolution } = located
    if (!resolution.inPath) return findLeaves(table.all, match.text, 1, match.end)
    // if slashes count, a path that ends with its version segment has no rest
    const { prefix, unionBehind } = table.zoneAt(match.text)
    const isBare = strict && segmentEnd(match.text, prefix) === match.text.length
    return findLeaves(isBare ? EMPTY_NODE : unionBehind, match.text, startOf(located), match.end)
  }
  return {
    all,
    anywhere: (located) => beside(located, [...ordinary(located), ...all(located)]),
    own: (located) => {
      const { match, resolution } = located
      const own = findLeaves(resolution.root, match.text, startOf(located), match.end)
      return beside(located, [...ordinary(located), ...own])
    },
  }
}

/**
 * Keeps an API behind from answering a path and method that a route answers in some version. It would answer in its newest version, and
 * without the guards of the route.
 */
export function besideRest({ rows }: Table, places: PathLookup, locate: Locate): Locate {
  if (!rows.some(({ route }) => route.mount?.isRest === true)) return locate
  const settle = (located: RouteMatch, method: number): RouteMatch => {
    if (located.match.leaf?.methods[method]?.isRest !== true) return located
    const isElsewhere = places
      .anywhere(withOwnPath(located))
      .some(({ methods }) => methods[method]?.isRest === false)
    return isElsewhere ? { ...located, match: { ...located.match, leaf: null }, isElsewhere } : located
  }
  return (context, target, method) => {
    const located = locate(context, target, method)
    return isPromise(located) ? located.then((settled) => settle(settled, method)) : settle(located, method)
  }
}

/** Leaves out what an API behind would answer, if it must not. */
function beside({ isElsewhere }: RouteMatch, leaves: readonly Endpoints<Endpoint>[]): typeof leaves {
  return isElsewhere === true
    ? leaves.filter((leaf) => !leaf.methods.some((endpoint) => endpoint?.isRest === true))
    : leaves
}

/** Creates the lookup of an application without versioning. */
export function createPlainLocate(table: Table): Locate {
  const off: VersionMatch = { ...withoutVersion(table), kind: 'off' }
  return (_context, target, method) => ({
    match: find(table.withoutVersion, target, method),
    resolution: off,
  })
}
