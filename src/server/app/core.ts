import type { DefinitionProblem, DefinitionWarning } from '../../base/definition-error.ts'
import type { FlatRoute } from '../../routes/flat-route.ts'
import type { SettledModules } from '../../routes/modules.ts'
import type { Token } from '../../define/token.ts'
import { once } from '../../base/async.ts'
import type { Awaitable } from '../../base/async.ts'
import type { FinishedResponse, RawRequest } from '../../http/http.ts'
import { loadZod } from '../../schema/schema.ts'
import type { Sessions } from '../session/sessions.ts'
import type { VersionHistory, VersioningOptions } from '../../versioning/options.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import type { Opened } from '../dispatch.ts'
import { createLazyDocuments } from '../docs/lazy-documents.ts'
import type { LazyDocuments } from '../docs/lazy-documents.ts'
import type { Health } from '../services/health.ts'
import { loadValidation } from '../pipeline/validation/load.ts'
import { openChannels } from '../logging/channels.ts'
import { openConsole } from '../logging/outputs.ts'
import type { OpenOutputs } from '../logging/outputs.ts'
import { appOptionProblems, hasRareOptions } from '../options/app-options.ts'
import type { AnyAppOptions } from '../options/app-options.ts'
import { toSettings } from '../options/settings.ts'
import type { Settings } from '../options/settings.ts'
import { compile } from './compile.ts'
import type { Compiled } from './compile.ts'
import { createDefinitions } from './definitions.ts'
import type { Parts } from './definitions.ts'
import { createLateCode } from './late-code.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { OptionalCode } from './optional-code.ts'
import { definitionsAt, readStructure } from './read-definitions.ts'
import type { Structure } from './read-definitions.ts'
import { openSettings, startApp } from './start.ts'
import { atDefinition, attempt, placed, withPlaces } from '../../base/source-location.ts'
import { createEnabledVersioning } from './enabled-versioning.ts'
import type { Make } from './enabled-versioning.ts'
import type { Usage } from '../services/usage/usage.ts'
import type { VersionInfo } from '../routing/report/versions.ts'

/** An application without the ways into it. */
export interface Core {
  readonly settings: Settings
  readonly routes: () => readonly FlatRoute[]
  readonly lifecycle: Lifecycle
  readonly enableVersioning: (given: object, options?: VersioningOptions) => void
  readonly versioning: () => Versioning | undefined
  /** The known versions as data. */
  readonly versions: () => readonly VersionInfo[]
  /** Compiles the routes; versioning may still change. */
  readonly build: () => Compiled
  /** Compiles the routes for good and starts everything. */
  readonly open: () => Promise<Opened>
  /** What `open` resolved to; `undefined` before. */
  readonly opened: () => Opened | undefined
  /** Resolves a token, as the root module sees it. */
  readonly resolve: (token: Token<unknown>) => Promise<unknown>
  readonly documents: LazyDocuments
  /** Answers a request for a health path, even before the application has started, or `undefined` for any other. */
  readonly answerHealth: (
    request: Pick<RawRequest, 'method' | 'target'>,
  ) => Awaitable<FinishedResponse | undefined>
  /** What prints the routes. */
  readonly routeCode: OptionalCode['routes']
  /** Waits for promised modules and loads what documents need; nothing is started. */
  readonly prepare: () => Promise<void>
}

/** What differs between platforms. */
export interface Platform {
  /** Opens what the default logger writes to. */
  readonly openOutputs: OpenOutputs
  /** The code for what only some applications have. */
  readonly code: OptionalCode
}

/** What every platform has. */
const toAnywhere = (): Platform => ({ openOutputs: openConsole, code: createLateCode() })

/** Reads the definitions of an application. Routes are compiled once versioning is settled; providers start with the first request. */
export function createCore(module: unknown, options: AnyAppOptions, platform: Platform = toAnywhere()): Core {
  const { code } = platform
  const { settings, mistakes } = readOptions(options, platform)
  const lifecycle = createLifecycle()
  let structure: Structure | undefined
  // what cannot be used is refused with the other mistakes
  const versions = createEnabledVersioning(mistakes().length > 0 ? undefined : options.versioning, code)
  const findDefinitions = createFinder(options, () => ({ structure, enabled: versions.enabled() }))
  const refuse = createRefusal(findDefinitions)
  const documents = createLazyDocuments(() => {
    const { modules } = definitions.complete().structure
    return { ...build(), versioning: versions.current(), modules, settings }
  }, refuse)
  const read = (settled: SettledModules): Structure =>
    attempt(() => {
      return (structure = readStructure(module, { settings, settled, mistakes: mistakes(), documents, code }))
    }, refuse)
  const definitions = createDefinitions(read, settings, code)
  const loadHealth = createHealthLoader(settings, lifecycle, definitions.resolve)
  const channels = openChannels()
  let sessions: Sessions | undefined
  let opening: Promise<Opened> | undefined
  let opened: Opened | undefined
  const make: Make = (enabled) =>
    compile({ ...definitions.complete(), ...lifecycle, settings, code, sessions: () => sessions, ...enabled })
  const build = (): Compiled => attempt(() => versions.compiled(make), refuse)
  const settle = async (): Promise<Parts> => versions.loadFor(await definitions.settle())
  const start = async (): Promise<Opened> => {
    const [parts] = await Promise.all([settle(), channels])
    const { dispatch, services, table } = build()
    const [health] = await Promise.all([loadHealth?.(), loadWanted(table, settings, findDefinitions)])
    sessions = await loadSessions(settings)
    definitions.configure(await openSettings(parts.structure, settings))
    const stop = await startApp(parts, settings, build)
    const usage = await loadUsage(settings, versions.current()?.history, table)
    lifecycle.atEnd(() => (usage?.close(stop) ?? stop()).finally(() => closeRest(settings, sessions)))
    const observed = usage?.wrap(dispatch) ?? dispatch
    return (opened = { dispatch: lifecycle.counted(health?.wrap(observed, services) ?? observed) })
  }
  const enableVersioning: Core['enableVersioning'] = (given, common) => {
    if (opening !== undefined) throw new Error(TOO_LATE)
    placed(versions.enable(given, common), enableVersioning)
  }
  return {
    settings,
    lifecycle,
    resolve: definitions.resolve,
    documents,
    answerHealth: async (request) => (await loadHealth?.())?.answer(request),
    routes: () => definitions.complete().structure.routes,
    build,
    versioning: versions.current,
    versions: () => versions.list(build().table),
    enableVersioning,
    open: () => (opening ??= start().catch(refuse).finally(lifecycle.trackWork())),
    opened: () => opened,
    routeCode: code.routes,
    prepare: () => settle().then(() => documents.load()),
  }
}

