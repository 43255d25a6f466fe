import type { RouteInfo } from '../../../define/context.ts'
import { FOLDED } from '../../options/usage.ts'

/** A counted call: a route in a version, or a change that altered such a call. Or a change that altered such a call. */
export interface Place {
  readonly id: number
  readonly version: string | null
  readonly route: string
  /** The id of the change, or `undefined` for the route itself. */
  readonly change: string | undefined
  /** The number of the route in the version: that of this place, unless it is one of a change. */
  readonly call: number
  /** Whether it stands for the least used routes and clients of its version. */
  readonly isFolded: boolean
}

/** The places of an application, numbered. */
export interface Places {
  readonly list: readonly Place[]
  readonly of: (route: RouteInfo, version: string | null) => Place
  readonly named: (version: string | null, route: string, change?: string) => Place
  /** The place of a change that altered a call. */
  readonly changed: (place: Place, change: string) => Place
  /** Returns the place that the least used entries of a place are folded into. */
  readonly foldedOf: (place: Place) => Place
}

/** Creates the list of places, which grows with the routes and versions that are used. */
export function createPlaces(): Places {
  const list: Place[] = []
  const byName = new Map<string, Place>()
  const byRoute = new Map<RouteInfo, Map<string | null, Place>>()
  /** The place of each route that was asked for last, because most routes are called in one version. */
  const latest = new Map<RouteInfo, Place>()
  const byChange = new Map<Place, Map<string, Place>>()
  const named: Places['named'] = (version, route, change) => {
    const name = JSON.stringify([version, route, change])
    const known = byName.get(name)
    if (known !== undefined) return known
    const call = change === undefined ? list.length : named(version, route).id
    const place = { id: list.length, version, route, change, call, isFolded: route === FOLDED }
    list.push(place)
    byName.set(name, place)
    return place
  }
  return {
    list,
    named,
    of: (route, version) => {
      const last = latest.get(route)
      if (last !== undefined && last.version === version) return last
      const place =
        byRoute.get(route)?.get(version) ?? keep(byRoute, route, version, named(version, route.name))
      latest.set(route, place)
      return place
    },
    changed: (place, change) =>
      byChange.get(place)?.get(change) ??
      keep(byChange, place, change, named(place.version, place.route, change)),
    foldedOf: ({ version, change }) => named(version, FOLDED, change),
  }
}

function keep<K, L>(places: Map<K, Map<L, Place>>, key: K, inner: L, place: Place): Place {
  const known = places.get(key) ?? new Map<L, Place>()
  places.set(key, known.set(inner, place))
  return place
}
