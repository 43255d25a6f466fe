import { Server as TcpServer } from 'node:net'

import type { Dispatch } from '../../dispatch.ts'
import type { Settings } from '../../options/settings.ts'
import { settlesWithin } from '../../../async.ts'
import { freeAddress, takeAddress, toUrl } from './address.ts'
import type { Protocol } from './connections.ts'
import { createNodeHandler } from './handler.ts'
import { createHttp1, PLAIN } from './http1.ts'
import type { ServerState } from './http1.ts'
import type { ListenOptions } from './listen-options.ts'

/** A server that listens. */
export interface Listening {
  /** The address as a URL. */
  readonly url: string
  /**
   * Stops accepting, waits for answers under way up to `grace` milliseconds, then breaks off what is left. Before that, up to `closeIdle`
   * milliseconds, requests that still come on kept connections are answered. Returns whether nothing had to be broken off.
   */
  close(grace: number, closeIdle?: number): Promise<boolean>
}

/** What answers requests, and whether the application closes. */
interface Opened {
  readonly isClosing: () => boolean
  readonly dispatch: Dispatch
  /** Whether some route takes connections over. */
  readonly upgrades: boolean
}

/** What listens, and what its connections speak. */
interface Serving {
  readonly server: TcpServer
  readonly protocols: readonly Protocol[]
  /** Stops the timers of a server that has closed. */
  readonly stop: () => void
}

/** Serves an application. Rejects when the address cannot be taken. `isShared`: whether other processes may have it too. */
export async function listen(
  opened: Opened,
  settings: Settings,
  options: ListenOptions,
  isShared: boolean,
): Promise<Listening> {
  const upgrading = opened.upgrades
    ? (await import('./upgrade.ts')).createUpgrading(opened.dispatch, settings)
    : undefined
  const state = { isClosing: false, upgrading }
  const { server, protocols, stop } = await createServing(opened, settings, options, state)
  const { maxConnections, maxRequestsPerSocket } = options
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  if (maxRequestsPerSocket !== undefined) Object.assign(server, { maxRequestsPerSocket })
  if (!isShared) await freeAddress(options)
  await takeAddress(server, options)
  server.on('error', (error) =>
    settings.log.error({ err: error }, 'The server failed to accept a connection'),
  )
  return {
    url: toUrl(server, options.tls === undefined ? 'http' : 'https', options),
    close: async (grace, closeIdle = 0) => {
      const closed = new Promise<void>((resolve) => stopListening(server, resolve))
      if (closeIdle > 0) await settlesWithin(closed, closeIdle)
      state.isClosing = true
      for (const protocol of protocols) protocol.finish()
      const isClosed = await settlesWithin(closed, grace)
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
  { dispatch, isClosing }: Opened,
  settings: Settings,
  { tls, http2 = false }: ListenOptions,
  state: ServerState,
): Promise<Serving> {
  const sessions = http2 ? (await import('./http2/server.ts')).createHttp2(dispatch, settings) : undefined
  const handler = createNodeHandler(dispatch, isClosing, settings)
  if (tls !== undefined) {
    const { createSecure } = await import('./secure.ts')
    const secure = createSecure(tls, handler, settings, state, sessions)
    const { server } = secure
    return {
      server,
      protocols: sessions === undefined ? [secure] : [secure, sessions],
      stop: () => void server.close(),
    }
  }
  if (sessions !== undefined) return { server: sessions.server, protocols: [sessions], stop: () => undefined }
  const { server, connections } = createHttp1(PLAIN, handler, settings, state)
  // stops the timer that looks for slow requests
  return { server, protocols: [connections], stop: () => void server.close() }
}
