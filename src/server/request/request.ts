import { importInTurn, once } from '../../base/values.ts'
import { parseCookies } from '../../http/cookies.ts'
import type { UploadLimits } from '../../schema/uploads.ts'
import { httpError } from '../../http/errors.ts'
import type { Awaitable } from '../../base/values.ts'
import type { HttpRequest, QueryRecord, RawBody, RawRequest } from '../../http/http.ts'
import { parseJsonBody, decodeText, collectChunks, toBuffer } from './body.ts'
import { keepInUrl } from './dot-segments.ts'
import { readHeader, toHeaderLine } from './header.ts'
import { isHost } from './host.ts'
import { toOriginForm } from './origin-form.ts'
import { parseQuery } from './query.ts'
import { countTrusted, withoutPort, type Trust } from './trust.ts'

/** The settings of the application about reading requests. */
export interface RequestSettings {
  /** The longest body, in bytes. */
  readonly bodyLimit: number
  readonly trustProxy: Trust
  /** The header that has the address of the client, or `undefined` for none. */
  readonly addressHeader?: string | undefined
  readonly limits: Readonly<Record<'parameters', number>>
  readonly uploads: UploadLimits
}

/** The values that a view has computed. */
interface Made {
  url: string | undefined
  query: QueryRecord | undefined
  headers: Readonly<Record<string, string>> | undefined
  cookies: Readonly<Record<string, string>> | undefined
  bytes: Promise<Uint8Array> | undefined
  /** The body, if it is passed on when it is there. */
  body: PassedBody | undefined
  web: Request | undefined
}

/**
 * A request as handlers see it. A class because one is made for every request that needs it, and nothing in it is computed before
 * it is asked for.
 */
export class RequestView implements HttpRequest {
  readonly #raw: RawRequest
  /** Those of the application, or of the route that answers. */
  settings: RequestSettings
  /** The values that were asked for; one field, for a view is made for many requests of which a single header is read. */
  #made: Made | undefined
  #isRead = false

  constructor(raw: RawRequest, settings: RequestSettings) {
    this.#raw = raw
    this.settings = settings
  }

  get url(): string {
    return (this.#kept.url ??= urlOf(this.#raw))
  }

  get method(): string {
    return this.#raw.method
  }

  get path(): string {
    const mark = this.url.indexOf('?')
    return mark === -1 ? this.url : this.url.slice(0, mark)
  }

  get query(): QueryRecord {
    return (this.#kept.query ??= parseQuery(
      this.#raw.url ?? this.#raw.target,
      this.settings.limits.parameters,
    ))
  }

