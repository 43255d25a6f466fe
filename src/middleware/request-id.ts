import type { ExecutionContext } from '../define/context.ts'
import type { Middleware } from '../define/middleware.ts'
import type { Rules } from '../check-options.ts'
import { isToken } from '../media-type.ts'
import { after } from '../async.ts'
import { checkOptions } from '../check-options.ts'
import { isFunction } from '../values.ts'

/** What `requestId` takes. */
export interface RequestIdOptions {
  /** The header that carries the id, both ways. @default 'x-request-id' */
  readonly header?: string
  /**
   * Whether the id that a request brings is taken over: `true` behind a proxy that writes or checks the header, or a function that
   * says it for each request. An id that is not of 1 to 128 letters, digits and `-._~:/+=@` is never taken. @default false
   */
  readonly trust?: boolean | ((context: ExecutionContext) => boolean)
  /** Makes an id, of the same characters. @default random UUIDs */
  readonly generate?: (context: ExecutionContext) => string
}

const WHERE = 'requestId'

/** What fits into a line of a log, a header and a URL without being quoted. */
const ID = /^[\w.~:/+=@-]{1,128}$/

const OPTIONS: Rules = {
  header: [(value) => typeof value === 'string' && isToken(value), 'the name of a header'],
  trust: [(value) => typeof value === 'boolean' || isFunction(value), 'true, false or a function'],
  generate: [isFunction, 'a function'],
}

/**
 * Middleware that sends the id of each request along with its response: the one in `context.requestId`, in every message of
 * `context.log` and in answers to unknown errors.
 *
 * @example
 * createApp(AppModule, { middleware: [requestId({ trust: true })] }) // behind a proxy that writes X-Request-Id
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function requestId(options: RequestIdOptions = {}): Middleware {
  checkOptions(WHERE, options, OPTIONS)
  const { header = 'x-request-id', trust = false, generate } = options
  const name = header.toLowerCase()
  const isTrusted = typeof trust === 'function' ? trust : () => trust
  return (context, next) => {
    const given = isTrusted(context) ? context.request.header(name) : undefined
    if (given !== undefined && ID.test(given)) context.requestId = given
    else if (generate !== undefined) context.requestId = checked(generate(context))
    return after(next(), (response) => {
      response.headers[name] = context.requestId
      return response
    })
  }
}

function checked(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id
  throw new TypeError(
    'requestId: generate gave no text of 1 to 128 letters, digits and the characters -._~:/+=@',
  )
}
