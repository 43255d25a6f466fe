import type { Late } from '../base/async.ts'
import type { dataResponses, readSchemas } from '../schema/route-schemas.ts'
import type { placementProblems } from './check-placement.ts'
import type { toMountRoute } from './mount.ts'
import type { routePolicyProblems } from '../versioning/policy-problems.ts'

/** The code for what only some definitions have. While it is missing, routes are read without that. */
export interface DefinitionCode {
  /** Reads the schemas of routes. */
  readonly schemas: Late<{
    readonly readSchemas: typeof readSchemas
    readonly dataResponses: typeof dataResponses
  }>
  /** Checks the policies of versions. */
  readonly versions: Late<{ readonly routePolicyProblems: typeof routePolicyProblems }>
  /** Creates the routes of mounted handlers, and checks what routes need of their controllers. */
  readonly routes: Late<{
    readonly toMountRoute: typeof toMountRoute
    readonly placementProblems: typeof placementProblems
  }>
}
