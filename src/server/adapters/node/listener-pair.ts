import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'

import type { RawRequest } from '../../../http/http.ts'

/** The two arguments of a listener of node:http. */
export interface ListenerPair {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Creates a request and a response for a listener in this process. They have the connection of the client, but what the listener does to them does
 * not reach it.
 */
export function createListenerPair(raw: RawRequest | undefined): ListenerPair {
  const { socket }: { socket?: Socket } = Object(Object(raw?.env)['incoming'])
  const request = new IncomingMessage(socket ?? createSocket(raw))
  // without the state in which Node waits for its parser
  Readable.call(request)
  Object.assign(request, { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, complete: true })
  request._read = () => undefined
  request._destroy = (error, done) => done(error)
  return { request, response: new ServerResponse(request) }
}

/** A connection that has only an address, for requests that came over none of Node. */
function createSocket(raw: RawRequest | undefined): Socket {
  const { remoteAddress, protocol } = raw ?? {}
  return Object.defineProperties(new Socket(), {
    remoteAddress: { value: remoteAddress },
    encrypted: { value: protocol === 'https' },
  })
}
