import { EventEmitter } from 'node:events'
import { ServerResponse, IncomingMessage } from 'node:http'
import { createServer, type Server as TcpServer, type Socket } from 'node:net'
import { channel } from 'node:diagnostics_channel'

import { findHeader } from '../../server/request/header.ts'
import { createEnding, isDirectPossible, areResponsesReplaced } from '../../server/adapters/node/direct.ts'
import { toBounds, toTimes, endSocket, toParserError, NOT_HTTP_1 } from '../../server/adapters/node/http1.ts'
import { destroyAll } from '../../server/adapters/node/lingering-close.ts'
import type {
  CreateHttp1Part,
  EngineParts,
  Http1Part,
  OpenEngine,
} from '../../server/adapters/node/listen.ts'
import type { Engine } from '../../server/adapters/node/listen-options.ts'
import { codingRefusal, type HandshakeHead, type Tracked } from '../../server/adapters/node/handler.ts'
import { watch } from '../../server/adapters/node/watch.ts'
import { Connection, type Host } from './connection.ts'
import { findParsers, type CreateParsers, type ParsedHead, type Parsers } from './parser.ts'
import { toRequestHeaders, type EngineRequest } from './request.ts'
import { isPromise } from '../../base/values.ts'
import { httpError, type HttpError } from '../../http/errors.ts'
import type { FinishedResponse } from '../../http/http.ts'
import { endsBeforeResponse, write } from '../../server/adapters/node/write-response.ts'
import type { Dispatch } from '../../server/dispatch.ts'
import type { RefusalSettings } from '../../server/options/settings.ts'
import { createHeadCheck, serverClosing } from '../../server/pipeline/failure.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import type { SendTarget } from './send.ts'

/**
 * Returns Octavo's own engine on the parser of Node, for the option `engine` of `listen`. Experimental. If the parser cannot be used,
 * node:http serves.
 *
 * @example
 * await app.listen({ port: 3000, engine: direct() })
 */
export function direct(): Engine {
  const engine: OpenEngine = { kind: 'engine', find: findEngine }
  return engine
}

/** Finds the binding that creates servers. Returns `undefined`, with a line in the log, if this Node or a loaded module prevents it. */
function findEngine(parts: EngineParts): CreateHttp1Part | undefined {
  const parsers = isDirectPossible() ? findParsers() : undefined
  if (parsers !== undefined) return (tls, makeTls) => createEngine(parts, parsers, tls, makeTls)
  parts.settings.log.warn(
    {},
    'node:http serves: the parser of this Node cannot be used, or a monitoring tool has changed its servers',
  )
  return undefined
}

/** How often connections are looked for whose parser can be freed, or that are not read and were reset, in milliseconds. */
const LOOKING = 1_000

