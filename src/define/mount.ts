import { METHODS } from '../http.ts'
import type { Awaitable } from '../http.ts'
import type { ExecutionContext } from './context.ts'
import type { AnyRoute } from './route.ts'

/** A handler of the web platform, as other frameworks and libraries export it. */
export type WebHandler = (request: Request, context: ExecutionContext) => Awaitable<Response>

/** The web platform makes no `Request` for TRACE (the Fetch standard, section 2.2.1). */
const MOUNTED = METHODS.filter((method) => method !== 'TRACE')

/** The route that hands every request below a prefix to a foreign handler. */
export function toMountRoute(mount: WebHandler): AnyRoute {
  return {
    method: MOUNTED,
    path: '/{rest:path}',
    name: 'mount',
    includeInSchema: false,
    handler: (_input: unknown, context: ExecutionContext) => mount(context.request.web, context),
  }
}
