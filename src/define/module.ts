import type { Layers } from './layers.ts'
import type { Interceptor } from './interceptor.ts'
import type { Logger, UrlOptions } from './context.ts'
import type { AnyController, Controller } from './controller.ts'
import type { AnyProvider, Binding } from './provider.ts'
import type { Shared } from './route.ts'
import type { Schema } from '../schema/schema.ts'
import type { Token } from './token.ts'
import type { VersionSpec } from '../versioning/version.ts'
import { placed } from '../base/definition-error.ts'

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
  /** The interceptors of all its routes. */
  readonly interceptors?: L
}

/** The application as a module sees it, for `onStart` and `onStop`. */
export interface StartedApp {
  /** Resolves a token that the module sees. */
  resolve<T>(token: Token<T>): Promise<T>
  /** The logger of the application. */
  readonly log: Logger
  /** Returns the path of a route by its name. @throws `RangeError` for unknown names and versions. */
  urlFor(name: string, params?: Readonly<Record<string, unknown>>, options?: UrlOptions): string
}

/** The fields of a module that need no inference. */
export interface ModuleFields
  extends Pick<Shared, 'version' | 'tags' | 'deprecated' | 'policy' | 'includeInSchema'>, Layers {
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
export interface ModuleOptions<C, R, I, V extends VersionSpec, L = readonly Interceptor[]> extends Omit<
  ModuleFields,
  'interceptors'
> {
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
>(options: ModuleOptions<C, R, I, V, L>): Module<C[number] | R[number], Awaited<I[number]>, V, L> {
  // controllers and imports are the arrays that were given; the type parameters remember their elements
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return placed({ ...options, kind: 'module' }, defineModule) as unknown as Module<
    C[number] | R[number],
    Awaited<I[number]>,
    V,
    L
  >
}
