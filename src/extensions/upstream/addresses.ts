import type { RequestContext } from '../../server/pipeline/context.ts'
import { passedNameOf } from './passed-names.ts'

/** The paths of both sides. */
interface Addresses {
  /** The path before the routes of the application. */
  readonly appPrefix: string
  /** The path below which the API behind lives. */
  readonly prefix: string
  /** The hosts of the API behind, as `toHost` writes them. */
  readonly hosts: ReadonlySet<string>
}

/** The path of a request as the API behind knows it: without the prefix of the application and what names the version. */
export function toUpstreamPath(
  context: RequestContext,
  { appPrefix, prefix }: Omit<Addresses, 'hosts'>,
): string {
  // no URL has a backslash, and some software reads one as a slash
  return prefix + ownPath(context, appPrefix).replaceAll('\\', '%5C')
}

/** The path without the prefix of the application and the version. */
function ownPath(context: RequestContext, appPrefix: string): string {
  const { path } = context
  if (appPrefix === '') return path
  if (path.startsWith(appPrefix)) return path.slice(appPrefix.length) || '/'
  // segments of the prefix may be percent-encoded
  return `/${path.split('/').slice(appPrefix.split('/').length).join('/')}`
}

/** The query as it was sent, without the parameters that name a version, and with the mark before it. */
export function toUpstreamQuery({ raw, versioning }: RequestContext): string {
  const target = raw.url ?? raw.target
  const mark = target.indexOf('?')
  if (mark === -1) return ''
  const query = target.slice(mark)
  const hidden = versioning?.hidden ?? []
  if (hidden.length === 0) return query
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => !hidden.includes(passedNameOf(pair)))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

/**
 * Writes an address of the API behind as one of the application, in the version of a request. It begins with one slash, because two are
 * followed by a host.
 */
export function toOwnAddress(context: RequestContext, addresses: Addresses, address: string): string {
  const below = pathBelow(address, addresses, context)
  if (below === undefined) return address
  const [path = ''] = below.split(/[?#]/, 1)
  const rest = below.slice(path.length)
  const own = context.toOwnPath(path, addresses.appPrefix).replace(/^[/\\]+/, '/')
  return own + (rest.startsWith('?') && own.includes('?') ? `&${rest.slice(1)}` : rest)
}

/** The host and the rest of an absolute address, of any scheme. Browsers read a backslash as a slash. */
const ABSOLUTE = /^(?:[a-z][\da-z+.-]*:)?[/\\]{2}([^/\\?#]*)(.*)$/is

/** The part of an address behind the prefix of the API, or `undefined` for those of others. */
function pathBelow(
  address: string,
  { prefix, hosts }: Addresses,
  { request }: RequestContext,
): string | undefined {
  const [absolute, authority = '', behind = ''] = ABSOLUTE.exec(address) ?? []
  if (absolute !== undefined) {
    const host = toUpstreamHost(authority)
    // APIs behind write the host that was sent to them, which `host` and `X-Forwarded-Host` name
    const isOurs = hosts.has(host) || (host !== '' && host === toUpstreamHost(request.host))
    if (!isOurs) return undefined
  }
  const path = absolute === undefined ? address : withLeadingSlash(behind)
  const target = path.startsWith('/') ? resolved(path) : undefined
  if (target?.startsWith(prefix) !== true) return undefined
  const rest = target.slice(prefix.length)
  return rest === '' || /^[/?#]/.test(rest) ? withLeadingSlash(rest) : undefined
}

/** The path as clients resolve its dot segments. */
function resolved(path: string): string {
  if (!/\/(?:\.|%2e)/i.test(path)) return path
  const { pathname, search, hash } = new URL(`http://upstream${path}`)
  return pathname + search + hash
}

function withLeadingSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path.replace(/^\\/, '')}`
}

/** A host without what may be left out: upper case, and the port of either scheme. */
export function toUpstreamHost(text: string): string {
  return text.toLowerCase().replace(/:(?:80|443)?$/, '')
}
