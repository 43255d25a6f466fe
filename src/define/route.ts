import type { Method } from '../http/http.ts'
import type { RoutePolicy } from '../versioning/policy.ts'
import type { VersionSpec } from '../versioning/version.ts'
import {
  isForwardTarget,
  type ForwardTarget,
  type RouteContext,
  type Added,
  type Dropped,
  type IdentityIn,
  type Identity,
  type Tokens,
} from './context.ts'
import type { Layers, AnyGuard, Guard } from './layers.ts'
import type {
  AnswersOf,
  ByStatus,
  CheckedResponse,
  CheckedSources,
  EventsField,
  HandlerInput,
  HandlerResponse,
  HandlerResult,
  InputIn,
  InputSpec,
  ItemsField,
  ObjectsIn,
  Fallback,
  PathIn,
  PathsIn,
  ResponseIn,
  SourcesOf,
  WithoutStatus,
} from './infer.ts'
import type { AddedInterceptor } from './interceptor.ts'
import type { AddedProblem, AnyProblem } from './problem.ts'
import type { IdentityValue } from './register.ts'
import type { VersionField } from './versions.ts'
import { isUploadLimits, UPLOAD_LIMITS_EXPECTED, type UploadLimits } from '../schema/uploads.ts'
import { recordLocation, type OptionRule } from '../base/definition-error.ts'
import { isBoolean, isCount, isString } from '../base/values.ts'
import type { MeantPath, MeantPrefix } from './meant-path.ts'

/** The options that routes, controllers, routers and modules have in common. */
export interface Shared {
  /** A version, several, a range or `VERSION_NEUTRAL`. It replaces the version of the levels above. */
  readonly version?: VersionSpec
  /** Groups in the documentation. @default the controller's name */
  readonly tags?: readonly string[]
  /** Whether it is deprecated: short for `policy: { deprecated: true }`. */
  readonly deprecated?: boolean
  /** Its deprecation and sunset, and whether it still answers afterwards. */
  readonly policy?: RoutePolicy
  /** Whether the documentation shows it. @default true */
  readonly includeInSchema?: boolean
  /** Data of your own, which handlers and guards read as `context.route.meta`. */
  readonly meta?: object
  /** The problems that handlers throw, which documents and clients show, besides those of the levels above. */
  readonly problems?: readonly AnyProblem[]
}

/** The fields of a route that need no inference. */
export interface RouteOptions extends Shared {
  /** The status of a plain returned value. @default the only 2xx of `response`, else 200 */
  readonly status?: number
  /** A short text that documents show beside the path. */
  readonly summary?: string
  /** A longer text that documents show. May hold Markdown. */
  readonly description?: string
  /** The operation's id in documents. @default made from the name */
  readonly operationId?: string
  /**
   * Whether results are parsed by the `response` schema of their status. Undeclared members are removed, or refused with `'strict'`.
   * A result that does not fit is a logged 500 with code `response_invalid`. @default the application's setting, which is `true`
   */
  readonly validateResponses?: boolean | 'strict'
  /** The longest request body, in bytes. @default the application's setting */
  readonly bodyLimit?: number
  /** Milliseconds that the handler and each guard may take. After that, the response is 503. 0 waits for ever. @default `timeouts.handler` */
  readonly timeout?: number
  /** Lets the handler return `upgrade(…)`, which takes the connection over. Needs the method GET. @default no upgrade */
  readonly upgrade?: 'websocket'
  /** Limits of `multipart/form-data` bodies. @default those of the application */
  readonly uploads?: UploadLimits
  /** Additions to the operation in documents, such as response headers. They are merged field by field. */
  readonly openapi?: object
}

const TEXT: OptionRule = [isString, 'a string']
const COUNT: OptionRule = [isCount, 'a whole number, 0 or more']

/**
 * The options that a resolved route has as its definition gives them, each with its rule. The types of `ResolvedRoute`, the copies and the
 * checks follow from this list.
 */
export const COPIED_OPTIONS = {
  summary: TEXT,
  description: TEXT,
  operationId: TEXT,
  validateResponses: [(value) => value === 'strict' || typeof value === 'boolean', "true, 'strict' or false"],
  bodyLimit: COUNT,
  timeout: COUNT,
  upgrade: [(value) => value === 'websocket', "'websocket'"],
  uploads: [isUploadLimits, UPLOAD_LIMITS_EXPECTED],
  forward: [isForwardTarget, 'what defineUpstream returns'],
  validate: [isBoolean, 'true or false'],
} as const satisfies { readonly [K in keyof AnyRoute]?: OptionRule }

