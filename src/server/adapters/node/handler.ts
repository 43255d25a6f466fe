import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AsyncResource } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'

import { httpError, type HttpError } from '../../../http/errors.ts'
import { isPromise } from '../../../base/values.ts'
import { dropBody, clientWentAway, type FinishedResponse } from '../../../http/http.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Dispatch } from '../../dispatch.ts'
import {
  createHeadCheck,
  type FindRefusal,
  serverClosing,
  isAbort,
  toFailure,
} from '../../pipeline/failure.ts'
import type { RefusalSettings, ServerSettings, Settings } from '../../options/settings.ts'
import { createDirect, DirectRequest } from './direct.ts'
import { endSession, Http2HandlerRequest, http2Refusal, isHttp2 } from './http2-request.ts'
import { isEnding, closeInStages } from './lingering-close.ts'
import { NodeRequest, PassingRequest, type NodeNext } from './node-request.ts'
import { endWithResponse, giveUp, write, toResponseText } from './write-response.ts'
import { afterAnswers, type Connections } from './connections.ts'
import { SWITCHING_PROTOCOLS, type TakeConnection, type UpgradedConnection } from './upgrade-reply.ts'

/** A request listener of a Node server. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: NodeNext) => void

/** Creates the listener for Node servers. `isAppEnding` tells whether connections have to end with their present answer. */
export function createNodeHandler(
  dispatch: Dispatch,
  isAppEnding: () => boolean,
  settings: ServerSettings,
): NodeHandler {
  const { timeouts, limits } = settings
  const answerDirectly = createDirect(timeouts.idle)
  const findRefusal = createHeadCheck(limits)
  const send = (raw: NodeRequest, context: RequestContext, finished: FinishedResponse): void => {
    const { request, response } = raw
    endWithResponse(response, context, finished)
    const last = raw.refused || isAppEnding()
    if (last || !answerDirectly(request, response, finished)) write(response, finished, last, context)
    if (last && isHttp2(request) && isAppEnding()) endSession(response)
  }
  const sendSafely = (raw: NodeRequest, context: RequestContext, finished: FinishedResponse): void => {
    if (raw instanceof PassingRequest && raw.isPassed && finished.status === 404) {
      // nothing is served at its path and no middleware has answered it: it is for what is behind the application
      dropBody(finished.body)
      void context.end()
      return raw.next()
    }
    try {
      send(raw, context, finished)
    } catch (error) {
      giveUp(raw.response, context, error)
    }
  }
  const handle: NodeHandler = (request, response, next) => {
    if (isTooLate(request, response)) return
    const refusal = refusalOf(request, findRefusal)
    if (refusal !== undefined) return refuseRequest(response, refusal, settings)
    const raw = toRaw(request, response, next)
    const { context, response: finished } = dispatch(raw)
    if (isPromise(finished)) void finished.then((settled) => sendSafely(raw, context, settled))
    else sendSafely(raw, context, finished)
  }
  return (request, response, next) => {
    if (isBehindOldRequest(request, response)) onTurn(response, () => handle(request, response, next))
    else handle(request, response, next)
  }
}

function toRaw(request: IncomingMessage, response: ServerResponse, next: NodeNext | undefined): NodeRequest {
  if (isHttp2(request))
    return new Http2HandlerRequest(request, response, typeof next === 'function' ? next : undefined)
  return typeof next === 'function'
    ? new PassingRequest(request, response, next)
    : new NodeRequest(request, response)
}

/** Why a request does not get as far as the application. */
function refusalOf(request: IncomingMessage, findRefusal: FindRefusal): HttpError | undefined {
  const { url = '/', headers, httpVersionMinor, rawHeaders } = request
  if (isHttp2(request)) return http2Refusal(request, findRefusal)
  return (
    findRefusal(url.length, headers.host, httpVersionMinor === 1, rawHeaders) ??
    codingRefusal(headers['transfer-encoding'], httpVersionMinor)
  )
}

/** Calls `run` once all requests before that of a response are answered, unless it was refused meanwhile. */
export function onTurn(response: ServerResponse, run: () => void): void {
  response.once('socket', () => {
    if (!response.headersSent) run()
  })
}

