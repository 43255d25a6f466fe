import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

import { httpError, toProblem } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { MAX_HEADER_BYTES } from './dispatch.ts'
import { refuseClosing } from './node.ts'
import type { NodeHandler } from './node.ts'
import type { Settings } from './settings.ts'
import { MAX_URL_LENGTH } from './target.ts'

/** Where a server listens. */
export interface ListenOptions {
  /** 0 takes any free port. @default 3000 */
  readonly port?: number
  /** The address to listen on. @default all addresses */
  readonly host?: string
}

/** A server that listens. */
export interface Listening {
  /** The address as a URL. */
  readonly url: string
  /** Stops accepting, waits for answers under way up to `grace` milliseconds, then breaks off what is left. */
  close(grace: number): Promise<void>
}

/** Serves a handler on node:http. Rejects when the address cannot be taken. */
export async function listen(
  handler: NodeHandler,
  { timeouts }: Settings,
  { port = 3000, host }: ListenOptions,
): Promise<Listening> {
  const busy = new Map<Socket, number>()
  let closing = false
  const onRequest: NodeHandler = (request, response) => {
    if (closing) return refuseClosing(response)
    track(request.socket, response)
    handler(request, response)
  }
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.idle,
    },
    onRequest,
  )
  // the handler itself tells a client that asks first to go on, once it wants the body
  server.on('checkContinue', onRequest)
  server.on('clientError', refuse)
  server.on('connection', (socket: Socket) => {
    busy.set(socket, 0)
    socket.once('close', () => busy.delete(socket))
  })
  await start(server, port, host)
  return {
    url: toUrl(server, host),
    close: async (grace) => {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const [socket, count] of busy) if (count === 0) socket.destroy()
      const timer = new AbortController()
      const late = delay(grace, undefined, { signal: timer.signal }).then(
        () => server.closeAllConnections(),
        () => undefined,
      )
      await closed
      timer.abort()
      await late
    },
  }

  function track(socket: Socket, response: ServerResponse): void {
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const count = (busy.get(socket) ?? 1) - 1
      if (busy.has(socket)) busy.set(socket, count)
      if (closing && count === 0) socket.end()
    })
  }
}

function start(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function toUrl(server: Server, host: string | undefined): string {
  // a TCP server that listens has an address with a port
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo
  const name = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** What the parser refuses, by its code. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Uint8Array
}

/** Answers what never became a request with a problem document, and ends the connection. */
function refuse(error: ParserError, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const code = isLongUrl(error) ? 'url_too_long' : (REFUSALS[error.code ?? ''] ?? 'malformed_request')
  const { status, headers, body } = toProblem(httpError(code, DETAILS[code]))
  const lines = Object.entries({ ...headers, date: new Date().toUTCString(), connection: 'close' })
  const head = [
    `HTTP/1.1 ${status} ${code.replaceAll('_', ' ')}`,
    ...lines.map(([name, value]) => `${name}: ${String(value)}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${String(body)}`)
}

const DETAILS = {
  url_too_long: `The request target is longer than ${MAX_URL_LENGTH} characters`,
  headers_too_large: `The headers are longer than ${MAX_HEADER_BYTES} bytes`,
  request_timeout: 'The request took too long to arrive',
  malformed_request: 'The request is not valid HTTP',
} as Readonly<Record<string, string>> as Readonly<Record<ErrorCode, string>>

/** The parser counts the request line among the headers: a line that does not end in time is a URL that is too long. */
function isLongUrl({ code, rawPacket }: ParserError): boolean {
  if (code !== 'HPE_HEADER_OVERFLOW' || rawPacket === undefined) return false
  const end = rawPacket.indexOf(10)
  return (
    /^[A-Z]+ /.test(Buffer.from(rawPacket.subarray(0, 16)).toString('latin1')) &&
    (end === -1 || end > MAX_URL_LENGTH)
  )
}
