import type { Awaitable } from '../base/values.ts'
import type { ExecutionContext } from './context.ts'
import type { ForwardTarget } from './forward.ts'
import type { Layers } from './layers.ts'
import type { Interceptor } from './interceptor.ts'
import type { Guard } from './guard.ts'
import type { MeantPrefix } from './meant-path.ts'
import type { AnyRoute, Route, RouteList, Shared } from './route.ts'
import type { IdentityValue } from './register.ts'
import type { Tokens } from './token.ts'
import type { VersionSpec } from '../versioning/version.ts'
import { placed } from '../base/definition-error.ts'

/** A handler of the web platform, as other frameworks and libraries export it. */
export type WebHandler = (request: Request, context: ExecutionContext) => Awaitable<Response>

/** A controller or router of `defineController` or `defineRouter`. The type parameters keep the inferred types. */
export interface Controller<N, P, T, R = readonly [], V = unknown, I = unknown> {
  /** Distinguishes controllers and routers from other definitions. */
  readonly kind: 'controller' | 'router'
  /** The name as it was given. */
  readonly name?: N
  /** The prefix as it was given. */
  readonly prefix?: P
  /** The version of all routes that have none of their own. */
  readonly version?: V
  /** The routes, each with its inferred types. */
  readonly routes: T
  /** The routers below it. */
  readonly routers?: R
  /** The interceptors of all its routes. */
  readonly interceptors?: I
}

/** A controller whose types are forgotten. */
export interface AnyController extends Shared, Layers {
  readonly kind: 'controller' | 'router'
  readonly name?: string
  readonly prefix?: string
  readonly inject?: Tokens
  readonly routes?: readonly AnyRoute[]
  readonly routers?: readonly AnyController[]
  readonly mount?: WebHandler | ForwardTarget
}

/** The options of `defineController`. */
export interface ControllerOptions<
  N,
  P extends string,
  T,
  C,
  G,
  V extends VersionSpec,
  I = readonly Interceptor[],
>
  extends Shared, Omit<Layers, 'guards' | 'interceptors'> {
  /** Names the controller. A trailing `Controller` is dropped, and the rest is written in kebab case. */
  readonly name?: N
  /** The path before that of every route. It may have parameters. @default `/` and the name */
  readonly prefix?: MeantPrefix<P>
  /** The version of every route that has none of its own. */
  readonly version?: V
  /** Tokens whose values every handler receives under `inject`. */
  readonly inject?: C
  /** Guards that run before every handler, after the guards of the module. */
  readonly guards?: readonly Guard<G>[]
  /** Interceptors that run around every handler, inside those of the module. */
  readonly interceptors?: I
  /** The routes: objects, or results of `defineRoute`. */
  readonly routes: T
}

/** The options of `defineRouter`. */
export interface RouterOptions<
  N,
  P extends string,
  T,
  R,
  G,
  V extends VersionSpec,
  I = readonly Interceptor[],
>
  extends Shared, Omit<Layers, 'guards' | 'interceptors'> {
  /** Names the router. Names of nested routers are joined by dots. */
  readonly name?: N
  /** The path before that of every route. It may have parameters. @default `/` and the name */
  readonly prefix?: MeantPrefix<P>
  /** The version of every route here and below that has none nearer to it. */
  readonly version?: V
  /** Guards that run before every handler of this router and of those below it, after the guards of the module. */
  readonly guards?: readonly Guard<G>[]
  /** Interceptors that run around every handler of this router and of those below it, inside those of the module. */
  readonly interceptors?: I
  /** The routes: objects, or results of `defineRoute`. */
  readonly routes?: T
  /** Routers below this one. They inherit its prefix, version, tags, guards, interceptors, middleware and error handlers. */
  readonly routers?: R
  /**
   * Answers every request below the prefix that no route matches better: a handler of the web platform, such as the `fetch` of another
   * framework, or an upstream. A handler receives the whole URL. Version, guards, middleware and limits apply as to any route. A router
   * that mounts an upstream needs neither a name nor a prefix, and without a version it is `VERSION_NEUTRAL`.
   *
   * @example
   * defineRouter({ prefix: '/graphql', version: VERSION_NEUTRAL, mount: (request, context) => yoga.fetch(request, context) })
   */
  readonly mount?: WebHandler | ForwardTarget
}

/**
 * Defines a controller, which groups routes under one prefix. Handlers are typed by the objects: path parameters by prefix and path,
 * every source by its schema, the result by `response`. `createApp` reports mistakes.
 *
 * @example
 * const carController = defineController({
 *   name: 'CarController', // prefix '/car'
 *   routes: [
 *     { method: 'GET', path: '/{car_id:int}', name: 'getOne', handler: ({ params }) => `car ${params.car_id}` },
 *     { method: 'POST', version: '2', input: { body: CreateCar }, handler: ({ body }) => body },
 *   ],
 * })
 */
export function defineController<
  const N extends string,
  const T extends RouteList,
  const P extends string = '',
  C extends Tokens = {},
  G = IdentityValue,
  const V extends VersionSpec = never,
  const I extends readonly Interceptor[] = readonly [],
>(
  options: ControllerOptions<
    N,
    P,
    { readonly [K in keyof T]: Route<T[K], { prefix: P; inject: C; identity: G }> },
    C,
    G,
    V,
    I
  >,
): Controller<N, P, T, readonly [], V, I> {
  // the routes are the array that was given; T is how their types are remembered
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return placed({ ...options, kind: 'controller' }, defineController) as unknown as Controller<
    N,
    P,
    T,
    readonly [],
    V,
    I
  >
}

/**
 * Defines a router, which groups routes like a controller, without injection for all of them, and can hold other routers.
 *
 * @example
 * const admin = defineRouter({ prefix: '/admin', version: '1', routers: [users, audit] })
 */
export function defineRouter<
  const N extends string,
  const T extends RouteList = readonly [],
  const P extends string = '',
  const R extends readonly Controller<unknown, unknown, unknown, unknown>[] = readonly [],
  G = IdentityValue,
  const V extends VersionSpec = never,
  const I extends readonly Interceptor[] = readonly [],
>(
  options: RouterOptions<
    N,
    P,
    { readonly [K in keyof T]: Route<T[K], { prefix: P; inject: unknown; identity: G }> },
    R,
    G,
    V,
    I
  >,
): Controller<N, P, T, R, V, I> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return placed({ ...options, kind: 'router' }, defineRouter) as unknown as Controller<N, P, T, R, V, I>
}
