import type { AnyController, Controller } from './controller.ts'
import type { Shared } from './route.ts'

/** A module as `defineModule` returns it; the type parameters keep its controllers and imports. */
export interface Module<C, I> {
  readonly kind: 'module'
  readonly controllers?: C
  readonly imports?: I
}

/** A module whose types are forgotten. */
export interface AnyModule extends Shared {
  readonly kind: 'module'
  readonly name?: string
  readonly prefix?: string
  readonly imports?: readonly AnyModule[]
  readonly controllers?: readonly AnyController[]
  readonly routers?: readonly AnyController[]
}

type Routed = Controller<unknown, unknown, unknown, unknown>

/** What `defineModule` takes. */
export interface ModuleOptions<C, R, I> extends Pick<
  Shared,
  'version' | 'tags' | 'deprecated' | 'includeInSchema'
> {
  /** Names the module in messages. */
  readonly name?: string
  /** Modules that belong to the application too. One that is imported twice is one module. */
  readonly imports?: I
  readonly controllers?: C
  readonly routers?: R
  /** The path before every controller and router of this module (not of its imports). */
  readonly prefix?: string
}

/**
 * Puts controllers and routers together. Prefix and version apply to the module's own controllers and routers.
 *
 * @example
 * export const AppModule = defineModule({ imports: [UsersModule], controllers: [carController] })
 */
export function defineModule<
  const C extends readonly Routed[] = readonly [],
  const R extends readonly Routed[] = readonly [],
  const I extends readonly Module<unknown, unknown>[] = readonly [],
>(options: ModuleOptions<C, R, I>): Module<C[number] | R[number], I[number]> {
  // controllers and imports are the arrays that were given; the type parameters remember their elements
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ...options, kind: 'module' } as unknown as Module<C[number] | R[number], I[number]>
}
