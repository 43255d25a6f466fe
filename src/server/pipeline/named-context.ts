import { requireSync, describeValue, isString } from '../../base/values.ts'
import type { HttpRequest, RawRequest } from '../../http/http.ts'
import { logError } from '../logging/logger.ts'
import { RequestContext, type AppServices } from './context.ts'

/** The context of a request whose client has a name. Others have no field for it. */
class NamedContext extends RequestContext {
  name: string | undefined = undefined

  override get client(): string | undefined {
    return this.name
  }
}

/** Creates the function that creates the contexts of requests, with the name that the option `client` returns. */
export function createNamedOpen(
  client: (request: HttpRequest) => string | undefined,
  services: AppServices,
): (raw: RawRequest) => RequestContext {
  return (raw) => {
    const context = new NamedContext(raw, services)
    try {
      context.name = toName(requireSync('client', client(context.request)))
    } catch (err) {
      // a client that cannot be named is answered all the same
      logError(context, { err }, 'client failed')
    }
    return context
  }
}

/** An empty header is no name. @throws `TypeError` for other values, which programs without types return. */
function toName(name: unknown): string | undefined {
  if (name === undefined || name === null || name === '') return undefined
  if (isString(name)) return name
  throw new TypeError(`client returned ${describeValue(name)}`)
}
