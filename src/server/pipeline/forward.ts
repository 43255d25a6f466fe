import type { ForwardTarget } from '../../define/context.ts'
import { isPromise } from '../../base/values.ts'
import { HttpError, addedError } from '../../http/errors.ts'
import { isFinished } from './middleware.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Settings } from '../options/settings.ts'
import type { Respond } from './respond.ts'

/** The settings of the application that forwarding uses. */
export type ForwardSettings = Pick<Settings, 'trustProxy'>

/** Creates the handler of a route whose requests an upstream answers. */
export interface Forwarding {
  /** Returns the route with a handler, and without the sources that are not parsed. The handler returns a result or a finished response. */
  readonly toServed: (route: ResolvedRoute, settings: ForwardSettings) => ResolvedRoute
  /** Returns the route with a handler for calls that have input and no request of their own. */
  readonly toCalled: (route: ResolvedRoute) => ResolvedRoute
}

/** By a map, because definitions know nothing of servers. */
const forwardings = new WeakMap<ForwardTarget, Forwarding>()

/** Remembers how requests reach an upstream. */
export function registerForwarding(target: ForwardTarget, forwarding: Forwarding): void {
  forwardings.set(target, forwarding)
}

/** The route with the handler that forwards its requests, or as it is if it has a handler of its own. */
export function toForwarded(route: ResolvedRoute, settings: ForwardSettings): ResolvedRoute {
  return findForwarding(route)?.toServed(route, settings) ?? route
}

/** The same for a route that others call. */
export function toCalledForward(route: ResolvedRoute): ResolvedRoute {
  return findForwarding(route)?.toCalled(route) ?? route
}

function findForwarding({ forward }: ResolvedRoute): Forwarding | undefined {
  return forward === undefined ? undefined : forwardings.get(forward)
}

/** Sends finished responses as they are, with what was set on the head of the response. Results that do not fit are those of the upstream. */
export function passing(respond: Respond): Respond {
  return (result, head, context) => {
    if (isFinished(result)) {
      head?.mergeInto(result.headers)
      return result
    }
    try {
      const response = respond(result, head, context)
      return isPromise(response) ? response.then(undefined, throwInvalid) : response
    } catch (error) {
      return throwInvalid(error)
    }
  }
}

/** A result that was refused is logged already. */
function throwInvalid(error: unknown): never {
  if (!(error instanceof HttpError) || error.code !== 'response_invalid') throw error
  throw addedError('upstream_invalid', 'The upstream has sent a response that cannot be used', {
    cause: error,
  })
}
