import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
  type ServerHttp2Session,
  type IncomingHttpHeaders,
} from 'node:http2'
import type { Socket } from 'node:net'

import { httpError, HttpError } from '../../../../http/errors.ts'
import { isPromise } from '../../../../base/values.ts'
import {
  clientWentAway,
  type FinishedResponse,
  type HeaderMap,
  type RawBody,
  type RawRequest,
} from '../../../../http/http.ts'
import type { RequestContext } from '../../../pipeline/context.ts'
import { notSent, createHeadCheck, type FindRefusal } from '../../../pipeline/failure.ts'
import type { Dispatch } from '../../../dispatch.ts'
import type { ServerSettings, Settings } from '../../../options/settings.ts'
import { endWith } from '../write.ts'
import type { Protocol } from '../connections.ts'
import { respond } from './respond.ts'
import { progressOf } from '../watch.ts'
import { bodyEndedEarly, bodyTooLarge, collectChunks } from '../../../request/body.ts'

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

interface Peer {
  readonly remoteAddress: string | undefined
  readonly protocol: 'http' | 'https'
}

interface StreamHead {
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn. */
  readonly lines: readonly string[]
  readonly hasBody: boolean
}

/** A request of node:http2. A class because one is made for every request, and little of it is needed. */
class Http2Request implements RawRequest {
  readonly stream: ServerHttp2Stream
  readonly #head: StreamHead
  readonly #peer: Peer
  #headers: HeaderMap | undefined
  #abort: AbortController | undefined
  isArriving = false

  constructor(stream: ServerHttp2Stream, head: StreamHead, peer: Peer) {
    this.stream = stream
    this.#head = head
    this.#peer = peer
  }

  get method(): string {
    return this.#head.headers[':method'] ?? 'GET'
  }

  get target(): string {
    return this.#head.headers[':path'] ?? ''
  }

  get headers(): HeaderMap {
    return (this.#headers ??= toHeaderMap(this.#head.headers))
  }

  lines(name: string): readonly string[] {
    // one cookie header may be split into several lines, and the authority stands for Host (RFC 9113 sections 8.2.3 and 8.3.1)
    if (name === 'cookie' || name === 'host') {
      const value = this.headers[name]
      return typeof value === 'string' ? [value] : []
    }
    return this.#head.lines.filter((_, at, lines) => at % 2 === 1 && lines[at - 1] === name)
  }

  get remoteAddress(): string | undefined {
    return this.#peer.remoteAddress
  }

  get protocol(): 'http' | 'https' {
    return this.#peer.protocol
  }

  get body(): RawBody {
    const { hasBody, headers } = this.#head
    const declared = headers['content-length']
    const unknown = declared === undefined ? undefined : Number(declared)
    const length = hasBody ? unknown : 0
    return {
      length,
      read: (limit) => collectChunks(this.#chunks(limit, length)),
      chunks: (limit) => this.#chunks(limit, length),
    }
  }

  get signal(): AbortSignal {
    return (this.#abort ??= this.#createAbort()).signal
  }

  abort(reason: unknown): void {
    ;(this.#abort ??= this.#createAbort()).abort(reason)
  }

  #createAbort(): AbortController {
    const { stream } = this
    const abort = new AbortController()
    const stop = (): void => {
      // not writableFinished: Node ends the writing of a stream that was reset
      const isAnswered =
        stream.headersSent && !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR
      if (!isAnswered) abort.abort(clientWentAway())
    }
    if (stream.destroyed) stop()
    else stream.once('close', stop)
    return abort
  }

  async *#chunks(limit: number, length: number | undefined): AsyncGenerator<Uint8Array> {
    if (length === 0) return
    if (length !== undefined && length > limit) throw bodyTooLarge(limit)
    const { stream } = this
    if (stream.destroyed) throw bodyEndedEarly()
    // only now: a client that asked whether to go on is not told to send what would be refused
    if (this.#head.headers.expect !== undefined && !stream.headersSent)
      stream.additionalHeaders({ ':status': constants.HTTP_STATUS_CONTINUE })
    let size = 0
    this.isArriving = true
    try {
      const chunks: AsyncIterable<Uint8Array> = stream.iterator({ destroyOnReturn: false })
      for await (const chunk of chunks) {
        size += chunk.length
        if (size > limit) throw bodyTooLarge(limit)
        yield chunk
      }
    } catch (error) {
      throw error instanceof HttpError ? error : bodyEndedEarly()
    } finally {
      this.isArriving = false
    }
    // a stream that the client gave up may look like one that has ended
    if (stream.aborted) throw bodyEndedEarly()
  }
}

function toHeaderMap(headers: IncomingHttpHeaders): HeaderMap {
  // without prototype: `__proto__` is a name like any other
  const map: Record<string, string | readonly string[] | undefined> = Object.create(null)
  const authority = headers[':authority']
  if (authority !== undefined) map['host'] = authority
  for (const name of Object.keys(headers)) if (!name.startsWith(':')) map[name] = headers[name]
  return map
}