/** The options of a route that are copied, `undefined` where it has none. */
export type CopiedOptions = { readonly [K in keyof typeof COPIED_OPTIONS]: AnyRoute[K] }

/** Returns the options of a route that are copied. */
export function copyOptions(route: AnyRoute): CopiedOptions {
  const entries = Object.keys(COPIED_OPTIONS).map((name): [string, unknown] => [
    name,
    Reflect.get(route, name),
  ])
  // has a member for each name of the list
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(entries) as CopiedOptions
}

/**
 * The part of a route element that a field holds; where there is none, what the field takes, so that a wrong value is reported
 * against that. A conditional type and not an intersection: checking a schema against an intersection walks all of zod's types.
 */
type Kept<E, Allowed> = unknown extends E ? Extract<E, Allowed> : Allowed

/**
 * An input without sources. Its members take any object: a schema that is checked against more costs the type checker all of zod's types.
 */
type AnyInput = { readonly [K in keyof InputSpec]: object }

/**
 * A handler that may return a response of the web platform, too. It has two signatures, because then editors do not complete its
 * results: they would offer the members of `Response`. TypeScript infers nothing from it, because it looks at the last signature.
 */
interface AnyHandler<A, R, Who> {
  (input: A, context: RouteContext<Who>): HandlerResponse<ByStatus<R>>
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- TypeScript would unite signatures that differ in less
  <_>(...args: never): unknown
}

/** The input and result of a handler, under one name, because editors show that and its arguments. */
type RouteHandler<A, R, Who> =
  | ((input: A, context: RouteContext<Who>) => HandlerResult<R>)
  | AnyHandler<A, R, Who>

/** A guard in a route's list; what it leaves in `context.identity` is inferred from the phantom field. */
interface AddedGuard<E> extends Omit<AnyGuard, '$adds'> {
  readonly $adds?: Fallback<Extract<E, Added>, Added>
}

interface DroppedGuard<E> extends Omit<AnyGuard, '$drops'> {
  readonly $drops?: Fallback<Extract<E, Dropped>, Dropped>
}

/** The settings that a route inherits from its controller. */
export interface Inherited {
  /** The prefix of the controller. */
  readonly prefix: string
  /** The tokens that the controller injects. */
  readonly inject: unknown
  /** The identity that guards of the controller leave in `context.identity`. */
  readonly identity: unknown
}

/** Never there. */
declare const NO_LIST: unique symbol

/**
 * The type that a list of routes is inferred as. If it could only be a list, TypeScript would intersect each key of it with the numbers
 * whenever it looks at a route. For the same reason, the mapped types over it stand in the signatures and not behind an alias.
 */
export type RouteList = readonly unknown[] | readonly [] | typeof NO_LIST

/**
 * The fields of a route that are inferred. `E` is all that was inferred, `P` the prefix of its controller. A type literal,
 * because editors show the fields of an interface with all its type arguments.
 */
type InferredFields<E, P> = {
  /** A version, several, a range or `VERSION_NEUTRAL`. It replaces the version of the levels above. */
  readonly version?: VersionField<E>
  /** One method or several. */
  readonly method: Kept<E, Method | readonly Method[]>
  /** Appended to the prefix. Without it, the route has the path of its prefix. */
  readonly path?: MeantPath<Fallback<PathsIn<E>, `/${string}`>>
  /** Names the route for `urlFor`. @default the function's own name, else made of method and path */
  readonly name?: Kept<E, string>
  /** The sources the handler receives. */
  readonly input?: Fallback<CheckedSources<SourcesOf<E>, P, E>, AnyInput>
  /** Types, parses and documents the result: a schema, or schemas by status. */
  readonly response?: Fallback<CheckedResponse<ResponseIn<ObjectsIn<E>>>, WithoutStatus>
  /** Types, parses and documents the events of `sse`: the schema of their data, or schemas by the names of events. */
  readonly events?: EventsField<E>
  /** The schema of the items that the route sends as lines of JSON. It types, parses and documents them. The handler returns an iterable. */
  readonly items?: ItemsField<E>
  /** Guards that run after those of the controller. */
  readonly guards?: readonly AddedGuard<E>[]
  /** Guards of the levels above, global ones included, that do not run before this route. */
  readonly withoutGuards?: readonly DroppedGuard<E>[]
  /** Interceptors that run around the handler, inside those of the controller. */
  readonly interceptors?: readonly AddedInterceptor<E>[]
  /** The problems that the handler throws, which documents and clients show, besides those of the levels above. */
  readonly problems?: readonly AddedProblem<E>[]
}

