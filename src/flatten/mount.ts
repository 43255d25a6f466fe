import type { ExecutionContext } from '../define/context.ts'
import type { WebHandler } from '../define/controller.ts'
import type { AnyRoute } from '../define/route.ts'
import { METHODS } from '../http.ts'

/** The web platform makes no `Request` for TRACE (the Fetch standard, section 2.2.1). */
const MOUNTED = METHODS.filter((method) => method !== 'TRACE')

/** The route that hands every request below a prefix to a foreign handler. */
export function toMountRoute(mount: WebHandler): AnyRoute {
  return {
    method: MOUNTED,
    path: '/{rest:path}',
    name: 'mount',
    includeInSchema: false,
    handler: (_input: unknown, context: ExecutionContext) =>
      mount(context.request.web, toMountContext(context)),
  }
}

/** The members of a context, and what happens to a value that is written to one. */
const MEMBERS: Readonly<Record<keyof ExecutionContext, 'kept' | 'own' | 'method'>> = {
  request: 'own',
  response: 'own',
  route: 'own',
  version: 'own',
  path: 'own',
  originalPath: 'own',
  requestId: 'kept',
  identity: 'kept',
  signal: 'own',
  state: 'own',
  log: 'own',
  resolve: 'method',
  urlFor: 'method',
  allowedMethods: 'method',
  switchToHttpConnection: 'method',
}

const NAMES = Object.keys(MEMBERS)

/**
 * The context as a mounted handler gets it. Other frameworks copy a context, derive objects from it and write members of their own to
 * these, such as `request`. So each member is its own, works on every object that has it, and can be replaced there.
 */
function toMountContext(context: ExecutionContext): ExecutionContext {
  const own = Object.fromEntries(NAMES.map((name) => [name, toDescriptor(context, name)]))
  // has every member of a context, as the table shows
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.defineProperties({}, own) as ExecutionContext
}

function toDescriptor(context: ExecutionContext, name: string): PropertyDescriptor & ThisType<object> {
  const kind = Reflect.get(MEMBERS, name)
  const shared = { configurable: true, enumerable: true }
  if (kind === 'method')
    return {
      ...shared,
      writable: true,
      value: (...values: readonly unknown[]): unknown =>
        Reflect.apply(Reflect.get(context, name), context, values),
    }
  return {
    ...shared,
    get: () => Reflect.get(context, name),
    set(value: unknown) {
      if (kind === 'kept') Reflect.set(context, name, value)
      else Object.defineProperty(this, name, { ...shared, writable: true, value })
    },
  }
}
