import { isFunction } from '../base/values.ts'

/** The route that a function of a client calls. */
export interface CalledRoute {
  /** The full name of the route. */
  readonly name: string
  /** The version of the client. */
  readonly version: string | null
  /** Calls the route for the data of its success. Rejects with a `ProblemError` for anything else, declared or not. */
  readonly take: (input: object) => Promise<unknown>
}

/** Where a function of a client has it. Helpers are files of their own, which share this name alone. */
export const CALLED_ROUTE: unique symbol = Symbol.for('octavo.called-route')

/** The route of a function of a client. @throws `TypeError` for anything else. */
export function calledRouteOf(route: unknown, caller: string): CalledRoute {
  const called: unknown = isFunction(route) ? Reflect.get(route, CALLED_ROUTE) : undefined
  if (called === undefined)
    throw new TypeError(`${caller}: pass a route of a client, such as client.car.getOne, without calling it`)
  // a symbol that only a client writes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return called as CalledRoute
}
