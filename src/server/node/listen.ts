import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import { Server as TcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'

import { httpError } from '../../errors.ts'
import { createConnections } from './connections.ts'
import { refuseClosing, refuseRequest } from './handler.ts'
import type { NodeHandler } from './handler.ts'
import { DirectRequest, DirectResponse, isDirectPossible } from './direct.ts'
import { createRefuser, endSocket } from './refuse.ts'
import type { Settings } from '../settings.ts'

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
  { logger, timeouts, limits }: Settings,
  { port = 3000, host }: ListenOptions,
): Promise<Listening> {
  const isDirect = isDirectPossible()
  const connections = createConnections(isDirect ? timeouts.idle : 0)
  let closing = false
  const server = createHttpServer(timeouts, limits, isDirect)
  const onRequest: NodeHandler = (request, response) => {
    connections.track(request.socket, response)
    if (response instanceof DirectResponse) response.staysFor(timeouts.idle)
    if (request instanceof DirectRequest && isWithoutBody(request)) request.skipBody()
    if (closing) refuseClosing(response)
    else handler(request, response)
  }
  // or lines above it would be dropped without a word; their size is limited
  server.maxHeadersCount = 0
  server.on('request', onRequest)
  // the handler itself tells a client that asks first to go on, once it wants the body
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', (request, response) => {
    connections.track(request.socket, response)
    refuseRequest(response, httpError('expectation_failed', 'No expectation but 100-continue can be met'))
  })
  server.on('connect', ({ socket }) => {
    // this connection is none of the server's any more
    socket.on('error', () => socket.destroy()).resume()
    endSocket(socket, httpError('malformed_target', 'The request target is neither a path nor a URL'))
  })
  server.on('clientError', createRefuser(connections.inFlight, limits))
  server.on('connection', connections.add)
  await start(server, port, host)
  server.on('error', (error) => logger.error({ err: error }, 'The server failed to accept a connection'))
  return {
    url: toUrl(server, host),
    close: async (grace) => {
      closing = true
      // the method of node:http would cut responses that are not flushed yet
      const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()))
      connections.finish()
      const late = setTimeout(connections.destroy, grace)
      await closed
      clearTimeout(late)
      // stops the timer that looks for slow requests
      server.close()
    },
  }
}

/** Whether nothing follows the head of a request (RFC 9112 section 6.3). */
function isWithoutBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

type HttpServer = Server | Server<typeof DirectRequest, typeof DirectResponse>

/** How often slow requests are looked for, in milliseconds, at most and at least. */
const CHECKING = { max: 30_000, min: 50 } as const

function createHttpServer(
  { headers, request, idle }: Settings['timeouts'],
  limits: Settings['limits'],
  isDirect: boolean,
): HttpServer {
  const shortest = Math.min(...[headers, request].filter((time) => time > 0), CHECKING.max)
  const options = {
    maxHeaderSize: limits.url + limits.headers + 1,
    requireHostHeader: false,
    // Node refuses a limit for a part that is above the limit for the whole
    headersTimeout: request > 0 ? Math.min(headers, request) : headers,
    requestTimeout: request,
    connectionsCheckingInterval: Math.max(CHECKING.min, Math.ceil(shortest / 4)),
  }
  return isDirect
    ? createServer({
        ...options,
        // the register of connections ends those that are idle
        keepAliveTimeout: 0,
        IncomingMessage: DirectRequest,
        ServerResponse: DirectResponse,
      })
    : createServer({ ...options, keepAliveTimeout: idle })
}

function start(server: TcpServer, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function toUrl(server: TcpServer, host: string | undefined): string {
  // a TCP server that listens has an address with a port
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo
  const name = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