/** The handler of a route. A type literal like the one above. */
type HandlerField<E, I extends Inherited> = {
  readonly handler: RouteHandler<
    HandlerInput<I['prefix'], PathIn<E>, InputIn<E>, I['inject']>,
    AnswersOf<E>,
    Identity<ObjectsIn<E>, I['identity']>
  >
}

/** A route that answers by itself. */
export interface HandledRoute<E, I extends Inherited>
  extends
    Omit<RouteOptions, 'version' | 'problems'>,
    Omit<Layers, 'guards' | 'interceptors'>,
    InferredFields<E, I['prefix']>,
    HandlerField<E, I> {}

/** A route whose requests go to an API behind the application. */
export interface ForwardedRoute<E, P>
  extends
    Omit<RouteOptions, 'version' | 'problems'>,
    Omit<Layers, 'guards' | 'interceptors'>,
    InferredFields<E, P> {
  /** The API that answers, in the place of a handler. */
  readonly forward: ForwardTarget
  /** Whether requests and responses are parsed even if no change alters them. @default that of the upstream, which is `false` */
  readonly validate?: boolean
}

/** A route object of `defineRoute`. The type parameters keep the inferred types and the requirements for its controller. */
export type Route<E, I extends Inherited> = HandledRoute<E, I> | ForwardedRoute<E, I['prefix']>

/**
 * Types a handler outside of its route.
 *
 * @example
 * const input = { query: { limit: z.number() } }
 * export const list: Handler<typeof input, '/orgs/{org_id:int}/cars'> = ({ params, query }) => find(params.org_id, query.limit)
 */
export type Handler<I = unknown, P extends string = '/', R = unknown, C = unknown, G = IdentityValue> = (
  input: HandlerInput<'', P, I, C>,
  context: RouteContext<G>,
) => unknown extends R ? unknown : HandlerResult<R>

/** The parts of its controller that a route in a file of its own needs. */
export interface RouteController<P extends string, C, G> {
  /** The prefix of the controller. Its parameters are in `params`. */
  readonly prefix?: MeantPrefix<P>
  /** Tokens that the controller injects. Their values are in `inject`. */
  readonly inject?: C
  /** Guards of the controller or of a level above. They type `context.identity`. */
  readonly guards?: readonly Guard<G>[]
}

/**
 * Defines a route in a file of its own, with the types that it would have in its controller. List it in `routes` of the controller. The
 * first argument has the parts of the controller that the route needs, `{}` for none. `createApp` throws if the controller lacks one.
 *
 * @example
 * export const listCars = defineRoute(
 *   { prefix: '/orgs/{org_id:int}', inject: { cars: CarService } },
 *   { method: 'GET', path: '/cars', name: 'list', handler: ({ params, inject }) => inject.cars.of(params.org_id) },
 * )
 * defineController({ prefix: '/orgs/{org_id:int}', inject: { cars: CarService }, routes: [listCars] })
 */
export function defineRoute<
  const T extends readonly [unknown],
  const P extends string = '',
  C extends Tokens = {},
  G = IdentityValue,
>(
  controller: RouteController<P, C, G>,
  // a list of one, because TypeScript infers a union of all fields for the elements of lists alone
  ...[route]: { readonly [K in keyof T]: Route<T[K], { prefix: P; inject: C; identity: G }> }
): Route<T[0], { prefix: P; inject: C; identity: IdentityIn<G> }> {
  // the only element of the list; `controller` is for `createApp` alone
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return recordLocation({ ...route, controller }, defineRoute) as unknown as Route<
    T[0],
    { prefix: P; inject: C; identity: IdentityIn<G> }
  >
}

/** A route whose types are forgotten: what the framework itself works on. */
export interface AnyRoute extends RouteOptions, Layers {
  readonly method: Method | readonly Method[]
  readonly path?: string
  readonly name?: string
  readonly input?: Readonly<Record<string, unknown>>
  readonly response?: unknown
  readonly events?: unknown
  readonly items?: unknown
  readonly withoutGuards?: readonly AnyGuard[]
  /** Of a route of `defineRoute`: what it needs of its controller. */
  readonly controller?: RouteController<string, Tokens, unknown>
  readonly handler?: (input: never, context: never) => unknown
  readonly forward?: ForwardTarget
  readonly validate?: boolean
}
