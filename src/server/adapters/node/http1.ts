import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerSettings, RefusalSettings, Settings } from '../../options/settings.ts'
import { afterAnswers, createConnections, MAX_WAITING, type Connections } from './connections.ts'
import { DirectRequest, DirectResponse, isDirectPossible } from './direct.ts'
import { onTurn, refuseClosing, refuseRequest, type NodeHandler, type Upgrading } from './handler.ts'
import { endWithAnswer, closeInStages, isLingering, LINGER } from './lingering-close.ts'
import type { Times } from './watch.ts'
import { httpError, type CoreErrorCode, type HttpError } from '../../../http/errors.ts'
import type { Limits } from '../../options/app-options.ts'
import { headersTooLarge, urlTooLong } from '../../pipeline/failure.ts'
import { toResponseText } from './write-response.ts'

/** A server for HTTP/1.1, over TCP or TLS. */
export type HttpServer = Server | Server<typeof DirectRequest, typeof DirectResponse>

type Http1Options = ReturnType<typeof toOptions>

/** The parts of a server of node:http or node:https. */
export interface Http1Kind<S extends HttpServer = HttpServer> {
  readonly make: (options: Http1Options) => S
  /** The event that brings connections that speak HTTP. */
  readonly event: 'connection' | 'secureConnection'
}

/** Servers without TLS. */
export const PLAIN: Http1Kind = { make: (options) => createServer(options), event: 'connection' }

/** A server's state, read for every request. */
export interface ServerState {
  readonly isClosing: boolean
  /** Returns whether connections have to end with their present answer. */
  readonly isAppEnding: () => boolean
  /** Answers upgrades, or `undefined` if no route has any. */
  readonly upgrading?: Upgrading | undefined
}

/** A server for HTTP/1.1, and the connections that it has. */
export interface Http1 {
  readonly server: HttpServer
  readonly connections: Connections
}

/** Creates a server for HTTP/1.1 that answers by `handler`, and refuses everything once the application closes. */
export function createHttp1(
  { make, event }: Http1Kind,
  handler: NodeHandler,
  settings: ServerSettings,
  state: ServerState,
): Http1 {
  const { timeouts } = settings
  const isDirect = isDirectPossible()
  const { idle } = timeouts
  const times = toTimes(timeouts)
  const connections = createConnections({ ...times, idle: isDirect ? idle : 0 })
  const server = make(toOptions(settings, isDirect, state.upgrading))
  const answer: NodeHandler = (request, response) => {
    if (state.isClosing) refuseClosing(response, settings)
    else handler(request, response)
  }
  const onRequest: NodeHandler = (request, response) => {
    const waiting = connections.track(request.socket, response)
    if (response instanceof DirectResponse) response.staysFor(idle)
    if (request instanceof DirectRequest && isWithoutBody(request)) request.skipBody()
    // the parser takes 0.9 and 2.0 as well
    if (request.httpVersionMajor !== 1) {
      // nothing behind it may run
      endWithAnswer(request)
      refuseRequest(response, httpError('malformed_request', NOT_HTTP_1), settings)
    }
    // one packet has thousands of requests, whose answers would all wait in memory
    else if (waiting > MAX_WAITING) onTurn(response, () => answer(request, response))
    else answer(request, response)
  }
  const refuse = createRefuser(connections.inFlight, settings)
  // or lines above it would be dropped without a word; their size is limited
  server.maxHeadersCount = 0
  server.on('request', onRequest)
  // the handler itself tells a client that asks first to go on, once it wants the body
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', (request, response) => {
    connections.track(request.socket, response)
    const refusal = httpError('expectation_failed', 'No expectation but 100-continue can be met')
    refuseRequest(response, refusal, settings)
  })
  server.on('connect', ({ socket }) => {
    // this connection is none of the server's any more
    socket.on('error', () => socket.destroy()).resume()
    const refusal = httpError('malformed_target', 'The request target is neither a path nor a URL')
    afterAnswers(socket, connections, () => endSocket(socket, refusal, settings))
  })
  state.upgrading?.listen(server, connections, state)
  server.on('clientError', (error, socket: Socket) => {
    // one that is not known failed before it spoke HTTP
    if (connections.has(socket)) refuse(error, socket)
    else socket.destroy()
  })
  // the address of a client could not be read any more once it has gone; Node keeps what was read
  server.on(event, ({ remoteAddress }: Socket) => void remoteAddress).on(event, connections.add)
  return { server, connections }
}

export const NOT_HTTP_1 = 'The version of HTTP is neither 1.0 nor 1.1'

/** Whether nothing follows the head of a request (RFC 9112 section 6.3). */
function isWithoutBody({ headers }: DirectRequest): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

/** The times after which the register of connections ends them. */
export function toTimes({ idle, headers, send }: ServerSettings['timeouts']): Times {
  // twice the time for headers: Node looks for slow ones in intervals, and answers them
  return { idle, send, between: idle > 0 && headers > 0 ? idle + 2 * headers : 0 }
}

