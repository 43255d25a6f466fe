import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { closeInStages, destroyAll, hurry, isLingering } from './lingering-close.ts'
import { nothingSeen, watch, type WatchedState, type Times } from './watch.ts'

/** The connections of a server that speak one protocol. */
export interface Protocol {
  /** Ends each connection as soon as nothing is under way on it. */
  readonly finish: () => void
  /** Breaks off what is left. Returns whether there was anything but connections that had their last answer. */
  readonly destroy: () => boolean
}

/** Requests of a connection that may wait for their answers before the next ones are kept waiting. */
export const MAX_WAITING = 64

/** The connections of a server that speak HTTP/1.1, and the responses under way on them. */
export interface Connections extends Protocol {
  readonly add: (socket: Socket) => void
  readonly has: (socket: Socket) => boolean
  /** Adds a response. Returns how many are under way on its connection. */
  readonly track: (socket: Socket, response: ServerResponse) => number
  /** Leaves a connection to whoever takes it over; nothing but its end is watched any more. */
  readonly release: (socket: Socket) => void
  /** The responses under way on a connection, oldest first. */
  readonly inFlight: (socket: Socket) => readonly ServerResponse[]
}

interface Connection {
  readonly responses: ServerResponse[]
  /** Whether it has answered a request; before, the time for headers counts. */
  hasAnswered: boolean
  readonly seen: WatchedState
}

/** Creates the register of a server's connections. It ends those that are idle, or take nothing of their answers, for too long. */
export function createConnections(times: Times): Connections {
  const connections = new Map<Socket, Connection>()
  const released = new Set<Socket>()
  let finishing = false
  const forget = (socket: Socket): void => {
    const responses = connections.get(socket)?.responses ?? []
    connections.delete(socket)
    closeQueued(responses)
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
    // most requests begin and end between two rounds
    connection.seen.waitingRounds = 0
    // nothing follows the last answer
    if (responses.length > 0 && isLingering(socket)) closeQueued(responses)
    if (!finishing || responses.length > 0) return
    closeInStages(socket)
    hurry(socket)
  }
  const stop = watch(times, connections)
  return {
    add: (socket) => {
      connections.set(socket, { responses: [], hasAnswered: false, seen: nothingSeen() })
      socket.once('close', () => forget(socket))
    },
    has: (socket) => connections.has(socket),
    track: (socket, response) => {
      response.on('close', leave)
      return connections.get(socket)?.responses.push(response) ?? 0
    },
    release: (socket) => {
      connections.delete(socket)
      released.add(socket)
      socket.once('close', () => released.delete(socket))
    },
    inFlight: (socket) => [...(connections.get(socket)?.responses ?? [])],
    finish: () => {
      finishing = true
      stop()
      for (const [socket, { responses }] of connections) {
        if (isLingering(socket)) hurry(socket)
        else if (responses.length === 0) socket.destroy()
      }
    },
    destroy: () => destroyAll([...connections.keys(), ...released]),
  }
}

/** Answers on a connection that the server has given up, once the answers under way on it are sent. */
export function afterAnswers(
  socket: Socket,
  { inFlight }: Pick<Connections, 'inFlight'>,
  answer: (hasWaited: boolean) => void,
): void {
  const latest = inFlight(socket).at(-1)
  if (latest === undefined) return answer(false)
  // the server no longer tells them when the socket takes more
  socket.on('drain', () => inFlight(socket)[0]?.emit('drain'))
  latest.once('close', () => answer(true))
}

/** Node closes the response under way with its connection, but not those queued behind it. */
function closeQueued(responses: ServerResponse[]): void {
  for (const response of responses.splice(0)) {
    if (response.socket !== null || response.destroyed) continue
    response.destroy()
    response.emit('close')
  }
}
