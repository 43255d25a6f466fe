import { channel } from 'node:diagnostics_channel'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Server as TcpServer, Socket } from 'node:net'

import { areResponsesReplaced } from '../../server/adapters/node/direct.ts'
import { write } from '../../server/adapters/node/write.ts'
import type { EngineRequest } from './request.ts'
import type { SendTarget } from './send.ts'

const STARTED = channel('http.server.request.start')
const CREATED = channel('http.server.response.created')
const FINISHED = channel('http.server.response.finish')

/** Whether something watches what servers of node:http do, or stands in the place of methods of their responses. */
export function isWatched(): boolean {
  return STARTED.hasSubscribers || FINISHED.hasSubscribers || CREATED.hasSubscribers || areResponsesReplaced()
}

/** Creates the request of node:http that others expect, without body. */
export function toIncomingMessage({ head, headers }: EngineRequest, socket: Socket): IncomingMessage {
  const { major, minor, method, target, lines } = head
  const message = new IncomingMessage(socket)
  const version = { httpVersionMajor: major, httpVersionMinor: minor, httpVersion: `${major}.${minor}` }
  const own = { method, url: target, rawHeaders: [...lines], headers: { ...headers }, complete: true }
  Object.assign(message, version, own)
  message.push(null)
  return message
}

/** Creates the response of node:http for a request that is watched. What is done to it becomes part of the answer. */
export function openWatched(request: EngineRequest, socket: Socket, server: TcpServer): ServerResponse {
  const message = toIncomingMessage(request, socket)
  const response = new ServerResponse(message)
  response.shouldKeepAlive = request.head.keepAlive
  STARTED.publish({ request: message, response, socket, server })
  response.once('finish', () => FINISHED.publish({ request: message, response, socket, server }))
  return response
}

/** Sends an answer by the response of node:http. `idle` is how long the connection stays behind it, in milliseconds. */
export function sendWatched(target: SendTarget, request: EngineRequest, isLast: boolean, idle: number): void {
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
