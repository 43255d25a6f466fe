import { constants, createServer } from 'node:http2'
import type { Http2Server, Http2Session, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'

import { isPromise } from '../../../base/values.ts'
import { httpError } from '../../../http/errors.ts'
import type { Dispatch } from '../../dispatch.ts'
import type { ServerSettings, Settings } from '../../options/settings.ts'
import type { Protocol } from './connections.ts'
import { createNodeHandler, refuseRequest, type NodeHandler } from './handler.ts'
import { http2Stream } from './http2-request.ts'
import { bytesUnsent } from './watch.ts'

/** Streams of a session at a time; RFC 9113 section 6.5.2 advises against fewer. */
const MAX_STREAMS = 100
/** Requests of a session that may run at a time: those of streams that were reset run on until they notice. */
const MAX_RUNNING = 2 * MAX_STREAMS
/** Resets at once, and a second after that, before a session ends (CVE-2023-44487). The types of Node 20 lack both options. */
const RESETS = { streamResetBurst: 500, streamResetRate: 33 } as const

/** A server for HTTP/2. `add` takes a connection of another server that has chosen HTTP/2. */
interface Http2 extends Protocol {
  readonly server: Http2Server
  readonly add: (socket: Socket) => void
}

/** Creates a server of node:http2 that answers as `app.handler` does. */
export function createHttp2(dispatch: Dispatch, isAppEnding: () => boolean, settings: ServerSettings): Http2 {
  const { url, headers } = settings.limits
  const server = createServer({
    // a list counts 32 bytes more for each line, and a longer one is reset without a 431 (RFC 9113 section 6.5.2)
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: 4 * (url + headers) },
    maxHeaderListPairs: 1000,
    // megabytes: responses that wait for their client count, and beyond this Node refuses requests
    maxSessionMemory: 4000,
    ...RESETS,
  })
  const sessions = new Map<Http2Session | undefined, OpenSession>()
  let isFinishing = false
  server.prependListener('connection', (socket: Socket) => {
    // a session begins within the event of its connection, which it leaves to the client when it ends
    server.once('session', (session) => {
      sessions.set(session, openSession(session, socket, dispatch, isAppEnding, settings))
      socket.once('close', () => sessions.delete(session))
      if (isFinishing) session.close()
    })
  })
  const answer: NodeHandler = (request, response) =>
    sessions.get(http2Stream(request).session)?.answer(request, response)
  for (const event of ['request', 'checkContinue', 'checkExpectation', 'connect']) server.on(event, answer)
  return {
    server,
    add: (socket) => void server.emit('connection', socket),
    finish: () => {
      isFinishing = true
      for (const session of sessions.keys()) session?.close()
    },
    destroy: () => [...sessions.values()].map(({ breakOff }) => breakOff()).includes(true),
  }
}

interface OpenSession {
  readonly answer: NodeHandler
  /** Breaks the connection off. Returns whether requests were under way. */
  readonly breakOff: () => boolean
}

function openSession(
  session: Http2Session,
  connection: Socket,
  dispatch: Dispatch,
  isAppEnding: () => boolean,
  settings: ServerSettings,
): OpenSession {
  const { timeouts } = settings
  const open = new Set<ServerHttp2Stream>()
  let running = 0
  const counted: Dispatch = (raw) => {
    const entered = dispatch(raw)
    if (isPromise(entered.response)) {
      running++
      void entered.response.then(() => running--)
    }
    return entered
  }
  const handler = createNodeHandler(counted, isAppEnding, settings)
  const breakOff = (): boolean => {
    const isBroken = open.size > 0
    session.destroy()
    connection.destroy()
    return isBroken
  }
  let ending: NodeJS.Timeout | undefined
  const endAfter = (limit: number): void => {
    if (limit === 0 || connection.destroyed) return
    ending = setTimeout(() => {
      session.close()
      // a client that does not end its side of the connection
      ending = setTimeout(breakOff, limit).unref()
    }, limit).unref()
  }
  endAfter(timeouts.headers)
  const rounds = timeouts.send > 0 ? resetStuck(session, connection, open, timeouts.send) : undefined
  connection.once('close', () => {
    clearInterval(rounds)
    clearTimeout(ending)
  })
  const answer: NodeHandler = (request, response) => {
    const stream = http2Stream(request)
    clearTimeout(ending)
    open.add(stream)
    stream.once('close', () => {
      open.delete(stream)
      if (open.size === 0) endAfter(timeouts.idle)
    })
    if (running >= MAX_RUNNING) return stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    limitArrival(stream, response, settings)
    handler(request, response)
  }
  return { answer, breakOff }
}

/** Refuses a request whose body takes longer than the limit of requests; 0 lets it. */
function limitArrival(
  stream: ServerHttp2Stream,
  response: Parameters<NodeHandler>[1],
  settings: Pick<Settings, 'timeouts' | 'writeError'>,
): void {
  const limit = settings.timeouts.request
  if (limit === 0 || stream.endAfterHeaders) return
  const timer = setTimeout(() => {
    const error = httpError('request_timeout', 'The request took too long to arrive')
    if (response.headersSent) stream.destroy(error)
    else refuseRequest(response, error, settings)
  }, limit).unref()
  const stop = (): void => clearTimeout(timer)
  stream.once('end', stop).once('close', stop)
}

/** How often a client is seen taking nothing before its streams are reset. */
const ROUNDS = 4

/** Resets the streams of a session if its client takes nothing of what waits: neither its window moves, nor has its connection less to send. */
function resetStuck(
  session: Http2Session,
  connection: Socket,
  open: ReadonlySet<ServerHttp2Stream>,
  limit: number,
): NodeJS.Timeout {
  let seen = { rounds: 0, unsent: 0, window: session.state.remoteWindowSize }
  return setInterval(
    () => {
      const waiting = [...open].filter((stream) => stream.writableLength > 0)
      const unsent = bytesUnsent(connection)
      const window = session.state.remoteWindowSize
      const isStuck = waiting.length > 0 && window === seen.window && unsent >= seen.unsent
      seen = { rounds: isStuck ? seen.rounds + 1 : 0, unsent, window }
      if (seen.rounds < ROUNDS) return
      for (const stream of waiting) stream.destroy(new Error('The client does not read the response'))
    },
    Math.ceil(limit / ROUNDS),
  ).unref()
}
