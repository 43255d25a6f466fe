import type { Duplex } from 'node:stream'

import { httpError } from '../../http/errors.ts'
import { FINISHED, type FinishedResponse } from '../../http/http.ts'
import type { TakeConnection } from '../../server/adapters/node/upgrade-reply.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { toResponseHeaders } from './response-headers.ts'
import type { RunningUpstream } from './running.ts'
import type { IncomingResponse, OutgoingRequest, Upgraded } from './options.ts'

/**
 * Asks the API behind for the protocol that a client wants. If it agrees, both connections become one. Otherwise this returns its response.
 *
 * @throws `HttpError` 426 where connections cannot be handed over.
 */
export async function upgradeBoth(
  { transport }: RunningUpstream,
  request: OutgoingRequest,
  context: RequestContext,
): Promise<FinishedResponse | IncomingResponse> {
  const { handOver } = context
  if (handOver === undefined || transport.upgrade === undefined)
    throw httpError('upgrade_required', 'WebSockets pass over HTTP/1.1 alone')
  const upgraded = await transport.upgrade(request, context)
  if (!('connection' in upgraded)) return upgraded
  handOver(createTakeUpgrade(upgraded))
  return { [FINISHED]: true, status: 101, headers: {}, body: null }
}

function createTakeUpgrade({
  headers,
  connection: behind,
}: Upgraded & { readonly connection: Duplex }): TakeConnection {
  return ({ socket, head, signal }) => {
    const lines = Object.entries(toResponseHeaders(headers, (address) => address, false)).flatMap(
      ([name, value]) => [value].flat().map((line) => `${name}: ${line}`),
    )
    const text = ['HTTP/1.1 101 Switching Protocols', 'connection: upgrade', 'upgrade: websocket', ...lines]
    socket.write(`${text.join('\r\n')}\r\n\r\n`, 'latin1')
    if (head.length > 0) behind.write(head)
    joinSockets(socket, behind)
    joinSockets(behind, socket)
    signal.addEventListener('abort', () => void behind.destroy())
    if (signal.aborted) behind.destroy()
  }
}

/** Passes on what one side sends, and its end. */
function joinSockets(from: Duplex, to: Duplex): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}
