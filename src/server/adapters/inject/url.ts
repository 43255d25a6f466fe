import { toSearchParams } from '../../../request/query.ts'
import { authorityOf } from '../../../request/request.ts'
import type { FormValues } from './body.ts'

/** The request target of a URL: no fragment, and nothing that cannot be on a request line. */
export function toTarget(url: string | URL): string {
  // most are targets already
  if (typeof url === 'string' && /^\/[!"$-~]*$/.test(url)) return url
  const [whole = ''] = String(url).split('#')
  const target = whole === '*' || whole.startsWith('/') || /^https?:\/\//i.test(whole) ? whole : `/${whole}`
  return target
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[^\u0021-\u007e]+/g, (part) => encodeURIComponent(part))
}

/** A URL with another path, if one is given, and with values in its query. */
export function withQuery(url: string, written: string | undefined, query: FormValues): string {
  const path = originOf(url) + (written ?? pathOf(url))
  const mark = url.indexOf('?')
  const given = mark === -1 ? '' : url.slice(mark + 1)
  const names = Object.keys(query)
  if (names.length === 0) return mark === -1 ? path : `${path}?${given}`
  const kept = given
    .split('&')
    .filter((pair) => pair !== '' && !names.some((name) => new URLSearchParams(pair).has(name)))
  const search = [...kept, toSearchParams(query).toString()].filter((part) => part !== '').join('&')
  return search === '' ? path : `${path}?${search}`
}

/** A query as a record of lists. */
export function toRecord(query: URLSearchParams): FormValues {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]))
}

/** Scheme and authority of a URL; empty for a path. */
function originOf(url: string): string {
  const authority = authorityOf(url)
  return authority === undefined ? '' : url.slice(0, url.indexOf(authority) + authority.length)
}

/** The path of a URL. */
export function pathOf(url: string): string {
  return url.slice(originOf(url).length).split('?')[0] || '/'
}
