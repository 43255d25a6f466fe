import type { Duplex } from 'node:stream'

import type * as UndiciModule from 'undici'
import type { buildConnector, Dispatcher } from 'undici'

import { ConnectionQueue } from './connection-queue.ts'
import { Exchange, type Line } from './exchange.ts'
import {
  AS_IT_IS,
  type UpstreamTimeouts,
  type IncomingResponse,
  type UpstreamTransport,
  type Upgraded,
} from './options.ts'

/** The settings of connections. */
export interface PoolSettings {
  readonly name: string
  readonly urls: readonly string[]
  readonly connections: number
  readonly timeouts: Required<UpstreamTimeouts>
  readonly retries: number
}

/** The part of undici that this needs. */
type Undici = Pick<typeof UndiciModule, 'Pool' | 'BalancedPool' | 'buildConnector'>

/** Creates what sends requests over a pool of connections. */
export function createUndiciTransport(undici: Undici, settings: PoolSettings): UpstreamTransport {
  const { urls, connections } = settings
  const pool = openPool(undici, settings)
  const queue = new ConnectionQueue(connections * urls.length)
  const line: Line = { ...settings, dispatcher: pool, queue, addresses: urls.length }
  return {
    send: (request, sender, receiver) => new Exchange(line, request, sender, receiver).send(),
    upgrade: (request, sender) => new Upgrading(line, request, sender, AS_IT_IS).send(),
    close: () => pool.destroy(),
  }
}

function openPool(
  { Pool, BalancedPool, buildConnector }: Undici,
  { urls, connections, timeouts }: PoolSettings,
): Dispatcher {
  const connect = buildConnector({ timeout: timeouts.connect })
  const options = {
    connections,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
    connect: telling(connect),
  }
  const [only = ''] = urls
  return urls.length === 1 ? new Pool(only, options) : new BalancedPool([...urls], options)
}

/**
 * Connections whose resets undici fails with. It takes one behind a body without length for the end of that, which would make a part the
 * whole.
 */
function telling(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...outcome) => {
      const [, socket] = outcome
      // before the listener of undici
      socket?.prependListener('error', (error: Error & { code?: string }) => {
        if (error.code === 'ECONNRESET') error.code = 'UND_ERR_SOCKET'
      })
      callback(...outcome)
    })
}

class Upgrading extends Exchange<Upgraded> {
  protected override readonly upgrade = 'websocket'

  onRequestUpgrade(
    _controller: unknown,
    _status: number,
    headers: IncomingResponse['headers'],
    connection: Duplex,
  ): void {
    this.end()
    this.resolve({ headers, connection })
  }
}
