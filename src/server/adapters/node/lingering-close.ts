import { Socket } from 'node:net'

import { isObject } from '../../../base/values.ts'

/**
 * How much is read, and how long, after a connection got its last answer; `closing` once the server closes. A connection that is closed
 * while something of the client is unread is reset, and the client may lose answers that were sent (RFC 9112 section 9.6).
 * `quiet`: how long a client that still sends its body over TLS must pause before this side ends: OpenSSL takes what comes behind its own
 * end for an error.
 */
export const LINGER = { bytes: 16_777_216, milliseconds: 5_000, closing: 500, quiet: 100 } as const

/** A request, as far as the end of its connection concerns it. */
interface EndingRequest {
  readonly socket: Socket
  /** Whether all of it has arrived. */
  readonly complete: boolean
}

const END: unique symbol = Symbol('end')

/** A connection with what is known of its end. */
type EndingSocket = Socket & {
  [END]?: {
    /** The request whose response ends the connection. */
    readonly request?: EndingRequest
    /** Bounds how long the connection stays after its last answer. */
    readonly timer?: NodeJS.Timeout
  }
}

/** Marks the connection of a request to end with its pending response. */
export function endWithAnswer(request: EndingRequest): void {
  const socket: EndingSocket = request.socket
  socket[END] = { ...socket[END], request }
  // what node:http calls behind the last answer
  socket.destroySoon = () => closeInStages(socket)
}

/** Whether a connection ends with an answer that was given: nothing behind it may run. What stands in for a request may have no socket. */
export function isEnding(socket: EndingSocket | undefined): boolean {
  return socket?.[END]?.request !== undefined
}

/** Whether a connection got its last answer, and is read on without being listened to. */
export function isLingering(socket: EndingSocket): boolean {
  return socket[END]?.timer !== undefined
}

/**
 * Ends this side of a connection behind the written bytes. Further bytes of the client are dropped unparsed, within the bounds of `LINGER`.
 */
export function closeInStages(socket: EndingSocket): void {
  if (isLingering(socket)) return
  if (socket.destroyed || socket.readableEnded) {
    Socket.prototype.destroySoon.call(socket)
    return
  }
  let left: number = LINGER.bytes
  const sendsOn = isEncrypted(socket) && socket[END]?.request?.complete === false
  linger(socket, LINGER.milliseconds)
  const quiet = sendsOn ? setTimeout(() => socket.end(), LINGER.quiet) : undefined
  socket.once('close', () => {
    clearTimeout(socket[END]?.timer)
    clearTimeout(quiet)
  })
  if (!sendsOn) socket.end()
  // node:http gives the connection back when somebody listens to its data
  socket.removeAllListeners('data').on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (!socket.writableEnded) quiet?.refresh()
    if (left < 0) socket.destroy()
  })
  socket.resume()
  // the stream may believe that it reads, while node:http had stopped the handle below
  socket._read(0)
}

/**
 * Has a connection reset, whatever ends it, until the function that is returned was called and the client has got everything: the end of a
 * body without length is that of its connection (RFC 9112 section 6.3), so that a part would look like the whole. A Unix socket has no
 * reset.
 */
export function endWithBody(socket: Socket): () => void {
  // not one that stands in for a connection, as on serverless platforms
  if (!(socket instanceof Socket)) return () => undefined
  const destroy = socket.destroy.bind(socket)
  let isWhole = false
  socket.destroy = (error) => {
    const isCut = socket.writableLength > 0 || (!isWhole && !socket.writableEnded)
    if (isCut && error === undefined && !socket.destroyed) destroyWithReset(socket)
    return destroy(error)
  }
  // what the server does when the client ends its side
  socket.end = () => socket.destroy()
  return () => {
    isWhole = true
    Reflect.deleteProperty(socket, 'end')
  }
}

/** Has the handle of a connection reset when it is destroyed: for TLS, that of the connection below, which does not do it by itself. */
function destroyWithReset(socket: Socket): void {
  const below: unknown = Reflect.get(socket, '_parent')
  const raw = below instanceof Socket ? below : socket
  const handle: unknown = Reflect.get(raw, '_handle')
  // as `resetAndDestroy`, which would end this side first
  if (isObject(handle) && 'reset' in handle) Reflect.set(raw, 'resetAndClosing', true)
  if (raw !== socket) raw.destroy()
}

/** Whether a connection speaks TLS. Every connection of Bun has the property. */
export function isEncrypted(socket: Socket): boolean {
  return 'encrypted' in socket && socket.encrypted === true
}

/** Shortens what is left to a connection that lingers. */
export function hurry(socket: Socket): void {
  if (isLingering(socket)) linger(socket, LINGER.closing)
}

/** Destroys connections. Returns whether one of them was not lingering. */
export function destroyAll(sockets: readonly Socket[]): boolean {
  const isBroken = !sockets.every(isLingering)
  for (const socket of sockets) socket.destroy()
  return isBroken
}

/** Destroys a connection after some milliseconds. */
function linger(socket: EndingSocket, milliseconds: number): void {
  clearTimeout(socket[END]?.timer)
  socket[END] = { ...socket[END], timer: setTimeout(() => socket.destroy(), milliseconds) }
}
