import type { Duplex } from 'node:stream'

import type * as UndiciModule from 'undici'
import type { Dispatcher } from 'undici'

import { ConnectionQueue } from './connection-queue.ts'
import { Exchange, type Line } from './exchange.ts'
import {
  AS_IT_IS,
  type UpstreamTimeouts,
  type IncomingResponse,
  type Transport,
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
type Undici = Pick<typeof UndiciModule, 'Pool' | 'BalancedPool'>

/** Creates what sends requests over a pool of connections. */
export function createUndiciTransport(undici: Undici, settings: PoolSettings): Transport {
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

function openPool({ Pool, BalancedPool }: Undici, { urls, connections, timeouts }: PoolSettings): Dispatcher {
  const options = {
    connections,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
    connect: { timeout: timeouts.connect },
  }
  const [only = ''] = urls
  return urls.length === 1 ? new Pool(only, options) : new BalancedPool([...urls], options)
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
