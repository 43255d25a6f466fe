import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'

import { httpError, type HttpError } from '../../../http/errors.ts'
import type { HeaderMap } from '../../../http/http.ts'
import type { FindRefusal } from '../../pipeline/failure.ts'
import { PassingRequest, type Next } from './request.ts'

/** Whether a request came to a server of node:http2 that has `app.handler` for its listener. Any client of HTTP/1 may say that it speaks 2.0. */
export function isHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2 && 'stream' in request
}

/** The stream of a message of node:http2. */
function streamOf(message: IncomingMessage | ServerResponse): ServerHttp2Stream {
  // every message of node:http2 has one
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Reflect.get(message, 'stream') as ServerHttp2Stream
}

/** A request of node:http2. */
export class Http2HandlerRequest extends PassingRequest {
  readonly #peer: Pick<PassingRequest, 'remoteAddress' | 'protocol'>
  readonly #headers: HeaderMap
  readonly #passes: boolean

  constructor(request: IncomingMessage, response: ServerResponse, next: Next | undefined) {
    super(request, response, next ?? NOTHING)
    this.#passes = next !== undefined
    // a session that has ended knows neither
    const { remoteAddress } = request.socket
    this.#peer = { remoteAddress, protocol: streamOf(request).session?.encrypted === true ? 'https' : 'http' }
    this.#headers = toHeaderMap(request.headers)
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
    if (streamOf(request).endAfterHeaders) return 0
    return declared === undefined ? undefined : Number(declared)
  }

  // a request that was given up is complete for node:http2
  protected override get isComplete(): boolean {
    return this.request.complete && !this.request.aborted
  }

  override pass(): void {
    if (this.#passes) super.pass()
  }
}

const NOTHING = (): void => undefined

/** Adds the state that responses of node:http have: those of node:http2 count as finished when they were reset. */
function addState(response: ServerResponse): void {
  const stream = streamOf(response)
  Object.defineProperties(response, {
    destroyed: { get: () => stream.destroyed },
    writableFinished: {
      get: () => response.headersSent && stream.writableFinished && !stream.aborted && stream.rstCode === 0,
    },
  })
}

function toHeaderMap(headers: IncomingMessage['headers']): HeaderMap {
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
  const { host } = headers
  const authority = headers[':authority']?.toString() ?? host
  // RFC 9113 section 8.3.1
  if (host !== undefined && host.toLowerCase() !== authority?.toLowerCase())
    return httpError('malformed_request', 'The Host header is not the authority')
  const pseudo = rawHeaders.findIndex((name, at) => at % 2 === 0 && !name.startsWith(':'))
  return findRefusal(url.length, authority, true, pseudo === -1 ? [] : rawHeaders.slice(pseudo))
}

/** Reads nothing more of a request once it is answered, and lets its client know (RFC 9113 section 8.1). */
export function dropRest(response: ServerResponse): void {
  const stream = streamOf(response)
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
  streamOf(response).session?.close()
}
