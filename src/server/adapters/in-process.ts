import { ROUTE_MAP } from '../../client/route-map.ts'
import type { TellRoutes } from '../../client/route-map.ts'
import { isPromise } from '../../async.ts'
import type { Awaitable } from '../../http.ts'
import { createClient } from '../../testing/client.ts'
import type { Client, ClientOptions } from '../../testing/client.ts'
import type { Core, Opened } from '../boot/core.ts'
import { createDispatcher } from './undici/dispatcher.ts'
import type { AppDispatcher } from './undici/type.ts'
import { createFetch } from './fetch.ts'
import type { FetchHandler } from './fetch.ts'
import { inject } from './inject/inject.ts'
import type { InjectResponse } from './inject/inject.ts'
import { toRawRequest } from './inject/request.ts'
import type { InjectOptions, InjectRequest, InjectStreamOptions } from './inject/request.ts'
import { injectStream } from './inject/stream.ts'
import type { InjectStream } from './inject/stream.ts'

/** The ways into an application that need no socket. Each rejects when the application cannot start, or is closed. */
export interface Doors {
  /**
   * Answers a request without a socket. With `stream: true` as soon as its head is there, with the body as a stream.
   *
   * @example
   * const response = await app.inject({ method: 'POST', url: '/car', json: { name: 'Ford' }, version: '2' })
   * response.statusCode // → 200
   *
   * @throws `TypeError` for options that do not exist or contradict each other.
   */
  inject(request: InjectStreamOptions): Promise<InjectStream>
  inject(request: string | URL | InjectOptions): Promise<InjectResponse>
  /**
   * Makes an `inject` that keeps cookies from one request to the next (RFC 6265), for headers, host and version that all have.
   *
   * @example
   * const client = app.client({ version: '2' })
   * await client.post('/login', { json: { name: 'Ann' } })
   * client.cookies.get('sid') // → 'a1b2'
   */
  client(options?: ClientOptions): Client
  /**
   * Answers web requests, for servers and tools that speak the Fetch standard: `export default { fetch: app.fetch }`. Read or cancel
   * the body of every response: its request is under way until then. Of several field lines of one name, a `Request` has one.
   *
   * @example
   * const response = await app.fetch(new Request('https://api.example.com/car/7'), { remoteAddress: '203.0.113.7' })
   * response.status // → 200
   */
  readonly fetch: FetchHandler
  /**
   * Makes a dispatcher of undici that reaches the application without a socket, for code that uses undici or Node's own `fetch`.
   *
   * @example
   * const response = await fetch('http://cars.internal/car/7', { dispatcher: app.dispatcher() })
   *
   * @throws `Error` when undici, which is an optional package, is not installed.
   */
  dispatcher(): AppDispatcher
}

/** Makes the doors of an application that need no socket. */
export function createDoors(core: Core): Doors {
  const { settings, lifecycle } = core
  const refuseClosed = (): void => {
    if (lifecycle.isClosing()) throw new Error('The application is closed')
  }
  const enter = (): Awaitable<Opened> => {
    refuseClosed()
    return core.opened() ?? core.open()
  }
  const toRaw = (options: InjectOptions | InjectStreamOptions): Awaitable<InjectRequest> =>
    toRawRequest(options, core.enabled(), settings.prefix)
  const injectGiven = async (given: string | URL | InjectOptions | InjectStreamOptions): Promise<never> => {
    refuseClosed()
    const { dispatch } = core.opened() ?? (await core.open())
    const options = typeof given === 'string' || given instanceof URL ? { url: given } : given
    const raw = toRaw(options)
    const request = isPromise(raw) ? await raw : raw
    const max = settings.limits.headers
    // which of the two it is, is what the overloads of `inject` say
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (
      options.stream === true ? injectStream(dispatch, request, max) : inject(dispatch, request, max)
    ) as Promise<never>
  }
  const tellRoutes: TellRoutes = async (version, host) => {
    await enter()
    const map = await core.documents.routeMap(version, host, 'all')
    if (map !== undefined) return map
    const versions = core.build().table.known.list.join(', ') || 'none'
    throw new RangeError(`There is no version "${version ?? ''}"; there are ${versions}`)
  }
  return {
    inject: injectGiven,
    client: (options) =>
      createClient(
        {
          prepare: async (given) => {
            await enter()
            return toRaw(given)
          },
          send: async (request) => inject((await enter()).dispatch, request, settings.limits.headers),
          sendStream: async (request) =>
            injectStream((await enter()).dispatch, request, settings.limits.headers),
        },
        options,
      ),
    fetch: tellingRoutes(createFetch(enter, settings), tellRoutes),
    dispatcher: () => tellingRoutes(createDispatcher(enter, settings), tellRoutes),
  }
}

/** The door, with what tells `createClient` the routes behind it. */
function tellingRoutes<D extends object>(door: D, tell: TellRoutes): D {
  return Object.defineProperty(door, ROUTE_MAP, { value: tell })
}
