import type { HttpRequest } from '../../http/http.ts'
import { readVariable } from '../../base/platform.ts'
import type { RequestConnection } from '../../server/options/app-options.ts'
import { isObject } from '../../base/values.ts'

/** The attributes of a request that are known when it arrives, by the semantic conventions for HTTP server spans. */
// an alias, because an interface is not assignable to attributes of any name
export type RequestAttributes = {
  'http.request.method': string
  'http.request.method_original'?: string
  'url.path': string
  'url.scheme': 'http' | 'https'
  'url.query'?: string
  'server.address'?: string
  'server.port'?: number
  'client.address'?: string
  'network.peer.address'?: string
  'network.peer.port'?: number
  'network.protocol.version'?: string
  'user_agent.original'?: string
}

export type ReadAttributes = (request: HttpRequest, connection: RequestConnection) => RequestAttributes

const KNOWN_METHODS = 'CONNECT,DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT,QUERY,TRACE'

/** Creates the function that reads attributes. The environment may name other methods, as the conventions demand. */
export function createReadAttributes(): ReadAttributes {
  const names = readVariable('OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS') || KNOWN_METHODS
  const known = new Set(names.split(',').map((name) => name.trim()))
  return (request, connection) => {
    const { method, url } = request
    const isKnown = known.has(method)
    const mark = url.indexOf('?')
    const attributes: RequestAttributes = {
      'http.request.method': isKnown ? method : '_OTHER',
      'url.path': mark === -1 ? url : url.slice(0, mark),
      'url.scheme': request.protocol,
    }
    if (!isKnown) attributes['http.request.method_original'] = method
    if (mark !== -1 && mark < url.length - 1)
      attributes['url.query'] = url.slice(mark + 1).replaceAll(SECRET, '$1$2=REDACTED')
    const agent = request.header('user-agent')
    if (agent !== undefined) attributes['user_agent.original'] = agent
    const { ip } = request
    if (ip !== '') attributes['client.address'] = ip
    addServer(attributes, hostOf(request))
    addPeer(attributes, connection)
    return attributes
  }
}

/** The host that was asked for. A proxy may have written one that is none. */
function hostOf(request: HttpRequest): string {
  try {
    return request.host
  } catch {
    return ''
  }
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const

/** The host that was read last, and its port or 0. Most requests name the same one. */
let last = { host: '', address: '', port: 0 }

function addServer(attributes: RequestAttributes, host: string): void {
  if (host === '') return
  if (host !== last.host) {
    // the colons of an IPv6 address are in brackets
    const colon = host.lastIndexOf(':')
    const hasPort = colon > host.lastIndexOf(']')
    const address = (hasPort ? host.slice(0, colon) : host).replaceAll(/[[\]]/g, '')
    last = { host, address, port: hasPort ? Number(host.slice(colon + 1)) : 0 }
  }
  attributes['server.address'] = last.address
  const port = last.port || DEFAULT_PORTS[attributes['url.scheme']]
  if (port > 0) attributes['server.port'] = port
}

/** Adds what the servers of Node know of the connection. Other platforms know less. */
function addPeer(attributes: RequestAttributes, connection: RequestConnection): void {
  const { remoteAddress } = connection
  if (remoteAddress !== undefined) attributes['network.peer.address'] = remoteAddress
  const message = member(connection, 'request')
  const stream = member(connection, 'stream')
  const version = stream === undefined ? member(message, 'httpVersion') : '2'
  if (typeof version !== 'string') return
  attributes['network.protocol.version'] = version === '2.0' ? '2' : version
  const port = member(
    member(stream === undefined ? message : member(stream, 'session'), 'socket'),
    'remotePort',
  )
  if (remoteAddress !== undefined && typeof port === 'number') attributes['network.peer.port'] = port
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined
}

/** The parameters of signed URLs, whose values the conventions have replaced. */
const SECRET =
  /(^|&)(X-Amz-(?:Signature|Credential|Security-Token)|AWSAccessKeyId|Signature|sig|X-Goog-Signature)=[^&]+/g
