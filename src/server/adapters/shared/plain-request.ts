import type { HeaderMap, RawBody, RawRequest } from '../../../http/http.ts'
import { StreamBody } from './stream-body.ts'

/** Headers of which Node keeps the first line only. */
const SINGLE = new Set(
  'authorization content-length content-type from host max-forwards referer user-agent'.split(' '),
)
/** Those that it keeps so besides, though their lines mean something together. */
const MORE_SINGLE = new Set(
  'age etag expires if-modified-since if-unmodified-since last-modified location proxy-authorization retry-after server'.split(
    ' ',
  ),
)

/** Whether requests of Node have the first line of a header only. */
export function isSingleInNode(name: string): boolean {
  return SINGLE.has(name) || MORE_SINGLE.has(name)
}

/** Whether Node keeps the first line of a header only. */
export function isSingle(name: string): boolean {
  return SINGLE.has(name)
}

/** What a request without a socket is made of. */
export interface RequestParts {
  readonly method: string
  readonly target: string
  readonly protocol: 'http' | 'https'
  /** Names in lower case and values in turn, one pair for each field line. */
  readonly lines: readonly string[]
  readonly remoteAddress: string | (() => string | undefined) | undefined
  readonly body: RawBody
  /** The signal of whoever sends the request. */
  readonly signal: AbortSignal | undefined
}

/** A request without a socket. A class because one is made for every request, and its signal only when it is asked for. */
export class PlainRequest implements RawRequest {
  readonly method: string
  readonly target: string
  readonly protocol: 'http' | 'https'
  readonly headers: HeaderMap
  readonly body: RawBody
  #remoteAddress: RequestParts['remoteAddress']
  readonly #lines: readonly string[]
  readonly #given: AbortSignal | undefined
  #abort: AbortController | undefined
  #signal: AbortSignal | undefined

  constructor({ method, target, protocol, lines, remoteAddress, body, signal }: RequestParts) {
    this.method = method
    this.target = target
    this.protocol = protocol
    this.headers = toHeaders(lines)
    this.#remoteAddress = remoteAddress
    this.body = body
    this.#lines = lines
    this.#given = signal
  }

  lines(name: string): readonly string[] {
    return this.#lines.filter((_, at, lines) => at % 2 === 1 && lines[at - 1] === name)
  }

  get remoteAddress(): string | undefined {
    // kept, because servers forget the address when the request ends
    if (typeof this.#remoteAddress === 'function') this.#remoteAddress = this.#remoteAddress()
    return this.#remoteAddress
  }

  get isArriving(): boolean {
    return this.body instanceof StreamBody && this.body.isArriving
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const { signal } = (this.#abort ??= new AbortController())
      this.#signal = this.#given === undefined ? signal : AbortSignal.any([this.#given, signal])
    }
    return this.#signal
  }

  abort(reason: unknown): void {
    ;(this.#abort ??= new AbortController()).abort(reason)
  }
}

/** The headers as Node presents them: of some, the first line alone. */
function toHeaders(lines: readonly string[]): HeaderMap {
  // without prototype: `__proto__` is a name like any other
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] ?? ''
    const value = lines[at + 1] ?? ''
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (!isSingle(name)) headers[name] = [before, value].flat()
  }
  return headers
}
