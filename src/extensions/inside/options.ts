import type { EdgeApp } from '../../server/app/edge-app.ts'

/** An application of Octavo whose routes forward to `host`. */
export type InsideApp = Pick<EdgeApp, 'fetch'>

/** The options of `inside`. `C` is the request or the context of the framework. */
export interface InsideOptions<C> {
  /** The version of a request that names none, such as the one of its account. `undefined` leaves it to `defaultVersion`. */
  readonly version?: (context: C) => string | undefined
}