function createEngine(
  parts: EngineParts,
  createParsers: CreateParsers,
  ...[tls, makeTls]: Parameters<CreateHttp1Part>
): Http1Part {
  const { settings } = parts
  const { maxHeaderSize, headersTimeout, requestTimeout, connectionsCheckingInterval } = toBounds(settings)
  const all = new Map<Socket, Connection>()
  const released = new Set<Socket>()
  const parsers = createParsers(maxHeaderSize)
  const register: ConnectionRegister = { all, released, isFinishing: false }
  const isPlain = tls === undefined || makeTls === undefined
  const socketOptions = { allowHalfOpen: true, noDelay: true }
  const server = isPlain ? createServer(socketOptions) : makeTls({ ...tls, ...socketOptions })
  const host = createHost(parts, parsers, register, server)
  server.on(isPlain ? 'connection' : 'secureConnection', createAdd(register, host))
  const stopWatching = watch(toTimes(settings.timeouts), all)
  const expire = (): void => parsers.expire(headersTimeout, requestTimeout)
  const look = (): void => {
    parsers.rest()
    for (const connection of all.values()) connection.checkClient()
  }
  const timers = [setInterval(expire, connectionsCheckingInterval), setInterval(look, LOOKING)]
  for (const timer of timers) timer.unref()
  return {
    server,
    connections: {
      finish: () => {
        register.isFinishing = true
        stopWatching()
        for (const connection of all.values()) connection.finish()
      },
      destroy: () => destroyAll([...all.keys(), ...released]),
    },
    stop: () => {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Creates the function that adds a connection. Its listeners are shared: those of their own would take memory on each of many. */
function createAdd({ all, released }: ConnectionRegister, host: Host): (socket: Socket) => void {
  function onData(this: Socket, chunk: Uint8Array): void {
    all.get(this)?.onData(chunk)
  }
  function onEnd(this: Socket): void {
    all.get(this)?.onEnd()
  }
  function onClose(this: Socket): void {
    const connection = all.get(this)
    all.delete(this)
    released.delete(this)
    connection?.onClose()
  }
  return (socket) => {
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
    all.set(socket, new Connection(socket, host))
  }
}

function onError(this: Socket): void {
  this.destroy()
}

/** The connections of a server. */
interface ConnectionRegister {
  readonly all: Map<Socket, Connection>
  /** Those that something else has taken over. */
  readonly released: Set<Socket>
  /** Whether connections without a request end. */
  isFinishing: boolean
}

function createHost(
  { dispatch, settings, state }: EngineParts,
  parsers: Parsers,
  register: ConnectionRegister,
  server: TcpServer,
): Host {
  const { idle } = settings.timeouts
  const { upgrading } = state
  const emitter = new EventEmitter()
  upgrading?.listen(emitter, toTracked(register), state)
  /** Creates the response of node:http for a request that is watched. What is done to it becomes part of the answer. */
  const watchRequest = (request: EngineRequest, socket: Socket): ServerResponse => {
    const message = toIncomingMessage(request, socket)
    const response = new ServerResponse(message)
    response.shouldKeepAlive = request.head.keepAlive
    STARTED.publish({ request: message, response, socket, server })
    response.once('finish', () => FINISHED.publish({ request: message, response, socket, server }))
    return response
  }
  return {
    parsers,
    answer: createConnectionAnswer(dispatch, settings, () => state.isClosing, watchRequest),
    sendWatched: (connection, request, isLast) => sendWatched(connection, request, isLast, idle),
    toError: (error) => toParserError(error, settings.limits),
    writeError: settings.writeError,
    endSocket: (socket, error) => endSocket(socket, error, settings),
    ending: createEnding(idle),
    isEnding: state.isAppEnding,
    isFinishing: () => register.isFinishing,
    isHandshake: (head) => upgrading?.isHandshake(toHandshakeHead(head)) === true,
    upgrade: (connection, request, rest) => {
      const { socket } = connection
      emitter.emit('upgrade', toIncomingMessage(request, socket), socket, Buffer.from(rest))
    },
  }
}

function toHandshakeHead({ method, major, minor, lines }: ParsedHead): HandshakeHead {
  const headers = toRequestHeaders(lines)
  const own = OF_HANDSHAKE.map((name) => [name, findHeader(headers, name)])
  return {
    method,
    httpVersionMajor: major,
    httpVersionMinor: minor,
    headers: Object.fromEntries(own),
  }
}

const OF_HANDSHAKE = ['upgrade', 'transfer-encoding', 'content-length']

/** The register of connections as upgrades want it: they come when nothing else is under way. */
function toTracked({ all, released }: ConnectionRegister): Tracked {
  return {
    inFlight: () => [],
    track: (socket, response) => {
      const connection = all.get(socket)
      if (connection === undefined) return 0
      connection.others = [response]
      response.on('close', () => {
        connection.others = []
      })
      return 1
    },
    release: (socket) => {
      if (all.delete(socket)) released.add(socket)
    },
  }
}

/**
 * Creates the function that answers a request. `isClosing` tells whether requests are refused, and `watchRequest` shows a request to
 * who watches.
 */
function createConnectionAnswer(
  dispatch: Dispatch,
  settings: RefusalSettings,
  isClosing: () => boolean,
  watchRequest: (request: EngineRequest, socket: Socket) => ServerResponse | undefined,
): (request: EngineRequest, connection: Connection) => void {
  const findRefusal = createHeadCheck(settings.limits)
  const refusalOf = ({ head, framing }: EngineRequest): HttpError | undefined => {
    const { major, minor, target, lines } = head
    if (framing.expectsMore)
      return httpError('expectation_failed', 'No expectation but 100-continue can be met')
    // the parser takes 0.9 and 2.0 as well
    if (major !== 1) return httpError('malformed_request', NOT_HTTP_1)
    if (isClosing()) return serverClosing()
    return (
      findRefusal(target.length, framing.host, minor === 1, lines) ?? codingRefusal(framing.coding, minor)
    )
  }
  return (request, connection) => {
    // something looks at what servers of node:http do, or stands in the place of methods of their responses
    const isWatched =
      STARTED.hasSubscribers || FINISHED.hasSubscribers || CREATED.hasSubscribers || areResponsesReplaced()
    if (isWatched) request.response = watchRequest(request, connection.socket)
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      request.isFinal = true
      return connection.settle(request, settings.writeError(refusal), undefined)
    }
    const { context, response } = dispatch(request)
    if (isPromise(response))
      void response.then((settled) => settleConnections(connection, request, context, settled))
    else settleConnections(connection, request, context, response)
  }
}

function settleConnections(
  connection: Connection,
  request: EngineRequest,
  context: RequestContext,
  finished: FinishedResponse,
): void {
  if (endsBeforeResponse(context, finished) || request.isGone || request.isDone) void context.end()
  else request.onEnd = () => void context.end()
  connection.settle(request, finished, context)
}

const STARTED = channel('http.server.request.start')
const CREATED = channel('http.server.response.created')
const FINISHED = channel('http.server.response.finish')

/** Creates the request of node:http that others expect, without body. */
function toIncomingMessage({ head, headers }: EngineRequest, socket: Socket): IncomingMessage {
  const { major, minor, method, target, lines } = head
  const message = new IncomingMessage(socket)
  const version = { httpVersionMajor: major, httpVersionMinor: minor, httpVersion: `${major}.${minor}` }
  const own = { method, url: target, rawHeaders: [...lines], headers: { ...headers }, complete: true }
  Object.assign(message, version, own)
  message.push(null)
  return message
}

/** Sends an answer by the response of node:http. `idle` is how long the connection stays behind it, in milliseconds. */
function sendWatched(target: SendTarget, request: EngineRequest, isLast: boolean, idle: number): void {
  const { socket } = target
  const { response, finished, context } = request
  if (response === undefined || finished === undefined) return
  Reflect.set(response, '_keepAliveTimeout', idle)
  if (request.isUntold) response.shouldKeepAlive = false
  response.assignSocket(socket)
  const drain = (): void => void response.emit('drain')
  socket.on('drain', drain)
  response.once('close', () => socket.off('drain', drain))
  response.once('finish', () => {
    target.isEnding = isLast || Reflect.get(response, '_last') === true
    response.detachSocket(socket)
    response.destroy()
    response.emit('close')
    target.onSent()
  })
  write(response, finished, isLast, context)
}
