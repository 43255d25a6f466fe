import { httpError } from '../../http/errors.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { nameOf } from './passed-names.ts'

/** The paths of both sides. */
interface Addresses {
  /** The path before the routes of the application. */
  readonly appPrefix: string
  /** The path below which the API behind lives. */
  readonly prefix: string
  /** The origins that the API behind may call itself. */
  readonly origins: readonly string[]
}

/**
 * The path of a request as the API behind knows it: without the prefix of the application and what names the version.
 *
 * @throws `HttpError` 400 for a path with dot segments, which the API behind may resolve to one that other guards protect.
 */
export function toUpstreamPath(
  context: RequestContext,
  { appPrefix, prefix }: Omit<Addresses, 'origins'>,
): string {
  const path = ownPath(context, appPrefix)
  refuseDots(path)
  return prefix + path
}

/** The path without the prefix of the application and the version. */
function ownPath(context: RequestContext, appPrefix: string): string {
  const { path } = context
  if (appPrefix === '') return path
  if (path.startsWith(appPrefix)) return path.slice(appPrefix.length) || '/'
  // segments of the prefix may be percent-encoded
  return `/${path.split('/').slice(appPrefix.split('/').length).join('/')}`
}

const DOTS = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/

/** @throws `HttpError` 400 for dot segments, escaped or not. */
export function refuseDots(path: string): void {
  if (!path.includes('.') && !path.includes('%')) return
  // twice: what is decoded here may be decoded there once more
  if (DOTS.test(path) || DOTS.test(decoded(path)) || DOTS.test(decoded(decoded(path))))
    throw httpError('malformed_path', 'The path has dot segments')
}

function decoded(path: string): string {
  return path.replaceAll(/%(2e|2f|5c|25)/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )
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
    .filter((pair) => !hidden.includes(nameOf(pair)))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

/** Writes an address of the API behind as one of the application, in the version of a request. */
export function toOwnAddress(context: RequestContext, addresses: Addresses, address: string): string {
  const below = pathBelow(address, addresses)
  if (below === undefined) return address
  const end = below.search(/[?#]/)
  const path = end === -1 ? below : below.slice(0, end)
  const rest = below.slice(path.length)
  const own = context.toOwnPath(path, addresses.appPrefix)
  return own + (rest.startsWith('?') && own.includes('?') ? `&${rest.slice(1)}` : rest)
}

/** The part of an address behind the prefix of the API, or `undefined` for those of others. */
function pathBelow(address: string, { prefix, origins }: Addresses): string | undefined {
  const origin = origins.find((each) => address.startsWith(each))
  const path = origin === undefined ? address : address.slice(origin.length) || '/'
  if (!path.startsWith('/') || path.startsWith('//') || !path.startsWith(prefix)) return undefined
  const rest = path.slice(prefix.length)
  if (rest === '') return '/'
  return /^[/?#]/.test(rest) ? rest : undefined
}
