import type { IncomingMessage, ServerResponse } from 'node:http'

import { httpError, toProblem } from '../errors.ts'
import { isPromise } from '../http.ts'
import type { BodyStream, FinishedResponse, HeaderMap, RawBody, RawRequest } from '../http.ts'
import type { Dispatch } from './dispatch.ts'

/** What a Node server passes on to a request listener. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Makes the listener for Node servers. `isClosing` tells whether connections have to end with their present answer. */
export function createNodeHandler(dispatch: Dispatch, isClosing: () => boolean): NodeHandler {
  return (request, response) => {
    const raw = new NodeRequest(request, response)
    // Node would refuse this by itself, without saying why (RFC 9112 section 3.2)
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      write(response, toProblem(httpError('missing_host', 'The request has no Host header')), true)
      return
    }
    const { response: answer } = dispatch(raw)
    if (isPromise(answer))
      void answer.then((finished) => write(response, finished, raw.refused || isClosing()))
    else write(response, answer, raw.refused || isClosing())
  }
}

/** Refuses a request while the application closes, and ends its connection. */
export function refuseClosing(response: ServerResponse): void {
  write(response, toProblem(httpError('closing', 'The server is shutting down')), true)
}

/** A request of node:http. A class because one is made for every request, and little of it is needed. */
class NodeRequest implements RawRequest {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #abort: AbortController | undefined
  /** Whether the body was refused: then the rest of it is not waited for. */
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
    return Object.hasOwn(this.#request.headersDistinct, name)
      ? (this.#request.headersDistinct[name] ?? [])
      : []
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  get protocol(): 'http' | 'https' {
    return 'encrypted' in this.#request.socket ? 'https' : 'http'
  }

  get body(): RawBody {
    const { headers } = this.#request
    const declared = headers['content-length']
    const length = headers['transfer-encoding'] !== undefined ? undefined : Number(declared ?? 0)
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
    // only now: a client that asked whether to go on is not told to send what would be refused
    if (this.#request.headers.expect?.toLowerCase() === '100-continue') this.#response.writeContinue()
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
      this.#request.once('error', reject)
      this.#request.once('close', () => reject(httpError('malformed_request', 'The body ended early')))
    })
  }

  #tooLarge(limit: number): Error {
    this.refused = true
    return httpError('body_too_large', `The body is longer than ${limit} bytes`)
  }
}

function write(response: ServerResponse, finished: FinishedResponse, last: boolean): void {
  const { status, headers, body } = finished
  if (response.destroyed || response.headersSent) return
  if (last) headers['connection'] = 'close'
  response.writeHead(status, headers)
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) response.end(body ?? undefined)
  else void writeStream(response, body)
}

/** Writes chunks as fast as the client takes them. After the head there is no way to report a failure but to break off. */
async function writeStream(response: ServerResponse, body: BodyStream): Promise<void> {
  try {
    for await (const chunk of body) {
      if (response.destroyed) return
      if (!response.write(chunk)) await drained(response)
    }
    response.end()
  } catch {
    response.destroy()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.once('drain', go)
    response.once('close', go)
  })
}
