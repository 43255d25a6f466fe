import { createApp, defineController, defineModule } from 'octavo'
import type { App, AppOptions, Controller, IdentityValue, Route, RouteList } from 'octavo'

type AnyController = Controller<unknown, unknown, unknown>

/** Creates an application of routes below `/`, or of controllers, that logs nothing unless its options have a logger. */
export function serve<const T extends RouteList>(
  routes: {
    readonly [K in keyof T]: Route<T[K], { prefix: '/'; inject: unknown; identity: IdentityValue }>
  },
  options?: AppOptions,
): App
export function serve(controllers: AnyController | readonly AnyController[], options?: AppOptions): App
export function serve(served: unknown, options: AppOptions = {}): App {
  const list: readonly unknown[] = Array.isArray(served) ? served : [served]
  const isControllers = list.every((each) => typeof each === 'object' && each !== null && 'kind' in each)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the overloads have the types
  const controllers = (
    isControllers ? list : [defineController({ prefix: '/', routes: list as readonly [] })]
  ) as readonly AnyController[]
  return createApp(defineModule({ controllers }), { logger: false, ...options })
}
