import { isRaw, isReply } from '../../define/reply.ts'
import { httpError } from '../../http/errors.ts'
import { isAsyncIterable, isWebResponse } from '../../http/http.ts'
import { toRecord, type Awaitable } from '../../base/values.ts'
import type { PagedLayer } from '../../routes/resolved-route.ts'
import type { RequestContext } from './context.ts'
import { toFailed, type Conversion } from './conversion.ts'
import type { Invoke } from './interceptors.ts'
import { createChecks } from './validation/response-check.ts'

/**
 * Calls a handler for each page of a list that the version of a request has whole, and returns one page with all items. A result that is no
 * page, such as an error of an API behind, ends it and is returned in place of the list.
 */
export function gatherPages(conversion: Conversion | undefined, invoke: Invoke): Invoke {
  const paged = conversion?.layer.paged
  if (conversion === undefined || paged === undefined) return invoke
  const { label } = conversion.newest
  const toPage = createToPage(conversion, paged)
  return async (input, context) => {
    const { headers } = context.response
    const outer = OF_A_PAGE.map((name) => [name, headers.get(name)] as const)
    const items: unknown[] = []
    const asked = new Set<string>()
    let query = toRecord(Reflect.get(input, 'query'))
    let first: unknown
    let firstPage: unknown
    // a page may be empty, but no list needs more pages than it has items
    for (let calls = 0; calls <= paged.atMost; calls++) {
      asked.add(keyOf(query))
      const result = await invoke(calls === 0 ? input : { ...input, query }, context)
      const data = dataOf(result, context)
      const converted = await toPage(data, context)
      const page = paged.isReplaced ? converted : data
      const found = paged.itemsOf(page)
      if (found === undefined) {
        if (calls === 0 || isError(result)) return result
        throw toFailed(context, new Error(`${label} returned no page after ${items.length} items`))
      }
      first ??= result
      firstPage ??= page
      if (items.length + found.length > paged.atMost) throw tooLong(paged.atMost)
      // one by one, because a call has no room for the arguments of a long page
      for (const item of found) items.push(item)
      const next = nextOf(paged, converted, query, { result, context })
      // they describe one page, and links lead to others
      for (const [name, value] of outer)
        if (value === undefined) headers.delete(name)
        else headers.set(name, value)
      if (next === undefined) return withData(first, paged.join(firstPage, items))
      query = { ...query, ...next }
      if (asked.has(keyOf(query))) break
      // nobody waits for the rest if the client has left or the time is over
      context.signal.throwIfAborted()
    }
    const reason = 'names a next page without end, so its list cannot be read whole'
    throw toFailed(context, new Error(`${label} ${reason}`))
  }
}

/** Creates the function that makes what functions of the change get of a page. */
function createToPage(
  { newest, checking }: Conversion,
  { toPage }: PagedLayer,
): (page: unknown, context: RequestContext) => Awaitable<unknown> {
  if (toPage === undefined) return (page) => page
  const checks = createChecks(newest, checking)
  return async (page, context) => {
    if (page === undefined) return undefined
    const parsed = checks === undefined ? page : await checks.parse(200, page, context)
    try {
      return await toPage(parsed, context)
    } catch (error) {
      throw toFailed(context, error)
    }
  }
}

/** A query as a text that equal ones share. */
function keyOf(query: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(query, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}

/** @throws `HttpError` for a function of a change that fails, which is logged. */
function nextOf(
  paged: PagedLayer,
  page: unknown,
  query: Readonly<Record<string, unknown>>,
  { result, context }: { readonly result: unknown; readonly context: RequestContext },
): Readonly<Record<string, unknown>> | undefined {
  try {
    return paged.next(page, query, linkOf(result) ?? context.response.headers.get('link'))
  } catch (error) {
    throw toFailed(context, error)
  }
}

/** The `Link` header of a result, which names the next page of some APIs (RFC 8288). */
function linkOf(result: unknown): string | undefined {
  const headers = Object.entries((isReply(result) && result.headers) || {})
  const found = headers.find(([name]) => name.toLowerCase() === 'link')?.[1]
  return found === undefined ? undefined : [found].flat().join(', ')
}

/** Whether a result is an error, of a handler or of an API behind. */
function isError(result: unknown): boolean {
  return Number(toRecord(result)['status']) >= 400
}

function tooLong(atMost: number): Error {
  return httpError(
    'list_too_long',
    `The list has more than ${atMost} items, which this version sends at once: ask for fewer, or read its pages in a newer version`,
  )
}

/** The data of a successful result, or `undefined` for what is sent as it stands. */
function dataOf(result: unknown, { response }: RequestContext): unknown {
  if (isReply(result)) return isRaw(result) || result.status !== 200 ? undefined : result.data
  if ((response.status ?? 200) !== 200) return undefined
  return isWebResponse(result) || isAsyncIterable(result) ? undefined : result
}

/** The same result with other data, and without the headers that describe one page. */
function withData(result: unknown, data: unknown): unknown {
  if (!isReply(result)) return data
  const headers = Object.entries(result.headers ?? {}).filter(
    ([name]) => !OF_A_PAGE.includes(name.toLowerCase()),
  )
  return { ...result, data, headers: Object.fromEntries(headers) }
}

/** The headers that describe one page. */
const OF_A_PAGE = ['link', 'etag', 'last-modified', 'content-length']
