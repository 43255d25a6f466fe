import type { HttpError } from '../../../http/errors.ts'
import type { HeaderMap, RawBody, RawRequest } from '../../../http/http.ts'
import { followSignal } from '../../../base/signals.ts'
import { findHeader } from '../../request/header.ts'
import { headersTooLarge } from '../../pipeline/failure.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import { NO_BODY, StreamBody, otherLength } from '../shared/stream-body.ts'
import type { Origin } from './url-origin.ts'
import type { Awaitable } from '../../../base/values.ts'
import { bodyEndedEarly, bodyTooLarge, toBuffer } from '../../request/body.ts'

/**
 * The kind of the objects that the servers of Bun and Deno pass besides a request, which inherit their members, unlike data that somebody
 * passes.
 */
let serverKind: unknown
/** Whether that is the server of Bun. */
let isBun = false

/** The bytes of heads that the server of Bun accepts, unless an option of its command line allows more. */
const BUN_MAX_HEADERS = 16_384

/** Whether a request comes from the server of Bun or Deno, which has parsed it and cuts its body where its head says that it ends. */
export function isFromServer(info: object | undefined): info is object {
  if (info === undefined) return false
  const kind: unknown = Object.getPrototypeOf(info)
  if (kind === serverKind) return true
  if (typeof kind !== 'object' || kind === null) return false
  if (!('requestIP' in kind || 'remoteAddr' in kind)) return false
  serverKind = kind
  isBun = 'requestIP' in kind
  return true
}

/**
 * The function by which a worker goes on after its response: the third argument on Cloudflare Workers, the second one on other platforms.
 */
export type Platform = Pick<RawRequest, 'waitUntil'>

/**
 * A request of the Fetch standard. A class because one is made for every request. Headers, body, signal and address are read when they
 * are asked for, because each costs the servers of Bun and Deno a good part of what a request costs.
 */
export class WebRequest implements RawRequest {
  readonly method: string
  readonly url: string
  readonly start: number
  readonly protocol: 'http' | 'https'
  readonly request: Request
  /** Whether a server passes it, not somebody who has made it. */
  readonly isServed: boolean
  /** Why the request must not get as far as the application; known when all its headers have been read. */
  refusal: HttpError | undefined
  platform: Platform | undefined
  /** Whether the server of Bun has kept the headers below their limit, so that one can be read without the others. */
  readonly #isMeasured: boolean
  readonly #info: object | undefined
  readonly #host: string
  readonly #maxHeaders: number
  #headers: HeaderMap | undefined
  #body: RawBody | undefined
  /** The body, when it is read as it arrives. */
  #stream: StreamBody | undefined
  #context: RequestContext | undefined
  #remoteAddress: string | undefined
  #abort: AbortController | undefined
  /** Ends listening to the signal of the request. */
  #forget: (() => void) | undefined

  /** `info` is what was passed besides the request; `maxHeaders` is the length that headers may have, in bytes. */
  constructor(request: Request, url: string, origin: Origin, info: object | undefined, maxHeaders: number) {
    this.isServed = isFromServer(info)
    this.method = request.method
    this.url = url
    this.start = origin.text.length
    this.protocol = origin.protocol
    this.request = request
    this.#isMeasured = this.isServed && isBun && maxHeaders >= BUN_MAX_HEADERS
    this.#info = info
    this.#host = origin.host
    this.#maxHeaders = maxHeaders
  }

  get target(): string {
    // the fragment stays with the client
    const [target = ''] = this.url.slice(this.start).split('#', 1)
    return target.startsWith('/') ? target : `/${target}`
  }

  get env(): object | undefined {
    return this.#info
  }

  get execution(): object | undefined {
    return this.platform
  }

