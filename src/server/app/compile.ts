import type { Container } from '../container/container.ts'
import type { FlatRoute } from '../../routes/flat-route.ts'
import { codeOfOuterLayers } from '../../routes/layer-stack.ts'
import { codeOf } from '../../routes/history.ts'
import type { Sessions } from '../session/sessions.ts'
import type { VersionHistory } from '../../versioning/options.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import { createAllowedMethods, createDispatch } from '../dispatch.ts'
import type { Dispatch, DispatchParts } from '../dispatch.ts'
import type { AppServices } from '../pipeline/context.ts'
import { createEndpoints } from '../pipeline/endpoint.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Settings } from '../options/settings.ts'
import { recoverUnhandled } from '../pipeline/recover.ts'
import { createObserver } from '../logging/channels.ts'
import type { OptionalCode } from './optional-code.ts'
import type { Structure } from './read-definitions.ts'
import type { Table, TableMode } from '../routing/table/table.ts'
import { createUrlFor } from '../routing/table/url-for.ts'
import type { UrlFor } from '../routing/table/url-for.ts'
import type { Routed, Routing, PreviewedRoutes } from '../routing/versioned/routing.ts'

/** An application, built: nothing in it changes any more. */
export interface Compiled {
  readonly table: Table
  readonly dispatch: Dispatch
  readonly urlFor: UrlFor
  readonly services: AppServices
  /** The routes as clients see them who ask for previews, or `undefined` if there are none. */
  readonly show: ((names: readonly string[]) => PreviewedRoutes) | undefined
}

/** What an application is compiled from. */
export interface Materials {
  readonly structure: Structure
  readonly settings: Settings
  readonly code: Pick<OptionalCode, 'options' | 'routes'>
  readonly versioning: Versioning | undefined
  readonly routing: Routing
  readonly container: Container
  /** Loaded when the application starts, or `undefined` without the option. */
  readonly sessions: () => Sessions | undefined
  readonly trackWork: Lifecycle['trackWork']
  readonly whenClosing: Lifecycle['whenClosing']
}

/** What requests ask a history. */
type Past = Pick<AppServices, 'isSince' | 'migrate'>

/** What requests ask a history; without one, it throws. */
function createPast(history: VersionHistory | undefined): Past {
  return {
    isSince: (change, version) => {
      if (history === undefined) return refuse()
      return version === null || history.isSince(change, version)
    },
    migrate: codeOf(history)?.migrate ?? refuse,
  }
}

function refuse(): never {
  throw new RangeError('The application has no history of versions')
}

/** Builds everything that requests need. @throws `DefinitionError` with every mistake that depends on versioning. */
export function compile(materials: Materials): Compiled {
  const { structure, settings, versioning, routing, code } = materials
  const shared = toShared(materials)
  const plain = toRouted(
    routing.writeOut(structure.routes, versioning),
    materials,
    shared,
    createPast(versioning?.history),
  )
  const { table, services } = plain
  if (settings.health !== undefined) code.options.get()?.checkHealth(settings.health, table, versioning)
  const previews =
    versioning &&
    routing.createPreviews?.(versioning, plain, (names, { expand, has, migrate }) =>
      toRouted(
        routing.writeOut(structure.routes, versioning, expand),
        materials,
        { ...shared, previews: names },
        { isSince: (change, version) => has(change) || services.isSince(change, version), migrate },
      ),
    )
  const { locate, miss, reporter } = previews ?? plain
  const { client } = settings
  const parts = {
    open: client && code.options.get()?.createNamedOpen(client, services),
    locate,
    miss,
    reporter,
    cors: { reporting: routing.reportingHeaders(versioning), carrying: versioning?.vary ?? [] },
    redirects: settings.trailingSlash === 'redirect',
    settings,
    ...createOuterLayers(settings, code),
  }
  return {
    table,
    urlFor: services.urlFor,
    dispatch: createDispatch(parts, services),
    services,
    show: previews?.show,
  }
}

/** What stands around all requests, those that no route answers included. */
function createOuterLayers(
  { layers, validateResponses, errorFormat }: Settings,
  { routes }: Materials['code'],
): Pick<DispatchParts, 'recover' | 'middleware'> {
  const code = codeOfOuterLayers(layers, routes)
  if (code === undefined) return { recover: recoverUnhandled, middleware: undefined }
  const { errorHandlers = [], middleware = [] } = layers
  const recover = code.createRecover(errorHandlers, {
    label: 'The application',
    responses: new Map(),
    isChecked: validateResponses !== false,
    format: errorFormat,
  })
  return { recover, middleware: code.createMiddleware(middleware, recover) }
}

/** What requests need, whatever their routes are. */
type Shared = Omit<AppServices, 'allowedMethods' | 'urlFor' | 'call' | keyof Past>

function toShared(materials: Materials): Shared {
  const { structure, settings, versioning, container } = materials
  // by segments: those of the prefix may be percent-encoded in the path
  const depth = settings.prefix.path.split('/').length
  const versionAt = (path: string): number => (settings.prefix.at(path) === '' ? 1 : depth)
  const { sessions, trackWork, whenClosing } = materials
  return {
    settings,
    versionFree: (path) => path.split('/').toSpliced(versionAt(path), 1).join('/') || '/',
    versionSegment: (path) => path.split('/')[versionAt(path)],
    versioning,
    container,
    sessions,
    previews: [],
    root: structure.root,
    observer: createObserver(
      settings.log,
      settings.logsRequests,
      versioning?.path === undefined ? undefined : versionAt,
    ),
    trackWork,
    whenClosing,
  }
}

/** Compiles routes, with everything that finds them. */
function toRouted(
  written: readonly FlatRoute[],
  { settings, versioning, routing, container, code }: Materials,
  shared: Shared,
  past: Past,
): Routed {
  const routes = settings.telemetry?.routes?.(written) ?? written
  const mode: TableMode = {
    strict: settings.trailingSlash === 'strict',
    prefix: settings.prefix,
    toSplit: (parts) => code.routes.get()?.toSplit(parts),
  }
  const hidden = versioning?.hidden ?? []
  const migrating = routing.createMigrating(routes, versioning, shared.previews, settings)
  const endpointSite = { settings, container, code, hidden, migrating }
  const rows = routes.map((route) => ({ route, endpoints: createEndpoints(route, endpointSite) }))
  const table = routing.createTable(rows, versioning, mode)
  const locate = routing.createLocate(table, versioning, mode)
  const miss = routing.createMiss(table, versioning, mode)
  let call: AppServices['call'] | undefined
  return {
    table,
    locate,
    miss,
    reporter: routing.createReporter(table, versioning, mode),
    services: {
      ...shared,
      ...past,
      call: async (...asked) => {
        const { createCall } = await import('./call.ts')
        call ??= createCall(table, container)
        return call(...asked)
      },
      allowedMethods: createAllowedMethods(locate, miss, settings),
      urlFor: createUrlFor(table, routing.createChooseLink(table, versioning)),
    },
  }
}
