import type { Container } from '../../container/container.ts'
import type { FlatRoute } from '../../flatten/flat-route.ts'
import type { ModuleNode, SettledModules } from '../../flatten/modules.ts'
import type { StartedApp } from '../../define/module.ts'
import { loadZod } from '../../schema/schema.ts'
import type { Token } from '../../define/token.ts'
import { loadMultipart } from '../../request/multipart.ts'
import { createSessions } from '../../session/sessions.ts'
import { toEnabled } from '../../versioning/versioning.ts'
import type { Enabled, SchemeList } from '../../versioning/versioning.ts'
import type { VersioningOptions } from '../../versioning/options.ts'
import { isScheme } from '../../versioning/schemes/scheme.ts'
import type { SchemeUse, VersioningScheme } from '../../versioning/schemes/scheme.ts'
import { compile } from './compile.ts'
import type { Compiled } from './compile.ts'
import { createDefinitions } from './definitions.ts'
import type { Parts } from './definitions.ts'
import type { Dispatch } from '../dispatch.ts'
import { createDocsRouter } from '../docs/docs-routes.ts'
import { createDocuments } from '../docs/documents.ts'
import type { Documents } from '../docs/documents.ts'
import { checkSwagger } from '../docs/swagger-files.ts'
import { createHealth } from '../health/health.ts'
import type { Health } from '../health/health.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Lifecycle } from './lifecycle.ts'
import { createNodeHandler } from '../adapters/node/handler.ts'
import type { NodeHandler } from '../adapters/node/handler.ts'
import { appOptionProblems } from '../options/app-options.ts'
import type { AppOptions as Options } from '../options/app-options.ts'
import { toSettings } from '../options/settings.ts'
import type { Settings } from '../options/settings.ts'
import { readSettings, start } from './start.ts'
import { readStructure } from './read-definitions.ts'
import type { Structure } from './read-definitions.ts'

/** What `createApp` takes besides the module. */
export interface AppOptions<
  O extends object = object,
  S extends readonly object[] = readonly object[],
> extends Options {
  /** The same as a call of `enableVersioning`. */
  readonly versioning?: readonly [
    scheme: VersioningScheme<O> | SchemeList<S>,
    options?: NoInfer<O> & VersioningOptions,
  ]
}

/** An application that has started. */
export interface Opened {
  readonly dispatch: Dispatch
  readonly handler: NodeHandler
}

/** What every door of an application goes through. */
export interface Core {
  readonly settings: Settings
  readonly routes: () => readonly FlatRoute[]
  readonly lifecycle: Lifecycle
  /** `undefined` when the application has no paths for it. */
  readonly health: Health | undefined
  readonly enableVersioning: (given: object, options?: VersioningOptions) => void
  readonly enabled: () => Enabled | undefined
  /** Compiles the routes; versioning may still change. */
  readonly build: () => Compiled
  /** Compiles the routes for good and starts everything. */
  readonly open: () => Promise<Opened>
  /** What `open` gave; `undefined` before. */
  readonly opened: () => Opened | undefined
  /** The value behind a token, as the root module sees it. */
  readonly resolve: (token: Token<unknown>) => Promise<unknown>
  readonly documents: Documents
  /** Waits for promised modules and loads what documents need; nothing is started. */
  readonly prepare: () => Promise<void>
}

/** Reads the definitions of an application; compiling waits until versioning is settled, starting until somebody asks. */
export function createCore<O extends object, S extends readonly object[]>(
  module: unknown,
  options: AppOptions<O, S>,
): Core {
  const mistakes = appOptionProblems(options)
  const { versioning, ...rest } = options
  const settings = toSettings(mistakes.length > 0 ? {} : rest)
  const lifecycle = createLifecycle()
  const documents = createDocuments(() => {
    const { modules } = definitions.complete().structure
    return { table: build().table, enabled, modules, settings }
  })
  const docs = settings.docs ? createDocsRouter(settings.docs, settings, documents) : undefined
  const read = (settled: SettledModules): Structure =>
    readStructure(module, settings, settled, mistakes, docs)
  const definitions = createDefinitions(read, settings)
  const { resolve } = definitions
  const sessions = settings.session && createSessions(settings.session, settings.logger)
  const health = createHealth(settings, lifecycle.isReady, resolve)
  let enabled = versioning === undefined ? undefined : enable(versioning[0], versioning[1])
  let compiled: Compiled | undefined
  let opening: Promise<Opened> | undefined
  let opened: Opened | undefined
  const { hold, whenClosing } = lifecycle
  const shared = { settings, sessions, health, hold, whenClosing }
  const build = (): Compiled =>
    (compiled ??= warned(compile({ ...definitions.parts(), ...shared, enabled }), settings))
  const begin = async (): Promise<Opened> => {
    const parts = await definitions.settle()
    const dispatch = lifecycle.counted(build().dispatch)
    await Promise.all([loadZod(), loadMultipart(), checkSwagger(settings.docs)])
    definitions.configure(await readSettings(parts.structure, settings))
    const stop = await startParts(parts, settings, build)
    lifecycle.atEnd(() => stop().finally(() => sessions?.close()))
    opened = { dispatch, handler: createNodeHandler(dispatch, lifecycle.isClosing, settings) }
    return opened
  }
  return {
    settings,
    lifecycle,
    health,
    resolve,
    documents,
    routes: () => definitions.complete().structure.routes,
    build: () => {
      definitions.complete()
      return build()
    },
    enabled: () => enabled,
    enableVersioning: (given, common) => {
      if (opening !== undefined) throw new Error(TOO_LATE)
      enabled = enable(given, common)
      compiled = undefined
    },
    open: () => (opening ??= begin().finally(lifecycle.hold())),
    opened: () => opened,
    prepare: () => definitions.settle().then(() => documents.load()),
  }
}

const TOO_LATE = 'enableVersioning: the application is ready already; call it before the first request'

/** What was compiled, once its warnings are logged. */
function warned(compiled: Compiled, { logger }: Settings): Compiled {
  for (const warning of compiled.table.warnings) logger.warn(warning, 'A definition deserves a look')
  return compiled
}

/** Makes the singletons and calls the hooks of the modules. Gives what stops them. */
function startParts(
  { structure, container }: Parts,
  settings: Settings,
  build: () => Compiled,
): Promise<() => Promise<void>> {
  const viewOf = (node: ModuleNode): StartedApp => toView(node, container, settings, build)
  return start({ modules: structure.modules, container, viewOf })
}

/** What the hooks of a module get. */
function toView(
  node: ModuleNode,
  container: Container,
  { logger }: Settings,
  build: () => Compiled,
): StartedApp {
  return {
    log: logger,
    // a token carries the type of what it supplies
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    resolve: <T>(token: Token<T>) => container.resolve(token, node, undefined) as Promise<T>,
    urlFor: (name, params = {}, options = {}) => build().urlFor(name, params, options),
  }
}

/** Applies the options of one scheme, or of each of several; without any, every option has its default. */
function enable(given: object, options: VersioningOptions = {}): Enabled {
  const uses = Array.isArray(given) ? given.map(toUse) : [toUse([given, options])]
  return toEnabled(uses, options)
}

/** A scheme with its options. */
function toUse(entry: unknown): SchemeUse {
  const [scheme, options = {}]: readonly unknown[] = Array.isArray(entry) ? entry : [entry]
  if (isScheme(scheme) && typeof options === 'object' && options !== null) return { scheme, options }
  throw new TypeError(
    'enableVersioning: a scheme is one of VersioningSchemes or made by defineVersioningScheme; write several as [[scheme, options], …]',
  )
}
