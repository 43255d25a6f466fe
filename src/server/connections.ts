import type { Socket } from 'node:net'

import type { NodeHandler } from './node.ts'

type ServerResponse = Parameters<NodeHandler>[1]

/** The connections of a server, and the responses under way on them. */
export interface Connections {
  readonly add: (socket: Socket) => void
  readonly track: (socket: Socket, response: ServerResponse) => void
  /** The responses under way on a connection, oldest first. */
  readonly inFlight: (socket: Socket) => readonly ServerResponse[]
  /** Ends each connection as soon as nothing is under way on it. */
  readonly finish: () => void
  /** Breaks off what is left. */
  readonly destroy: () => void
}

/** Makes the register of a server's connections. */
export function createConnections(): Connections {
  const connections = new Map<Socket, Set<ServerResponse>>()
  let finishing = false
  /** Node closes the response under way with its connection, but not those queued behind it. */
  const forget = (socket: Socket): void => {
    const responses = connections.get(socket) ?? []
    connections.delete(socket)
    for (const response of responses) {
      if (response.socket !== null || response.destroyed) continue
      response.destroy()
      response.emit('close')
    }
  }
  return {
    add: (socket) => {
      connections.set(socket, new Set())
      socket.once('close', () => forget(socket))
    },
    track: (socket, response) => {
      const responses = connections.get(socket)
      responses?.add(response)
      response.once('close', () => {
        responses?.delete(response)
        if (finishing && responses?.size === 0) socket.destroySoon()
      })
    },
    inFlight: (socket) => [...(connections.get(socket) ?? [])],
    finish: () => {
      finishing = true
      for (const [socket, responses] of connections) if (responses.size === 0) socket.destroy()
    },
    destroy: () => {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}
