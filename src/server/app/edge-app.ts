import type { RouteMap, VisibleRoutes } from '../../client/route-map.ts'
import type { UrlOptions, Token } from '../../define/context.ts'
import type { Interceptor } from '../../define/interceptor.ts'
import type { Module } from '../../define/module.ts'
import type { AppTypes, RouteNames, RouteParams, TYPES } from '../../define/names.ts'
import { isPromise, once, importInTurn } from '../../base/values.ts'
import type { OpenApiDocument } from '../../openapi/document/types.ts'
import type { VersioningOptions } from '../../versioning/options.ts'
import type { VersioningScheme } from '../../versioning/schemes/scheme.ts'
import type { SchemeList } from '../../versioning/versioning.ts'
import { createFetch, loadStreams, type FetchHandler } from '../adapters/fetch.ts'
import type { InjectResponse, InjectStream } from '../adapters/inject/inject.ts'
import type { InjectOptions, InjectStreamOptions } from '../adapters/inject/inject-request.ts'
import { withInternals, withRouteMap, type AppInternals, type Start } from '../adapters/internals.ts'
import { Application } from './application.ts'
import { printTable, toRouteList, type RouteEntry } from './route-list.ts'
import type { AppOptions } from '../options/app-options.ts'
import type { NamedVersions } from '../options/versioning.ts'
import type { VersionInfo } from '../routing/report/versions.ts'
import { checkOptionNames, recordLocation } from '../../base/definition-error.ts'

/** The parameters of a route that has none. Options in their place are refused with their right place. */
export interface NoParams {
  /** None: options are the third argument. */
  readonly query?: 'options come third: urlFor(name, {}, { query })'
}

/** The arguments of `urlFor` after the name: parameters are optional where the route has none. */
export type UrlForArguments<P> = object extends P
  ? [params?: NoParams, options?: UrlOptions]
  : [params: P, options?: UrlOptions]

/** An application that `fetch` and `inject` reach, on any platform. */
export interface EdgeApp<M = unknown, F = unknown, V = unknown, I = unknown> {
  /** For types alone: what `createClient` knows of the application. */
  readonly [TYPES]?: AppTypes<M, F, V, I>
  /**
   * Enables versioning. Call it before the first request. A second call replaces the first. A list of schemes, each with its own options, is for several ways at once: all are read, and different versions are an error.
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
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- so editors complete the members of the options alone
  inject<U extends URL>(request: U): Promise<InjectResponse>
  inject(request: string | InjectOptions): Promise<InjectResponse>
  /**
   * Answers web requests, for servers and tools that speak the Fetch standard: `export default { fetch: app.fetch }`. Read or cancel
   * the body of every response: its request is under way until then. Of several field lines of one name, a `Request` has one.
   *
   * @example
   * const response = await app.fetch(new Request('https://api.example.com/car/7'), { remoteAddress: '203.0.113.7' })
   * response.status // → 200
   */
  readonly fetch: FetchHandler
  /** Stops accepting, finishes requests under way within the grace time, then refuses all others. Idempotent. */
  close(): Promise<void>
  /**
   * Returns the path of a route by its name, with its parameters percent-encoded: in the default version, or in the newest that has it.
   *
   * @throws `RangeError` for names that do not exist, `TypeError` for parameters that are missing or do not fit.
   */
  urlFor<const K extends RouteNames<M>>(name: K, ...rest: UrlForArguments<RouteParams<M, K>>): string
  /** Resolves a token, as the root module sees it, and makes the application ready. */
  resolve<T>(token: Token<T>): Promise<T>
  /** Returns every route as data. */
  routes(): readonly RouteEntry[]
  /** Returns every route as a tree. */
  printRoutes(): string
  /**
   * Returns every known version with its routes, oldest first, in its current state. Empty without versioning.
   *
   * @example
   * app.versions().filter(({ status }) => status === 'deprecated').map(({ version }) => version) // → ['1']
   *
   * @throws `DefinitionError` for mistakes that depend on versioning.
   */
  versions(): readonly VersionInfo[]
  /**
   * Returns the OpenAPI document of a version, or of all versions without one and for `'all'`. Call it after `ready()`. It returns the
   * same object as long as the document does not change.
   *
   * @example
   * await app.ready()
   * await writeFile('openapi.json', JSON.stringify(app.openapi({ version: '2' })))
   *
   * @throws `RangeError` for a version that does not exist, `DefinitionError` for what cannot be documented, `Error` before `ready()`.
   */
  openapi(options?: {
    /** A version, or `'all'`. @default 'all' */
    readonly version?: string
  }): OpenApiDocument
}

/**
 * Creates an application from its root module, for platforms that call `app.fetch`. It loads without the modules of Node.
 *
 * @example
 * const app = createEdgeApp(AppModule)
 * export default { fetch: app.fetch }
 *
 * @throws `DefinitionError` with every mistake in the definitions that does not depend on versioning.
 */
