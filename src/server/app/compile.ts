import type { ErrorFormat } from '../../define/error-format.ts'
import { importInTurn, once } from '../../base/values.ts'
import { historyCodeOf, type ResolvedRoute, type ExpandRoutes } from '../../routes/resolved-route.ts'
import { hasOuterLayers } from '../../routes/modules.ts'
import { DefinitionError, atDefinition, type DefinitionProblem } from '../../base/definition-error.ts'
import { findUsed } from '../container/graph.ts'
import type { VersionHistory } from '../../versioning/options.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import { createAllowedMethods, type DispatchParts } from '../dispatch.ts'
import type { Observer } from '../../define/observer.ts'
import { createRequestLog } from '../logging/request-log.ts'
import type { AppServices } from '../pipeline/context.ts'
import { createEndpoints } from '../pipeline/endpoint.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Settings } from '../options/settings.ts'
import { recoverUnhandled, createMiddleware, createRecover, type Recover } from '../pipeline/middleware.ts'
import { createNamedOpen } from '../pipeline/named-context.ts'
import { checkHealthPaths } from '../routing/table/checks/health.ts'
import type { AppDefinitions } from './read-definitions.ts'
import type { RuntimeServices } from './runtime-services.ts'
import type { Table, TableMode } from '../routing/table/table.ts'
import { createToOwnPath, createUrlFor, type UrlFor } from '../routing/table/url-for.ts'
import { createVersionTable } from '../routing/table/version-table.ts'
import { createVersionLocate, createVersionMiss } from '../routing/lookup/locate-version.ts'
import { reportingHeaders } from '../routing/report/headers.ts'
import { createVersionReporter } from '../routing/report/reporter.ts'
import { toVersionList, type VersionInfo } from '../routing/report/versions.ts'
import { createSuffixOf } from '../routing/versioned/tags.ts'
import { createKnown, declaredVersions } from '../../versioning/version.ts'

/** An application, built: nothing in it changes any more. */
export interface Compiled {
  readonly table: Table
  readonly urlFor: UrlFor
  /** The inputs for the dispatcher. */
  readonly parts: DispatchParts
  /** The observers of requests, without observers that open when the application starts. */
  readonly observers: readonly Observer[]
  /** The known versions as data. */
  readonly versions: () => readonly VersionInfo[]
}

/** The parts that routes are compiled with. */
interface CompileInput {
  readonly settings: Settings
  readonly lifecycle: Pick<Lifecycle, 'trackWork' | 'whenClosing'>
  readonly versioning: Versioning | undefined
  readonly runtime: RuntimeServices
}

type HistoryServices = Pick<AppServices, 'isSince' | 'migrate' | 'errorsBefore'>

/** Returns the functions of a history for requests; without one, they throw. */
function createHistoryServices(
  history: VersionHistory | undefined,
  format: ErrorFormat | undefined,
): HistoryServices {
  return {
    isSince: (change, version) => {
      if (history === undefined) return failWithoutHistory()
      return version === null || history.isSince(change, version)
    },
    migrate: historyCodeOf(history)?.migrate ?? failWithoutHistory,
    errorsBefore: historyCodeOf(history)?.errorsBefore(format?.schema),
  }
}

function failWithoutHistory(): never {
  throw new RangeError('The application has no history of versions')
}

/** The mistakes in changes that depend on the tokens and webhooks of an application. */
function historyProblems(
  definitions: AppDefinitions,
  { settings, versioning }: CompileInput,
): readonly DefinitionProblem[] {
  const code = historyCodeOf(versioning?.history)
  if (code === undefined) return []
  const { webhooks = [] } = settings.docs || {}
  const uses = code.uses.flatMap((use) => {
    const found = findUsed(
      { ...use, module: definitions.root },
      definitions.modules,
      definitions.connected.graph,
    )
    return 'problem' in found ? [atDefinition(found.problem, use.part)] : []
  })
  return [...uses, ...code.webhookProblems(webhooks.map(({ name }) => name))]
}

/** Compiles everything that requests need. @throws `DefinitionError` with every mistake that depends on versioning. */
export function compileApp(definitions: AppDefinitions, input: CompileInput): Compiled {
  const { settings, versioning } = input
  const problems = historyProblems(definitions, input)
  if (problems.length > 0) throw new DefinitionError(problems)
  const outer = createOuterLayers(settings)
  const versionAt = createVersionAt(settings)
  const shared = {
    ...toShared(definitions, input, versionAt),
    ...createHistoryServices(versioning?.history, settings.errorFormat),
  }
  const { table, locate, miss, reporter, services } = toRouted(definitions, input, shared, outer.recover)
  const { live, ready } = settings.health ?? {}
  checkHealthPaths([live ?? [], ready ?? []].flat(), table, versioning)
  const { client } = settings
  const parts = {
    services,
    open: client && createNamedOpen(client, services),
    locate,
    miss,
    reporter,
    cors: { reporting: reportingHeaders(versioning), carrying: versioning?.vary ?? [] },
    redirects: settings.trailingSlash === 'redirect',
    settings,
    ...outer,
  }
  return {
    table,
    urlFor: services.urlFor,
    parts,
    observers: createObservers(settings, versioning?.path && versionAt),
    versions: () => toVersionList(table, versioning),
  }
}

