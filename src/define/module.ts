import type { Awaitable } from '../base/values.ts'
import type { ExecutionContext, Logger, UrlOptions, ForwardTarget, Tokens, Token } from './context.ts'
import type { Layers, Guard } from './layers.ts'
import type { Interceptor } from './interceptor.ts'
import type { MeantPrefix } from './meant-path.ts'
import type { AnyProblem } from './problem.ts'
import type { AnyRoute, Route, RouteList, Shared } from './route.ts'
import type { IdentityValue } from './register.ts'
import type { VersionSpec } from '../versioning/version.ts'
import { recordLocation } from '../base/definition-error.ts'
import type { AnyProvider, Binding } from './provider.ts'
import type { Schema } from '../schema/schema.ts'

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
  /** The interceptors and problems of all its routes. */
  readonly interceptors?: I
}

/** The interceptors and problems of a level, which clients know. */
export type Around<I extends readonly unknown[], E extends readonly unknown[]> = E extends readonly []
  ? I
  : readonly [...I, ...E]

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
  E = readonly AnyProblem[],
>
  extends Omit<Shared, 'problems'>, Omit<Layers, 'guards' | 'interceptors'> {
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
  /** The problems that every handler may throw, besides those of the module. */
  readonly problems?: E
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
  E = readonly AnyProblem[],
>
  extends Omit<Shared, 'problems'>, Omit<Layers, 'guards' | 'interceptors'> {
  /** Names the router. Names of nested routers are joined by dots. */
  readonly name?: N
  /** The path before that of every route. It may have parameters. @default `/` and the name */
  readonly prefix?: MeantPrefix<P>
  /** The version of every route here and below that has none nearer to it. */
  readonly version?: V
  /** Guards that run before every handler of this router and of those below it, after the guards of the module. */
  readonly guards?: readonly Guard<G>[]
  /** Interceptors around every handler of this router and of the routers below it, inside the interceptors of the module. */
  readonly interceptors?: I
  /** The problems that every handler of this router and of the routers below it may throw, besides those of the module. */
  readonly problems?: E
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
  const E extends readonly AnyProblem[] = readonly [],
>(
  options: ControllerOptions<
    N,
    P,
    { readonly [K in keyof T]: Route<T[K], { prefix: P; inject: C; identity: G }> },
    C,
    G,
    V,
    I,
    E
  >,
): Controller<N, P, T, readonly [], V, Around<I, E>> {
  // the routes are the array that was given; T is how their types are remembered
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return recordLocation({ ...options, kind: 'controller' }, defineController) as unknown as Controller<
    N,
    P,
    T,
    readonly [],
    V,
    Around<I, E>
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
  const E extends readonly AnyProblem[] = readonly [],
>(
  options: RouterOptions<
    N,
    P,
    { readonly [K in keyof T]: Route<T[K], { prefix: P; inject: unknown; identity: G }> },
    R,
    G,
    V,
    I,
    E
  >,
): Controller<N, P, T, R, V, Around<I, E>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return recordLocation({ ...options, kind: 'router' }, defineRouter) as unknown as Controller<
    N,
    P,
    T,
    R,
    V,
    Around<I, E>
  >
}

/** A module as `defineModule` returns it; the type parameters keep its controllers and imports. */
export interface Module<C, I, V = unknown, L = unknown> {
  /** Distinguishes modules from other definitions. */
  readonly kind: 'module'
  /** The version of all routes that have none nearer to them. */
  readonly version?: V
  /** The controllers and routers, with their inferred types. */
  readonly controllers?: C
  /** The imported modules, with their inferred types. */
  readonly imports?: I
  /** The interceptors and problems of all its routes. */
  readonly interceptors?: L
}

/** The application as a module sees it, for `onStart` and `onStop`. */
export interface StartedApp {
  /** Resolves a token that the module sees. */
  resolve<T>(token: Token<T>): Promise<T>
  /** The logger of the application. */
  readonly log: Logger
  /** Returns the path of a route by its name. @throws `RangeError` for unknown names. */
  urlFor(name: string, params?: Readonly<Record<string, unknown>>, options?: UrlOptions): string
}

/** The fields of a module that need no inference. */
export interface ModuleFields
  extends
    Pick<Shared, 'version' | 'tags' | 'deprecated' | 'policy' | 'includeInSchema' | 'problems'>,
    Layers {
  /** Names the module in messages. */
  readonly name?: string
  /** The providers of the module, and results of `bind`. */
  readonly providers?: readonly (AnyProvider | Binding)[]
  /** The tokens that modules which import this one can inject, and imported modules whose exports it passes on. */
  readonly exports?: readonly (Token<unknown> | Module<unknown, unknown>)[]
  /** Whether every module sees what this one exports, without importing it. @default false */
  readonly global?: boolean
  /** The names that documents give to schemas: `{ CreateCar, Car }`. A name that a schema has by `meta({ id })` wins. */
  readonly schemas?: Readonly<Record<string, Schema>>
  /** The path before every controller and router of this module (not of its imports). */
  readonly prefix?: string
  /** Called when all singletons are created, after the modules that it imports. If it rejects, the start fails. */
  readonly onStart?: (app: StartedApp) => unknown
  /** Called when the application closes, before the modules that it imports, if it had started. */
  readonly onStop?: (app: StartedApp) => unknown
}

/** A module whose types are forgotten. */
export interface AnyModule extends ModuleFields {
  readonly kind: 'module'
  readonly imports?: readonly unknown[]
  readonly controllers?: readonly AnyController[]
  readonly routers?: readonly AnyController[]
}

/** The options of `defineModule`. */
export interface ModuleOptions<
  C,
  R,
  I,
  V extends VersionSpec,
  L = readonly Interceptor[],
  E = readonly AnyProblem[],
> extends Omit<ModuleFields, 'interceptors' | 'problems'> {
  /** The version of every route of this module, not of its imports, that has none nearer to it. */
  readonly version?: V
  /** The imported modules, or promises of modules. A module that is imported twice is one module. */
  readonly imports?: I
  /** The controllers of this module. */
  readonly controllers?: C
  /** The routers of this module. */
  readonly routers?: R
  /** Interceptors that run around every handler of this module, inside those of the application. */
  readonly interceptors?: L
  /** The problems that every handler of this module may throw. */
  readonly problems?: E
}

/** A module that another one imports, or a promise of it. */
export type ModuleImport = Module<unknown, unknown> | PromiseLike<Module<unknown, unknown>>

/**
 * Defines a module, which groups controllers, routers and providers. Prefix, version, guards, interceptors, middleware and error handlers
 * apply to the module's own controllers and routers. Write a function that returns a module to give it settings.
 *
 * @example
 * export const CarsModule = defineModule({
 *   name: 'CarsModule',
 *   imports: [databaseModule({ url })],
 *   controllers: [carController],
 *   providers: [CarService],
 *   exports: [CarService],
 * })
 */
export function defineModule<
  const C extends readonly Controller<unknown, unknown, unknown, unknown>[] = readonly [],
  const R extends readonly Controller<unknown, unknown, unknown, unknown>[] = readonly [],
  const I extends readonly ModuleImport[] = readonly [],
  const V extends VersionSpec = never,
  const L extends readonly Interceptor[] = readonly [],
  const E extends readonly AnyProblem[] = readonly [],
>(
  options: ModuleOptions<C, R, I, V, L, E>,
): Module<C[number] | R[number], Awaited<I[number]>, V, Around<L, E>> {
  // controllers and imports are the arrays that were given; the type parameters remember their elements
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return recordLocation({ ...options, kind: 'module' }, defineModule) as unknown as Module<
    C[number] | R[number],
    Awaited<I[number]>,
    V,
    Around<L, E>
  >
}

/** Stands for a token or a module that is defined later. */
interface Lazy {
  readonly kind: 'lazy'
  readonly get: () => unknown
}

/**
 * Refers to a token or module whose file may not be loaded yet, for files that import each other. The function is called when the
 * application is created, never before. It does not allow cycles between providers.
 *
 * @example
 * defineProvider({ name: 'Orders', inject: { users: lazy(() => Users) }, create: ({ users }) => new Orders(users) })
 * defineModule({ imports: [lazy(() => UsersModule)] })
 */
export function lazy<T>(get: () => Token<T>): Token<T>
export function lazy<C, I, V>(get: () => Module<C, I, V>): Module<C, I, V>
export function lazy(get: () => unknown): unknown {
  // `token` names it where it is shown before it can be looked up
  return { kind: 'lazy', token: 'lazy', get } satisfies Lazy & Token<unknown>
}

/** Returns the target of a lazy token or module, or the value itself if it is not lazy. */
export function resolveLazy(value: unknown): unknown {
  return isLazy(value) ? resolveLazy(value.get()) : value
}

function isLazy(value: unknown): value is Lazy {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'lazy'
}
