import { inspect } from 'node:util'

import { checkOptionNames } from '../../../base/definition-error.ts'
import { followSignal } from '../../../base/signals.ts'
import { isPromise, isRecord, type Awaitable } from '../../../base/values.ts'
import { METHOD_INDEX, type HeaderMap, type RawBody, type RawRequest } from '../../../http/http.ts'
import { toSearchParams } from '../../request/query.ts'
import { authorityOf } from '../../request/request.ts'
import type { RequestDraft } from '../../../versioning/schemes/scheme.ts'
import { writeVersion, type Versioning } from '../../../versioning/versioning.ts'
import { StreamBody, BytesBody, NO_BODY } from '../shared/stream-body.ts'
import {
  encodeBody,
  declaredLength,
  DEFAULT_HOST,
  findSentTwice,
  ownHeaders,
  injectedHeaderMap,
  injectedLines,
  type BodyOptions,
  type EncodedBody,
  type FormValues,
  type InjectHeaderOptions,
} from './inject-headers.ts'

/** The options of `inject` besides a URL. */
export interface InjectOptions extends BodyOptions, InjectHeaderOptions {
  /** In any case. @default 'GET' */
  readonly method?: string
  /** Path with or without query, or a whole URL. */
  readonly url: string | URL
  /** Added to the query of the URL; wins over it. */
  readonly query?: FormValues | URLSearchParams
  /** The Host header. @default 'localhost' */
  readonly host?: string
  /** The address of the client. @default '127.0.0.1' */
  readonly remoteAddress?: string
  /** The protocol of the request. @default 'http' */
  readonly protocol?: 'http' | 'https'
  /** Written where the enabled versioning scheme reads it. */
  readonly version?: string
  /** Aborts the request. */
  readonly signal?: AbortSignal
  /** `true` resolves as soon as the head of the answer is there, with its body as a stream. @default false */
  readonly stream?: false
}

/** The options of `inject` if it is to return the body as a stream. */
export interface InjectStreamOptions extends Omit<InjectOptions, 'stream'> {
  /** Resolves as soon as the head of the response is there. */
  readonly stream: true
}

const OPTIONS = [
  'method',
  'url',
  'query',
  'headers',
  'cookies',
  'body',
  'json',
  'form',
  'multipart',
  'host',
  'remoteAddress',
  'protocol',
  'version',
  'signal',
  'stream',
]
const OPTION_NAMES = new Set(OPTIONS)
const BODIES = ['body', 'json', 'form', 'multipart'] as const
const NO_LINES: readonly string[] = []

/** A request that `inject` makes. A class because one is made for every call, and its signal only when it is asked for. */
export class InjectRequest implements RawRequest {
  readonly method: string
  readonly target: string
  headers: HeaderMap
  readonly remoteAddress: string
  readonly protocol: 'http' | 'https'
  readonly body: RawBody
  /** The signal that the caller gave. */
  readonly givenSignal: AbortSignal | undefined
  /** A header that must not be repeated, and is. */
  readonly sentTwice: string | undefined
  #lines: HeaderMap
  #abort: AbortController | undefined
  /** Each ends listening to a signal of the caller, which may be that of many requests. */
  #forgets: (() => void)[] | undefined = []

