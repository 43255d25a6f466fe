import { headerName } from '../http/http.ts'
import {
  encodeBody,
  toPairs,
  formatValue,
  toFieldTexts,
  type CallValues,
  type FetchBody,
  type FieldValues,
} from './encode-body.ts'
import type { RouteCall } from './route-map.ts'

/** A request before it is sent. */
export interface ClientRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: FetchBody | undefined
}

/**
 * Creates the request of a call. `common` are the headers of every request, and headers of the call override them. @throws `TypeError` for what cannot be sent.
 */
export function toClientRequest(
  name: string,
  route: RouteCall,
  base: URL,
  values: CallValues,
  common: Headers,
): ClientRequest {
  const headers = new Headers(common)
  addCallHeaders(name, values.headers ?? {}, headers)
  writeCookies(name, values.cookies ?? {}, headers)
  for (const [header, value] of Object.entries(route.headers ?? {}))
    headers.set(header, withMediaTypeVersion(headers.get(header), value))
  const { body, type } = encodeBody(name, route, values)
  if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type)
  return {
    url: toCallUrl(name, route, base, values),
    method: toMethod(name, route, values.method),
    headers,
    body,
  }
}

function toMethod(name: string, { method, others = [] }: RouteCall, given: string | undefined): string {
  if (given === undefined || given === method || others.includes(given)) return given ?? method
  throw new TypeError(`${name}: the method is one of ${[method, ...others].join(', ')}`)
}

/** The URL of a call. @throws `TypeError` for what cannot be sent. */
export function toCallUrl(
  name: string,
  route: RouteCall,
  base: URL,
  { params = {}, query = {} }: Pick<CallValues, 'params' | 'query'>,
): URL {
  const url = new URL(base)
  if (route.host !== undefined) {
    url.host = route.host
    if (url.host !== new URL(`${base.protocol}//${route.host}`).host)
      throw new TypeError(`${name}: the version makes a host that cannot be sent, ${route.host}`)
  }
  const prefix = base.pathname === '/' ? '' : base.pathname
  url.pathname = prefix + fillTemplate(name, route.path, params)
  for (const [field, text] of toPairs(query)) url.searchParams.append(field, text)
  for (const [field, text] of Object.entries(route.query ?? {})) url.searchParams.set(field, text)
  return url
}

function addCallHeaders(name: string, values: FieldValues, headers: Headers): void {
  for (const [field, value] of Object.entries(values)) {
    const [text, ...others] = toFieldTexts(value)
    // `fetch` would send one line, from which nobody can tell that there were several
    if (others.length > 0) throw new TypeError(`${name}: fetch cannot send the header ${field} several times`)
    if (text === undefined) continue
    headers.delete(headerName(field))
    appendHeader(headers, headerName(field), text)
  }
}

function writeCookies(name: string, values: FieldValues, headers: Headers): void {
  const pairs = toPairs(values).map(([cookie, text]) => `${cookie}=${encodeURIComponent(text)}`)
  if (pairs.length === 0) return
  const wrong = Object.keys(values).find((cookie) => !/^[\w!#$%&'*+.^`|~-]+$/.test(cookie))
  if (wrong !== undefined) throw new TypeError(`${name}: no cookie can be called ${wrong}`)
  // browsers take the header away (Fetch standard, forbidden request-headers)
  if (!new Request('http://localhost', { headers: { cookie: 'a=b' } }).headers.has('cookie'))
    throw new TypeError(
      `${name}: browsers send their own cookies. Leave them out, and give createClient credentials: 'include' for another origin`,
    )
  const given = headers.get('cookie')
  headers.set('cookie', [...(given === null ? [] : [given]), ...pairs].join('; '))
}

/** Media types that were asked for get the parameter that names the version; other headers name nothing else. */
function withMediaTypeVersion(given: string | null, written: string): string {
  const [range, parameter] = written.split(';', 2)
  if (given === null || range !== '*/*' || parameter === undefined) return written
  return given
    .split(',')
    .map((type) => `${type.trim()};${parameter}`)
    .join(', ')
}

/** A parameter in a template; behind the colon stands that it takes slashes. */
const PARAM = /\{([^{}:]*)(:path)?\}/g

/**
 * The path of a template with its parameters percent-encoded.
 *
 * @throws `TypeError` for parameters that are missing, unknown, or make a segment that no client sends.
 */
function fillTemplate(name: string, template: string, params: Readonly<Record<string, unknown>>): string {
  const known = new Set([...template.matchAll(PARAM)].map(([, param]) => param))
  const unknown = Object.keys(params).find((param) => params[param] !== undefined && !known.has(param))
  if (unknown !== undefined) throw new TypeError(`${name}: there is no path parameter ${unknown}`)
  return template
    .split('/')
    .map((segment) => fillSegment(name, segment, params))
    .join('/')
}

function fillSegment(name: string, segment: string, params: Readonly<Record<string, unknown>>): string {
  let isRest = false
  const written = segment.replaceAll(PARAM, (_match, param: string, rest?: string) => {
    const value = Object.hasOwn(params, param) ? params[param] : undefined
    if (value === undefined || value === null)
      throw new TypeError(`${name}: the path parameter ${param} is missing`)
    const text = formatValue(value)
    isRest = rest !== undefined
    if (isRest) return text.split('/').map(encodeURIComponent).join('/')
    if (text === '') throw new TypeError(`${name}: the path parameter ${param} is empty`)
    return encodeURIComponent(text)
  })
  // clients resolve dot segments before they send a path, escaped or not (RFC 3986 section 5.2.4)
  if (written.split('/').some((part) => part === '.' || part === '..'))
    throw new TypeError(`${name}: the path would have the segment "${written}", which no client sends`)
  return written
}

/** Adds a header. @throws `TypeError` that tells its name alone, where the platform would repeat a value that may be a secret. */
export function appendHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value)
  } catch {
    throw new TypeError(
      `The header ${JSON.stringify(name)} cannot be sent: its name or its value is none of HTTP`,
    )
  }
}
