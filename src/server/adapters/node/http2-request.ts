import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'

import { httpError, type HttpError } from '../../../http/errors.ts'
import type { FinishedResponse, HeaderMap } from '../../../http/http.ts'
import type { FindRefusal } from '../../pipeline/failure.ts'
import { OF_CONNECTION } from '../../pipeline/framing.ts'
import { PassingRequest, type NodeNext } from './node-request.ts'

/** Whether a request came to a server of node:http2 that has `app.handler` for its listener. Any client of HTTP/1 may say that it speaks 2.0. */
export function isHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2 && 'stream' in request
}

/** The stream of a message of node:http2. */
export function http2Stream(message: IncomingMessage | ServerResponse): ServerHttp2Stream {
  // every message of node:http2 has one
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Reflect.get(message, 'stream') as ServerHttp2Stream
}

/** A request of node:http2. */
export class Http2HandlerRequest extends PassingRequest {
  readonly #peer: Pick<PassingRequest, 'remoteAddress' | 'protocol'>
  readonly #headers: HeaderMap
  readonly #passes: boolean

  constructor(request: IncomingMessage, response: ServerResponse, next: NodeNext | undefined) {
    super(request, response, next ?? NOTHING)
    this.#passes = next !== undefined
    // a session that has ended knows neither
    const { remoteAddress } = request.socket
    this.#peer = {
      remoteAddress,
      protocol: http2Stream(request).session?.encrypted === true ? 'https' : 'http',
    }
    this.#headers = fromHttp2Headers(request.headers)
    addState(response)
  }

  override get remoteAddress(): string | undefined {
    return this.#peer.remoteAddress
  }

  override get protocol(): 'http' | 'https' {
    return this.#peer.protocol
  }

  override get headers(): HeaderMap {
    return this.#headers
  }

  override lines(name: string): readonly string[] {
    // the authority stands for Host, and one cookie header may be split (RFC 9113 sections 8.2.3 and 8.3.1)
    if (name !== 'cookie' && name !== 'host') return super.lines(name)
    const value = this.headers[name]
    return typeof value === 'string' ? [value] : []
  }

  protected override get bodyLength(): number | undefined {
    const { request } = this
    const declared = request.headers['content-length']
    if (http2Stream(request).endAfterHeaders) return 0
    return declared === undefined ? undefined : Number(declared)
  }

  // a request that was given up is complete for node:http2
  protected override get isComplete(): boolean {
    return this.request.complete && !this.request.aborted
  }

  // without a listener for it, node:http2 tells the client to send its body
  protected override get awaitsContinue(): boolean {
    const told = http2Stream(this.request).sentInfoHeaders ?? []
    return this.request.headers.expect !== undefined && !told.some((head) => head[':status'] === 100)
  }

  override pass(): void {
    if (this.#passes) super.pass()
  }
}

const NOTHING = (): void => undefined

/** Adds the state that responses of node:http have: those of node:http2 count as finished when they were reset. */
function addState(response: ServerResponse): void {
  const stream = http2Stream(response)
  Object.defineProperties(response, {
    destroyed: { get: () => stream.destroyed },
    writableFinished: {
      get: () => response.headersSent && stream.writableFinished && !stream.aborted && stream.rstCode === 0,
    },
  })
}

function fromHttp2Headers(headers: IncomingMessage['headers']): HeaderMap {
  // without prototype: `__proto__` is a name like any other
  const map: Record<string, string | readonly string[] | undefined> = Object.create(null)
  const authority = headers[':authority']
  if (typeof authority === 'string') map['host'] = authority
  for (const name of Object.keys(headers)) if (!name.startsWith(':')) map[name] = headers[name]
  return map
}

/** Why a request does not get as far as the application. */
export function http2Refusal(
  { headers, rawHeaders, url }: IncomingMessage,
  findRefusal: FindRefusal,
): HttpError | undefined {
  // CONNECT has none (RFC 9113 section 8.5)
  if (url === undefined)
    return httpError('malformed_target', 'The request target is neither a path nor a URL')
  const { expect, host } = headers
  const authority = headers[':authority']?.toString() ?? host
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return httpError('expectation_failed', 'No expectation but 100-continue can be met')
  // RFC 9113 section 8.3.1
  if (host !== undefined && host.toLowerCase() !== authority?.toLowerCase())
    return httpError('malformed_request', 'The Host header is not the authority')
  const pseudo = rawHeaders.findIndex((name, at) => at % 2 === 0 && !name.startsWith(':'))
  return findRefusal(url.length, authority, true, pseudo === -1 ? [] : rawHeaders.slice(pseudo))
}

/** Removes the headers of a connection, and blanks around values, for which clients drop the response (RFC 9113 sections 8.2.1 and 8.2.2). */
export function fitHttp2(headers: FinishedResponse['headers']): void {
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (OF_CONNECTION.has(name)) delete headers[name]
    else if (value !== undefined)
      headers[name] = typeof value === 'string' ? trimBlanks(value) : value.map(trimBlanks)
  }
}

/** Not `trim`, which cuts bytes of UTF-8 that are white space in Latin-1. */
function trimBlanks(value: string): string {
  let start = 0
  let end = value.length
  while (isBlank(value[start])) start++
  while (end > start && isBlank(value[end - 1])) end--
  return value.slice(start, end)
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

/** Reads nothing more of a request once it is answered, and lets its client know (RFC 9113 section 8.1). */
export function dropRest(response: ServerResponse): void {
  const stream = http2Stream(response)
  // where the client has ended its side, there is nothing to drop, and a reset could overtake the answer
  if (stream.readableEnded || stream.state.remoteClose === 1) return
  stream.resume()
  stream.once('finish', () =>
    setImmediate(() => {
      if (!stream.readableEnded && !stream.destroyed && !stream.closed) stream.close()
    }),
  )
}

/** Ends the session of a response behind what is under way: HTTP/2 has GOAWAY in the place of `Connection: close`. */
export function endSession(response: ServerResponse): void {
  http2Stream(response).session?.close()
}
