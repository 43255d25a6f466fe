import type { RouteInfo } from '../../define/context.ts'
import type { Container } from '../container/container.ts'
import type { RequestContext } from '../pipeline/context.ts'
import { createResponseHead } from '../pipeline/response-head.ts'

/** A route that is used while a request for another one is answered. */
interface OtherRoute {
  readonly info: RouteInfo
  /** The module whose providers the route sees. */
  readonly module: RequestContext['module']
  readonly container: Container
}

type Members = readonly (readonly [name: string | symbol, value: unknown])[]

/**
 * Creates the context of another route. Its route, module, resolved providers, response head (which is not sent) and `more` are its own, and all
 * other members are those of the request. Assignments reach the context of the request, unless the other route `keeps` them.
 */
export function createRouteContext(
  context: RequestContext,
  { info, module, container }: OtherRoute,
  more: Members,
  keeps = false,
): RequestContext {
  const own = new Map<string | symbol, unknown>([
    ['route', info],
    ['response', createResponseHead().view],
    ['module', module],
    [
      'resolve',
      async (token: Parameters<Container['resolve']>[0]) => container.resolve(token, module, context),
    ],
    ...more,
  ])
  return new Proxy(context, {
    get: (target, key) => {
      if (own.has(key)) return own.get(key)
      // private members are those of the context alone
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, key, value) => {
      if (!keeps) return Reflect.set(target, key, value, target)
      own.set(key, value)
      return true
    },
  })
}
