import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server that speak one protocol. */
export interface Protocol {
  /** Ends each connection as soon as nothing is under way on it. */
  readonly finish: () => void
  /** Breaks off what is left. */
  readonly destroy: () => void
}

/** The connections of a server that speak HTTP/1.1, and the responses under way on them. */
export interface Connections extends Protocol {
  readonly add: (socket: Socket) => void
  readonly has: (socket: Socket) => boolean
  readonly track: (socket: Socket, response: ServerResponse) => void
  /** The responses under way on a connection, oldest first. */
  readonly inFlight: (socket: Socket) => readonly ServerResponse[]
}

interface Connection {
  readonly responses: ServerResponse[]
  /** Whether it has answered a request; before, the time for headers counts. */
  hasAnswered: boolean
  /** How often it was seen idle, one time after the other. */
  idleRounds: number
  /** What had been read when it was first seen idle. */
  bytesRead: number
}

/** In how many rounds idle connections are looked for while one may stay. */
const ROUNDS = 4
/** Milliseconds between two rounds, at least. */
const SHORTEST_ROUND = 10

/**
 * Makes the register of a server's connections. It ends those that are idle for `idle` milliseconds, and up to a quarter of that or
 * 10 milliseconds longer; 0 lets them be. That node:http does so too is no use: it sets two timers for every request.
 */
export function createConnections(idle: number): Connections {
  const connections = new Map<Socket, Connection>()
  let finishing = false
  /** Node closes the response under way with its connection, but not those queued behind it. */
  const forget = (socket: Socket): void => {
    const responses = connections.get(socket)?.responses ?? []
    connections.delete(socket)
    for (const response of responses) {
      if (response.socket !== null || response.destroyed) continue
      response.destroy()
      response.emit('close')
    }
  }
  /** A listener without closure, for there is one on every response. */
  const leave = function leave(this: ServerResponse): void {
    const { socket } = this.req
    const connection = connections.get(socket)
    if (connection === undefined) return
    const { responses } = connection
    const at = responses.indexOf(this)
    if (at !== -1) responses.splice(at, 1)
    connection.hasAnswered = true
    if (finishing && responses.length === 0) socket.destroySoon()
  }
  const sweep = (): void => {
    for (const [socket, connection] of connections) if (isOver(socket, connection)) socket.destroy()
  }
  const timer =
    idle > 0 ? setInterval(sweep, Math.max(SHORTEST_ROUND, Math.ceil(idle / ROUNDS))).unref() : undefined
  return {
    add: (socket) => {
      connections.set(socket, { responses: [], hasAnswered: false, idleRounds: 0, bytesRead: 0 })
      socket.once('close', () => forget(socket))
    },
    has: (socket) => connections.has(socket),
    track: (socket, response) => {
      connections.get(socket)?.responses.push(response)
      response.on('close', leave)
    },
    inFlight: (socket) => [...(connections.get(socket)?.responses ?? [])],
    finish: () => {
      finishing = true
      clearInterval(timer)
      for (const [socket, { responses }] of connections) if (responses.length === 0) socket.destroy()
    },
    destroy: () => {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}

/** Counts the rounds in which a connection has nothing under way and sends nothing. */
function isOver(socket: Socket, connection: Connection): boolean {
  const { responses, hasAnswered, bytesRead } = connection
  if (responses.length > 0 || !hasAnswered) {
    connection.idleRounds = 0
    return false
  }
  if (connection.idleRounds === 0 || socket.bytesRead !== bytesRead) {
    connection.idleRounds = 1
    connection.bytesRead = socket.bytesRead
    return false
  }
  connection.idleRounds++
  return connection.idleRounds > ROUNDS
}
