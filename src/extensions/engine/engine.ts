import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Server as TcpServer, type Socket } from 'node:net'

import { findHeader } from '../../server/request/header.ts'
import { createEnding, isDirectPossible } from '../../server/adapters/node/direct.ts'
import { toBounds, toTimes, endSocket, toError } from '../../server/adapters/node/http1.ts'
import { destroyAll } from '../../server/adapters/node/lingering-close.ts'
import type {
  CreateHttp1Part,
  EngineParts,
  Http1Part,
  OpenEngine,
} from '../../server/adapters/node/listen.ts'
import type { Engine } from '../../server/adapters/node/listen-options.ts'
import type { HandshakeHead, Tracked } from '../../server/adapters/node/upgrade.ts'
import { watch } from '../../server/adapters/node/watch.ts'
import { createAnswer } from './answer.ts'
import { Connection, type Host } from './connection.ts'
import { openWatched, sendWatched, toIncomingMessage } from './node-objects.ts'
import { findParsers, type CreateParsers, type ParsedHead, type Parsers } from './parser.ts'
import type { EngineRequest } from './request.ts'
import { toHeaders } from './request-headers.ts'

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

/** Finds what creates servers, or `undefined` with a line in the log if this Node, or what is loaded besides, does not allow it. */
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
  const register: Register = { all, released, isFinishing: false }
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
function createAdd({ all, released }: Register, host: Host): (socket: Socket) => void {
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
interface Register {
  readonly all: Map<Socket, Connection>
  /** Those that something else has taken over. */
  readonly released: Set<Socket>
  /** Whether connections without a request end. */
  isFinishing: boolean
}

function createHost(
  { dispatch, settings, state }: EngineParts,
  parsers: Parsers,
  register: Register,
  server: TcpServer,
): Host {
  const { idle } = settings.timeouts
  const { upgrading } = state
  const emitter = new EventEmitter()
  upgrading?.listen(emitter, createTracking(register), state)
  const watchRequest = (request: EngineRequest, socket: Socket): ServerResponse =>
    openWatched(request, socket, server)
  return {
    parsers,
    answer: createAnswer(dispatch, settings, () => state.isClosing, watchRequest),
    sendWatched: (connection, request, isLast) => sendWatched(connection, request, isLast, idle),
    toError: (error) => toError(error, settings.limits),
    writeError: settings.writeError,
    endSocket: (socket, error) => endSocket(socket, error, settings),
    ending: createEnding(idle),
    isClosing: state.isAppClosing,
    isFinishing: () => register.isFinishing,
    isHandshake: (head) => upgrading?.isHandshake(toHandshakeHead(head)) === true,
    upgrade: (connection, request, rest) => {
      const { socket } = connection
      emitter.emit('upgrade', toIncomingMessage(request, socket), socket, Buffer.from(rest))
    },
  }
}

function toHandshakeHead({ method, major, minor, lines }: ParsedHead): HandshakeHead {
  const headers = toHeaders(lines)
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
function createTracking({ all, released }: Register): Tracked {
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
