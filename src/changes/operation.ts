import type { Method } from '../http.ts'
import type { FieldWas } from './reshape.ts'

/** What parameters of requests were, by their newest name. Values are turned up, to the newest version. */
export type NamesWere = Readonly<Record<string, Pick<FieldWas, 'was' | 'up'>>>

/** What headers of responses were, by their newest name. Values are turned down, to the older version. */
export type HeadersWere = Readonly<Record<string, Pick<FieldWas, 'was' | 'down'>>>

/** Says what something was. */
export interface Earlier<T> {
  /** What it was before the change. */
  readonly was: T
}

/** What `operation` takes. Names and statuses are those of the newest version, whatever newer operations say of them. */
export interface OperationOptions {
  /** The name of the route, as `urlFor` knows it, or of a controller with `.*` behind it: `'user.*'` are all routes in it. */
  readonly route: string
  /** The path that the route had, with the prefixes of its controllers. For all routes of a controller, what their paths began with. */
  readonly path?: Earlier<string> & {
    /** What the paths of all routes of a controller begin with. Not for a single route. */
    readonly now?: string
  }
  /** The method that the route had. */
  readonly method?: Earlier<Method>
  /** The status of a plain result. */
  readonly status?: Earlier<number>
  /** What query parameters were. */
  readonly query?: NamesWere
  /** What request headers were. */
  readonly headers?: NamesWere
  /** What cookies were. */
  readonly cookies?: NamesWere
  /** What responses were: statuses by their newest number, and headers by their newest name. */
  readonly response?: {
    /** What statuses were, by their newest number. */
    readonly status?: Readonly<Record<number, Earlier<number>>>
    /** What headers were, by their newest name. */
    readonly headers?: HeadersWere
  }
}

/** What a change says of a route. */
export interface Operation extends OperationOptions {
  /** Tells it from a reshape. */
  readonly kind: 'operation'
  /** For types alone: what statuses were. */
  readonly '~was': never
}

/**
 * Says what a route was before a change, in all that is not a model: its address, statuses, headers and parameters.
 *
 * @example
 * operation({ route: 'user.list', path: { was: '/people' } })
 */
export function operation(options: OperationOptions): Operation {
  const made: Omit<Operation, '~was'> = { kind: 'operation', ...options }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the facts are types alone
  return made as never
}

/** Whether an operation is about a route of a name. */
export function isAbout({ route }: Operation, name: string): boolean {
  return route.endsWith('.*') ? name.startsWith(route.slice(0, -1)) : name === route
}
