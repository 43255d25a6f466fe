import { loadLossCheck } from '../../define/json-text.ts'
import { ignoreFailure, once, isObject, importInTurn } from '../../base/values.ts'
import {
  orFail,
  withLocations,
  atDefinition,
  DefinitionError,
  invalidOption,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import { Config, type Token } from '../../define/context.ts'
import type { FinishedResponse, RawRequest } from '../../http/http.ts'
import { collectModules, type ModuleTree, type ModuleNode } from '../../routes/modules.ts'
import type { VersioningOptions, VersioningPlace } from '../../versioning/options.ts'
import { toVersioning, type Versioning } from '../../versioning/versioning.ts'
import { createObserverSource } from '../../define/observer.ts'
import { createDispatch, type RunningApp } from '../dispatch.ts'
import type { DocumentSource } from '../docs/documented.ts'
import { createLazyDocuments, type LazyDocuments, type DocsExtras } from '../docs/lazy-documents.ts'
import { channelObserver, openChannels } from '../logging/channels.ts'
import { openConsole, type OpenOutputs } from '../logging/outputs.ts'
import { appOptionProblems, type AnyAppOptions } from '../options/app-options.ts'
import { toSettings, type Settings } from '../options/settings.ts'
import type { AnswerHealth } from '../services/health.ts'
import { compileApp, loadCall, type Compiled } from './compile.ts'
import { loadParts, preload } from './preload.ts'
import { createLifecycle, type Lifecycle } from './lifecycle.ts'
import {
  definitionsAt,
  readAppDefinitions,
  settleModules,
  type AppDefinitions,
  type FindDefinitions,
} from './read-definitions.ts'
import { NOT_STARTED, type RuntimeServices } from './runtime-services.ts'
import { withOthers } from '../container/connected.ts'
import type { StartedApp } from '../../define/module.ts'
import { readVariable } from '../../base/platform.ts'
import type { ConfigValues } from '../pipeline/built-ins.ts'
import { loadZod } from '../../schema/schema.ts'
import type { UrlFor } from '../routing/table/url-for.ts'
import type { Table } from '../routing/table/table.ts'
import type { Usage } from '../services/usage/usage.ts'
import type { Sessions } from '../session/sessions.ts'
import { isScheme, type SchemeUse } from '../../versioning/schemes/scheme.ts'
import type { AnyVersioning } from '../options/versioning.ts'

const TOO_LATE = 'enableVersioning: call it before the first request'
const NOT_IMPORTED = 'An imported module is still a promise: call await app.ready() first'

/** The parts that differ between Node and the platforms that call `app.fetch`. */
interface AppPlatform extends DocsExtras {
  readonly openOutputs: OpenOutputs
  /** Loads what answers with files. */
  readonly loadFiles?: () => Promise<unknown>
}

/**
 * An application without the ways into it. It takes four steps: `settleModules` awaits promised modules, `readAppDefinitions` reads them with every mistake,
 * `compileApp` makes what finds and answers requests, and `start` opens the rest. The first two are taken at once unless a module is a promise.
 */
export class Application {
  readonly settings: Settings
  readonly lifecycle = createLifecycle()
  readonly documents: LazyDocuments
  /** The application as its users have it, for definitions that ask for it. */
  app: object = this
  readonly #options: AnyAppOptions
  readonly #loadFiles: AppPlatform['loadFiles']
  readonly #problems: readonly DefinitionProblem[]
  /** Holds what `start` opens, for the requests that come after it. */
  readonly #runtime: RuntimeServices = { ...NOT_STARTED }
  readonly #load: () => Promise<AppDefinitions>
  readonly #channels = openChannels()
  #definitions: AppDefinitions | undefined
  #versioning: Versioning | undefined
  #compiled: Compiled | undefined
  #opening: Promise<RunningApp> | undefined
  #opened: RunningApp | undefined

  /** @throws `DefinitionError` with every mistake that does not depend on versioning or promised modules. */
  constructor(
    module: unknown,
    options: AnyAppOptions,
    { openOutputs, loadFiles, ...extras }: AppPlatform = { openOutputs: openConsole },
  ) {
    this.#options = options
    this.#loadFiles = loadFiles
    this.#problems = appOptionProblems(options)
    // options that cannot be used are refused with the mistakes of the definitions
    const usable = this.#problems.length > 0 ? {} : options
    this.settings = toSettings(usable, openOutputs)
    this.#versioning = enableOption(usable.versioning)
    this.documents = createLazyDocuments(this.#documented, this.#failAt, extras)
    const tree = collectModules(module)
    if (this.#problems.length > 0 || tree.pending.length === 0) this.#definitions = this.#read(tree)
    this.#load = once(async () => (this.#definitions ??= this.#read(await settleModules(module, tree))))
    // settings and modules that are refused are reported when the application gets ready
    ignoreFailure(() => this.settings.config.config)
    for (const promise of tree.pending) ignoreFailure(() => promise)
  }

  /** Replaces the versioning. Returns what was enabled. @throws `TypeError` for anything but schemes, `Error` after the first request. */
  enableVersioning(given: object, options: VersioningOptions = {}): Versioning {
    if (this.#opening !== undefined) throw new Error(TOO_LATE)
    this.#compiled = undefined
    return (this.#versioning = toVersioning(toUses(given, options), options, CALL))
  }

  versioning(): Versioning | undefined {
    return this.#versioning
  }

  /** Returns the routes as they are defined. @throws `Error` while an imported module is a promise. */
  routes(): AppDefinitions['routes'] {
    return this.#complete().routes
  }

  /**
   * Compiles the routes, again if the versioning has changed.
   *
   * @throws `DefinitionError` for mistakes that depend on versioning, `Error` while an imported module is a promise.
   */
  compiled(): Compiled {
    const { settings, lifecycle } = this
    return (this.#compiled ??= orFail(
      () =>
        compileApp(this.#complete(), {
          settings,
          lifecycle,
          versioning: this.versioning(),
          runtime: this.#runtime,
        }),
      this.#failAt,
    ))
  }

  /** Starts everything, once. */
  open(): Promise<RunningApp> {
    return (this.#opening ??= this.#start().catch(this.#failAt).finally(this.lifecycle.trackWork()))
  }

  /** Returns the result of `open`; `undefined` before. */
  opened(): RunningApp | undefined {
    return this.#opened
  }

  /** Waits for promised modules and loads what documents need; nothing is started. */
  async prepare(): Promise<void> {
    await this.#load()
    await this.documents.load()
  }

  /** Loads what the first requests of the routes would load. Comes after `open`. */
  async preload(): Promise<void> {
    await preload(this.routes(), this.#loadFiles, this.settings, this.app)
    await loadCall()
  }

  /** Resolves a token, as the root module sees it. */
  readonly resolve = async (token: Token<unknown>): Promise<unknown> => {
    const { container, root } = this.#complete()
    return container.resolve(token, root, undefined)
  }

  /** Answers a request for a health path, even before the application has started, or `undefined` for any other. */
  async answerHealth(request: Pick<RawRequest, 'method' | 'target'>): Promise<FinishedResponse | undefined> {
    return (await this.#loadHealth())?.(request)
  }

  readonly #loadHealth = once(async (): Promise<AnswerHealth | undefined> => {
    const { health, log: logger, writeError } = this.settings
    if (health === undefined) return undefined
    const { createHealth } = await importInTurn(() => import('../services/health.ts'))
    const { isReady } = this.lifecycle
    return createHealth(health, { isReady, resolve: this.resolve, logger, writeError })
  })

  async #start(): Promise<RunningApp> {
    const [definitions] = await Promise.all([this.#load(), this.#channels, loadLossCheck()])
    const compiled = await withSettings(
      () => this.compiled(),
      () => openSettings(definitions, this.settings),
    )
    const health = this.#loadHealth()
    const { settings, lifecycle, documents } = this
    const parts = {
      app: this.app,
      settings,
      lifecycle,
      health,
      loadViewers: documents.extras.loadViewers,
      runtime: this.#runtime,
      find: this.#find,
    }
    return (this.#opened = await start(definitions, compiled, parts))
  }

  #read(tree: ModuleTree): AppDefinitions {
    const { settings, documents } = this
    const parts = { settings, documents, problems: this.#problems, runtime: this.#runtime }
    return orFail(
      () => readAppDefinitions(tree, parts),
      (error) => this.#failAt(withProblems(error, versioningOptionProblems(this.#options.versioning))),
    )
  }

  /** The state that documents describe. */
  readonly #documented = (): DocumentSource => ({
    ...this.compiled(),
    versioning: this.versioning(),
    modules: this.#complete().modules,
    settings: this.settings,
  })

  #complete(): AppDefinitions {
    if (this.#definitions === undefined) throw new Error(NOT_IMPORTED)
    return this.#definitions
  }

  readonly #find: FindDefinitions = ({ code, where }) => {
    // what a setting holds was not written in a definition
    if (code === 'invalid_config') return []
    const named = this.#definitions === undefined ? [] : definitionsAt(where, this.#definitions)
    const enabled = where.startsWith(CALL()) ? this.#versioning : undefined
    return [...named, enabled, this.#options]
  }

  readonly #failAt = (error: unknown): never => {
    throw withLocations(error, this.#find)
  }
}

interface StartParts {
  readonly app: object
  readonly settings: Settings
  readonly lifecycle: Lifecycle
  /** Filled here. */
  readonly runtime: RuntimeServices
  readonly health: Promise<AnswerHealth | undefined>
  readonly find: FindDefinitions
  readonly loadViewers: DocsExtras['loadViewers']
}

/**
 * Compiles the routes. If that fails, the settings are read nevertheless, so that the mistakes of both are one error.
 *
 * @throws `DefinitionError` with all of them.
 */
async function withSettings<T>(compileRoutes: () => T, read: () => Promise<unknown>): Promise<T> {
  try {
    return compileRoutes()
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    const found = await read().then(
      () => [],
      (other: unknown) => (other instanceof DefinitionError ? other.errors : []),
    )
    throw withProblems(error, found)
  }
}

/** Adds mistakes to those of an error. */
function withProblems(error: unknown, more: readonly DefinitionProblem[]): unknown {
  return error instanceof DefinitionError ? new DefinitionError([...error.errors, ...more], error) : error
}

/** Reads the settings, opens sessions and usage, creates the singletons and calls `onStart`. Returns what answers requests. */
async function start(
  definitions: AppDefinitions,
  { parts, observers, table, urlFor }: Compiled,
  { app, settings, lifecycle, runtime, health: loading, find, loadViewers }: StartParts,
): Promise<RunningApp> {
  const [health] = await Promise.all([
    loading,
    loadZod(),
    loadParts(definitions.routes, settings, app),
    checkPage(settings, loadViewers),
    logWarnings(table, settings, find),
  ])
  runtime.sessions = await openSessions(settings)
  runtime.config = await openSettings(definitions, settings)
  const stop = await startModules(definitions, settings, urlFor)
  const usage = await openUsage(settings, table)
  lifecycle.atEnd(() => (usage?.close(stop) ?? stop()).finally(() => settings.telemetry?.flush?.()))
  const own = usage === undefined ? observers : [...observers, { end: usage.count }]
  return { dispatch: createDispatch(parts, createObserverSource(own, channelObserver), health) }
}

async function openSessions({
  session,
  store,
  log,
}: Pick<Settings, 'session' | 'store' | 'log'>): Promise<Sessions | undefined> {
  if (session === undefined) return undefined
  const { createSessions } = await importInTurn(() => import('../session/sessions.ts'))
  return createSessions({ ...(store && { store }), ...session }, log)
}

async function openUsage(
  { usage, store = usage?.store, log }: Pick<Settings, 'usage' | 'store' | 'log'>,
  { shapes }: Pick<Table, 'shapes'>,
): Promise<Usage | undefined> {
  // the options of createApp have been checked: with usage there is a store
  if (usage === undefined || store === undefined) return undefined
  const { createUsage } = await importInTurn(() => import('../services/usage/usage.ts'))
  return createUsage({ store, ...usage }, log, shapes)
}

async function logWarnings(
  { findWarnings }: Compiled['table'],
  { log }: Pick<Settings, 'log'>,
  find: FindDefinitions,
): Promise<void> {
  for (const warning of await findWarnings())
    log.warn(atDefinition(warning, ...find(warning)), 'A definition deserves a look')
}

/** @throws `DefinitionError` if the page that the options ask for cannot be shown. */
async function checkPage(
  { docs }: Pick<Settings, 'docs'>,
  loadViewers: DocsExtras['loadViewers'],
): Promise<void> {
  if (!docs || typeof docs.ui !== 'string') return
  if (loadViewers !== undefined) {
    const { findFiles } = await loadViewers()
    return void findFiles(docs.ui)
  }
  throw new DefinitionError([
    invalidOption(
      'createApp',
      `docs.ui is '${docs.ui}', and there are no files here to read it from`,
      'leave docs.ui out for a plain list of the documents, or give a function that returns a page',
    ),
  ])
}

/** Reads the settings: now if the options or the definitions ask for them, otherwise once something resolves them. */
async function openSettings(
  definitions: AppDefinitions,
  settings: Pick<Settings, 'config'>,
): Promise<ConfigValues> {
  const read = once(async () => {
    const { readSettings } = await importInTurn(() => import('./read-settings.ts'))
    return readSettings(definitions, settings)
  })
  if (isConfigured(definitions, settings)) return read()
  return { get: (schema) => read().then((values) => values.get(schema)) }
}

function isConfigured(
  { overrides, connected }: AppDefinitions,
  { config: { config, configSchema } }: Pick<Settings, 'config'>,
): boolean {
  return (
    [config, configSchema].some((value) => value !== undefined) ||
    readVariable('FRAMEWORK_CONFIG_MODULE') !== undefined ||
    overrides.find(Config) !== undefined ||
    connected.builtIns.some(({ token }) => token.token === Config.token)
  )
}

/**
 * Creates the singletons, then calls `onStart` of every module, imports first. If something fails, what had started is stopped again.
 * Returns the function that stops everything.
 */
async function startModules(
  { modules, container }: AppDefinitions,
  { logger }: Pick<Settings, 'logger'>,
  urlFor: UrlFor,
): Promise<() => Promise<void>> {
  const viewOf = (node: ModuleNode): StartedApp => ({
    log: logger,
    // a token carries the type of what it supplies
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    resolve: <T>(token: Token<T>) => container.resolve(token, node, undefined) as Promise<T>,
    urlFor: (name, params = {}, options = {}) => urlFor(name, params, options),
  })
  await container.start()
  const started: ModuleNode[] = []
  const stop = async (): Promise<readonly Error[]> => {
    const errors: Error[] = []
    for (const node of started.splice(0).toReversed()) {
      try {
        await node.module.onStop?.(viewOf(node))
      } catch (cause) {
        errors.push(new Error(`onStop of ${node.label} failed`, { cause }))
      }
    }
    return [...errors, ...(await container.end())]
  }
  for (const node of modules) {
    try {
      await node.module.onStart?.(viewOf(node))
      started.push(node)
    } catch (cause) {
      const error = new Error(`onStart of ${node.label} failed`, { cause })
      throw withOthers(error, await stop())
    }
  }
  return async () => {
    const errors = await stop()
    if (errors.length > 0) throw new AggregateError(errors, 'The application did not stop cleanly')
  }
}

const CALL: VersioningPlace = (schemes) =>
  schemes === undefined ? 'enableVersioning' : `enableVersioning(${schemes})`
const OPTION: VersioningPlace = (schemes) =>
  schemes === undefined ? 'createApp({ versioning })' : `createApp({ versioning: ${schemes} })`

function enableOption(option: AnyVersioning | undefined): Versioning | undefined {
  if (!option) return undefined
  const { scheme, schemes, ...common } = option
  return toVersioning(toUses(scheme ?? schemes, common), common, OPTION)
}

/** Finds the mistakes in options of versioning. Those without a scheme are reported as options of the application. */
function versioningOptionProblems(option: AnyVersioning | undefined): readonly DefinitionProblem[] {
  try {
    return enableOption(option)?.problems ?? []
  } catch {
    return []
  }
}

/** One scheme with its options, or the schemes of a list with theirs. @throws `TypeError` for anything else. */
function toUses(given: unknown, options: object): readonly SchemeUse[] {
  if (!Array.isArray(given)) return [toUse([given, options])]
  if (given.length === 0) throw notScheme()
  return given.map(toUse)
}

function toUse(entry: unknown): SchemeUse {
  const [scheme, options = {}]: readonly unknown[] = Array.isArray(entry) ? entry : [entry]
  if (isScheme(scheme) && isObject(options)) return { scheme, options }
  throw notScheme()
}

function notScheme(): TypeError {
  return new TypeError(
    'enableVersioning: a scheme is one of VersioningSchemes or made by defineVersioningScheme; write several as [[scheme, options], …]',
  )
}