/** The mark of a connection that had a request of HTTP/1.0. */
const OLD: unique symbol = Symbol('HTTP/1.0')

/**
 * Whether a request came before those of HTTP/1.0 on its connection were answered. Their answers end the connection if their length is
 * not known, which shows no earlier than with their heads, and nothing behind the last answer may run.
 */
function isBehindOldRequest(request: IncomingMessage, response: ServerResponse): boolean {
  const socket: (Socket & { [OLD]?: true }) | undefined = request.socket
  if (request.httpVersionMajor === 1 && request.httpVersionMinor === 0) socket[OLD] = true
  // a response that waits for others has no socket yet
  return response.socket === null && socket?.[OLD] === true
}

/** Refuses a request while the application closes, and ends its connection. */
export function refuseClosing(response: ServerResponse, settings: Pick<Settings, 'writeError'>): void {
  refuseRequest(response, serverClosing(), settings)
  if (isHttp2(response.req)) endSession(response)
}

/** Answers a request with an error, and ends its connection. */
export function refuseRequest(
  response: ServerResponse,
  error: HttpError,
  { writeError }: Pick<Settings, 'writeError'>,
): void {
  write(response, writeError(error), true, undefined)
}

/** Whether a request came behind one that ended its connection. The parser continues, but the response could not be sent. */
function isTooLate({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // a response that waits for others has no socket yet
  return response.socket === null ? isEnding(socket) : socket.writableEnded
}

/** Why the framing of a request is not to be trusted, though the parser found an end (RFC 9112 section 6.1). */
export function codingRefusal(coding: string | undefined, minorVersion: number): HttpError | undefined {
  if (coding === undefined) return undefined
  if (minorVersion === 0) return httpError('malformed_request', 'HTTP/1.0 has no Transfer-Encoding')
  return /^chunked$/i.test(coding)
    ? undefined
    : httpError('malformed_request', 'No transfer coding but chunked is understood')
}

/** Answers a request that asks for an upgrade. `head` is what came behind it. */
type AnswerUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => void

/** Whether the server closes. */
interface ClosingState {
  readonly isClosing: boolean
}

/** The parts that a server needs to answer upgrades. */
export interface Upgrading {
  /** The classes of requests, of which `upgrade` is true only if a request is the handshake of a WebSocket. */
  readonly classes: { readonly direct: typeof DirectRequest; readonly plain: typeof IncomingMessage }
  readonly listen: (server: EventEmitter, connections: Tracked, state: ClosingState) => void
  /** Whether a request is the handshake of a WebSocket. */
  readonly isHandshake: (head: HandshakeHead) => boolean
}

/** The connections of a server, as far as upgrades concern them. */
export type Tracked = Pick<Connections, 'track' | 'release' | 'inFlight'>

/** The head of a request that may be a handshake. */
export type HandshakeHead = Pick<
  IncomingMessage,
  'method' | 'httpVersionMajor' | 'httpVersionMinor' | 'headers'
>

/** Creates what a server needs to answer upgrades. */
export function createUpgrading(dispatch: Dispatch, settings: RefusalSettings): Upgrading {
  return {
    classes: { direct: UpgradableDirectRequest, plain: UpgradableRequest },
    isHandshake,
    listen: (server, connections, state) => {
      server.on(
        'upgrade',
        createNodeAnswer(dispatch, settings, connections, () => state.isClosing),
      )
    },
  }
}

class UpgradableDirectRequest extends DirectRequest {}
class UpgradableRequest extends IncomingMessage {}

/** The mark of an upgrade that the parser reports. */
const SAID: unique symbol = Symbol('upgrade')

type MarkedRequest = IncomingMessage & { [SAID]?: true }

/**
 * A server of node:http that has a listener for upgrades takes every request with an `Upgrade` header out of HTTP, be it a POST that asks
 * for HTTP/2. It looks at `upgrade` when the head has been read, so this leaves the others as they are (RFC 9110 section 7.8).
 */
for (const { prototype } of [UpgradableDirectRequest, UpgradableRequest]) {
  Object.defineProperty(prototype, 'upgrade', {
    get(this: MarkedRequest) {
      return this[SAID] === true && (this.method === 'CONNECT' || isHandshake(this))
    },
    set(this: MarkedRequest, value: unknown) {
      if (value === true) this[SAID] = value
    },
  })
}

/** Whether a request is the handshake of a WebSocket (RFC 6455 section 4.1), behind which nothing of HTTP follows. */
function isHandshake({ method, httpVersionMajor, httpVersionMinor, headers }: HandshakeHead): boolean {
  return (
    method === 'GET' &&
    httpVersionMajor === 1 &&
    httpVersionMinor === 1 &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) === 0
  )
}