  get headers(): Readonly<Record<string, string>> {
    return (this.#kept.headers ??= joinHeaders(this.#raw))
  }

  header(name: string): string | undefined {
    return readHeader(this.#raw, name)
  }

  headerLines(name: string): readonly string[] {
    return this.#raw.lines(name.toLowerCase())
  }

  get cookies(): Readonly<Record<string, string>> {
    return (this.#kept.cookies ??= parseCookies(this.header('cookie')))
  }

  get host(): string {
    const { target, headers } = this.#raw
    const forwarded = this.#forwarded('x-forwarded-host')
    if (forwarded !== undefined && !isHost(forwarded))
      throw httpError('malformed_request', 'The X-Forwarded-Host header is not a host')
    const named = forwarded ?? authorityOf(target)
    if (named !== undefined) return named
    const authority = headers[':authority']
    return typeof authority === 'string' ? authority : (this.header('host') ?? '')
  }

  get ip(): string {
    const { addressHeader } = this.settings
    const own =
      addressHeader === undefined ? undefined : this.header(addressHeader)?.split(',').at(-1)?.trim()
    const forwarded = own || this.#forwarded('x-forwarded-for')
    return forwarded === undefined ? (this.#raw.remoteAddress ?? '') : withoutPort(forwarded)
  }

  get protocol(): 'http' | 'https' {
    const forwarded = this.#forwarded('x-forwarded-proto')?.toLowerCase()
    return forwarded === 'https' || forwarded === 'http' ? forwarded : this.#raw.protocol
  }

  async text(): Promise<string> {
    return decodeText(await this.bytes())
  }

  async json(): Promise<unknown> {
    return parseJsonBody(await this.bytes())
  }

  /** Whether there is no body. */
  get isEmpty(): boolean {
    return this.#raw.body.length === 0
  }

  bytes(): Promise<Uint8Array> {
    const kept = this.#kept
    return (kept.bytes ??= kept.body === undefined ? this.#readOnce(readContent) : kept.body.bytes())
  }

  /** `bytes().then(use)` with as few promises as possible, because each costs a turn of the microtask queue. None if the body is there. */
  readThen<T>(use: (bytes: Uint8Array) => Awaitable<T>): Awaitable<T> {
    if (this.#isRead) return this.bytes().then(use)
    const raw = this.#raw
    const { bodyLimit } = this.settings
    const arrived = raw.takeArrived?.(bodyLimit)
    if (arrived === undefined && codingOf(raw) !== undefined) return this.bytes().then(use)
    this.#isRead = true
    const body = (this.#kept.body = new PassedBody(arrived))
    return arrived === undefined ? body.read(raw.body, bodyLimit, use) : use(arrived)
  }

  /** Whether `bytes` or `chunks` was called. */
  get isRead(): boolean {
    return this.#isRead
  }

  /** The body as it arrives, instead of `bytes`: nothing of it is kept. */
  chunks(): AsyncIterable<Uint8Array> {
    return this.#readOnce(openContent)
  }

  #readOnce<T>(read: (raw: RawRequest, limit: number) => T): T {
    if (this.#isRead)
      throw new TypeError('The body of the request was read as it arrived, so it was not kept')
    this.#isRead = true
    return read(this.#raw, this.settings.bodyLimit)
  }

  get signal(): AbortSignal {
    return this.#raw.signal
  }

  get web(): Request {
    return (this.#kept.web ??= toWebRequest(this, this.#raw.body.length !== 0))
  }

  get #kept(): Made {
    return (this.#made ??= {
      url: undefined,
      query: undefined,
      headers: undefined,
      cookies: undefined,
      bytes: undefined,
      body: undefined,
      web: undefined,
    })
  }

  /** The entry of a forwarding header that the outermost trusted proxy wrote; each proxy adds one on the right. */
  #forwarded(name: string): string | undefined {
    const { trustProxy } = this.settings
    if (trustProxy === false || trustProxy === 0) return undefined
    const entries = this.#entries(name)
    if (trustProxy === true) return entries[0]
    const count =
      typeof trustProxy === 'number'
        ? trustProxy
        : countTrusted(trustProxy, this.#raw.remoteAddress, this.#entries('x-forwarded-for'))
    return count === 0 ? undefined : entries[Math.max(0, entries.length - count)]
  }

  #entries(name: string): readonly string[] {
    return (this.header(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  }
}

/** Path and query. A target that is not understood is shown as it is. */
function urlOf({ target }: RawRequest): string {
  return toOriginForm(target) ?? target
}

/** The authority of an absolute-form target; it counts for more than the Host header (RFC 9112 section 3.2.2). */
export function authorityOf(target: string): string | undefined {
  return target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
}

function joinHeaders(raw: RawRequest): Readonly<Record<string, string>> {
  const joined: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(raw.headers)) {
    const line = toHeaderLine(name, value)
    if (line !== undefined) joined[name] = line
  }
  return joined
}

const OF_CODING: readonly string[] = ['content-encoding', 'content-length']

function toWebRequest(request: HttpRequest, hasBody: boolean): Request {
  const { method, url, signal } = request
  // the body comes without its content coding, so it has another length
  const dropped = request.headers['content-encoding'] === undefined ? [] : OF_CODING
  const headers = new Headers(
    Object.entries(request.headers).filter(([name]) => !name.startsWith(':') && !dropped.includes(name)),
  )
  const address = `${request.protocol}://${request.host || 'localhost'}${keepInUrl(url)}`
  // a Host header may hold more than a URL may: '[::::]', 'a:99999'
  if (!URL.canParse(address)) throw httpError('malformed_request', 'Host header and target do not make a URL')
  if (!hasBody || method === 'GET' || method === 'HEAD')
    return new Request(address, { method, headers, signal })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(await request.bytes())
      controller.close()
    },
  })
  return new Request(address, { method, headers, signal, body, duplex: 'half' })
}

/**
 * Reads the whole content of a request: its body without content coding.
 *
 * @throws `HttpError` as the body does; 415 for a coding that is not known, 400 for content that is not in its coding, 413 when it is
 * longer than `limit` bytes, encoded or not.
 */
function readContent(raw: RawRequest, limit: number): Promise<Uint8Array> {
  const coding = codingOf(raw)
  return coding === undefined ? raw.body.read(limit) : collectChunks(decodeBody(raw, coding, limit))
}

/** Opens the content of a request, to be read as it arrives, once. @throws `HttpError` while it is read, as `readContent` does */
function openContent(raw: RawRequest, limit: number): AsyncIterable<Uint8Array> {
  const coding = codingOf(raw)
  return coding === undefined ? raw.body.chunks(limit) : decodeBody(raw, coding, limit)
}

/** The content coding of a body in lower case, several as a list, or `undefined` if it has none (RFC 9110 section 8.4). */
function codingOf(raw: RawRequest): string | undefined {
  const given = readHeader(raw, 'content-encoding')
  if (given === undefined) return undefined
  const codings = given
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  return codings.length === 0 ? undefined : codings.join(', ')
}

/** Loads what decodes bodies: when the application is ready, or with the first body that has a coding. */
export const loadDecoding = /* @__PURE__ */ once(() => importInTurn(() => import('./content-coding.ts')))

/**
 * Decodes a body that has a content coding.
 *
 * @yields what comes out
 */
async function* decodeBody({ body }: RawRequest, coding: string, limit: number): AsyncGenerator<Uint8Array> {
  // what is not there has no coding that could be wrong
  if (body.length === 0) return
  const { decodeContent } = await loadDecoding()
  yield* decodeContent(body.chunks(limit), coding, limit)
}

/** A body that is passed on as soon as it is there. A promise of its bytes alone is made for who asks for them as well. */
class PassedBody {
  #bytes: Uint8Array | undefined
  #passed: Promise<unknown> | undefined
  #resolve: ((bytes: Uint8Array) => void) | undefined

  /** `bytes` is the body if it is there. */
  constructor(bytes: Uint8Array | undefined) {
    this.#bytes = bytes
  }

  read<T>(body: RawBody, limit: number, use: (bytes: Uint8Array) => Awaitable<T>): Promise<T> {
    const pass = (bytes: Uint8Array): Awaitable<T> => {
      this.#bytes = bytes
      this.#resolve?.(toBuffer(bytes))
      return use(bytes)
    }
    const passed = body.readThen?.(limit, pass) ?? body.read(limit).then(pass)
    this.#passed = passed
    return passed
  }

  /** The bytes. A reader of this promise comes before the code that the body is passed to, because that code may wait for the reader. */
  bytes(): Promise<Uint8Array> {
    const bytes = this.#bytes
    if (bytes !== undefined) return Promise.resolve(toBuffer(bytes))
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#passed?.catch(reject)
    })
  }
}
