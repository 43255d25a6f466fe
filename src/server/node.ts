import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Logger } from '../define/context.ts'
import { httpError, toProblem } from '../errors.ts'
import type { HttpError } from '../errors.ts'
import { isPromise } from '../http.ts'
import type { FinishedResponse, HeaderMap, RawBody, RawRequest } from '../http.ts'
import { MAX_HEADER_BYTES } from './dispatch.ts'
import type { Dispatch } from './dispatch.ts'
import { linger } from './linger.ts'
import { isStream, openStream, withStrictLength } from './stream.ts'
import type { ChunkSource } from './stream.ts'
import { MAX_URL_LENGTH } from './target.ts'

/** What a Node server passes on to a request listener. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Makes the listener for Node servers. `isClosing` tells whether connections have to end with their present answer. */
export function createNodeHandler(dispatch: Dispatch, isClosing: () => boolean): NodeHandler {
  return (request, response) => {
    const refusal = findRefusal(request)
    if (refusal !== undefined) return refuseRequest(response, refusal)
    const raw = new NodeRequest(request, response)
    const { context, response: answer } = dispatch(raw)
    const send = (finished: FinishedResponse): void => {
      if (!context.hasScope && !isStream(finished.body)) void context.end()
      else if (response.destroyed) void context.end()
      else response.once('close', () => void context.end())
      write(response, finished, raw.refused || isClosing(), context)
    }
    if (isPromise(answer)) void answer.then(send)
    else send(answer)
  }
}

/** Refuses a request while the application closes, and ends its connection. */
export function refuseClosing(response: ServerResponse): void {
  refuseRequest(response, httpError('closing', 'The server is shutting down'))
}

/** Answers a request with an error, and ends its connection. */
export function refuseRequest(response: ServerResponse, error: HttpError): void {
  write(response, toProblem(error), true, undefined)
}

/** The text of a response for a connection on which there is no request to answer; the connection has to end with it. */
export function toResponseText({ status, headers, body }: FinishedResponse): string {
  const all = { ...headers, date: new Date().toUTCString(), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
  const phrase = STATUS_CODES[status] ?? 'Error'
  return [`HTTP/1.1 ${status} ${phrase}`, ...lines, '', typeof body === 'string' ? body : ''].join('\r\n')
}

/** Why a request does not get as far as the application. */
function findRefusal({
  headers,
  httpVersion,
  rawHeaders,
  url = '/',
}: IncomingMessage): HttpError | undefined {
  // Node would refuse this by itself, without saying why (RFC 9112 section 3.2)
  if (headers.host === undefined && httpVersion === '1.1')
    return httpError('missing_host', 'The request has no Host header')
  if (url.length > MAX_URL_LENGTH)
    return httpError('url_too_long', `The request target is longer than ${MAX_URL_LENGTH} characters`)
  // names and values alternate, with two separating characters after each
  const size = rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)
  return size > MAX_HEADER_BYTES
    ? httpError('headers_too_large', `The headers are longer than ${MAX_HEADER_BYTES} bytes`)
    : undefined
}

/** A request of node:http. A class because one is made for every request, and little of it is needed. */
class NodeRequest implements RawRequest {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #abort: AbortController | undefined
  /** Whether the body was refused: then the connection ends with the answer. */
  refused = false

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request
    this.#response = response
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get target(): string {
    return this.#request.url ?? '/'
  }

  get headers(): HeaderMap {
    return this.#request.headers
  }

