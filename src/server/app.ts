import type { IncomingMessage, ServerResponse } from 'node:http'

import type { UrlOptions } from '../define/context.ts'
import type { Module } from '../define/module.ts'
import type { RouteNames, RouteParams } from '../define/names.ts'
import type { Token } from '../define/token.ts'
import type { OpenApiDocument } from '../openapi/document/types.ts'
import type { SchemeList } from '../versioning/versioning.ts'
import type { VersioningOptions } from '../versioning/options.ts'
import type { VersioningScheme } from '../versioning/schemes/scheme.ts'
import { createCore } from './boot/core.ts'
import type { AppOptions } from './boot/core.ts'
import { createDoors } from './adapters/in-process.ts'
import type { Doors } from './adapters/in-process.ts'
import { PREPARE } from './docs/prepare.ts'
import { answerEarlyOrLate } from './adapters/node/early-late.ts'
import type { ListenOptions } from './adapters/node/listen-options.ts'
import { printTable, toRouteList } from './boot/route-list.ts'
import type { RouteEntry } from './boot/route-list.ts'
import { serve } from './process/serve.ts'
import { toVersionList } from './version-report/versions.ts'
import type { VersionInfo } from './version-report/versions.ts'

/** The arguments of `urlFor` after the name: parameters are optional where the route has none. */
type UrlArguments<P> = object extends P
  ? [params?: Readonly<Record<string, never>>, options?: UrlOptions]
  : [params: { readonly [K in keyof P]: P[K] }, options?: UrlOptions]

/** An application. */
export interface App<M = unknown> extends Doors {
  /** For types alone: the root module, from which `createClient` knows the routes. */
  readonly $module?: M
  /**
   * Says how versions travel. Before the first request; a second call replaces the first. A list of schemes, each with its
   * own options, is for several ways at once: all are read, and different versions are an error, unless `conflict: 'first'`.
   *
   * @example
   * app.enableVersioning(VersioningSchemes.URL, { versionParameter: 'v', defaultVersion: '1' })
   * app.enableVersioning([[VersioningSchemes.URL], [VersioningSchemes.HEADER, { headerParameter: 'x-version' }]], { defaultVersion: '1' })
   *
   * @throws `Error` once the application has answered a request or is ready.
   */
  // one signature for both: of overloads, TypeScript 7 explains why the last does not fit, wherever the mistake is
  enableVersioning<O extends object = object, const S extends readonly object[] = readonly object[]>(
    scheme: VersioningScheme<O> | SchemeList<S>,
    options?: NoInfer<O> & VersioningOptions,
  ): void
  /** Builds everything, and loads what `openapi` needs. @throws `DefinitionError` for mistakes that depend on versioning. */
  ready(): Promise<void>
  /** Answers requests of any Node server: `http.createServer(app.handler)`. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void
  /**
   * Serves until the application closes or the process gets SIGTERM or SIGINT: over HTTP/1.1, TLS, HTTP/2 or a Unix socket, with one
   * process or several. Gives the URL.
   *
   * @example
   * await app.listen({ port: 3000 }) // → 'http://localhost:3000'
   * await app.listen({ port: 443, tls: { cert, key }, http2: true })
   * await app.listen({ path: '/run/cars.sock' })
   * await app.listen({ port: 3000, workers: 'auto' })
   *
   * @throws `TypeError` for options that cannot be used, `Error` for an address that cannot be taken, and what stops the start:
   * `DefinitionError`, a provider or an `onStart` that fails.
   */
  listen(options?: ListenOptions): Promise<string>
  /** Stops accepting, finishes what is under way within the grace time, then refuses everything. Idempotent. */
  close(): Promise<void>
  /**
   * The path of a route by its name, with its parameters percent-encoded.
   *
   * @throws `RangeError` for names and versions that do not exist, `TypeError` for parameters that are missing or do not fit.
   */
  urlFor<const K extends RouteNames<M>>(name: K, ...rest: UrlArguments<RouteParams<M, K>>): string
  /** The value behind a token, as the root module sees it; makes the application ready. */
  resolve<T>(token: Token<T>): Promise<T>
  /** Every route, as data. */
  routes(): readonly RouteEntry[]
  /** Every route, as a tree. */
  printRoutes(): string
  /**
   * Every known version with its routes, oldest first, as it stands at this moment; none without versioning.
   *
   * @example
   * app.versions().filter(({ status }) => status === 'deprecated').map(({ version }) => version) // → ['1']
   *
   * @throws `DefinitionError` for mistakes that depend on versioning.
   */
  versions(): readonly VersionInfo[]
  /**
   * The OpenAPI document of a version; of all versions together without one, and for `'all'`. To be called after `ready()`. The same
   * object as long as nothing in it changes.
   *
   * @example
   * await app.ready()
   * await writeFile('openapi.json', JSON.stringify(app.openapi({ version: '2' })))
   *
   * @throws `RangeError` for a version that does not exist, `DefinitionError` for what cannot be documented, `Error` before `ready()`.
   */
  openapi(options?: { readonly version?: string }): OpenApiDocument
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
export function createApp<
  M extends Module<unknown, unknown>,
  O extends object = object,
  const S extends readonly object[] = readonly object[],
>(module: M, options: AppOptions<O, S> = {}): App<M> {
  const core = createCore(module, options)
  const { settings, lifecycle } = core
  const refuseClosed = (): void => {
    if (lifecycle.isClosing()) throw new Error('The application is closed')
  }
  const app: App<M> = {
    ...createDoors(core),
    enableVersioning: core.enableVersioning,
    ready: async () => {
      refuseClosed()
      await core.open()
      await core.documents.load()
    },
    handler: (request, response) => {
      const opened = core.opened()
      if (opened === undefined || lifecycle.isClosing()) void answerEarlyOrLate(core, request, response)
      else opened.handler(request, response)
    },
    listen: async (listenOptions = {}) => {
      refuseClosed()
      return serve(core, listenOptions)
    },
    close: () => lifecycle.close(settings.timeouts.grace),
    urlFor: (name, ...[params = {}, urlOptions = {}]) => core.build().urlFor(name, params, urlOptions),
    resolve: async (token) => {
      refuseClosed()
      if (core.opened() === undefined) await core.open()
      // a token carries the type of what it supplies
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return core.resolve(token) as Promise<never>
    },
    routes: () => toRouteList(core.routes()),
    printRoutes: () => printTable(core.routes(), settings),
    versions: () => toVersionList(core.build().table, core.enabled()),
    openapi: ({ version } = {}) => core.documents.document(version),
  }
  return Object.defineProperty(app, PREPARE, { value: core.prepare })
}
