import type { Method } from '../http.ts'
import type { VersionSpec } from '../versioning/spec.ts'
import type { ExecutionContext } from './context.ts'
import type {
  HandlerInput,
  HandlerResult,
  InputIn,
  InputSpec,
  PathIn,
  ResponseSpec,
  Returnable,
} from './infer.ts'
import type { Token } from './token.ts'

/** What routes, controllers, routers and modules have in common. */
export interface Shared {
  /** A version, several, a range or `VERSION_NEUTRAL`; replaces whatever version would apply. */
  readonly version?: VersionSpec
  /** Groups in the documentation. @default the controller's name */
  readonly tags?: readonly string[]
  /** Marks as deprecated in the documentation. */
  readonly deprecated?: boolean
  /** Whether the documentation shows it. @default true */
  readonly includeInSchema?: boolean
  /** Anything of your own; handlers and guards see it as `context.route.meta`. */
  readonly meta?: object
}

/** The fields of a route that need no inference. */
export interface RouteOptions extends Shared {
  /** The status of a plain returned value. @default the only 2xx of `response`, else 200 */
  readonly status?: number
  readonly summary?: string
  readonly description?: string
  /** The operation's id in documents. @default made from the name */
  readonly operationId?: string
  /**
   * Whether returned values are checked against `response`: `'strip'` drops undeclared keys, `'strict'` refuses them. A value
   * that does not fit is a logged 500. @default the application's setting, which is `false`
   */
  readonly validateResponses?: 'strip' | 'strict' | false
}

/** The route objects of a controller, each with its own inference. `C` is what the controller injects. */
export type RoutesOf<T, P extends string, C> = {
  readonly [K in keyof T]: RouteOptions & {
    /** One method or several. */
    readonly method: T[K] & (Method | readonly Method[])
    /** Appended to the prefix. @default '/' */
    readonly path?: T[K] & `/${string}`
    /** Names the route for `urlFor`. @default the function's own name, else made of method and path */
    readonly name?: T[K] & string
    /** The sources the handler receives. */
    readonly input?: T[K] & { readonly [S in keyof InputSpec]?: unknown }
    /** Documents and types the answer. */
    readonly response?: T[K] & ResponseSpec
    readonly handler: (
      input: HandlerInput<`${P}${PathIn<T[K]>}`, InputIn<T[K]>, C>,
      context: ExecutionContext,
    ) => HandlerResult<T[K]>
  }
}

/**
 * The type of a handler that is written away from its route.
 *
 * @example
 * const input = { query: { limit: z.number() } }
 * export const list: Handler<typeof input, '/orgs/{org_id:int}/cars'> = ({ params, query }) => find(params.org_id, query.limit)
 */
export type Handler<I = unknown, P extends string = '/', R = unknown, C = unknown> = (
  input: HandlerInput<P, I, C>,
  context: ExecutionContext,
) => unknown extends R ? unknown : Returnable<R> | Promise<Returnable<R>>

/** A route whose types are forgotten: what the framework itself works on. */
export interface AnyRoute extends RouteOptions {
  readonly method: Method | readonly Method[]
  readonly path?: string
  readonly name?: string
  readonly input?: Readonly<Record<string, unknown>>
  readonly response?: unknown
  readonly handler: (input: never, context: ExecutionContext) => unknown
}

/** A record of tokens whose types are forgotten. */
export type AnyTokens = Readonly<Record<string, Token<unknown>>>
