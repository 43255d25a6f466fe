import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import { rawReply, replyTo, type RawReply } from '../../../define/reply.ts'
import { httpError } from '../../../http/errors.ts'

/** A connection that leaves HTTP. */
export interface UpgradedConnection {
  /** The request as node:http has it. */
  readonly request: IncomingMessage
  /** The connection. Nothing has been sent as an answer to the request yet. */
  readonly socket: Socket
  /** The bytes that the client has sent behind the request. */
  readonly head: Buffer
  /** Aborted when the connection closes and when the application begins to close. */
  readonly signal: AbortSignal
}

export const SWITCHING_PROTOCOLS = 101

/** Takes a connection over. */
export type TakeConnection = (connection: UpgradedConnection) => unknown

/**
 * A result that hands the connection of the request over, for routes with `upgrade: 'websocket'`. `take` is called once everything
 * around the handler has agreed, and answers the request itself, as WebSocket libraries do. If it throws, the answer is an error. A
 * request that does not ask for the upgrade is answered with 426.
 *
 * @example
 * handler: ({ params }) =>
 *   upgrade(({ request, socket, head }) =>
 *     sockets.handleUpgrade(request, socket, head, (client) => join(params.room, client)),
 *   )
 */
export function upgrade(take: TakeConnection): RawReply {
  return replyTo(({ handOver }) => {
    if (handOver === undefined) {
      const headers = { upgrade: 'websocket', connection: 'upgrade' }
      throw httpError('upgrade_required', 'The route answers WebSocket handshakes over HTTP/1.1', { headers })
    }
    handOver(take)
    return rawReply(SWITCHING_PROTOCOLS, undefined, {})
  })
}
