import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
  type ServerHttp2Session,
} from 'node:http2'
import type { Socket } from 'node:net'

import { httpError, type HttpError } from '../../../../http/errors.ts'
import { isPromise } from '../../../../base/values.ts'
import type { FinishedResponse } from '../../../../http/http.ts'
import type { RequestContext } from '../../../pipeline/context.ts'
import { notSent, createHeadCheck, type FindRefusal } from '../../../pipeline/failure.ts'
import type { Dispatch } from '../../../dispatch.ts'
import type { ServerSettings, Settings } from '../../../options/settings.ts'
import { endWith } from '../write.ts'
import type { Protocol } from '../connections.ts'
import { Http2Request, type StreamHead, type Peer } from './request.ts'
import { respond } from './respond.ts'
import { progressOf } from '../watch.ts'

/** Streams of one session at a time; RFC 9113 section 6.5.2 advises against fewer. */
const MAX_STREAMS = 100
/** Requests of one session that may run at a time: more than its streams, for those that were reset run on until they notice. */
const MAX_RUNNING = 2 * MAX_STREAMS
/**
 * The bytes that may be read of headers that are refused, as a multiple of the limits: each line counts 32 bytes more (RFC 9113 section
 * 6.5.2).
 */
const HEADER_ROOM = 4
/** Header lines of a request; more are reset by Node. */
const MAX_LINES = 1000

/**
 * Requests that a client may reset at once, and a second after that; more end its session (CVE-2023-44487). Versions of Node that do not
 * have these options have a limit of their own.
 */
const RESETS = { streamResetBurst: 500, streamResetRate: 33 } as const

/** The part of a server that speaks HTTP/2. */
interface Http2 extends Protocol {
  readonly server: Http2Server
  /** Takes a connection that has chosen HTTP/2. */
  readonly add: (socket: Socket) => void
}

/** Creates a server for HTTP/2 in the clear, which also takes connections from elsewhere. */
export function createHttp2(dispatch: Dispatch, settings: ServerSettings): Http2 {
  const { timeouts, limits } = settings
  const server = createServer({
    settings: {
      maxConcurrentStreams: MAX_STREAMS,
      maxHeaderListSize: HEADER_ROOM * (limits.url + limits.headers),
    },
    maxHeaderListPairs: MAX_LINES,
    ...RESETS,
  })
  const sessions = createSessions(timeouts)
  const findRefusal = createHeadCheck(limits)
  let latest: Socket | undefined
  // a session begins within the event of its connection
  server.prependListener('connection', (socket: Socket) => {
    latest = socket
  })
  server.on('session', (session) => {
    if (latest === undefined) return session.destroy()
    const known = sessions.add(session, latest)
    session.on('stream', (stream, headers, flags, ...more) => {
      const [lines = []]: readonly unknown[] = more
      const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0
      const head = { headers, lines: Array.isArray(lines) ? lines : [], hasBody }
      openStream(stream, known)
      if (hasBody) limitTime(stream, settings)
      const refusal = refusalOf(head, findRefusal)
      if (refusal !== undefined) respondError(stream, refusal, settings)
      else if (known.running >= MAX_RUNNING) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      else answer(dispatch, new Http2Request(stream, head, known), known)
    })
  })
  const { finish, destroy } = sessions
  return { server, add: (socket) => void server.emit('connection', socket), finish, destroy }
}

function openStream(stream: ServerHttp2Stream, session: Session): void {
  session.hasAsked = true
  session.open.add(stream)
  // what goes wrong closes the stream, and is told by that
  stream.on('error', () => undefined)
  stream.once('close', () => {
    session.open.delete(stream)
    session.idleSince = performance.now()
  })
}

/** Refuses a request whose body takes longer than the limit of requests; 0 lets it. */
function limitTime(stream: ServerHttp2Stream, settings: ServerSettings): void {
  const limit = settings.timeouts.request
  if (limit === 0) return
  const timer = setTimeout(() => {
    if (stream.headersSent) stream.destroy(new Error('The request took too long to arrive'))
    else respondError(stream, httpError('request_timeout', 'The request took too long to arrive'), settings)
  }, limit).unref()
  const stop = (): void => clearTimeout(timer)
  stream.once('end', stop).once('close', stop)
}

function respondError(
  stream: ServerHttp2Stream,
  error: HttpError,
  { writeError }: Pick<Settings, 'writeError'>,
): void {
  respond(stream, writeError(error), undefined)
}

/** Why a request does not get as far as the application. */
function refusalOf({ headers, lines }: StreamHead, findRefusal: FindRefusal): HttpError | undefined {
  const target = headers[':path']
  // CONNECT has none (RFC 9113 section 8.5)
  if (target === undefined)
    return httpError('malformed_target', 'The request target is neither a path nor a URL')
  const { expect, host } = headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return httpError('expectation_failed', 'No expectation but 100-continue can be met')
  const authority = headers[':authority'] ?? host
  // RFC 9113 section 8.3.1
  if (host !== undefined && host.toLowerCase() !== authority?.toLowerCase())
    return httpError('malformed_request', 'The Host header is not the authority')
  return findRefusal(target.length, authority, true, withoutPseudo(lines))
}

/** The header lines without the pseudo-headers, which come first. */
function withoutPseudo(lines: readonly string[]): readonly string[] {
  let start = 0
  while (lines[start]?.startsWith(':') === true) start += 2
  return lines.slice(start)
}

function answer(dispatch: Dispatch, raw: Http2Request, session: Session): void {
  const { context, response } = dispatch(raw)
  if (!isPromise(response)) return sendOn(raw, context, response)
  session.running++
  const sendLater = (settled: FinishedResponse): void => {
    session.running--
    sendOn(raw, context, settled)
  }
  void response.then(sendLater)
}

function sendOn({ stream }: Http2Request, context: RequestContext, finished: FinishedResponse): void {
  endWith(stream, context, finished)
  try {
    respond(stream, finished, context)
  } catch (error) {
    // the last catch: what is wrong with a response becomes a 500, or resets the stream if its head is sent
    const problem = notSent(context, error)
    if (stream.headersSent) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else respond(stream, problem, undefined)
  }
}

/** A session: the client, and what is under way. */
interface Session extends Peer {
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
interface Sessions extends Protocol {
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
function createSessions({ idle, headers, send }: Settings['timeouts']): Sessions {
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