/** The options of an application, read. */
interface ReadOptions {
  readonly settings: Settings
  /** What cannot be used, as far as the code for it is loaded. */
  readonly mistakes: () => readonly DefinitionProblem[]
}

function readOptions(options: AnyAppOptions, { openOutputs, code }: Platform): ReadOptions {
  const own = appOptionProblems(options)
  const find = (): readonly DefinitionProblem[] => {
    const rare = hasRareOptions(options) ? code.options.get() : undefined
    return [...own, ...(rare?.rareOptionProblems(options) ?? [])]
  }
  let mistakes = find()
  const isUnsure = code.options.isMissing()
  return {
    settings: toSettings(mistakes.length > 0 ? {} : options, {
      openOutputs,
      errorWriter: () => code.options.get()?.createErrorWriter,
    }),
    mistakes: () => {
      if (isUnsure) mistakes = find()
      return mistakes
    },
  }
}

const TOO_LATE = 'enableVersioning: call it before the first request'

/** Finds the definitions that a problem or warning is about, the nearest first. */
type FindDefinitions = (
  problem: Pick<DefinitionProblem | DefinitionWarning, 'code' | 'where'>,
) => readonly (object | undefined)[]

/** Creates the function that finds definitions. What is about no definition is about the options. */
function createFinder(
  options: object,
  parts: () => {
    readonly structure: Structure | undefined
    readonly enabled: object | undefined
  },
): FindDefinitions {
  return ({ code, where }) => {
    // what a setting holds was not written in a definition
    if (code === 'invalid_config') return []
    const { structure, enabled } = parts()
    const named = structure === undefined ? [] : definitionsAt(where, structure)
    return [...named, where.startsWith('enableVersioning') ? enabled : undefined, options]
  }
}

/** Creates the function that throws an error with the places of definitions. */
function createRefusal(findDefinitions: FindDefinitions): (error: unknown) => never {
  return (error) => {
    throw withPlaces(error, findDefinitions)
  }
}

async function logWarnings(
  { findWarnings }: Compiled['table'],
  { log }: Settings,
  findDefinitions: FindDefinitions,
): Promise<void> {
  for (const warning of await findWarnings())
    log.warn(atDefinition(warning, ...findDefinitions(warning)), 'A definition deserves a look')
}

async function closeRest({ telemetry }: Settings, sessions: Sessions | undefined): Promise<void> {
  await Promise.all([sessions?.close(), telemetry?.flush?.()])
}

/** Loads the answers to health probes once, or `undefined` without the option. */
function createHealthLoader(
  { health, log, writeError }: Settings,
  { isReady }: Lifecycle,
  resolve: Core['resolve'],
): (() => Promise<Health>) | undefined {
  if (health === undefined) return undefined
  return once(async () => {
    const { createHealth } = await import('../services/health.ts')
    return createHealth(health, { isReady, resolve, logger: log, writeError })
  })
}

/** Loads the code that some route wants, and has a look at the page and the versions. */
async function loadWanted(
  table: Compiled['table'],
  settings: Settings,
  findDefinitions: FindDefinitions,
): Promise<void> {
  const loaded = [loadZod(), loadValidation()]
  await Promise.all([...loaded, checkPage(settings), logWarnings(table, settings, findDefinitions)])
}

async function loadSessions({ session, log }: Settings): Promise<Sessions | undefined> {
  if (session === undefined) return undefined
  const { createSessions } = await import('../session/sessions.ts')
  return createSessions(session, log)
}

async function loadUsage(
  { usage, log }: Settings,
  history: VersionHistory | undefined,
  { shapes }: Compiled['table'],
): Promise<Usage | undefined> {
  return usage && (await import('../services/usage/usage.ts')).createUsage(usage, log, history, shapes)
}

/** @throws `DefinitionError` if the page that the options ask for cannot be shown. */
async function checkPage({ docs }: Settings): Promise<void> {
  if (!docs || typeof docs.ui !== 'string') return
  const { checkViewer } = await import('../docs/viewers.ts')
  checkViewer(docs.ui)
}
