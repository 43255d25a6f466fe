import { importInTurn } from '../../base/values.ts'
import { recordLocation } from '../../base/definition-error.ts'
import { isWorkerd } from '../../base/platform.ts'
import {
  FORWARDS,
  type ForwardTarget,
  type UpstreamApp,
  type Injected,
  type Token,
  type Tokens,
} from '../../define/context.ts'
import { defineProvider, type Provider } from '../../define/provider.ts'
import { registerForwarding } from '../../server/pipeline/endpoint.ts'
import { createCallFetch, type CallApp } from './app/transport.ts'
import { createFetchTransport } from './fetch-transport.ts'
import { createForwarding } from './forwarding.ts'
import {
  isUpstreamApp,
  toUpstreamSettings,
  toUrls,
  type UpstreamOptions,
  type UpstreamSettings,
  type UpstreamTransport,
} from './options.ts'
import { runApp, RunningUpstream } from './running.ts'

/** An API behind the application. It is a provider, too: handlers that inject it send requests of their own with `fetch`. */
export interface Upstream extends Provider<UpstreamApp>, ForwardTarget {
  /** A check for `health.checks`: it fails if the API cannot be reached or answers with 5xx. */
  readonly check: (context: {
    readonly signal: AbortSignal
    readonly resolve: <T>(token: Token<T>) => Promise<T>
  }) => Promise<void>
}

/**
 * Defines an API that the application stands in front of. Routes name it in `forward`, in the place of a handler, and a router mounts it for
 * all that no route matches. It is created with the application and closed with it.
 *
 * @example
 * export const garage = defineUpstream({ name: 'Garage', url: () => process.env['GARAGE_URL'], prefix: '/api' })
 * defineController({ prefix: '/cars', routes: [{ method: 'GET', path: '/{id:int}', response: Car, forward: garage }] })
 *
 * @throws `DefinitionError` for options that cannot be used.
 */
export function defineUpstream<D extends Tokens = {}>(options: UpstreamOptions<D>): Upstream {
  const settings = toUpstreamSettings(options)
  const { app, url, inject } = options
  const provider = defineProvider<UpstreamApp, Tokens>({
    name: settings.name,
    ...(inject !== undefined && { inject }),
    create: async (deps) => {
      if (app !== undefined) return runApp(await openApp(app), settings)
      // these are the values of its tokens
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const given = typeof url === 'function' ? await url(deps as Injected<D>) : url
      const urls = toUrls(settings.name, given)
      return new RunningUpstream(settings, await openTransport(settings, urls), urls)
    },
    dispose: async (running) => {
      if (running instanceof RunningUpstream) await running.transport.close()
    },
  })
  const upstream: Upstream = {
    ...provider,
    [FORWARDS]: true,
    check: async ({ signal, resolve }) => {
      const running = await resolve(upstream)
      const { status, body } = await running.fetch(
        new Request(`http://upstream${settings.checkPath}`, { signal }),
      )
      await body?.cancel()
      if (status >= 500) throw new Error(`${settings.name} has answered ${status} at ${settings.checkPath}`)
    },
  }
  registerForwarding(upstream, createForwarding(settings))
  return recordLocation(upstream, defineUpstream)
}

async function openApp(app: NonNullable<UpstreamOptions<never>['app']>): Promise<CallApp> {
  if (isUpstreamApp(app)) return createCallFetch(app)
  const { createCallListener } = await importInTurn(() => import('./app/listener.ts'))
  return createCallListener(app)
}

/** On Node by undici, elsewhere by `fetch` of the platform, which has its own pool. */
async function openTransport(
  settings: UpstreamSettings,
  urls: readonly string[],
): Promise<UpstreamTransport> {
  const { name, timeouts } = settings
  const { process, Bun, Deno }: { process?: NodeJS.Process; Bun?: unknown; Deno?: unknown } = globalThis
  const isNode = process?.versions?.node !== undefined && Bun === undefined && Deno === undefined
  if (isNode && !isWorkerd()) {
    // bundlers give modules of CommonJS their default export alone
    const [{ default: undici }, { createUndiciTransport }] = await Promise.all([
      importInTurn(() => import('undici')).catch((cause: unknown) => {
        throw new Error('defineUpstream needs the package undici on Node: npm install undici@7', { cause })
      }),
      importInTurn(() => import('./undici-transport.ts')),
    ])
    return createUndiciTransport(undici, { ...settings, urls })
  }
  let next = 0
  const transports = urls.map((origin) => createFetchTransport(name, origin, timeouts.headers))
  const [first] = transports
  if (first === undefined) throw new Error(`${name} has no address`)
  const send: UpstreamTransport['send'] = (request, sender, receiver) =>
    (transports[next++ % transports.length] ?? first).send(request, sender, receiver)
  return { ...first, send }
}
