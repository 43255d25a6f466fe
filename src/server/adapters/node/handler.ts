import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { httpError, type HttpError } from '../../../http/errors.ts'
import { isPromise } from '../../../base/values.ts'
import { dropBody, type FinishedResponse } from '../../../http/http.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Dispatch } from '../../dispatch.ts'
import { createHeadCheck, serverClosing } from '../../pipeline/failure.ts'
import type { ServerSettings, Settings } from '../../options/settings.ts'
import { createDirect } from './direct.ts'
import { isEnding } from './lingering-close.ts'
import { NodeRequest, PassingRequest, type Next } from './request.ts'
import { endWith, giveUp, write } from './write.ts'

/** A request listener of a Node server. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: Next) => void

/** Creates the listener for Node servers. `isClosing` tells whether connections have to end with their present answer. */
export function createNodeHandler(
  dispatch: Dispatch,
  isClosing: () => boolean,
  settings: ServerSettings,
): NodeHandler {
  const { timeouts, limits } = settings
  const answerDirectly = createDirect(timeouts.idle)
  const findRefusal = createHeadCheck(limits)
  const send = (raw: NodeRequest, context: RequestContext, finished: FinishedResponse): void => {
    const { request, response } = raw
    endWith(response, context, finished)
    const last = raw.refused || isClosing()
    if (last || !answerDirectly(request, response, finished)) write(response, finished, last, context)
  }
  const sendSafely = (raw: NodeRequest, context: RequestContext, finished: FinishedResponse): void => {
    if (raw instanceof PassingRequest && raw.isPassed && finished.status === 404)
      return passOn(raw, context, finished)
    try {
      send(raw, context, finished)
    } catch (error) {
      giveUp(raw.response, context, error)
    }
  }
  // in a function of its own: a closure would be made for every request, whether or not something takes time
  const sendLater = (
    raw: NodeRequest,
    context: RequestContext,
    finished: PromiseLike<FinishedResponse>,
  ): void => void finished.then((settled) => sendSafely(raw, context, settled))
  const handle: NodeHandler = (request, response, next) => {
    if (isTooLate(request, response)) return
    const { url = '/', headers, httpVersionMinor, rawHeaders } = request
    const refusal =
      findRefusal(url.length, headers.host, httpVersionMinor === 1, rawHeaders) ??
      codingRefusal(headers['transfer-encoding'], httpVersionMinor)
    if (refusal !== undefined) return refuseRequest(response, refusal, settings)
    const raw = toRaw(request, response, next)
    const { context, response: finished } = dispatch(raw)
    if (isPromise(finished)) sendLater(raw, context, finished)
    else sendSafely(raw, context, finished)
  }
  return (request, response, next) => {
    if (isBehindOldRequest(request, response)) onTurn(response, () => handle(request, response, next))
    else handle(request, response, next)
  }
}

function toRaw(request: IncomingMessage, response: ServerResponse, next: Next | undefined): NodeRequest {
  return typeof next === 'function'
    ? new PassingRequest(request, response, next)
    : new NodeRequest(request, response)
}

/** Leaves a request to what is behind the application, because nothing is served at its path and no middleware has answered it. */
function passOn(raw: PassingRequest, context: RequestContext, finished: FinishedResponse): void {
  dropBody(finished.body)
  void context.end()
  raw.next()
}

/** Calls `run` once all requests before that of a response are answered, unless it was refused meanwhile. */
export function onTurn(response: ServerResponse, run: () => void): void {
  response.once('socket', () => {
    if (!response.headersSent) run()
  })
}

const OLD = new WeakSet<Socket>()

/**
 * Whether a request came before those of HTTP/1.0 on its connection were answered. Their answers end the connection if their length is
 * not known, which shows no earlier than with their heads, and nothing behind the last answer may run.
 */
function isBehindOldRequest(
  { socket, httpVersionMinor }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (httpVersionMinor === 0) OLD.add(socket)
  // a response that waits for others has no socket yet
  return response.socket === null && OLD.has(socket)
}

/** Refuses a request while the application closes, and ends its connection. */
export function refuseClosing(response: ServerResponse, settings: Pick<Settings, 'writeError'>): void {
  refuseRequest(response, serverClosing(), settings)
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
