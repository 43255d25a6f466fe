import type { BenchRoute } from './github.ts'
import type { Found } from './requests.ts'

/** What the benchmark stores at a route. */
export interface Handler {
  readonly route: number
  readonly names: readonly string[]
}

/** A router with its routes. */
export interface Contestant {
  /** What is timed: the router's own answer. */
  readonly lookup: (method: string, target: string) => unknown
  /** The same lookup, its answer read. */
  readonly find: (method: string, target: string) => Found | undefined
}

/** A lookup, and how its answer is read. */
export function toContestant<R>(
  lookup: (method: string, target: string) => R,
  read: (result: R) => Found | undefined,
): Contestant {
  return { lookup, find: (method, target) => read(lookup(method, target)) }
}

/** What is stored at each route. */
export function toHandlers(routes: readonly BenchRoute[]): readonly Handler[] {
  return routes.map(({ path }, route) => ({
    route,
    names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  }))
}

/** What was found, where a router gives the values by name. */
export function fromRecord(
  { route, names }: Handler,
  params: Readonly<Record<string, string | undefined>> = {},
): Found {
  return { route, values: names.map((name) => params[name] ?? '') }
}

/** The path as other routers spell it. */
export function toColons(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
