import type { ExecutionContext } from '../define/context.ts'
import type { WebHandler } from '../define/controller.ts'
import { isForwardTarget, type ForwardTarget } from '../define/forward.ts'
import type { AnyRoute } from '../define/route.ts'
import { METHODS } from '../http/http.ts'
import { VERSION_NEUTRAL, type VersionSpec } from '../versioning/version.ts'

/** The web platform makes no `Request` for TRACE (the Fetch standard, section 2.2.1). */
const MOUNTED = METHODS.filter((method) => method !== 'TRACE')

/** The route that hands every request below a prefix to a foreign handler. */
export function toMountRoute(mount: WebHandler | ForwardTarget, version: VersionSpec | undefined): AnyRoute {
  const route = { method: MOUNTED, path: '/{rest:path}', name: 'mount', includeInSchema: false }
  // an API behind has everything that is not here, in every version
  if (isForwardTarget(mount))
    return { ...route, version: version ?? VERSION_NEUTRAL, upgrade: 'websocket', forward: mount }
  return {
    ...route,
    handler: (_input: unknown, context: ExecutionContext) =>
      mount(context.request.web, toMountContext(context)),
  }
}

/** The members of a context. */
const MEMBERS =
  'request response route version previews path originalPath requestId identity client signal state log resolve since migrate call waitUntil urlFor allowedMethods switchToHttpConnection'.split(
    ' ',
  )

/**
 * The context as a mounted handler gets it. Other frameworks copy a context, derive objects from it and write members of their own to
 * these, such as `request`. So each member is its own, works on every object that has it, and can be replaced there.
 */
function toMountContext(context: ExecutionContext): ExecutionContext {
  const own = {}
  for (const name of MEMBERS) {
    Object.defineProperty(own, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value: unknown = Reflect.get(context, name)
        return typeof value === 'function' ? value.bind(context) : value
      },
      set(value: unknown) {
        if (name === 'requestId' || name === 'identity') Reflect.set(context, name, value)
        else
          Object.defineProperty(this, name, { configurable: true, enumerable: true, writable: true, value })
      },
    })
  }
  // has every member of a context
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return own as ExecutionContext
}