  constructor(
    options: Pick<InjectOptions, 'method' | 'remoteAddress' | 'protocol'>,
    target: string,
    lines: HeaderMap,
    body: RawBody,
    signal: AbortSignal | undefined,
  ) {
    const { method = 'GET', remoteAddress = '127.0.0.1' } = options
    this.method = METHOD_INDEX.has(method) ? method : method.toUpperCase()
    this.target = target
    this.headers = injectedHeaderMap(lines)
    this.remoteAddress = remoteAddress
    this.protocol = options.protocol ?? (target.startsWith('https:') ? 'https' : 'http')
    this.body = body
    this.givenSignal = signal
    this.#lines = lines
    this.sentTwice = this.headers === lines ? undefined : findSentTwice(lines)
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.givenSignal !== undefined) this.follow(this.givenSignal, this.#abort)
    }
    return this.#abort.signal
  }

  /** Aborts a controller with a signal until the request has ended. */
  follow(signal: AbortSignal, controller: AbortController): void {
    this.#forgets?.push(followSignal(signal, controller))
  }

  /** The request has ended. */
  release(): void {
    this.#forgets?.forEach((forget) => forget())
    this.#forgets = undefined
  }

  get isArriving(): boolean {
    return this.body instanceof StreamBody && this.body.isArriving
  }

  abort(reason: unknown): void {
    void this.signal
    this.#abort?.abort(reason)
  }

  lines(name: string): readonly string[] {
    const value = Object.hasOwn(this.#lines, name) ? this.#lines[name] : undefined
    return typeof value === 'string' ? [value] : (value ?? NO_LINES)
  }

  addCookies(line: string): void {
    this.#lines = { ...this.#lines, cookie: [...this.lines('cookie'), line] }
    this.headers = injectedHeaderMap(this.#lines)
  }
}

/**
 * Returns the options that stand for what `inject` was given.
 *
 * @throws `TypeError` for anything but a URL or options.
 */
export function toInjectOptions<T extends InjectOptions | InjectStreamOptions>(
  given: string | URL | T,
): T | InjectOptions {
  if (typeof given === 'string' || given instanceof URL) return { url: given }
  if (isRecord(given)) return given
  throw new TypeError(`inject: ${EXPECTED}; this is ${inspect(given, { depth: 0, maxStringLength: 40 })}`)
}

const EXPECTED = "give a URL such as '/car', or options such as { url: '/car' }"

/** The URL of a request. @throws `TypeError` if there is none. */
function injectedUrl({ url }: Pick<InjectOptions, 'url'>): string | URL {
  const given: unknown = url
  if (typeof given === 'string' || given instanceof URL) return given
  if (given === undefined) throw new TypeError(`inject: the options have no url; ${EXPECTED}`)
  throw new TypeError(`inject: the url is not a string or a URL; ${EXPECTED}`)
}

/**
 * Turns the options of `inject` into a request; takes time for bodies that the web platform encodes.
 *
 * @throws `TypeError` for options that do not exist or contradict each other.
 */
export function toInjectRequest(
  options: InjectOptions | InjectStreamOptions,
  versioning: Versioning | undefined,
  prefixAt: (path: string) => string,
): Awaitable<InjectRequest> {
  checkInjectOptions(options, versioning)
  const url = toRequestTarget(injectedUrl(options))
  const body = encodeBody(options)
  return isPromise(body)
    ? body.then((encoded) => toRawInjectRequest(options, url, encoded, versioning, prefixAt))
    : toRawInjectRequest(options, url, body, versioning, prefixAt)
}

function toRawInjectRequest(
  options: Omit<InjectOptions, 'stream'>,
  url: string,
  { bytes, type }: EncodedBody,
  versioning: Versioning | undefined,
  prefixAt: (path: string) => string,
): InjectRequest {
  const { version } = options
  const query = options.query instanceof URLSearchParams ? queryRecord(options.query) : options.query
  const authority = authorityOf(url)
  const host = options.host ?? authority ?? DEFAULT_HOST
  const failed = bytes instanceof Uint8Array ? undefined : new AbortController()
  const body = toRawBody(bytes, options, failed)
  const written =
    version === undefined
      ? undefined
      : writeVersion(versioning, version, {
          ...toDraft(url, options, type),
          host,
          prefix: prefixAt(urlPath(url)),
        })?.change
  // most are targets already
  const isTarget = query === undefined && authority === undefined && written === undefined
  const target = isTarget ? url : withQuery(url, written?.path, { ...query, ...written?.query })
  const lines = injectedLines(options, { host, type, length: body.length, written })
  if (failed === undefined) return new InjectRequest(options, target, lines, body, options.signal)
  const request = new InjectRequest(options, target, lines, body, failed.signal)
  if (options.signal !== undefined) request.follow(options.signal, failed)
  return request
}

/** `failed` is aborted with the error of a stream. */
function toRawBody(
  bytes: EncodedBody['bytes'],
  { headers }: InjectHeaderOptions,
  failed: AbortController | undefined,
): RawBody {
  if (bytes instanceof Uint8Array) return bytes.length === 0 ? NO_BODY : new BytesBody(bytes)
  return new StreamBody(bytes, declaredLength(headers), (error) => failed?.abort(error))
}

/** Returns the request as a scheme sees it that writes a version into it. */
function toDraft(
  url: string,
  options: InjectHeaderOptions,
  type: string | undefined,
): Pick<RequestDraft, 'path' | 'query' | 'headers'> {
  const accept = Object.entries(options.headers ?? {}).find(([name]) => name.toLowerCase() === 'accept')?.[1]
  return {
    path: urlPath(url),
    query: {},
    headers: {
      ...ownHeaders(options, type),
      ...(accept === undefined ? {} : { accept: [accept].flat().join(', ') }),
    },
  }
}

function checkInjectOptions(
  options: InjectOptions | InjectStreamOptions,
  versioning: Versioning | undefined,
): void {
  checkOptionNames('inject', options, OPTION_NAMES)
  checkOneBody(options)
  const { method, version } = options
  if (method !== undefined && !METHOD_INDEX.has(method) && !/^[a-z-]+$/i.test(method))
    throw new TypeError('inject: method is not a word')
  if (version !== undefined) checkVersioning(versioning)
}

function checkVersioning(versioning: Versioning | undefined): void {
  if (versioning === undefined)
    throw new TypeError('inject: version needs a versioning scheme; call app.enableVersioning first')
  const [first] = versioning.schemes
  if (first !== undefined && first.scheme.write === undefined)
    throw new TypeError(`inject: the scheme ${first.name} cannot write a version; give it a write function`)
}

function checkOneBody(options: BodyOptions): void {
  let given = 0
  for (const name of BODIES) if (options[name] !== undefined) given++
  if (given < 2) return
  const bodies = BODIES.filter((name) => options[name] !== undefined)
  throw new TypeError(`inject: give one of ${bodies.join(' and ')}, not both`)
}

/** The request target of a URL: no fragment, and nothing that cannot be on a request line. */
function toRequestTarget(url: string | URL): string {
  // most are targets already
  if (typeof url === 'string' && /^\/[!"$-~]*$/.test(url)) return url
  const [whole = ''] = String(url).split('#')
  const target = whole === '*' || whole.startsWith('/') || /^https?:\/\//i.test(whole) ? whole : `/${whole}`
  return target
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[^\u0021-\u007e]+/g, (part) => encodeURIComponent(part))
}

/** A URL with another path, if one is given, and with values in its query. */
function withQuery(url: string, written: string | undefined, query: FormValues): string {
  const path = urlOrigin(url) + (written ?? urlPath(url))
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

function queryRecord(query: URLSearchParams): FormValues {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]))
}

/** Scheme and authority of a URL; empty for a path. */
function urlOrigin(url: string): string {
  const authority = authorityOf(url)
  return authority === undefined ? '' : url.slice(0, url.indexOf(authority) + authority.length)
}

function urlPath(url: string): string {
  return url.slice(urlOrigin(url).length).split('?')[0] || '/'
}
