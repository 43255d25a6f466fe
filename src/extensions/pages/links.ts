import type { ExecutionContext } from '../../define/context.ts'

/** The header in documents (OpenAPI 3.1 section 4.8.21). */
export const LINK = {
  description: 'The pages beside this one: `first`, `next` and `prev` (RFC 8288)',
  schema: { type: 'string' },
}

/** The same for pages by numbers. */
export const NUMBERED_LINK = {
  ...LINK,
  description: 'The pages beside this one: `first`, `prev`, `next` and `last` (RFC 8288)',
}

type Linked = Pick<ExecutionContext, 'request' | 'response'>

/** The cursors of the pages beside one. */
interface Beside {
  readonly next: string | null
  readonly prev: string | null
}

/** Characters of the header. nginx answers 502 if all headers of a response need more than 4 or 8 kB, and the body has the cursors anyway. */
const LONGEST = 2000

/**
 * Adds the header `Link` (RFC 8288), unless it would be too long. Its targets are a query alone, which clients resolve against the URL that
 * they have sent (RFC 3986 section 5.2.2), so that no proxy and no `Host` header can make them wrong.
 */
export function addPageLinks(context: Linked, limit: number, { next, prev }: Beside): void {
  const first = toQuery(context, 'cursor', limit)
  // cursors have no character that a query escapes
  appendHeader(context, [
    `<?${first}>; rel="first"`,
    ...(next === null ? [] : [`<?${first}&cursor=${next}>; rel="next"`]),
    ...(prev === null ? [] : [`<?${first}&cursor=${prev}>; rel="prev"`]),
  ])
}

/** A page by numbers. */
interface Numbered {
  readonly limit: number
  readonly offset: number
  readonly total: number
  readonly maxOffset: number
}

/** Adds the same header to a page by numbers. A page that is too far to be asked for has no link. */
export function addNumberedLinks(context: Linked, { limit, offset, total, maxOffset }: Numbered): void {
  const query = toQuery(context, 'offset', limit)
  // pages begin where those before and after this one do
  const last = offset + Math.floor((total - 1 - offset) / limit) * limit
  const pages: readonly (readonly [name: string, start: number])[] = [
    ['first', 0],
    ...(offset > 0 ? [['prev', Math.max(0, Math.min(offset - limit, last))] as const] : []),
    ...(offset + limit < total ? [['next', offset + limit] as const] : []),
    ...(total > 0 ? [['last', Math.max(0, last)] as const] : []),
  ]
  appendHeader(
    context,
    pages
      .filter(([, start]) => start <= maxOffset)
      .map(([name, start]) => `<?${query}&offset=${start}>; rel="${name}"`),
  )
}

/** The query of a request without the page that it names. */
function toQuery({ request }: Linked, name: 'cursor' | 'offset', limit: number): string {
  const [, query = ''] = /\?(.*)$/s.exec(request.url) ?? []
  const params = new URLSearchParams(query)
  params.delete(name)
  params.set('limit', String(limit))
  return params.toString()
}

function appendHeader({ request, response }: Linked, links: readonly string[]): void {
  // other methods have more than a URL
  if (request.method !== 'GET' && request.method !== 'HEAD') return
  const text = links.join(', ')
  if (text.length <= LONGEST) response.headers.append('link', text)
}
