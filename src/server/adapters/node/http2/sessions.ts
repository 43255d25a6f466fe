import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'

import type { Settings } from '../../../options/settings.ts'
import type { Protocol } from '../connections.ts'
import { progressOf } from '../watch.ts'
import type { Peer } from './request.ts'

/** A session: the client, and what is under way. */
export interface Session extends Peer {
  /** The connection itself, because that of node:http2 cannot be ended. */
  readonly connection: Socket
  /** Streams that are not closed. */
  readonly open: Set<ServerHttp2Stream>
  /** Requests that the application has not answered, those of streams that the client has reset included. */
  running: number
  /** Since when nothing is under way, in milliseconds of the clock of the process. */
  idleSince: number
  /** Whether it has had a request; before, the time for headers counts. */
  hasAsked: boolean
  /** How often its client was seen taking nothing of what waits, one time after the other. */
  stuckRounds: number
  /** How far it was then. */
  progress: readonly unknown[]
}

/** The sessions of a server. */
export interface Sessions extends Protocol {
  readonly add: (session: ServerHttp2Session, connection: Socket) => Session
}

/** In how many rounds sessions are looked at in the shortest of the times. */
const ROUNDS = 4
/** Milliseconds between two rounds, at least. */
const SHORTEST_ROUND = 10

/**
 * Creates the register of a server's sessions, which ends those that are idle, and those that ask nothing, and resets the streams of
 * those whose client takes nothing of their answers.
 */
export function createSessions({ idle, headers, send }: Settings['timeouts']): Sessions {
  const sessions = new Map<ServerHttp2Session, Session>()
  let finishing = false
  const sweep = (): void => {
    const now = performance.now()
    for (const [session, known] of sessions) {
      const { open, hasAsked, idleSince } = known
      const limit = hasAsked ? idle : headers
      if (send > 0) resetStuck(session, known, send / round)
      if (open.size > 0 || limit === 0 || now - idleSince < limit) continue
      // one that is closed and still there does not read, or does not end its side of the connection
      if (session.closed || session.destroyed) breakOff(session, known)
      else session.close()
    }
  }
  const times = [idle, headers, send].filter((time) => time > 0)
  const round = Math.max(SHORTEST_ROUND, Math.ceil(Math.min(...times) / ROUNDS))
  const timer = times.length > 0 ? setInterval(sweep, round).unref() : undefined
  return {
    add: (session, connection) => {
      const added: Session = {
        connection,
        remoteAddress: connection.remoteAddress,
        protocol: session.encrypted === true ? 'https' : 'http',
        open: new Set(),
        running: 0,
        idleSince: performance.now(),
        hasAsked: false,
        stuckRounds: 0,
        progress: [],
      }
      sessions.set(session, added)
      session.once('close', () => sessions.delete(session))
      if (finishing) session.close()
      return added
    },
    finish: () => {
      finishing = true
      clearInterval(timer)
      for (const session of sessions.keys()) session.close()
    },
    destroy: () => {
      const isBroken = [...sessions.values()].some(({ open }) => open.size > 0)
      for (const [session, known] of sessions) breakOff(session, known)
      return isBroken
    },
  }
}

/** Of a session that has ended, node:http2 leaves the connection to its client. */
function breakOff(session: ServerHttp2Session, { connection }: Session): void {
  session.destroy()
  connection.destroy()
}

/**
 * Resets the streams on which something waits, once a session was seen `rounds` times without its client taking anything of any. The
 * window of the session moves with every piece of a body that is sent or taken, and with nothing else.
 */
function resetStuck(session: ServerHttp2Session, known: Session, rounds: number): void {
  const waiting = [...known.open].filter((stream) => stream.writableLength > 0)
  if (waiting.length === 0) {
    known.stuckRounds = 0
    return
  }
  const progress = [session.state.remoteWindowSize, progressOf(known.connection)]
  if (known.stuckRounds === 0 || progress.some((value, at) => value !== known.progress[at])) {
    known.stuckRounds = 1
    known.progress = progress
    return
  }
  known.stuckRounds++
  if (known.stuckRounds <= rounds) return
  for (const stream of waiting) stream.destroy(new Error('The client does not read the response'))
}
