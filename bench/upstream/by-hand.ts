import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { Pool } from 'undici'
import type { Dispatcher } from 'undici'

const OF_CONNECTION = new Set(
  'connection keep-alive proxy-connection te trailer transfer-encoding upgrade host expect'.split(' '),
)

/** Passes a response on, at the pace of the client. */
class Passing implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) controller.abort(new Error('The client has left'))
    })
  }

  onResponseStart(
    _controller: unknown,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const own: Record<string, string | string[]> = {}
    for (const name in headers) {
      const value = headers[name]
      if (value !== undefined && !OF_CONNECTION.has(name)) own[name] = value
    }
    this.#response.writeHead(status, own)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return
    controller.pause()
    this.#response.once('drain', () => controller.resume())
  }

  onResponseEnd(): void {
    this.#response.end()
  }

  onResponseError(): void {
    if (this.#response.headersSent) this.#response.destroy()
    else this.#response.writeHead(502).end()
  }
}

/** A proxy as one writes it with undici and node:http. */
export function serveByHand(behind: string): Promise<number> {
  const pool = new Pool(behind, { connections: 128 })
  const server = createServer((request: IncomingMessage, response) => {
    const headers: string[] = []
    for (const name in request.headers) {
      const value = request.headers[name]
      if (OF_CONNECTION.has(name)) continue
      if (typeof value === 'string') headers.push(name, value)
      else if (value !== undefined) for (const line of value) headers.push(name, line)
    }
    headers.push('x-forwarded-for', request.socket.remoteAddress ?? '', 'via', '1.1 hand')
    const hasBody =
      request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
    pool.dispatch(
      {
        method: request.method as Dispatcher.HttpMethod,
        path: (request.url ?? '/').replace(/^\/v\d+/, ''),
        headers,
        body: hasBody ? request : null,
      },
      new Passing(response),
    )
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
