import type { Middleware } from '../../define/layers.ts'
import { httpError } from '../../http/errors.ts'
import { createHostMatch } from '../request/host.ts'

/** Creates the middleware that refuses requests for hosts that are not allowed. */
export function checkHosts(allowed: readonly string[]): Middleware {
  const isAllowed = createHostMatch(allowed)
  return ({ request }, next) => {
    if (isAllowed(request.host)) return next()
    throw httpError('host_not_allowed', 'The application does not answer for this host')
  }
}
