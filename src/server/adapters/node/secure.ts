import { createServer } from 'node:https'
import type { Server as TcpServer, Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'

import type { Settings } from '../../options/settings.ts'
import type { Protocol } from './connections.ts'
import type { HttpServer } from './http1.ts'

/** A server for HTTPS and the part of its connections that speaks HTTP/1.1. */
interface Secured {
  readonly server: TcpServer
  readonly connections: Protocol
  /** Stops the timers of a server that has closed. */
  readonly stop: () => void
}

/**
 * Creates a server for HTTPS by `open`. Clients that choose HTTP/2 are passed to `http2`, if it is set. The time for headers also limits
 * the handshake, unless the options contain another one.
 */
export function createSecure(
  tls: TlsOptions,
  { timeouts: { headers } }: Pick<Settings, 'timeouts'>,
  http2: { readonly add: (socket: Socket) => void } | undefined,
  open: (options: TlsOptions) => Secured,
): Protocol & Pick<Secured, 'server' | 'stop'> {
  const offered = http2 === undefined ? ['http/1.1'] : ['h2', 'http/1.1']
  const given = {
    ...(headers > 0 ? { handshakeTimeout: headers } : {}),
    ...(tls.ALPNCallback === undefined ? { ALPNProtocols: offered } : {}),
    ...tls,
  }
  const { server, connections, stop } = explained(() => open(given))
  const handshakes = createHandshakes()
  server.on('connection', handshakes.add)
  if (http2 !== undefined) divert(server, http2.add)
  server.prependListener('secureConnection', handshakes.remove)
  return {
    server,
    stop,
    finish: () => {
      handshakes.destroy()
      connections.finish()
    },
    destroy: connections.destroy,
  }
}

export function createHttps(options: TlsOptions): HttpServer {
  return createServer(options)
}

/** A server of node:tls. A handshake that fails ends its connection. */
export function createTls(options: TlsOptions): TcpServer {
  return createTlsServer(options).on('tlsClientError', (_, socket) => socket.destroy())
}

function explained<T>(create: () => T): T {
  try {
    return create()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new TypeError(`listen: tls cannot be used: ${reason}`, { cause: error })
  }
}

/** Hands connections that chose HTTP/2 to `take`, and all others to those that listened before. */
function divert(server: TcpServer, take: (socket: TLSSocket) => void): void {
  const others = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') take(socket)
    else for (const listener of others) Reflect.apply(listener, server, [socket])
  })
}

interface Handshakes {
  readonly add: (socket: Socket) => void
  readonly remove: (socket: Socket) => void
  readonly destroy: () => void
}

/** Creates the register of connections in their handshake, by the address of the client: their TLS sockets are not known before its end. */
function createHandshakes(): Handshakes {
  const sockets = new Map<string, Socket>()
  return {
    add: (socket) => {
      const key = socketKey(socket)
      // clients of Unix sockets have no address; closing waits for their handshakes
      if (socket.remotePort === undefined) return
      sockets.set(key, socket)
      socket.once('close', () => {
        if (sockets.get(key) === socket) sockets.delete(key)
      })
    },
    remove: (socket) => void sockets.delete(socketKey(socket)),
    destroy: () => {
      for (const socket of sockets.values()) socket.destroy()
    },
  }
}

function socketKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
