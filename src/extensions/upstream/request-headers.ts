import { isPeerTrusted, type Trust } from '../../server/request/trust.ts'
import { connectionNames } from '../../server/pipeline/framing.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'

/** Headers about one connection alone (RFC 9110 section 7.6.1), and those that are written anew for each. */
export const OF_TRANSPORT: readonly string[] =
  'connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect content-length x-request-id'.split(
    ' ',
  )

/** The same of a request to another server. */
export const DROPPED: ReadonlySet<string> = new Set([
  ...OF_TRANSPORT,
  ...'proxy-authenticate proxy-authorization host forwarded x-forwarded-for x-forwarded-host x-forwarded-proto via'.split(
    ' ',
  ),
])

/** Headers that have APIs answer another path or method than the one that was matched and guarded. They pass only if the route declares them. */
export const OVERRIDES: readonly string[] =
  'x-http-method-override x-http-method x-method-override x-original-url x-rewrite-url'.split(' ')

/** Headers by which proxies say whose request it is, besides those that begin with `x-forwarded-`. */
const OF_PROXIES: ReadonlySet<string> = new Set(
  'forwarded x-forwarded x-real-ip x-client-ip x-cluster-client-ip true-client-ip cf-connecting-ip fastly-client-ip x-original-forwarded-for'.split(
    ' ',
  ),
)

/** How the headers of requests are written. */
export interface HeaderSettings {
  /** Whether the API behind sees the host that the client asked for. */
  readonly keepsHost: boolean
  /** Whose forwarding headers count. */
  readonly trust: Trust
  /** The headers that were parsed, so that no other spelling of their names passes. */
  readonly declared: ReadonlySet<string>
}

/**
 * The headers of a request as the API behind receives them, names and values in turn. They are those that the application itself has seen:
 * of headers that count once, the first alone.
 *
 * @param without names that are left out, `DROPPED` among them
 */
export function toRequestHeaders(
  context: RequestContext,
  { keepsHost, trust, declared }: HeaderSettings,
  without: ReadonlySet<string>,
): string[] {
  const { raw, request } = context
  const { headers } = raw
  const lines: string[] = []
  let hasCondition = false
  const isTrusting = isPeerTrusted(trust, raw.remoteAddress)
  const dropped = connectionNames(headers['connection'])
  const isEnding = (name: string): boolean =>
    without.has(name) || (!isTrusting && isOfProxies(name)) || dropped.includes(name) || name.startsWith(':')
  const isKnown = (name: string): boolean => declared.has(name) || without.has(name) || isOfProxies(name)
  for (const name in headers) {
    // CGI and its heirs read both spellings as one header
    if (isEnding(name) || (name.includes('_') && !declared.has(name) && isKnown(name.replaceAll('_', '-'))))
      continue
    const value = headers[name]
    if (name.startsWith('if-')) hasCondition = true
    if (typeof value === 'string') lines.push(name, value)
    else if (value !== undefined) for (const line of value) lines.push(name, line)
  }
  if (hasCondition) replaceConditions(lines, context)
  addForwarding(lines, context, isTrusting)
  const { host } = request
  if (keepsHost && host !== '') lines.push('host', host)
  return lines
}

/** Whether a header says whose request it is, which clients can claim. */
export function isOfProxies(name: string): boolean {
  return name.startsWith('x-forwarded-') || OF_PROXIES.has(name)
}

/** Adds whose request it is and which way it took. Names that clients sent count only if they are trusted. */
function addForwarding(lines: string[], context: RequestContext, isTrusting: boolean): void {
  const { raw, request, requestId } = context
  const { host, protocol } = request
  const address = raw.remoteAddress ?? 'unknown'
  const before = isTrusting ? request.header('x-forwarded-for') : undefined
  const forwarded = isTrusting ? request.header('forwarded') : undefined
  // RFC 7239 section 6
  const by = address.includes(':') ? `"[${address}]"` : address
  const node = `for=${by};proto=${protocol}${host === '' ? '' : `;host="${host}"`}`
  lines.push('x-forwarded-for', before === undefined ? address : `${before}, ${address}`)
  lines.push('x-forwarded-proto', protocol)
  if (host !== '') lines.push('x-forwarded-host', host)
  lines.push('forwarded', forwarded === undefined ? node : `${forwarded}, ${node}`)
  // every gateway adds itself (RFC 9110 section 7.6.3)
  const via = raw.headers['via']
  const way = via === undefined ? '1.1 octavo' : `${[via].flat().join(', ')}, 1.1 octavo`
  lines.push('via', way, 'x-request-id', requestId)
}

/** Entity tags have the suffix of their version, which the API behind does not know. */
export function replaceConditions(lines: string[], { request }: RequestContext): void {
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] ?? ''
    if (name.startsWith('if-')) lines[at + 1] = request.header(name) ?? ''
  }
}
