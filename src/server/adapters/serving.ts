import type { AppInternals } from './internals.ts'

/** How requests reach the routes of versions, for what keeps it: `octavo snapshot` and `octavo check`. */
interface ServingOfApp {
  /** The places of a request that may name a version, such as `header x-api-version`. */
  readonly schemes: readonly string[]
  /** Versions by operation, such as `POST /users`. Those in one list are served by one route. */
  readonly routes: ReadonlyMap<string, readonly (readonly string[])[]>
}

/** Reads how requests reach the routes of versions, of an application that is prepared and need not have started. */
export function readServing({ versioning, answering }: AppInternals): ServingOfApp {
  const groups = new Map<string, Map<object, string[]>>()
  for (const [version, routes] of answering())
    for (const { row, methods } of routes)
      for (const method of methods) {
        const { route } = row
        const operation = `${method} ${route.pattern.text}`
        const own = groups.get(operation) ?? new Map<object, string[]>()
        groups.set(operation, own)
        // all states that changes give a route have one handler
        own.set(route.handler, [...(own.get(route.handler) ?? []), version])
      }
  return {
    schemes: (versioning()?.schemes ?? []).map(({ source }) => visiblePlace(source)),
    routes: new Map([...groups].map(([operation, own]) => [operation, [...own.values()]])),
  }
}

/** Clients see the names of headers and parameters, but none in paths and hosts. */
function visiblePlace({ in: place, name }: { readonly in: string; readonly name: string }): string {
  return place === 'path' || place === 'host' ? place : `${place} ${name.toLowerCase()}`
}
