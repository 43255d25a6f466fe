import { stringifyCookie } from 'cookie'

import { suggestion } from '../definition-error.ts'
import { httpError } from '../errors.ts'
import type { HeaderMap, RawBody, RawRequest } from '../http.ts'
import { toSearchParams } from '../request/query.ts'
import { authorityOf } from '../request/request.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { RequestDraft } from '../versioning/scheme.ts'
import { toBody } from './inject-body.ts'
import type { BodyOptions, FormValues } from './inject-body.ts'
import { headerProblem } from './response-head.ts'

/** What `inject` takes besides a URL. */
export interface InjectOptions extends BodyOptions {
  /** In any case. @default 'GET' */
  readonly method?: string
  /** Path with or without query, or a whole URL. */
  readonly url?: string
  /** The same as `url`. */
  readonly path?: string
  /** Added to the query of the URL; wins over it. */
  readonly query?: FormValues
  /** Names in any case; a list sends several field lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly cookies?: Readonly<Record<string, string>>
  /** The Host header. @default 'localhost' */
  readonly host?: string
  /** @default '127.0.0.1' */
  readonly remoteAddress?: string
  /** @default 'http' */
  readonly protocol?: 'http' | 'https'
  /** Written where the enabled versioning scheme reads it. */
  readonly version?: string
  /** Aborts the request. */
  readonly signal?: AbortSignal
}

const OPTIONS = [
  'method',
  'url',
  'path',
  'query',
  'headers',
  'cookies',
  'body',
  'payload',
  'json',
  'form',
  'multipart',
  'host',
  'remoteAddress',
  'protocol',
  'version',
  'signal',
]
const BODIES = ['body', 'payload', 'json', 'form', 'multipart'] as const

/** Headers of which Node keeps the first line only. */
const SINGLE = new Set([
  'authorization',
  'content-length',
  'content-type',
  'from',
  'host',
  'max-forwards',
  'referer',
  'user-agent',
])

/** Turns the options of `inject` into a request. @throws `TypeError` for options that do not exist or contradict each other. */
export async function toRawRequest(
  options: InjectOptions,
  enabled: Enabled | undefined,
  prefix: string,
): Promise<RawRequest> {
  checkOptions(options, enabled)
  const { method = 'GET', remoteAddress = '127.0.0.1', version } = options
  const url = toTarget(options.url ?? options.path ?? '/')
  const { bytes, type } = await toBody(options)
  const draft = { ...toDraft(url, options, type), prefix }
  const written = version === undefined ? {} : writeVersion(draft, version, enabled)
  const lines = toLines(draft, written, options.headers ?? {})
  if (bytes.length > 0) lines.set('content-length', lines.get('content-length') ?? [String(bytes.length)])
  const path = originOf(url) + (written.path ?? draft.path)
  return {
    method: method.toUpperCase(),
    target: withQuery(path, url, { ...options.query, ...written.query }),
    headers: toHeaderMap(lines),
    lines: (name) => lines.get(name) ?? [],
    remoteAddress,
    protocol: options.protocol ?? (url.startsWith('https:') ? 'https' : 'http'),
    body: toRawBody(bytes),
    signal: options.signal ?? new AbortController().signal,
  }
}

function writeVersion(
  draft: RequestDraft,
  version: string,
  enabled: Enabled | undefined,
): Partial<RequestDraft> {
  const [first] = enabled?.schemes ?? []
  return first?.scheme.write?.(draft, version, first.options) ?? {}
}

function toHeaderMap(lines: ReadonlyMap<string, readonly string[]>): HeaderMap {
  return Object.fromEntries(
    [...lines].map(([name, values]) => [name, SINGLE.has(name) || values.length === 1 ? values[0] : values]),
  )
}

function toRawBody(bytes: Uint8Array): RawBody {
  return {
    length: bytes.length,
    read: async (limit) => {
      if (bytes.length <= limit) return bytes
      throw httpError('body_too_large', `The body is longer than ${limit} bytes`)
    },
  }
}

/** Scheme and authority of a URL; empty for a path. */
function originOf(url: string): string {
  const authority = authorityOf(url)
  return authority === undefined ? '' : url.slice(0, url.indexOf(authority) + authority.length)
}

function checkOptions(options: InjectOptions, enabled: Enabled | undefined): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`inject: there is no option "${unknown}"; ${suggestion(unknown, OPTIONS)}`)
  const bodies = BODIES.filter((name) => options[name] !== undefined)
  if (bodies.length > 1) throw new TypeError(`inject: give one of ${bodies.join(' and ')}, not both`)
  if (options.url !== undefined && options.path !== undefined)
    throw new TypeError('inject: give url or path, not both')
  if (options.method !== undefined && !/^[a-z-]+$/i.test(options.method))
    throw new TypeError('inject: method is not a word')
  if (options.version === undefined) return
  if (enabled === undefined)
    throw new TypeError('inject: version needs a versioning scheme; call app.enableVersioning first')
  const [first] = enabled.schemes
  if (first !== undefined && first.scheme.write === undefined)
    throw new TypeError(`inject: the scheme ${first.name} cannot write a version; give it a write function`)
}

/** The request target of a URL: no fragment, and nothing that cannot be on a request line. */
function toTarget(url: string): string {
  const [whole = ''] = url.split('#')
  const target = whole === '*' || whole.startsWith('/') || /^https?:\/\//i.test(whole) ? whole : `/${whole}`
  return target
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[^\u0021-\u007e]+/g, (part) => encodeURIComponent(part))
}

function toDraft(
  url: string,
  options: InjectOptions,
  type: string | undefined,
): Omit<RequestDraft, 'prefix'> {
  const { headers = {}, cookies } = options
  const accept = Object.entries(headers).find(([name]) => name.toLowerCase() === 'accept')?.[1]
  return {
    path: url.slice(originOf(url).length).split('?')[0] || '/',
    query: {},
    headers: {
      'user-agent': 'octavo-inject',
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(cookies === undefined ? {} : { cookie: stringifyCookie(cookies) }),
      ...(accept === undefined ? {} : { accept: [accept].flat().join(', ') }),
    },
    host: options.host ?? authorityOf(url) ?? 'localhost',
  }
}

/** Header lines by lower-case name: the given ones win over ours, but for those that carry the version. */
function toLines(
  draft: RequestDraft,
  written: Partial<RequestDraft>,
  given: NonNullable<InjectOptions['headers']>,
): Map<string, readonly string[]> {
  const own = { ...draft.headers, host: written.host ?? draft.host, ...written.headers }
  const fixed = [...Object.keys(written.headers ?? {}), ...(written.host === undefined ? [] : ['host'])]
  const lines = new Map(Object.entries(own).map(([name, value]) => [name, [value] as readonly string[]]))
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (value === undefined || fixed.includes(lower)) continue
    const values = [value].flat()
    lines.set(lower, lower === 'cookie' ? [...(lines.get(lower) ?? []), ...values] : values)
  }
  const problem = headerProblem(Object.fromEntries([...lines].map(([name, values]) => [name, [...values]])))
  if (problem !== undefined) throw new TypeError(`inject: ${problem}`)
  return lines
}

function withQuery(path: string, url: string, query: FormValues): string {
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