  lines(name: string): readonly string[] {
    // not headersDistinct, which requests of HTTP/2 lack
    return this.#request.rawHeaders.filter((_, at, raw) => {
      const before = at % 2 === 1 ? raw[at - 1] : undefined
      return before?.length === name.length && before.toLowerCase() === name
    })
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  get protocol(): 'http' | 'https' {
    return 'encrypted' in this.#request.socket ? 'https' : 'http'
  }

  get body(): RawBody {
    const { headers } = this.#request
    const length =
      headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
    return { length, read: (limit) => this.#read(limit, length) }
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      const stop = (): void => {
        if (!this.#response.writableFinished)
          abort.abort(new DOMException('The client went away', 'AbortError'))
      }
      if (this.#response.destroyed) stop()
      else this.#response.once('close', stop)
    }
    return this.#abort.signal
  }

  async #read(limit: number, length: number | undefined): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array()
    if (length !== undefined && length > limit) throw this.#tooLarge(limit)
    if (this.#request.destroyed) throw endedEarly()
    // only now: a client that asked whether to go on is not told to send what would be refused
    if (awaitsContinue(this.#response)) this.#response.writeContinue()
    const chunks: Uint8Array[] = []
    let size = 0
    return new Promise((resolve, reject) => {
      this.#request.on('data', (chunk: Uint8Array) => {
        size += chunk.length
        if (size <= limit) chunks.push(chunk)
        else if (!this.refused) reject(this.#tooLarge(limit))
      })
      this.#request.once('end', () =>
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
      )
      const stop = (): void => reject(endedEarly())
      this.#request.once('error', stop).once('close', stop)
      // a request that the parser gave up is never closed
      this.#response.once('close', stop)
    })
  }

  #tooLarge(limit: number): Error {
    this.refused = true
    return httpError('body_too_large', `The body is longer than ${limit} bytes`)
  }
}

function endedEarly(): HttpError {
  return httpError('malformed_request', 'The body ended early')
}

/** Whether the client waits to be told to send its body. A server without a listener for it has told it already. */
function awaitsContinue(response: ServerResponse): boolean {
  const { expect } = response.req.headers
  if (expect === undefined || !/(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return false
  return !('_sent100' in response && response._sent100 === true)
}

function write(
  response: ServerResponse,
  finished: FinishedResponse,
  last: boolean,
  context: { readonly log: Logger } | undefined,
): void {
  const { status, headers, body } = finished
  let source: ChunkSource | undefined
  try {
    if (isStream(body)) source = openStream(body)
    if (response.destroyed || response.headersSent) return source?.cancel()
    if (last) headers['connection'] = 'close'
    delete headers['transfer-encoding'] // how a body is framed is up to this side
    response.writeHead(status, source === undefined ? headers : withStrictLength(response, headers))
  } catch (error) {
    source?.cancel()
    response.strictContentLength = false
    context?.log.error({ err: error }, 'A response cannot be sent')
    const problem = toProblem(
      httpError('internal_error', 'The response cannot be sent; the log has the reason'),
    )
    return write(response, problem, last, undefined)
  }
  if (source !== undefined) void writeStream(response, source, last, context)
  else if (!isStream(body)) end(response, body, last)
}

/** Ends a response. A client may still be sending to a connection that ends with it: then it gets the time to read the response. */
function end(response: ServerResponse, body: string | Uint8Array | null, last: boolean): void {
  const { req: request } = response
  const ends = last || !response.shouldKeepAlive
  if (!ends || request.complete || request.socket.readableEnded || awaitsContinue(response))
    return void response.end(body ?? undefined)
  if (body === null) response.flushHeaders()
  else response.write(body)
  linger(request, () => {
    if (!response.destroyed) response.end()
  })
}

/** Writes chunks as fast as the client takes them. After the head there is no way to report a failure but to break off. */
async function writeStream(
  response: ServerResponse,
  source: ChunkSource,
  last: boolean,
  context: { readonly log: Logger } | undefined,
): Promise<void> {
  response.once('close', source.cancel)
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next()) {
      if (response.destroyed) return
      if (!response.write(chunk.value)) await drained(response)
    }
    response.off('close', source.cancel)
    if (!response.destroyed) end(response, null, last)
  } catch (error) {
    source.cancel()
    if (response.destroyed) return
    context?.log.error({ err: error }, 'A response broke off')
    response.destroy()
  }
}

/** Resolves when the client has taken what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    if (response.destroyed) resolve()
    else response.once('drain', go).once('close', go)
  })
}
