import type { ExecutionContext } from '../define/context.ts'

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

/**
 * Adds the header `Link` (RFC 8288). Its targets are a query alone, which clients resolve against the URL that they have sent (RFC 3986
 * section 5.2.2), so that no proxy and no `Host` header can make them wrong.
 */
export function addLinks(
  { request, response }: Pick<ExecutionContext, 'request' | 'response'>,
  limit: number,
  { next, prev }: Beside,
): void {
  // other methods have more than a URL
  if (request.method !== 'GET' && request.method !== 'HEAD') return
  const [, query = ''] = /\?(.*)$/s.exec(request.url) ?? []
  const link = (rel: string, cursor: string | null): string => {
    const params = new URLSearchParams(query)
    params.delete('cursor')
    params.set('limit', String(limit))
    if (cursor !== null) params.set('cursor', cursor)
    return `<?${params.toString()}>; rel="${rel}"`
  }
  const links = [
    link('first', null),
    ...(next === null ? [] : [link('next', next)]),
    ...(prev === null ? [] : [link('prev', prev)]),
  ]
  response.headers.append('link', links.join(', '))
}
