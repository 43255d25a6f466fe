import type { RouteInfo } from '../../define/context.ts'

/** What is called: a route in a version, or a change that altered something in these calls. */
export interface Place {
  readonly id: number
  readonly version: string | null
  readonly route: string
  readonly change: string | undefined
  /** Whether it stands for the least used routes and clients of its version. */
  readonly isFolded: boolean
}

/** The places of an application, numbered. */
export interface Places {
  readonly list: readonly Place[]
  /** The place of a route that answers. */
  readonly of: (route: RouteInfo, version: string | null) => Place
  readonly named: (version: string | null, route: string, change: string | undefined) => Place
  /** What the least used entries of a place are folded into. */
  readonly foldedOf: (place: Place) => Place
}

/** The route of entries that stand for several. */
const FOLDED = '*'

/** Creates the list of places, which grows with the routes, versions and changes that are used. */
export function createPlaces(): Places {
  const list: Place[] = []
  const byName = new Map<string, Place>()
  const byRoute = new Map<RouteInfo, Map<string | null, Place>>()
  const named: Places['named'] = (version, route, change) => {
    const name = JSON.stringify([version, route, change])
    const known = byName.get(name)
    if (known !== undefined) return known
    const place = { id: list.length, version, route, change, isFolded: route === FOLDED }
    list.push(place)
    byName.set(name, place)
    return place
  }
  const add = (route: RouteInfo, version: string | null): Place => {
    const versions = byRoute.get(route) ?? new Map<string | null, Place>()
    byRoute.set(route, versions)
    const place = named(version, route.name, undefined)
    versions.set(version, place)
    return place
  }
  return {
    list,
    named,
    of: (route, version) => byRoute.get(route)?.get(version) ?? add(route, version),
    foldedOf: ({ version, change }) => named(version, FOLDED, change),
  }
}