class UpgradeRequest extends NodeRequest {
  take: TakeConnection | undefined

  // taken from its object by `upgrade`
  readonly handOver = (take: unknown): void => {
    // only `upgrade` calls this, while the handler runs, and what is active then stays active for the connection
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    this.take = AsyncResource.bind(take as TakeConnection)
  }
}

function createNodeAnswer(
  dispatch: Dispatch,
  settings: RefusalSettings,
  connections: Tracked,
  isClosing: () => boolean,
): AnswerUpgrade {
  const findRefusal = createHeadCheck(settings.limits)
  const answer = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const response = openResponse(request, socket)
    connections.track(socket, response)
    const { url = '/', headers, rawHeaders } = request
    const respondError = (error: HttpError): void =>
      write(response, settings.writeError(error), true, undefined)
    if (isClosing()) return respondError(serverClosing())
    const refusal = findRefusal(url.length, headers.host, true, rawHeaders)
    if (refusal !== undefined) return respondError(refusal)
    const raw = new UpgradeRequest(request, response)
    const { context, response: finished } = dispatch(raw)
    const settle = (settled: FinishedResponse): void => {
      const { take } = raw
      if (settled.status !== SWITCHING_PROTOCOLS) return sendOther(response, settled, context)
      if (isClosing()) return sendOther(response, settings.writeError(serverClosing()), context)
      if (take === undefined || response.destroyed || !socket.writable) return void context.end()
      response.detachSocket(socket)
      connections.release(socket)
      handOver({ request, socket, head, signal: raw.signal }, take, raw, context)
    }
    if (isPromise(finished)) void finished.then(settle)
    else settle(finished)
  }
  return (request, socket, head) => {
    // a socket without a listener for errors could end the process, whoever has it later
    socket.on('error', () => socket.destroy())
    afterAnswers(socket, connections, (hasWaited) => {
      if (!hasWaited || (socket.writable && !isEnding(socket))) answer(request, socket, head)
      else socket.destroy()
    })
  }
}

/** Creates the response of a request whose socket node:http has given up. It ends the connection. */
function openResponse(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  const drain = (): void => void response.emit('drain')
  socket.on('drain', drain)
  response.once('close', () => socket.off('drain', drain))
  // what the server does behind the responses that it made
  response.once('finish', () => {
    response.detachSocket(socket)
    closeInStages(socket)
    response.destroy()
    response.emit('close')
  })
  return response
}

/** Sends an answer that is none to the handshake. */
function sendOther(response: ServerResponse, finished: FinishedResponse, context: RequestContext): void {
  endWithResponse(response, context, finished)
  try {
    write(response, finished, true, context)
  } catch (error) {
    giveUp(response, context, error)
  }
}

/** Hands a connection over. The request ends with it. */
function handOver(
  connection: UpgradedConnection,
  take: TakeConnection,
  raw: UpgradeRequest,
  context: RequestContext,
): void {
  const { socket } = connection
  // under way until the connection closes
  context.atEnd(() => undefined)
  const before = socket.bytesWritten
  const forget = context.whenClosing(() =>
    raw.abort(new DOMException('The application closes', 'AbortError')),
  )
  socket.once('close', () => {
    forget()
    raw.abort(clientWentAway())
    void context.end()
  })
  const fail = (error: unknown): void => {
    const { signal } = raw
    // what stops with its connection has not failed
    if (signal.aborted && isAbort(error, signal)) return void socket.destroy()
    const problem = toFailure(context, error)
    if (socket.bytesWritten > before || !socket.writable) return void socket.destroy()
    socket.write(toResponseText(problem))
    closeInStages(socket)
  }
  try {
    const taken = take(connection)
    if (isPromise(taken)) taken.then(undefined, fail)
  } catch (error) {
    fail(error)
  }
}
