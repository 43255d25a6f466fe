import { isRaw, isReply } from '../../define/reply.ts'
import { httpError } from '../../http/errors.ts'
import { isAsyncIterable, isWebResponse } from '../../http/http.ts'
import { toRecord } from '../../base/values.ts'
import type { PagedLayer, ResolvedRoute } from '../../routes/resolved-route.ts'
import type { RequestContext } from './context.ts'
import { toFailed } from './conversion.ts'
import type { Invoke } from './interceptors.ts'

/**
 * Calls a handler for each page of a list that the version of a request has whole, and returns one page with all items. A result that is no
 * page, such as an error of an API behind, ends it and is returned in place of the list.
 */
export function gatherPages({ label }: ResolvedRoute, paged: PagedLayer, invoke: Invoke): Invoke {
  return async (input, context) => {
    const { headers } = context.response
    const links = headers.get('link')
    const items: unknown[] = []
    let query = toRecord(Reflect.get(input, 'query'))
    let first: unknown
    // a page may be empty, but no list needs more pages than it has items
    for (let calls = 0; calls <= paged.atMost; calls++) {
      const result = await invoke(calls === 0 ? input : { ...input, query }, context)
      const page = dataOf(result)
      const found = paged.itemsOf(page)
      if (found === undefined) return result
      first ??= result
      if (items.length + found.length > paged.atMost) throw tooLong(paged.atMost)
      // one by one, because a call has no room for the arguments of a long page
      for (const item of found) items.push(item)
      // its links lead to pages
      if (links === undefined) headers.delete('link')
      else headers.set('link', links)
      const next = nextOf(paged, page, query, context)
      if (next === undefined) return withData(first, paged.join(dataOf(first), items))
      const following = { ...query, ...next }
      if (JSON.stringify(following) === JSON.stringify(query)) break
      query = following
      if (context.hasLeft) context.signal.throwIfAborted()
    }
    const reason = 'names a next page without end, so its list cannot be read whole'
    throw toFailed(context, new Error(`${label} ${reason}`))
  }
}

/** @throws `HttpError` for a function of a change that fails, which is logged. */
function nextOf(
  paged: PagedLayer,
  page: unknown,
  query: Readonly<Record<string, unknown>>,
  context: RequestContext,
): Readonly<Record<string, unknown>> | undefined {
  try {
    return paged.next(page, query)
  } catch (error) {
    throw toFailed(context, error)
  }
}

function tooLong(atMost: number): Error {
  return httpError(
    'list_too_long',
    `The list has more than ${atMost} items, which this version sends at once: ask for fewer, or read its pages in a newer version`,
  )
}

/** The data of a successful result, or `undefined` for what is sent as it stands. */
function dataOf(result: unknown): unknown {
  if (isReply(result)) return isRaw(result) || result.status !== 200 ? undefined : result.data
  return isWebResponse(result) || isAsyncIterable(result) ? undefined : result
}

/** The same result with other data, and without the headers that describe one page. */
function withData(result: unknown, data: unknown): unknown {
  if (!isReply(result)) return data
  const headers = Object.entries(result.headers ?? {}).filter(([name]) => !OF_A_PAGE.has(name.toLowerCase()))
  return { ...result, data, headers: Object.fromEntries(headers) }
}

const OF_A_PAGE = new Set(['link', 'etag', 'last-modified', 'content-length'])
