import type { Method } from '../http.ts'
import type { Pattern } from '../path/pattern.ts'
import type { PlacedPolicy } from '../versioning/policy.ts'
import type { VersionSpec } from '../versioning/spec.ts'
import type { LayerStack } from './layer-stack.ts'
import type { ModuleNode } from './modules.ts'
import type { ResponseKey } from '../schema/responses.ts'
import type { Schema } from '../schema/schema.ts'
import type { DeclaredSource } from '../schema/sources.ts'
import type { Token } from '../define/token.ts'
import type { UploadLimits } from '../schema/uploads.ts'

/** A route with everything it inherits written out: what the router, the server and the documents work on. */
export interface FlatRoute {
  /** Says which route it is in messages: `car.getOne: GET /car/{car_id}`. */
  readonly label: string
  /** The route, its controller, the routers around it and the module, for the place in messages. */
  readonly definitions: readonly object[]
  readonly name: string
  /** The name of its controller or router, with those of the routers above. */
  readonly controller: string
  readonly methods: readonly Method[]
  readonly pattern: Pattern
  /** What a version segment follows in the path: the prefix of the application, or `''` if the path doesn't begin with it. */
  readonly prefix: string
  /** Whether the route is excluded from the prefix of the application. */
  readonly isExcluded: boolean
  /** `undefined` when no version is given anywhere. */
  readonly version: VersionSpec | undefined
  readonly sources: readonly DeclaredSource[]
  readonly inject: ReadonlyMap<string, Token<unknown>>
  /** The module it belongs to: tokens are what that module sees. */
  readonly module: ModuleNode
  /** Guards and all else that runs around the handler, of every level. */
  readonly layers: LayerStack
  /** Response schemas by status. */
  readonly responses: ReadonlyMap<ResponseKey, Schema>
  /** Whether `response` is one schema, which is that of any status that a handler replies with. */
  readonly isOneResponse: boolean
  /** The status of a plain returned value. */
  readonly status: number
  readonly validateResponses: boolean | 'strict' | undefined
  /** `undefined` where the application's setting holds, as for the two that follow. */
  readonly bodyLimit: number | undefined
  readonly timeout: number | undefined
  readonly uploads: UploadLimits | undefined
  readonly handler: (input: never, context: never) => unknown
  readonly tags: readonly string[]
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly operationId: string | undefined
  /** Merged into the operation in documents. */
  readonly openapi: object
  readonly deprecated: boolean
  /** What is said of the life of its versions, the most specific first: route, controller, routers, module. */
  readonly policies: readonly PlacedPolicy[]
  readonly includeInSchema: boolean
  readonly meta: object
}
