import type { RouteInfo } from '../../define/context.ts'

/** What is called: a route in a version. */
export interface Place {
  readonly id: number
  readonly version: string | null
  readonly route: string
  /** Whether it stands for the least used routes and clients of its version. */
  readonly isFolded: boolean
}

/** The places of an application, numbered. */
export interface Places {
  readonly list: readonly Place[]
  /** The place of a route that answers. */
  readonly of: (route: RouteInfo, version: string | null) => Place
  readonly named: (version: string | null, route: string) => Place
  /** What the least used entries of a place are folded into. */
  readonly foldedOf: (place: Place) => Place
}

/** The route of entries that stand for several. */
const FOLDED = '*'

/** Creates the list of places, which grows with the routes and versions that are used. */
export function createPlaces(): Places {
  const list: Place[] = []
  const byName = new Map<string, Place>()
  const byRoute = new Map<RouteInfo, Map<string | null, Place>>()
  const named: Places['named'] = (version, route) => {
    const name = JSON.stringify([version, route])
    const known = byName.get(name)
    if (known !== undefined) return known
    const place = { id: list.length, version, route, isFolded: route === FOLDED }
    list.push(place)
    byName.set(name, place)
    return place
  }
  const add = (route: RouteInfo, version: string | null): Place => {
    const versions = byRoute.get(route) ?? new Map<string | null, Place>()
    byRoute.set(route, versions)
    const place = named(version, route.name)
    versions.set(version, place)
    return place
  }
  return {
    list,
    named,
    of: (route, version) => byRoute.get(route)?.get(version) ?? add(route, version),
    foldedOf: ({ version }) => named(version, FOLDED),
  }
}
