import type { Socket } from 'node:net'

import type { Timeouts } from '../../options/app-options.ts'
import { isLingering } from './lingering-close.ts'

/** How long a connection may be idle, and its client take nothing of an answer, in milliseconds; 0 is for ever. */
export interface Times extends Pick<Required<Timeouts>, 'idle' | 'send'> {
  /**
   * How long a connection may be without a request, whatever it sends: empty lines before a request are part of none, so that the time
   * for headers does not begin with them.
   */
  readonly between: number
}

/** The state of a connection from looking at it in rounds. */
export interface WatchedState {
  /** How often it was seen idle, one time after the other. */
  idleRounds: number
  /** How often it was seen without a request since its latest answer. */
  waitingRounds: number
  /** The bytes that had been read when it was first seen idle. */
  bytesRead: number
  /** How many rounds in a row its client took none of the waiting bytes. */
  stuckRounds: number
  /** How far it was then. */
  progress: number
}

/** A connection to look at. */
interface Watched {
  /** The responses under way on it. */
  readonly responses: readonly unknown[]
  /** Whether it has answered a request; before, the time for headers counts. */
  readonly hasAnswered: boolean
  readonly seen: WatchedState
}

/** In how many rounds connections are looked at in the shorter of the times. */
const ROUNDS = 4
/** Milliseconds between two rounds, at least. */
const SHORTEST_ROUND = 10

/** Returns the state of a connection that was not looked at yet. */
export function nothingSeen(): WatchedState {
  return { idleRounds: 0, waitingRounds: 0, bytesRead: 0, stuckRounds: 0, progress: 0 }
}

/**
 * Destroys connections that are idle or stuck for too long, up to a quarter of the shorter time or 10 milliseconds later; gives what
 * stops that. That node:http ends idle connections too is no use: it sets two timers for every request.
 */
export function watch({ idle, send, between }: Times, connections: ReadonlyMap<Socket, Watched>): () => void {
  const times = [idle, send, between].filter((time) => time > 0)
  if (times.length === 0) return () => undefined
  const every = Math.max(SHORTEST_ROUND, Math.ceil(Math.min(...times) / ROUNDS))
  const roundsOf = (time: number): number => (time > 0 ? Math.ceil(time / every) : Number.POSITIVE_INFINITY)
  const rounds = { idle: roundsOf(idle), between: roundsOf(between) }
  const stuckRounds = roundsOf(send)
  const timer = setInterval(() => {
    for (const [socket, connection] of connections)
      if (isConnectionIdle(socket, connection, rounds) || isStuck(socket, connection.seen, stuckRounds))
        socket.destroy()
  }, every)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Counts the rounds in which a connection has nothing under way and sends nothing. Rounds and not time: a process that was held up has
 * not looked at what arrived meanwhile.
 */
function isConnectionIdle(
  socket: Socket,
  { responses, hasAnswered, seen }: Watched,
  rounds: { readonly idle: number; readonly between: number },
): boolean {
  if (responses.length > 0 || !hasAnswered || isLingering(socket)) {
    seen.idleRounds = 0
    seen.waitingRounds = 0
    return false
  }
  seen.waitingRounds++
  if (seen.waitingRounds > rounds.between) return true
  if (seen.idleRounds === 0 || socket.bytesRead !== seen.bytesRead) {
    seen.idleRounds = 1
    seen.bytesRead = socket.bytesRead
    return false
  }
  seen.idleRounds++
  return seen.idleRounds > rounds.idle
}

/** Counts the rounds in which something waits to be sent and the client takes nothing. */
function isStuck(socket: Socket, seen: WatchedState, rounds: number): boolean {
  const progress = progressOf(socket)
  if (progress === undefined || seen.stuckRounds === 0 || progress !== seen.progress) {
    seen.stuckRounds = progress === undefined ? 0 : 1
    seen.progress = progress ?? 0
    return false
  }
  seen.stuckRounds++
  return seen.stuckRounds > rounds
}

/**
 * Returns a number that changes whenever the client reads waiting data, or `undefined` if no data waits. Data in the buffers of the system
 * counts as read. One large write is pending until all of it is read: the rest is in the handle, where Node itself looks for its timeouts.
 */
function progressOf(socket: Socket): number | undefined {
  const { writableLength } = socket
  if (writableLength === 0) return undefined
  return socket.bytesWritten - writableLength - bytesUnsent(socket)
}

/** Bytes that wait for the client below a socket, in its handle. */
export function bytesUnsent(socket: Socket): number {
  return waitingIn(Reflect.get(socket, '_handle'))
}

/** Bytes that wait in a handle and, for TLS, in the one below. */
function waitingIn(handle: unknown): number {
  if (typeof handle !== 'object' || handle === null) return 0
  const waiting: unknown = Reflect.get(handle, 'writeQueueSize')
  return (typeof waiting === 'number' ? waiting : 0) + waitingIn(Reflect.get(handle, '_parent'))
}
