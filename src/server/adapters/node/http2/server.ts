import { constants, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'

import { httpError, type HttpError } from '../../../../http/errors.ts'
import { isPromise } from '../../../../base/values.ts'
import type { FinishedResponse } from '../../../../http/http.ts'
import type { RequestContext } from '../../../pipeline/context.ts'
import { notSent, createHeadCheck, type FindRefusal } from '../../../pipeline/failure.ts'
import type { Dispatch } from '../../../dispatch.ts'
import type { ServerSettings, Settings } from '../../../options/settings.ts'
import { endsBefore } from '../write.ts'
import type { Protocol } from '../connections.ts'
import { Http2Request, type StreamHead } from './request.ts'
import { respond } from './respond.ts'
import { createSessions, type Session } from './sessions.ts'

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
export interface Http2 extends Protocol {
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
  if (!isPromise(response)) return send(raw, context, response)
  session.running++
  const sendLater = (settled: FinishedResponse): void => {
    session.running--
    send(raw, context, settled)
  }
  void response.then(sendLater)
}

function send({ stream }: Http2Request, context: RequestContext, finished: FinishedResponse): void {
  if (endsBefore(context, finished) || stream.destroyed) void context.end()
  else stream.once('close', () => void context.end())
  try {
    respond(stream, finished, context)
  } catch (error) {
    // the last catch: what is wrong with a response becomes a 500, or resets the stream if its head is sent
    const problem = notSent(context, error)
    if (stream.headersSent) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else respond(stream, problem, undefined)
  }
}
