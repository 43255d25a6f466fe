import type { ServerHttp2Session } from 'node:http2'

import type { Settings } from '../../settings.ts'
import type { Protocol } from '../connections.ts'
import type { Peer } from './request.ts'

/** A session: the client, and what is under way. */
export interface Session extends Peer {
  /** Streams that are not closed. */
  open: number
  /** Requests that the application has not answered, those of streams that the client has reset included. */
  running: number
  /** Since when nothing is under way, in milliseconds of the clock of the process. */
  idleSince: number
  /** Whether it has had a request; before, the time for headers counts. */
  hasAsked: boolean
}

/** The sessions of a server. */
export interface Sessions extends Protocol {
  readonly add: (session: ServerHttp2Session) => Session
}

/** In how many rounds idle sessions are looked for while one may stay. */
const ROUNDS = 4
/** Milliseconds between two rounds, at least. */
const SHORTEST_ROUND = 10

/** Makes the register of a server's sessions, which ends those that are idle, and those that ask nothing. */
export function createSessions({ idle, headers }: Settings['timeouts']): Sessions {
  const sessions = new Map<ServerHttp2Session, Session>()
  let finishing = false
  const sweep = (): void => {
    const now = performance.now()
    for (const [session, { open, hasAsked, idleSince }] of sessions) {
      const limit = hasAsked ? idle : headers
      if (open > 0 || limit === 0 || now - idleSince < limit) continue
      // one that is closed and still there does not read
      if (session.closed) session.destroy()
      else session.close()
    }
  }
  const times = [idle, headers].filter((time) => time > 0)
  const round = Math.max(SHORTEST_ROUND, Math.ceil(Math.min(...times) / ROUNDS))
  const timer = times.length > 0 ? setInterval(sweep, round).unref() : undefined
  return {
    add: (session) => {
      const { socket, encrypted } = session
      const added: Session = {
        remoteAddress: socket.remoteAddress,
        protocol: encrypted === true ? 'https' : 'http',
        open: 0,
        running: 0,
        idleSince: performance.now(),
        hasAsked: false,
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
      for (const session of sessions.keys()) session.destroy()
    },
  }
}
