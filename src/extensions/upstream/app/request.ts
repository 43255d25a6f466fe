import type { OutgoingRequest } from '../options.ts'
import { toBodyStream, toHeaders } from '../fetch-transport.ts'

/** A request for an application in this process. */
export interface AppRequest extends OutgoingRequest {
  /** The address as the client knows it. */
  readonly url: string
  /** Aborted when the request ends early. Not made before an application asks for it. */
  readonly signal: AbortSignal
  /** Called when the request ends early. */
  whenGone: (() => void) | undefined
}

type AppRequestParts = Omit<AppRequest, 'path' | 'whenGone'>

/** Creates the request for an application in this process. */
export function createAppRequest(parts: AppRequestParts): Request {
  isLate ??= canBeLate()
  return isLate ? new LateRequest(parts).asRequest() : toWhole(parts)
}

function toWhole(
  { url, method, headers, body, signal }: AppRequestParts,
  list: Headers = toHeadersOf(headers, body),
): Request {
  const init = { method, headers: list, signal, redirect: 'manual' as const }
  if (!hasBody(method, body)) return new Request(url, init)
  if (body instanceof Uint8Array) return new Request(url, { ...init, body: new Uint8Array(body) })
  return new Request(url, { ...init, body: toBodyStream(body), duplex: 'half' })
}

function hasBody(method: string, body: OutgoingRequest['body']): body is NonNullable<typeof body> {
  return body !== null && method !== 'GET' && method !== 'HEAD'
}

function toHeadersOf(lines: readonly string[], body: OutgoingRequest['body']): Headers {
  const list = toHeaders(lines)
  if (body instanceof Uint8Array) list.set('content-length', String(body.length))
  return list
}

const WHOLE = Symbol('whole')

/**
 * A request whose parts are made when they are read, because a `Request` costs Node a third of a small request. Members that few
 * applications read are those of a real `Request`, and so are the members that Node itself reads in `new Request(request)`.
 */
class LateRequest {
  readonly #parts: AppRequestParts
  #headers: Headers | undefined
  #whole: Request | undefined
  /** Whether the bytes of the body were read without a `Request`. */
  #isRead = false

  constructor(parts: AppRequestParts) {
    this.#parts = parts
  }

  asRequest(): Request {
    // its prototype is that of a request
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return this as unknown as Request
  }

  get method(): string {
    return this.#parts.method
  }

  get url(): string {
    return this.#parts.url
  }

  get headers(): Headers {
    if (this.#whole !== undefined) return this.#whole.headers
    return (this.#headers ??= toHeadersOf(this.#parts.headers, this.#parts.body))
  }

  get signal(): AbortSignal {
    return this.#parts.signal
  }

  get bodyUsed(): boolean {
    return this.#whole?.bodyUsed ?? this.#isRead
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = this.#takeBytes()
    // a copy, because small buffers share their memory
    return bytes === undefined ? this[WHOLE].arrayBuffer() : new Uint8Array(bytes).buffer
  }

  async text(): Promise<string> {
    const bytes = this.#takeBytes()
    return bytes === undefined ? this[WHOLE].text() : new TextDecoder().decode(bytes)
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  /** The request with all that it has. */
  get [WHOLE](): Request {
    if (this.#whole !== undefined) return this.#whole
    const made = toWhole(this.#parts, this.#headers)
    if (this.#isRead) void made.arrayBuffer()
    return (this.#whole = made)
  }

  /** The body, read once, or `undefined` if a `Request` has to read it. */
  #takeBytes(): Uint8Array | undefined {
    const { body, method } = this.#parts
    if (this.#whole !== undefined || this.#isRead || !(body instanceof Uint8Array) || !hasBody(method, body))
      return undefined
    this.#isRead = true
    return body
  }
}

let isLate: boolean | undefined

/**
 * Adds to `LateRequest` the members of a `Request`. Returns whether it can stand for one: Node 24 and other platforms keep the state of a request
 * where no other object can have it.
 */
function canBeLate(): boolean {
  if ('Bun' in globalThis || 'Deno' in globalThis) return false
  const { prototype } = LateRequest
  const forward = (name: string | symbol, isMethod: boolean): void => {
    if (Object.hasOwn(prototype, name)) return
    Object.defineProperty(prototype, name, {
      configurable: true,
      ...(isMethod
        ? {
            value(this: LateRequest, ...given: readonly unknown[]): unknown {
              return Reflect.apply(Reflect.get(this[WHOLE], name), this[WHOLE], given)
            },
          }
        : {
            get(this: LateRequest): unknown {
              return Reflect.get(this[WHOLE], name)
            },
          }),
    })
  }
  const sample = { url: 'http://localhost/', method: 'GET', headers: [], body: null }
  const { signal } = new AbortController()
  const own = Object.getOwnPropertyDescriptors(Request.prototype)
  for (const [name, { value }] of Object.entries(own)) forward(name, typeof value === 'function')
  for (const symbol of Object.getOwnPropertySymbols(new Request(sample.url))) forward(symbol, false)
  Object.setPrototypeOf(prototype, Request.prototype)
  try {
    const made = new Request(new LateRequest({ ...sample, signal }).asRequest())
    return made.url === sample.url && made.signal !== undefined
  } catch {
    return false
  }
}