/** Creates the layers around all requests, those that no route answers included. */
function createOuterLayers({
  layers,
  validateResponses,
  errorFormat,
}: Pick<Settings, 'layers' | 'validateResponses' | 'errorFormat'>): Pick<
  DispatchParts,
  'recover' | 'middleware'
> {
  if (!hasOuterLayers(layers)) return { recover: recoverUnhandled, middleware: undefined }
  const { errorHandlers = [], middleware = [] } = layers
  const recover = createRecover(errorHandlers, {
    label: 'The application',
    responses: new Map(),
    isChecked: validateResponses !== false,
    format: errorFormat,
  })
  return { recover, middleware: createMiddleware(middleware, recover) }
}

/** A path without one of its segments, of which the first is 1. */
function withoutSegment(path: string, nth: number): string {
  let start = 0
  for (let at = 1; at < nth && start !== -1; at++) start = path.indexOf('/', start + 1)
  if (start === -1) return path
  const end = path.indexOf('/', start + 1)
  return path.slice(0, start) + (end === -1 ? '' : path.slice(end)) || '/'
}

/** Returns the place of the path segment that may contain a version. */
type FindVersionSegment = (path: string) => number

function createVersionAt({ prefix }: Pick<Settings, 'prefix'>): FindVersionSegment {
  // by segments: those of the prefix may be percent-encoded in the path
  const depth = prefix.path.split('/').length
  return (path) => (prefix.at(path) === '' ? 1 : depth)
}

/** Creates what observes requests by the options of the application. */
function createObservers(
  { log, logsRequests, telemetry }: Pick<Settings, 'log' | 'logsRequests' | 'telemetry'>,
  versionAt: FindVersionSegment | undefined,
): readonly Observer[] {
  return [
    ...(logsRequests ? [createRequestLog(log, versionAt)] : []),
    ...(telemetry === undefined ? [] : [{ ...telemetry.observer, run: telemetry.request.bind(telemetry) }]),
  ]
}

/** The services for requests, whatever their routes are. */
type SharedServices = Omit<
  AppServices,
  'allowedMethods' | 'urlFor' | 'toOwnPath' | 'call' | keyof HistoryServices
>

function toShared(
  { container, root }: AppDefinitions,
  { settings, lifecycle, versioning, runtime }: CompileInput,
  versionAt: FindVersionSegment,
): SharedServices {
  const { trackWork, whenClosing } = lifecycle
  return {
    settings,
    versionFree: (path) => withoutSegment(path, versionAt(path)),
    versionSegment: (path) => path.split('/')[versionAt(path)],
    versioning,
    container,
    sessions: () => runtime.sessions,
    root,
    tracksChanges: settings.usage !== undefined || settings.telemetry !== undefined,
    trackWork,
    whenClosing,
  }
}

/** Routes that can be found. */
interface Routed {
  readonly table: Table
  readonly locate: ReturnType<typeof createVersionLocate>
  readonly miss: ReturnType<typeof createVersionMiss>
  readonly reporter: ReturnType<typeof createVersionReporter>
  readonly services: AppServices
}

/** Compiles routes, with everything that finds them. */
function toRouted(
  { routes: given, container }: AppDefinitions,
  { settings, versioning }: CompileInput,
  shared: SharedServices & HistoryServices,
  recover: Recover,
): Routed {
  const written = versionRoutes(given, versioning, settings.errorFormat)
  const routes = settings.telemetry?.routes?.(written) ?? written
  const mode: TableMode = {
    strict: settings.trailingSlash === 'strict',
    prefix: settings.prefix,
  }
  const hidden = versioning?.hidden ?? []
  const suffixOf = versioning === undefined ? () => undefined : createSuffixOf(routes, versioning)
  const endpointSite = { settings, container, hidden, suffixOf, recover }
  const rows = routes.map((route) => ({ route, endpoints: createEndpoints(route, endpointSite) }))
  const table = createVersionTable(rows, versioning, mode)
  const locate = createVersionLocate(table, versioning, mode)
  const miss = createVersionMiss(table, versioning, mode)
  let call: AppServices['call'] | undefined
  return {
    table,
    locate,
    miss,
    reporter: createVersionReporter(table, versioning, mode),
    services: {
      ...shared,
      call: async (...asked) => {
        call ??= (await loadCall()).createCallByName(table, container)
        return call(...asked)
      },
      allowedMethods: createAllowedMethods(locate, miss, settings),
      urlFor: createUrlFor(table, versioning),
      toOwnPath: createToOwnPath(table, versioning, settings),
    },
  }
}

/** The routes of every version: with a history, those that changes reach once for each state that they had. */
function versionRoutes(
  routes: readonly ResolvedRoute[],
  versioning: Versioning | undefined,
  format: ErrorFormat | undefined,
  expand: ExpandRoutes | undefined = historyCodeOf(versioning?.history)?.expand,
): readonly ResolvedRoute[] {
  if (versioning === undefined || expand === undefined) return routes
  const knownOf: Parameters<ExpandRoutes>[1] = (own) =>
    createKnown(versioning, declaredVersions(own.map(({ version }) => version)))
  return expand(routes, knownOf, format?.schema)
}

/** Loads what `context.call` needs: when the application is ready, or with the first call. */
export const loadCall = /* @__PURE__ */ once(() => importInTurn(() => import('./call.ts')))
