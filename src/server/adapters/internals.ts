import type { Logger } from '../../define/context.ts'
import type { RequestContext } from '../pipeline/context.ts'
import { ROUTE_MAP, type VisibleRoutes } from '../../client/route-map.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Awaitable } from '../../base/values.ts'
import type { Contract } from '../../openapi/document/types.ts'
import type { RunningApp } from '../dispatch.ts'
import type { AnsweringRoute } from '../routing/table/table.ts'
import type { RefusalSettings, Settings } from '../options/settings.ts'
import type { Versioning } from '../../versioning/versioning.ts'

/** Starts the application if that has not happened yet. Throws if it is closed. */
export type Start = () => Awaitable<RunningApp>

/** A route in a version. */
export interface AllowedRoute {
  /** The full name. */
  readonly name: string
  readonly method: string
  readonly version: string | null
}

/** The internal part of an application, for the other entry points of Octavo and its command line. */
export interface AppInternals {
  readonly start: Start
  readonly settings: RefusalSettings & Pick<Settings, 'prefix' | 'errorFormat'>
  /** The enabled versioning, as requests are written by it. */
  readonly versioning: () => Versioning | undefined
  readonly visibleRoutes: VisibleRoutes
  /** The routes that documents show, of an application that is prepared and need not have started. */
  readonly routeMap: VisibleRoutes
  /** Every route as its code has it. */
  readonly routes: () => readonly ResolvedRoute[]
  /** By version, the routes that answer it. */
  readonly answering: () => ReadonlyMap<string, readonly AnsweringRoute[]>
  /** The requests and responses of a version, of an application that is prepared, or `undefined` for an unknown version. */
  readonly contract: (version: string | undefined) => Contract | undefined
  /**
   * Waits for promised modules and loads what documents need, so that `routes` and `openapi` work. Creates no provider and calls no
   * hook.
   */
  readonly prepare: () => Promise<void>
  readonly log: Logger
  /** Whether the guards of a route let the client of a request pass, which is not one to the route. */
  readonly allows: (route: AllowedRoute, context: RequestContext) => Promise<boolean>
}

const INTERNALS: unique symbol = Symbol.for('octavo.internals')

/** Adds its internals to an application, where no loop and no log shows them. */
export function withInternals<A extends object>(app: A, internals: AppInternals): A {
  return Object.defineProperty(app, INTERNALS, { value: internals })
}

/** The internals of an application, or `undefined` if the value is none. */
export function findInternals(app: unknown): AppInternals | undefined {
  if (typeof app !== 'object' || app === null) return undefined
  // a symbol that only Octavo writes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Reflect.get(app, INTERNALS) as AppInternals | undefined
}

/** The internals of an application that was passed to `caller`. @throws `TypeError` for anything else. */
export function internalsOf(app: unknown, caller: string): AppInternals {
  const internals = findInternals(app)
  if (internals !== undefined) return internals
  throw new TypeError(`${caller}: pass an application that createApp returned`)
}

/** Adds to a way into the application the function from which `createClient` learns the routes behind it. */
export function withRouteMap<T extends object>(way: T, { visibleRoutes: tellRoutes }: AppInternals): T {
  return Object.defineProperty(way, ROUTE_MAP, { value: tellRoutes })
}
