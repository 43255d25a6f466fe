import type { IncomingMessage, ServerResponse } from 'node:http'

import type { UrlOptions } from '../define/context.ts'
import type { AnyModule, Module } from '../define/module.ts'
import type { RouteNames, RouteParams } from '../define/names.ts'
import type { VersioningOptions } from '../versioning/enable.ts'
import { toEnabled } from '../versioning/enable.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { VersioningScheme } from '../versioning/scheme.ts'
import { compile, readDefinitions } from './compile.ts'
import type { Compiled } from './compile.ts'
import type { Dispatch } from './dispatch.ts'
import { inject } from './inject.ts'
import { toRawRequest } from './inject-request.ts'
import type { InjectOptions } from './inject-request.ts'
import type { InjectResponse } from './inject.ts'
import { closeOnSignals, createLifecycle } from './lifecycle.ts'
import { listen } from './listen.ts'
import type { ListenOptions } from './listen.ts'
import { createNodeHandler, refuseClosing } from './node.ts'
import type { NodeHandler } from './node.ts'
import { printTable, toRouteList } from './routes.ts'
import type { RouteEntry } from './routes.ts'
import { optionProblems, toSettings } from './settings.ts'
import type { AppOptions as Options } from './settings.ts'

/** What `createApp` takes besides the module. */
export interface AppOptions<O extends object = object> extends Options {
  /** The same as a call of `enableVersioning`. */
  readonly versioning?: readonly [scheme: VersioningScheme<O>, options?: O & VersioningOptions]
}

/** The arguments of `urlFor` after the name: parameters are optional where the route has none. */
type UrlArguments<P> = object extends P
  ? [params?: Readonly<Record<string, never>>, options?: UrlOptions]
  : [params: { readonly [K in keyof P]: P[K] }, options?: UrlOptions]

/** An application. */
export interface App<M = unknown> {
  /**
   * Says how versions travel. Before the first request; a second call replaces the first.
   *
   * @example
   * app.enableVersioning(VersioningSchemes.URL, { versionParameter: 'v', defaultVersion: '1' })
   *
   * @throws `Error` once the application has answered a request or is ready.
   */
  enableVersioning<O extends object>(scheme: VersioningScheme<O>, options?: O & VersioningOptions): void
  /** Builds everything. @throws `DefinitionError` for mistakes that depend on versioning. */
  ready(): Promise<void>
  /**
   * Answers a request without a socket.
   *
   * @example
   * const response = await app.inject({ method: 'POST', url: '/car', json: { name: 'Ford' }, version: '2' })
   * response.statusCode // → 200
   */
  inject(request: string | InjectOptions): Promise<InjectResponse>
  /** Answers requests of any Node server: `http.createServer(app.handler)`. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void
  /** Serves on node:http until the process gets SIGTERM or SIGINT. Gives the URL. */
  listen(options?: ListenOptions): Promise<string>
  /** Stops accepting, finishes what is under way within the grace time, then refuses everything. Idempotent. */
  close(): Promise<void>
  /**
   * The path of a route by its name, with its parameters percent-encoded.
   *
   * @throws `RangeError` for names and versions that do not exist, `TypeError` for parameters that are missing or do not fit.
   */
  urlFor<const K extends RouteNames<M>>(name: K, ...rest: UrlArguments<RouteParams<M, K>>): string
  /** Every route, as data. */
  routes(): readonly RouteEntry[]
  /** Every route, as a tree. */
  printRoutes(): string
}

/**
 * Creates an application from its root module.
 *
 * @example
 * const app = createApp(AppModule)
 * app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'accept', defaultVersion: '1' })
 * await app.listen({ port: 3000 })
 *
 * @throws `DefinitionError` with every mistake in the definitions that does not depend on versioning.
 */
export function createApp<M extends Module<unknown, unknown>, O extends object = object>(
  module: M,
  options: AppOptions<O> = {},
): App<M> {
  const mistakes = optionProblems(options)
  const { versioning, ...rest } = options
  const settings = toSettings(mistakes.length > 0 ? {} : rest)
  // what a module was made of is checked field by field
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const routes = readDefinitions(module as unknown as AnyModule, settings.prefix, mistakes)
  const lifecycle = createLifecycle()
  let enabled = versioning === undefined ? undefined : enable(...versioning)
  let compiled: Compiled | undefined
  let door: { readonly dispatch: Dispatch; readonly handler: NodeHandler } | undefined

  const build = (): Compiled => {
    if (compiled !== undefined) return compiled
    compiled = compile(routes, settings, enabled)
    for (const warning of compiled.table.warnings)
      settings.logger.warn(warning, 'A definition deserves a look')
    return compiled
  }
  const open = (): NonNullable<typeof door> => {
    if (door !== undefined) return door
    const dispatch = lifecycle.counted(build().dispatch)
    door = { dispatch, handler: createNodeHandler(dispatch, lifecycle.isClosing) }
    return door
  }
  const refuse = (): void => {
    if (lifecycle.isClosing()) throw new Error('The application is closed')
  }

  return {
    enableVersioning: (scheme, schemeOptions) => {
      if (door !== undefined)
        throw new Error(
          'enableVersioning: the application is ready already; call it before the first request',
        )
      enabled = enable(scheme, schemeOptions)
      compiled = undefined
    },
    ready: async () => void open(),
    inject: async (request) => {
      refuse()
      const { dispatch } = open()
      const raw = await toRawRequest(
        typeof request === 'string' ? { url: request } : request,
        enabled,
        settings.prefix,
      )
      return inject(dispatch, raw)
    },
    handler: (request, response) =>
      lifecycle.isClosing() ? refuseClosing(response) : open().handler(request, response),
    listen: async (listenOptions = {}) => {
      refuse()
      const server = await listen(open().handler, settings, listenOptions)
      const release = closeOnSignals(() => lifecycle.close(settings.timeouts.grace))
      lifecycle.add({ url: server.url, close: (grace) => server.close(grace).finally(release) })
      settings.logger.info({ url: server.url }, 'Listening')
      return server.url
    },
    close: () => lifecycle.close(settings.timeouts.grace),
    urlFor: (name, ...[params = {}, urlOptions = {}]) => build().urlFor(name, params, urlOptions),
    routes: () => toRouteList(routes),
    printRoutes: () => printTable(routes, settings),
  }
}

/** Applies a scheme's options; without any, every option has its default. */
function enable<O extends object>(scheme: VersioningScheme<O>, options?: O & VersioningOptions): Enabled {
  // the options of a scheme are all optional
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return toEnabled(scheme, options ?? ({} as O & VersioningOptions))
}
