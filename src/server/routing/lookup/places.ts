import { findLeaves, find } from '../../../router/find.ts'
import type { Endpoints } from '../../../router/node.ts'
import { EMPTY_NODE } from '../../../router/compile-trie.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { beginsWithParameter, segmentEnd } from './locate-several.ts'
import { withoutVersion, type RouteMatch, type Locate, type VersionMatch } from './resolution.ts'
import type { Table } from '../table/table.ts'

/** The routes at the path of a request, whatever the method. */
interface Places {
  /** In any version. */
  readonly all: (located: RouteMatch) => readonly Endpoints<Endpoint>[]
  /** The same, and ordinary routes such as `/v1/legacy`: docs/guide/versioning-rules.md#segments-that-look-like-a-version */
  readonly anywhere: (located: RouteMatch) => readonly Endpoints<Endpoint>[]
  /** In the version of the request, and those ordinary routes, which answer before it. */
  readonly own: (located: RouteMatch) => readonly Endpoints<Endpoint>[]
}

/** Creates the functions that list the leaves of a path, for misses and for reports on other versions. */
export function createPlaces(table: Table, { strict }: { readonly strict: boolean }): Places {
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
    anywhere: (located) => [...ordinary(located), ...all(located)],
    own: (located) => {
      const { match, resolution } = located
      return [...ordinary(located), ...findLeaves(resolution.root, match.text, startOf(located), match.end)]
    },
  }
}

/** Creates the lookup of an application without versioning. */
export function createPlainLocate(table: Table): Locate {
  const off: VersionMatch = { ...withoutVersion(table), kind: 'off' }
  return (_context, target, method) => ({
    match: find(table.withoutVersion, target, method),
    resolution: off,
  })
}
