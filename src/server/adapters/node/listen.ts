import { Server as TcpServer } from 'node:net'
import type { TlsOptions } from 'node:tls'

import type { Dispatch } from '../../dispatch.ts'
import type { ServerSettings } from '../../options/settings.ts'
import { settlesWithin, importInTurn } from '../../../base/values.ts'
import { freeAddress, takeAddress, listenUrl } from './listen-address.ts'
import type { Protocol } from './connections.ts'
import { createNodeHandler } from './handler.ts'
import { createHttp1, PLAIN, type Http1Kind, type ServerState } from './http1.ts'
import type { Engine, ListenOptions } from './listen-options.ts'

/** A server that listens. */
export interface Listening {
  /** The address as a URL. */
  readonly url: string
  /** The engine that reads requests from connections, if the options choose. */
  readonly engine?: 'direct' | 'node' | undefined
  /**
   * Stops accepting, waits for answers under way up to `grace` milliseconds, then breaks off what is left. Before that, up to `closeIdle`
   * milliseconds, requests that still come on kept connections are answered. Returns whether nothing had to be broken off. Calls `onBreak`
   * before it breaks off.
   */
  close(grace: number, closeIdle?: number, onBreak?: () => void): Promise<boolean>
}

/** The functions that answer requests, and whether the application drains or closes. */
interface Opened {
  readonly isEnding: () => boolean
  readonly dispatch: Dispatch
  /** Whether some route takes connections over. */
  readonly upgrades: boolean
}

/** A server that listens, and the protocol of its connections. */
interface ListeningServer {
  readonly server: TcpServer
  readonly protocols: readonly Protocol[]
  readonly engine?: 'direct' | 'node' | undefined
  /** Stops the timers of a server that has closed. */
  readonly stop: () => void
}

/** A part of a server that speaks HTTP/1.1. */
export interface Http1Part {
  readonly server: TcpServer
  readonly connections: Protocol
  /** Stops the timers of a server that has closed. */
  readonly stop: () => void
}

/** Creates a server: over TLS, if options and the function that makes such a server are passed. */
export type CreateHttp1Part = (
  tls: TlsOptions | undefined,
  makeTls: ((tls: TlsOptions) => TcpServer) | undefined,
) => Http1Part

/** The values that all servers of an application share. */
export interface EngineParts {
  readonly dispatch: Dispatch
  readonly settings: ServerSettings
  readonly options: ListenOptions
  readonly state: ServerState
}

/** An engine with the function behind it. `find` returns `undefined` if node:http has to serve. */
export interface OpenEngine extends Engine {
  readonly find: (parts: EngineParts) => CreateHttp1Part | undefined
}

function isOpenEngine(engine: Engine | undefined): engine is OpenEngine {
  return engine !== undefined && 'find' in engine
}

/** Serves an application. Rejects when the address cannot be taken. `isShared`: whether other processes may have it too. */
export async function listen(
  opened: Opened,
  settings: ServerSettings,
  options: ListenOptions,
  isShared: boolean,
): Promise<Listening> {
  const upgrading = opened.upgrades
    ? (await importInTurn(() => import('./handler.ts'))).createUpgrading(opened.dispatch, settings)
    : undefined
  const state = { isClosing: false, isAppEnding: opened.isEnding, upgrading }
  const { server, protocols, engine, stop } = await createServing(opened, settings, options, state)
  const { maxConnections } = options
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  if (!isShared) await freeAddress(options)
  await takeAddress(server, options)
  server.on('error', (error) =>
    settings.log.error({ err: error }, 'The server failed to accept a connection'),
  )
  return {
    url: listenUrl(server, options.tls === undefined ? 'http' : 'https', options),
    engine,
    close: async (grace, closeIdle = 0, onBreak) => {
      const closed = new Promise<void>((resolve) => stopListening(server, resolve))
      if (closeIdle > 0) await settlesWithin(closed, closeIdle)
      state.isClosing = true
      for (const protocol of protocols) protocol.finish()
      const isClosed = await settlesWithin(closed, grace)
      if (!isClosed) onBreak?.()
      const broken = isClosed ? [] : protocols.filter((protocol) => protocol.destroy())
      await closed
      stop()
      return broken.length === 0
    },
  }
}

/** Stops accepting connections. `done` is called when the last one has closed. */
function stopListening(server: Pick<TcpServer, 'close'>, done: () => void): void {
  // the method of node:http would cut responses that are not flushed yet; a server of Bun has no other
  if (server instanceof TcpServer) TcpServer.prototype.close.call(server, done)
  else server.close(done)
}

/** Node's modules for HTTPS and HTTP/2 are loaded when they are asked for: they take longer than the rest of a start. */
async function createServing(
  opened: Opened,
  settings: ServerSettings,
  options: ListenOptions,
  state: ServerState,
): Promise<ListeningServer> {
  const { tls, http2 = false } = options
  const { dispatch } = opened
  const sessions = http2
    ? (await importInTurn(() => import('./http2-server.ts'))).createHttp2(dispatch, opened.isEnding, settings)
    : undefined
  if (sessions !== undefined && tls === undefined)
    return { server: sessions.server, protocols: [sessions], stop: () => undefined }
  const secure = tls === undefined ? undefined : await importInTurn(() => import('./secure.ts'))
  const create = isOpenEngine(options.engine)
    ? options.engine.find({ dispatch, settings, options, state })
    : undefined
  const found = create === undefined ? 'node' : 'direct'
  const engine = options.engine === undefined ? undefined : found
  const handler = createNodeHandler(dispatch, opened.isEnding, settings)
  const open = (given?: TlsOptions): Http1Part => {
    if (create !== undefined) return create(given, secure?.createTls)
    const make = secure?.createHttps
    const kind: Http1Kind =
      make === undefined ? PLAIN : { make: (more) => make({ ...given, ...more }), event: 'secureConnection' }
    const { server, connections } = createHttp1(kind, handler, settings, state)
    // stops the timer that looks for slow requests
    return { server, connections, stop: () => void server.close() }
  }
  if (tls === undefined || secure === undefined) {
    const { server, connections, stop } = open()
    return { server, protocols: [connections], engine, stop }
  }
  const part = secure.createSecure(tls, settings, sessions, open)
  return {
    server: part.server,
    protocols: sessions === undefined ? [part] : [part, sessions],
    engine,
    stop: part.stop,
  }
}
