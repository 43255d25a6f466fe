import type { FlatRoute } from '../flatten/flat-route.ts'

/** Knows which changes of a history turn the requests and responses of routes. */
export interface Reached {
  /** Adds the routes of an application. */
  readonly add: (routes: readonly FlatRoute[]) => void
  /** Whether some route has a version. */
  readonly hasVersions: () => boolean
  /** The ids of the changes between a version of a route and its code, newest first. */
  readonly changesOf: (route: string, version: string | null) => readonly string[]
}

const NONE: readonly string[] = []

/** Creates the table of changes, by the names of routes and their versions. */
export function createReached(): Reached {
  const byRoute = new Map<string, Map<string, readonly string[]>>()
  let isVersioned = false
  return {
    add: (routes) => {
      isVersioned ||= routes.some(({ version }) => version !== undefined)
      for (const { name, version, changes } of routes) {
        if (changes === undefined || !Array.isArray(version)) continue
        const byVersion = byRoute.get(name) ?? new Map<string, readonly string[]>()
        byRoute.set(name, byVersion)
        for (const each of version) if (typeof each === 'string') byVersion.set(each, changes)
      }
    },
    hasVersions: () => isVersioned,
    changesOf: (route, version) => (version !== null && byRoute.get(route)?.get(version)) || NONE,
  }
}