  get headers(): HeaderMap {
    return (this.#headers ??= this.#readHeaders())
  }

  header(name: string): string | undefined {
    if (this.#headers !== undefined || !this.#isMeasured) return findHeader(this.headers, name)
    if (name.length === HOST.length && name.toLowerCase() === HOST) return this.#host
    try {
      return this.request.headers.get(name) ?? undefined
    } catch {
      // no header has such a name
      return undefined
    }
  }

  /** Reads the headers of a request that may change something, because later is too late to refuse it. */
  measure(): void {
    if (!this.#isMeasured) void this.headers
  }

  lines(name: string): readonly string[] {
    const value = this.headers[name]
    return value === undefined ? [] : [value].flat()
  }

  get within(): object | undefined {
    return Object(this.#info).within
  }

  get remoteAddress(): string | undefined {
    // kept, because servers forget the address when the request ends
    return (this.#remoteAddress ??= findAddress(this.#info, this.request))
  }

  get body(): RawBody {
    return (this.#body ??= this.#openBody())
  }

  get isArriving(): boolean {
    return this.#stream?.isArriving ?? (this.#body instanceof WholeBody && this.#body.isArriving)
  }

  get signal(): AbortSignal {
    const abort = (this.#abort ??= new AbortController())
    if (this.#forget === undefined) {
      this.#forget = followSignal(this.request.signal, abort)
      this.#forgetAtEnd()
    }
    return abort.signal
  }

  abort(reason: unknown): void {
    ;(this.#abort ??= new AbortController()).abort(reason)
  }

  waitUntil(work: Promise<unknown>): void {
    this.platform?.waitUntil?.(work)
  }

  /** Has a body that is read as it arrives end with its request, also if that begins later. */
  endWith(context: RequestContext): void {
    this.#context = context
    this.#forgetAtEnd()
    this.#stream?.endWith(context, this.signal)
  }

  /** Requests of somebody may share a signal, or be answered again. */
  #forgetAtEnd(): void {
    if (this.#forget !== undefined && !this.isServed) this.#context?.atEnd(this.#forget)
  }

  /** Cancels a body that is read as it arrives. */
  discard(): void {
    this.#stream?.discard()
  }

  /** Of the headers, several lines of one name are joined already. The host is that of the URL. */
  #readHeaders(): HeaderMap {
    // without prototype: `__proto__` is a name like any other
    const headers: Record<string, string | string[]> = Object.create(null)
    headers[HOST] = this.#host
    let size = HOST.length + this.#host.length + SEPARATORS
    const add = (value: string, name: string): void => {
      if (name === HOST) return
      size += name.length + value.length + SEPARATORS
      const before = headers[name]
      headers[name] = before === undefined ? value : [before, value].flat()
    }
    const { headers: given } = this.request
    const listed = this.isServed ? listHeaders(given) : undefined
    if (listed === undefined) given.forEach(add)
    for (const name in listed) {
      const value = listed[name] ?? ''
      if (typeof value === 'string') add(value, name)
      else for (const line of value) add(line, name)
    }
    if (size > this.#maxHeaders) this.refusal = headersTooLarge(this.#maxHeaders)
    return headers
  }

  #openBody(): RawBody {
    const declared = this.header('content-length')
    const length = /^\d+$/.test(declared ?? '') ? Number(declared) : undefined
    // Bun refuses requests that have both
    const isCoded = !this.#isMeasured && this.header('transfer-encoding') !== undefined
    if (length === undefined || !this.isServed || isCoded) return this.openStream(length)
    return length === 0 ? NO_BODY : new WholeBody(this.request, length, this)
  }

  /** Opens the body as a stream, for who reads it as it arrives. */
  openStream(length: number | undefined): RawBody {
    const { body } = this.request
    if (body === null) return NO_BODY
    this.#stream = new StreamBody(body, length)
    if (this.#context !== undefined) this.#stream.endWith(this.#context, this.signal)
    return this.#stream
  }
}

/** The headers as Bun lists them, which takes half the time of a call for each; `undefined` on other platforms. */
function listHeaders(headers: BunHeaders): Readonly<Record<string, string | readonly string[]>> | undefined {
  return headers.toJSON?.()
}

interface BunHeaders extends Headers {
  /** Several lines of `Set-Cookie` are a list, all others are joined. */
  readonly toJSON?: () => Readonly<Record<string, string | readonly string[]>>
}

const HOST = 'host'

/** Characters of a field line besides name and value. */
const SEPARATORS = 4

/** The address of the client, from `FetchInfo`, the information of Deno, the server of Bun, or the request of Node around this one. */
function findAddress(info: unknown, request: Request): string | undefined {
  const { remoteAddress, remoteAddr, requestIP, incoming } = Object(info)
  if (typeof remoteAddress === 'string') return remoteAddress
  const found: unknown =
    typeof requestIP === 'function' ? Reflect.apply(requestIP, info, [request]) : remoteAddr
  const { address, hostname } = Object(found)
  const ofNode: unknown = Object(Object(incoming).socket).remoteAddress
  return [address, hostname, ofNode].find((text) => typeof text === 'string')
}

/** Opens a body as a stream, for who reads it as it arrives. */
interface Opener {
  openStream(length: number): RawBody
}

/**
 * A body whose length its server guarantees, so that it can be read in one call, without the stream that takes these servers longer
 * than all the rest. A class because one is made for every request that has such a body.
 */
class WholeBody implements RawBody {
  readonly length: number
  /** Whether it is being read and the client still sends it. */
  isArriving = false
  readonly #request: Request
  readonly #opener: Opener

  constructor(request: Request, length: number, opener: Opener) {
    this.#request = request
    this.length = length
    this.#opener = opener
  }

  read(limit: number): Promise<Uint8Array> {
    return this.readThen(limit, toBuffer)
  }

  readThen<T>(limit: number, use: (bytes: Uint8Array) => Awaitable<T>): Promise<T> {
    if (this.length > limit) return Promise.reject(bodyTooLarge(limit))
    if (this.#request.bodyUsed)
      return Promise.reject(new TypeError('The body of the request was read before Octavo got it'))
    this.isArriving = true
    return this.#request.arrayBuffer().then(
      (buffer) => {
        this.isArriving = false
        if (buffer.byteLength !== this.length) throw otherLength()
        return use(new Uint8Array(buffer))
      },
      (cause) => {
        this.isArriving = false
        throw bodyEndedEarly(cause)
      },
    )
  }

  chunks(limit: number): AsyncIterable<Uint8Array> {
    return this.#opener.openStream(this.length).chunks(limit)
  }
}
