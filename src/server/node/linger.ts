import type { Readable } from 'node:stream'

/**
 * How long the rest of a request is read after its connection got its last response. A connection that is closed while the client
 * still sends is reset, and the client may lose the response unread (RFC 9112 section 9.6).
 */
export const LINGER = { bytes: 16_777_216, milliseconds: 5_000 } as const

/** Reads and drops what still arrives, within bounds, and then calls `done`. */
export function linger(request: Readable, done: () => void): void {
  let size = 0
  const stop = (): void => {
    clearTimeout(timer)
    request.off('data', count).off('end', stop).off('close', stop)
    done()
  }
  const count = (chunk: Uint8Array): void => {
    size += chunk.length
    if (size > LINGER.bytes) stop()
  }
  const timer = setTimeout(stop, LINGER.milliseconds)
  // an iterator that is left where it was would keep the rest from flowing
  request.removeAllListeners('readable')
  request.on('data', count).once('end', stop).once('close', stop)
}