export function createEdgeApp<
  M extends Module<unknown, unknown>,
  O extends object = object,
  const S extends readonly object[] = readonly object[],
  F = undefined,
  const D extends string | null = never,
  const L extends string = never,
  H = undefined,
  const I extends readonly Interceptor[] = readonly [],
>(module: M, options: AppOptions<O, S, F, D, L, H, I> = {}): EdgeApp<M, F, NamedVersions<O, D, L, H>, I> {
  return toApp(new Application(module, recordLocation({ ...options }, createEdgeApp)), {})
}

/** Composes an application: the members that every platform has, and `more`. `load` loads what `more` needs. */
export function toApp<M, F, V, I, P extends object>(
  application: Application,
  more: P,
  load?: () => Promise<unknown>,
): EdgeApp<M, F, V, I> & P {
  const { settings, lifecycle, documents } = application
  const internals = toInternals(application)
  const { start: enter } = internals
  const enableVersioning: EdgeApp['enableVersioning'] = (given, common) =>
    void recordLocation(application.enableVersioning(given, common), enableVersioning)
  const app: EdgeApp<M, F, V, I> & P = {
    ...more,
    enableVersioning,
    ready: async () => {
      await enter()
      await application.preload()
      await loadStreams()
      await load?.()
      await documents.load()
    },
    inject: createInject(internals, lifecycle.trackWork),
    fetch: withRouteMap(createFetch(enter, settings), internals),
    close: () => lifecycle.close(settings.timeouts.grace),
    urlFor: (name, ...[params, urlOptions = {}]) =>
      application.compiled().urlFor(name, { ...params }, urlOptions),
    resolve: async (token) => {
      await enter()
      // a token carries the type of what it supplies
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return application.resolve(token) as Promise<never>
    },
    routes: () => toRouteList(application.routes()),
    printRoutes: () => printTable(application.routes(), settings),
    versions: () => application.compiled().versions(),
    openapi: (asked = {}) => {
      checkOptionNames('openapi', asked, OPENAPI_OPTIONS)
      return documents.loaded().document(asked.version)
    },
  }
  application.app = app
  return withInternals(app, internals)
}

const OPENAPI_OPTIONS: ReadonlySet<string> = new Set(['version'])

/** @throws `Error` if the application is closed. */
export function failIfClosed({ lifecycle }: Application): void {
  if (lifecycle.isClosing()) throw new Error('The application is closed')
}

function toInternals(application: Application): AppInternals {
  const { settings, documents } = application
  const enter: Start = () => {
    failIfClosed(application)
    return application.opened() ?? application.open()
  }
  const mapOf = async (which: 'all' | 'shown', ...asked: Parameters<VisibleRoutes>): Promise<RouteMap> => {
    const map = await (await documents.get()).routeMap(...asked, which)
    if (map !== undefined) return map
    const versions = application.compiled().table.known.list.join(', ') || 'none'
    throw new RangeError(`There is no version "${asked[0] ?? ''}"; there are ${versions}`)
  }
  return {
    start: enter,
    settings,
    visibleRoutes: async (...asked) => {
      await enter()
      return mapOf('all', ...asked)
    },
    routeMap: async (...asked) => mapOf('shown', ...asked),
    routes: () => application.routes(),
    answering: () => application.compiled().table.lifetimes.answering(),
    contract: (version) => documents.loaded().contract(version),
    prepare: () => application.prepare(),
    versioning: () => application.versioning(),
    log: settings.log,
    allows: async (...asked) => (await loadAllows()).allows(application.compiled(), ...asked),
  }
}

const loadAllows = /* @__PURE__ */ once(() => importInTurn(() => import('./allows.ts')))

/** The code behind `inject` is loaded at the first call, which the application does not close before. */
function createInject(
  { start: enter, settings, versioning }: AppInternals,
  trackWork: () => () => void,
): EdgeApp['inject'] {
  let loaded: Awaited<ReturnType<typeof load>> | undefined
  const load = once(() => importInTurn(() => import('../adapters/inject/index.ts')))
  return async (given: string | URL | InjectOptions | InjectStreamOptions): Promise<never> => {
    const entered = enter()
    const release = loaded === undefined ? trackWork() : undefined
    try {
      const { dispatch } = isPromise(entered) ? await entered : entered
      const { inject, injectStream, toInjectOptions, toInjectRequest } = (loaded ??= await load())
      const options = toInjectOptions(given)
      const made = toInjectRequest(options, versioning(), settings.prefix.at)
      const request = isPromise(made) ? await made : made
      // which of the two it is, is what the overloads of `inject` say
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return (
        options.stream === true
          ? injectStream(dispatch, request, settings)
          : inject(dispatch, request, settings)
      ) as Promise<never>
    } finally {
      release?.()
    }
  }
}
