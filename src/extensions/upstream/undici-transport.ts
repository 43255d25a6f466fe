import type { Duplex } from 'node:stream'

import type * as UndiciModule from 'undici'
import type { Dispatcher } from 'undici'

import { Exchange } from './exchange.ts'
import { isReset, isUnconnected, toUpstreamError } from './failures.ts'
import type { UpstreamTimeouts } from './options.ts'
import type { IncomingResponse, OutgoingRequest, Sender, Transport, Upgraded } from './transport.ts'

/** The settings of connections. */
export interface PoolSettings {
  readonly name: string
  readonly urls: readonly string[]
  readonly connections: number
  readonly timeouts: Required<UpstreamTimeouts>
  readonly retries: number
}

/** The part of undici that this needs. */
type Undici = Pick<typeof UndiciModule, 'Pool' | 'BalancedPool' | 'interceptors'>

/** Methods whose requests can be sent twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'])

/** Creates what sends requests over a pool of connections. */
export function createUndiciTransport(undici: Undici, settings: PoolSettings): Transport {
  const { name, urls } = settings
  const pool = openPool(undici, settings)
  const dispatcher = settings.retries === 0 ? pool : withRetries(pool, undici, settings.retries)
  const sendOnce = (
    request: OutgoingRequest,
    sender: Sender,
    failed: (error: unknown, isUntouched: boolean) => void,
  ): Promise<IncomingResponse> =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown, isUntouched: boolean): void => {
        failed(error, isUntouched)
        reject(sender.signal.aborted ? error : toUpstreamError(name, error))
      }
      const exchange = new Exchange(name, request.method, sender, { resolve, reject: fail })
      try {
        dispatcher.dispatch(toOptions(request), exchange)
      } catch (error) {
        fail(error, true)
      }
    })
  const send: Transport['send'] = async (request, sender) => {
    for (let attempt = 0; ; attempt++) {
      let again = false
      try {
        return await sendOnce(request, sender, (error, isUntouched) => {
          again = isUntouched && canRepeat(request, error, attempt, urls.length) && !sender.signal.aborted
        })
      } catch (error) {
        if (!again) throw error
      }
    }
  }
  return { send, upgrade: createUpgrade(pool, name), close: () => pool.destroy() }
}

/**
 * Whether a request is sent once more. A kept connection may end while it is sent, which is no failure, and of several upstreams one
 * may be down.
 */
function canRepeat(
  { method, body }: OutgoingRequest,
  error: unknown,
  attempt: number,
  upstreams: number,
): boolean {
  if (body !== null && !(body instanceof Uint8Array)) return false
  if (isUnconnected(error)) return attempt + 1 < upstreams
  return attempt === 0 && body === null && IDEMPOTENT.has(method) && isReset(error)
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

function withRetries(
  pool: Dispatcher,
  { interceptors }: Undici,
  maxRetries: number,
): Pick<Dispatcher, 'dispatch'> {
  const retrying = pool.compose(
    interceptors.retry({ maxRetries, methods: ['GET', 'HEAD', 'OPTIONS', 'TRACE'] }),
  )
  return {
    dispatch: (options, handler) => (options.body === null ? retrying : pool).dispatch(options, handler),
  }
}

function toOptions({ method, path, headers, body }: OutgoingRequest): Dispatcher.DispatchOptions {
  // undici takes iterables of chunks, which its types leave out
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { method, path, headers, body: body as Uint8Array | null }
}

function createUpgrade(pool: Dispatcher, name: string): NonNullable<Transport['upgrade']> {
  return (request, sender) =>
    new Promise<Upgraded>((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(sender.signal.aborted ? error : toUpstreamError(name, error))
      const exchange = new Upgrading(name, request.method, sender, { resolve, reject: fail })
      exchange.upgraded = resolve
      try {
        pool.dispatch({ ...toOptions(request), upgrade: 'websocket' }, exchange)
      } catch (error) {
        fail(error)
      }
    })
}

class Upgrading extends Exchange {
  upgraded: ((upgraded: Upgraded) => void) | undefined

  onRequestUpgrade(
    _controller: unknown,
    _status: number,
    headers: IncomingResponse['headers'],
    connection: Duplex,
  ): void {
    this.onResponseEnd()
    this.upgraded?.({ headers, connection })
  }
}
