import { findLeaves } from '../router/find.ts'
import type { Leaf } from '../router/node.ts'
import { EMPTY_NODE } from '../router/seal.ts'
import type { Endpoint } from './endpoint.ts'
import { segmentEnd } from './locate-segment.ts'
import type { Located } from './resolution.ts'
import type { Table } from './table.ts'

/** What is served at the path of a request, whatever the method. */
export interface Places {
  /** In any version. */
  readonly all: (located: Located) => readonly Leaf<Endpoint>[]
  /** In the version of the request. */
  readonly own: (located: Located) => readonly Leaf<Endpoint>[]
}

/** Makes the functions that list what is served at a path: for misses, and for what is told of other versions. */
export function createPlaces(
  table: Table,
  { strict, prefix }: { readonly strict: boolean; readonly prefix: string },
): Places {
  const startOf = ({ match, resolution }: Located): number =>
    resolution.inPath ? Math.min(segmentEnd(match.path, prefix) + 1, match.end) : 1
  return {
    all: (located) => {
      const { match, resolution } = located
      if (!resolution.inPath) return findLeaves(table.union, match.path, 1, match.end)
      // where slashes count, a path that ends with its version segment is none
      const isBare = strict && segmentEnd(match.path, prefix) === match.path.length
      return findLeaves(isBare ? EMPTY_NODE : table.unionBehind, match.path, startOf(located), match.end)
    },
    own: (located) =>
      findLeaves(located.resolution.root, located.match.path, startOf(located), located.match.end),
  }
}