/** How often slow requests are looked for, in milliseconds, at most and at least. */
const CHECKING = { max: 30_000, min: 50 } as const

/** The limits of a connection's parser: a longer head, or one that takes longer, is refused. */
interface Bounds {
  readonly maxHeaderSize: number
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** How often slow requests are looked for, in milliseconds. */
  readonly connectionsCheckingInterval: number
}

/** Returns the limits of a connection's parser, by the settings of an application. */
export function toBounds({ timeouts, limits }: Pick<ServerSettings, 'timeouts' | 'limits'>): Bounds {
  const { headers, request } = timeouts
  const shortest = Math.min(...[headers, request].filter((time) => time > 0), CHECKING.max)
  return {
    maxHeaderSize: limits.url + limits.headers + 1,
    // Node refuses a limit for a part that is above the limit for the whole
    headersTimeout: request > 0 ? Math.min(headers, request) : headers,
    requestTimeout: request,
    connectionsCheckingInterval: Math.max(CHECKING.min, Math.ceil(shortest / 4)),
  }
}

function toOptions(settings: ServerSettings, isDirect: boolean, upgrading: Upgrading | undefined) {
  const { direct = DirectRequest, plain } = upgrading?.classes ?? {}
  const { idle } = settings.timeouts
  return {
    ...toBounds(settings),
    requireHostHeader: false,
    // the register of connections ends those that are idle
    ...(isDirect
      ? { keepAliveTimeout: 0, IncomingMessage: direct, ServerResponse: DirectResponse }
      : { keepAliveTimeout: idle, ...(plain === undefined ? {} : { IncomingMessage: plain }) }),
  }
}

type ServerResponse = Parameters<NodeHandler>[1]

export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Uint8Array
}

/** The bytes that were read of a connection when it was refused. */
const REFUSED_AT: unique symbol = Symbol('refused at')

type RefusedSocket = Socket & { [REFUSED_AT]?: number }

/**
 * Creates the function that answers what never became a request with an error, and ends the connection. `inFlight` gives
 * the responses under way on a connection, oldest first: theirs come before.
 */
function createRefuser(
  inFlight: (socket: Socket) => readonly ServerResponse[],
  settings: RefusalSettings,
): (error: ParserError, socket: Socket) => void {
  return (error, socket: RefusedSocket) => {
    if (isLingering(socket)) return
    const start = socket[REFUSED_AT]
    if (start !== undefined) {
      // the parser reports everything that still arrives
      if (socket.readableEnded) socket.destroySoon()
      else if (socket.bytesRead - start > LINGER.bytes) socket.destroy()
      return
    }
    socket[REFUSED_AT] = socket.bytesRead
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const problem = toParserError(error, settings.limits)
    const latest = inFlight(socket).at(-1)
    if (isCutOff(error) && latest?.req.complete === false) latest.req.aborted = true
    if (latest === undefined) endSocket(socket, problem, settings)
    else if (latest.req.complete) latest.once('close', () => endSocket(socket, problem, settings))
    else if (latest.writableEnded) latest.once('close', () => closeInStages(socket))
    else if (!latest.headersSent) refuseRequest(latest, problem, settings)
    else if (latest.socket !== null) socket.end(() => socket.destroy())
    // nothing of it was sent: the error takes its turn
    else latest.assignSocket = () => endSocket(socket, problem, settings)
  }
}

/** Whether the parser reports that the client has ended its side within a request. */
export function isCutOff({ code }: ParserError): boolean {
  return code === 'HPE_INVALID_EOF_STATE'
}

/** Answers a connection outside of any request, and ends it. The client has some time to read the answer before the end. */
export function endSocket(
  socket: Socket,
  error: HttpError,
  { writeError }: Pick<Settings, 'writeError'>,
): void {
  // it may have ended with the answer before
  if (isLingering(socket)) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.write(toResponseText(writeError(error)))
  closeInStages(socket)
}

const REFUSALS: Readonly<Record<string, readonly [code: CoreErrorCode, detail: string]>> = {
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['malformed_request', 'The chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive'],
}

/** The error that answers what the parser refuses. */
export function toParserError(error: ParserError, limits: Required<Limits>): HttpError {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return isLongUrl(error, limits.url) ? urlTooLong(limits.url) : headersTooLarge(limits.headers)
  const [code, detail] = REFUSALS[error.code ?? ''] ?? ['malformed_request', 'The request is not valid HTTP']
  return httpError(code, detail)
}

/**
 * The parser counts the request line among the headers, and shows the latest packet only: one without any end of line is part of
 * a URL when it starts like a request, or has no blank.
 */
function isLongUrl({ rawPacket }: ParserError, limit: number): boolean {
  if (rawPacket === undefined) return false
  const text = Buffer.from(rawPacket).toString('latin1')
  const end = text.indexOf('\n')
  const line = end === -1 ? text : text.slice(0, end)
  return /^[A-Z]+ /.test(line) ? line.length > limit : end === -1 && !line.includes(' ')
}
