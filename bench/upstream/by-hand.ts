import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { Pool } from 'undici'
import type { Dispatcher } from 'undici'

const OF_CONNECTION = new Set(
  'connection keep-alive proxy-connection te trailer transfer-encoding upgrade host expect'.split(' '),
)

/** The headers of a message without those of its connection (RFC 9110 section 7.6.1), names and values in turn. */
function withoutConnection(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const { connection } = headers
  const named =
    typeof connection !== 'string' || connection === 'keep-alive' || connection === 'close'
      ? []
      : connection.split(',').map((name) => name.trim().toLowerCase())
  const lines: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (OF_CONNECTION.has(name) || named.includes(name)) continue
    if (typeof value === 'string') lines.push(name, value)
    else if (value !== undefined) for (const line of value) lines.push(name, line)
  }
  return lines
}

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
    this.#response.writeHead(status, withoutConnection(headers))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return
    controller.pause()
    this.#response.once('drain', () => controller.resume())
  }

  onResponseEnd(): void {
    this.#response.end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    const isLate = 'code' in error && String(error.code).endsWith('_TIMEOUT')
    if (this.#response.headersSent) this.#response.destroy()
    else this.#response.writeHead(isLate ? 504 : 502).end()
  }
}

/** A proxy as one writes it with undici and node:http. */
export function serveByHand(behind: string): Promise<number> {
  const pool = new Pool(behind, {
    connections: 128,
    headersTimeout: 10_000,
    bodyTimeout: 30_000,
    connect: { timeout: 2_000 },
  })
  const server = createServer((request: IncomingMessage, response) => {
    const headers = withoutConnection(request.headers)
    const { host = '' } = request.headers
    headers.push('x-forwarded-for', request.socket.remoteAddress ?? '', 'x-forwarded-proto', 'http')
    headers.push('x-forwarded-host', host, 'via', '1.1 hand')
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
