import { AsyncResource } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { isPromise } from '../../../base/values.ts'
import type { HttpError } from '../../../http/errors.ts'
import { clientWentAway, type FinishedResponse } from '../../../http/http.ts'
import type { Dispatch } from '../../dispatch.ts'
import type { RefusalSettings } from '../../options/settings.ts'
import { createHeadCheck, serverClosing, isAbort, toFailure } from '../../pipeline/failure.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import { afterAnswers, type Connections } from './connections.ts'
import { DirectRequest } from './direct.ts'
import { closeInStages, isEnding } from './lingering-close.ts'
import { NodeRequest } from './request.ts'
import { SWITCHING_PROTOCOLS, type TakeConnection, type UpgradedConnection } from './upgrade-reply.ts'
import { endWith, giveUp, toResponseText, write } from './write.ts'

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
        createAnswer(dispatch, settings, connections, () => state.isClosing),
      )
    },
  }
}

class UpgradableDirectRequest extends DirectRequest {}
class UpgradableRequest extends IncomingMessage {}

/** The mark of an upgrade that the parser reports. */
const SAID: unique symbol = Symbol('upgrade')

type Marked = IncomingMessage & { [SAID]?: true }

/**
 * A server of node:http that has a listener for upgrades takes every request with an `Upgrade` header out of HTTP, be it a POST that asks
 * for HTTP/2. It looks at `upgrade` when the head has been read, so this leaves the others as they are (RFC 9110 section 7.8).
 */
for (const { prototype } of [UpgradableDirectRequest, UpgradableRequest]) {
  Object.defineProperty(prototype, 'upgrade', {
    get(this: Marked) {
      return this[SAID] === true && (this.method === 'CONNECT' || isHandshake(this))
    },
    set(this: Marked, value: unknown) {
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

function createAnswer(
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
      if (settled.status !== SWITCHING_PROTOCOLS) return send(response, settled, context)
      if (isClosing()) return send(response, settings.writeError(serverClosing()), context)
      if (take === undefined || !detach(response, socket)) return void context.end()
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
function send(response: ServerResponse, finished: FinishedResponse, context: RequestContext): void {
  endWith(response, context, finished)
  try {
    write(response, finished, true, context)
  } catch (error) {
    giveUp(response, context, error)
  }
}

/** Takes a connection from its response; says whether it is still open. */
function detach(response: ServerResponse, socket: Socket): boolean {
  if (response.destroyed || !socket.writable) return false
  response.detachSocket(socket)
  return true
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
