import type { ExecutionContext } from '../../define/context.ts'

/** The header in documents (OpenAPI 3.1 section 4.8.21). */
export const LINK = {
  description: 'The pages beside this one: `first`, `next` and `prev` (RFC 8288)',
  schema: { type: 'string' },
}

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
export function addLinks(
  { request, response }: Pick<ExecutionContext, 'request' | 'response'>,
  limit: number,
  { next, prev }: Beside,
): void {
  // other methods have more than a URL
  if (request.method !== 'GET' && request.method !== 'HEAD') return
  const [, query = ''] = /\?(.*)$/s.exec(request.url) ?? []
  const params = new URLSearchParams(query)
  params.delete('cursor')
  params.set('limit', String(limit))
  const first = params.toString()
  // cursors have no character that a query escapes
  const links = [
    `<?${first}>; rel="first"`,
    ...(next === null ? [] : [`<?${first}&cursor=${next}>; rel="next"`]),
    ...(prev === null ? [] : [`<?${first}&cursor=${prev}>; rel="prev"`]),
  ].join(', ')
  if (links.length <= LONGEST) response.headers.append('link', links)
}
