import type { ExecutionContext } from '../../define/context.ts'
import type { Middleware } from '../../define/layers.ts'
import { isMediaToken } from '../../http/media-type.ts'
import { andThen, atOnceOr, isFunction } from '../../base/values.ts'
import { checkOptions, type Rules } from '../../base/definition-error.ts'

/** The options of `requestId`. */
export interface RequestIdOptions {
  /** The header that carries the id, both ways. @default 'x-request-id' */
  readonly header?: string
  /**
   * Whether the id of a request is used: `true` behind a proxy that writes or checks the header, or a function that decides for each
   * request. An id that does not consist of 1 to 128 letters, digits and `-._~:/+=@` is never used. @default false
   */
  readonly trust?: boolean | ((context: ExecutionContext) => boolean)
  /** Returns a new id, of the same characters. @default random UUIDs */
  readonly generate?: (context: ExecutionContext) => string
}

const WHERE = 'requestId'

/** Texts that fit into a line of a log, a header and a URL without being quoted. */
const ID = /^[\w.~:/+=@-]{1,128}$/

const OPTIONS: Rules = {
  header: [(value) => typeof value === 'string' && isMediaToken(value), 'the name of a header'],
  trust: [(value) => typeof value === 'boolean' || isFunction(value), 'true, false or a function'],
  generate: [isFunction, 'a function'],
}

/**
 * Creates middleware that sends the id of each request with its response. `context.requestId`, every message of `context.log` and
 * responses to unknown errors have the same id.
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
  const isTrusted = (context: ExecutionContext): boolean =>
    typeof trust === 'function' ? atOnceOr('requestId.trust', trust(context), false, context) : trust
  return (context, next) => {
    const given = isTrusted(context) ? context.request.header(name) : undefined
    if (given !== undefined && ID.test(given)) context.requestId = given
    else if (generate !== undefined) {
      const id = atOnceOr<string | undefined>('requestId.generate', generate(context), undefined, context)
      if (id !== undefined && !(typeof id === 'string' && ID.test(id)))
        throw new TypeError(
          'requestId: generate gave no text of 1 to 128 letters, digits and the characters -._~:/+=@',
        )
      if (id !== undefined) context.requestId = id
    }
    return andThen(next(), (response) => {
      response.headers[name] = context.requestId
      return response
    })
  }
}
