import { createHash } from 'node:crypto'

import type { Middleware } from '../../define/layers.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { isKnown } from '../../server/response/conditions.ts'
import { andThen, isBoolean } from '../../base/values.ts'
import { checkOptions, type Rules } from '../../base/definition-error.ts'

/** The options of `etag`. */
export interface EtagOptions {
  /** Whether the tags are weak: the content is equivalent, but its bytes may differ. @default false */
  readonly weak?: boolean
}

const OPTIONS: Rules = { weak: [isBoolean, 'true or false'] }

/**
 * Creates middleware that adds an `ETag` of its bytes to a 200 of GET, HEAD and QUERY, and responds with 304 if the client has the
 * content already (`If-None-Match`, RFC 9110 section 13.1.2). Streams get no tag. A tag of the handler is kept and compared. List it
 * after `compression`.
 *
 * @example
 * createApp(AppModule, { middleware: [compression(), etag()] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function etag(options: EtagOptions = {}): Middleware {
  checkOptions('etag', options, OPTIONS)
  const prefix = options.weak === true ? 'W/"' : '"'
  const tagOf = (body: string | Uint8Array, { version }: ExecutionContext, type: string): string => {
    // one text in two versions or media types is two representations (RFC 9110 section 8.8.3)
    const hash = createHash('sha256')
      .update(`${version ?? ''}\n${type}\n`)
      .update(body)
    return `${prefix}${hash.digest('base64url').slice(0, TAG_LENGTH)}"`
  }
  return (context, next) => {
    const { method } = context.request
    if (!ASKING.has(method)) return next()
    return andThen(next(), (response) => {
      if (response.status !== 200) return response
      const { headers, body } = response
      if (headers['etag'] === undefined && (typeof body === 'string' || body instanceof Uint8Array))
        headers['etag'] = tagOf(body, context, String(headers['content-type']))
      const known = context.request.header('if-none-match')
      const tag = headers['etag']
      const isUnchanged = known !== undefined && typeof tag === 'string' && isKnown(known, tag)
      if (!isUnchanged) return response
      const kept = { ...headers }
      for (const name of OF_CONTENT) delete kept[name]
      return { ...response, status: 304, headers: kept, body: null }
    })
  }
}

/** Methods whose answer has conditions on its content (RFC 9110 section 13.1.2, RFC 10008 section 2.6). */
const ASKING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

/** Characters of a tag: 132 bits. */
const TAG_LENGTH = 22

/** Headers that describe a content that is not sent (RFC 9110 section 15.4.5). */
const OF_CONTENT = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-range',
  'content-disposition',
  'last-modified',
  'accept-ranges',
]
