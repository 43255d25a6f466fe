import type { Socket } from 'node:net'

/**
 * A number that changes whenever a client takes something of what waits to be sent; `undefined` while nothing waits. What fits into the
 * buffers of the system counts as taken. One large write is under way until all of it is taken: what the system still has of it is in
 * the handle, where Node itself looks for its timeouts.
 */
export function progressOf(socket: Socket): number | undefined {
  const { writableLength } = socket
  if (writableLength === 0) return undefined
  return socket.bytesWritten - writableLength - waitingIn(Reflect.get(socket, '_handle'))
}

/** Bytes that wait in a handle and, for TLS, in the one below. */
function waitingIn(handle: unknown): number {
  if (typeof handle !== 'object' || handle === null) return 0
  const waiting: unknown = Reflect.get(handle, 'writeQueueSize')
  return (typeof waiting === 'number' ? waiting : 0) + waitingIn(Reflect.get(handle, '_parent'))
}
