import { ignoreFailure, once } from '../../base/values.ts'
import { attempt, withPlaces, type DefinitionProblem } from '../../base/definition-error.ts'
import type { Token } from '../../define/token.ts'
import type { FinishedResponse, RawRequest } from '../../http/http.ts'
import { collectModules, type ModuleTree } from '../../routes/modules.ts'
import type { VersioningOptions } from '../../versioning/options.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import type { Opened } from '../dispatch.ts'
import type { DocumentSource } from '../docs/documented.ts'
import { createLazyDocuments, type LazyDocuments, type DocsExtras } from '../docs/lazy-documents.ts'
import { openChannels } from '../logging/channels.ts'
import { openConsole, type OpenOutputs } from '../logging/outputs.ts'
import { appOptionProblems, type AnyAppOptions } from '../options/app-options.ts'
import { toSettings, type Settings } from '../options/settings.ts'
import type { LoadJsonWriter } from '../pipeline/validation/load.ts'
import type { Health } from '../services/health.ts'
import { compile, type Compiled } from './compile.ts'
import { enable, enableOption, type Enabled } from './enable-versioning.ts'
import { createLifecycle } from './lifecycle.ts'
import { definitionsAt, readDefinitions, type Definitions, type FindDefinitions } from './read-definitions.ts'
import { settle } from './settle.ts'
import { start } from './start.ts'
import { NOT_STARTED, type Started } from './started.ts'

const TOO_LATE = 'enableVersioning: call it before the first request'
const NOT_IMPORTED = 'An imported module is still a promise: call await app.ready() first'

/** The parts that differ between Node and the platforms that call `app.fetch`. */
interface Platform extends DocsExtras {
  readonly openOutputs: OpenOutputs
  /** Loads what compiles schemas into code. Without it, results are parsed and then written. */
  readonly loadJsonWriter?: LoadJsonWriter
}

/**
 * An application without the ways into it. It takes four steps: `settle` awaits promised modules, `readDefinitions` reads them with every mistake,
 * `compile` makes what finds and answers requests, and `start` opens the rest. The first two are taken at once unless a module is a promise.
 */
export class Application {
  readonly settings: Settings
  readonly lifecycle = createLifecycle()
  readonly documents: LazyDocuments
  readonly #options: AnyAppOptions
  readonly #loadJsonWriter: LoadJsonWriter | undefined
  readonly #problems: readonly DefinitionProblem[]
  /** Holds what `start` opens, for the requests that come after it. */
  readonly #started: Started = { ...NOT_STARTED }
  readonly #load: () => Promise<Definitions>
  readonly #channels = openChannels()
  #definitions: Definitions | undefined
  #enabled: Enabled | undefined
  #compiled: Compiled | undefined
  #opening: Promise<Opened> | undefined
  #opened: Opened | undefined

  /** @throws `DefinitionError` with every mistake that does not depend on versioning or promised modules. */
  constructor(
    module: unknown,
    options: AnyAppOptions,
    { openOutputs, loadJsonWriter, ...extras }: Platform = { openOutputs: openConsole },
  ) {
    this.#options = options
    this.#loadJsonWriter = loadJsonWriter
    this.#problems = appOptionProblems(options)
    // options that cannot be used are refused with the mistakes of the definitions
    const usable = this.#problems.length > 0 ? {} : options
    this.settings = toSettings(usable, openOutputs)
    this.#enabled = enableOption(usable.versioning)
    this.documents = createLazyDocuments(this.#documented, this.#failAt, extras)
    const tree = collectModules(module)
    if (this.#problems.length > 0 || tree.pending.length === 0) this.#definitions = this.#read(tree)
    this.#load = once(async () => (this.#definitions ??= this.#read(await settle(module, tree))))
    // settings and modules that are refused are reported when the application gets ready
    ignoreFailure(() => this.settings.config.config)
    for (const promise of tree.pending) ignoreFailure(() => promise)
  }

  /** Replaces the versioning. Returns what was enabled. @throws `TypeError` for anything but schemes, `Error` after the first request. */
  enableVersioning(given: object, options?: VersioningOptions): object {
    if (this.#opening !== undefined) throw new Error(TOO_LATE)
    this.#compiled = undefined
    return (this.#enabled = enable(given, options))
  }

  versioning(): Versioning | undefined {
    return this.#enabled?.versioning
  }

  /** Returns the routes as they are defined. @throws `Error` while an imported module is a promise. */
  routes(): Definitions['routes'] {
    return this.#complete().routes
  }

  /**
   * Compiles the routes, again if the versioning has changed.
   *
   * @throws `DefinitionError` for mistakes that depend on versioning, `Error` while an imported module is a promise.
   */
  compiled(): Compiled {
    const { settings, lifecycle } = this
    return (this.#compiled ??= attempt(
      () =>
        compile(this.#complete(), {
          settings,
          lifecycle,
          versioning: this.versioning(),
          started: this.#started,
        }),
      this.#failAt,
    ))
  }

  /** Starts everything, once. */
  open(): Promise<Opened> {
    return (this.#opening ??= this.#start().catch(this.#failAt).finally(this.lifecycle.trackWork()))
  }

  /** Returns the result of `open`; `undefined` before. */
  opened(): Opened | undefined {
    return this.#opened
  }

  /** Waits for promised modules and loads what documents need; nothing is started. */
  async prepare(): Promise<void> {
    await this.#load()
    await this.documents.load()
  }

  /** Resolves a token, as the root module sees it. */
  readonly resolve = async (token: Token<unknown>): Promise<unknown> => {
    const { container, root } = this.#complete()
    return container.resolve(token, root, undefined)
  }

  /** Answers a request for a health path, even before the application has started, or `undefined` for any other. */
  async answerHealth(request: Pick<RawRequest, 'method' | 'target'>): Promise<FinishedResponse | undefined> {
    return (await this.#loadHealth())?.answer(request)
  }

  readonly #loadHealth = once(async (): Promise<Health | undefined> => {
    const { health, log: logger, writeError } = this.settings
    if (health === undefined) return undefined
    const { createHealth } = await import('../services/health.ts')
    const { isReady } = this.lifecycle
    return createHealth(health, { isReady, resolve: this.resolve, logger, writeError })
  })

  async #start(): Promise<Opened> {
    const [definitions] = await Promise.all([this.#load(), this.#channels])
    const compiled = this.compiled()
    const health = this.#loadHealth()
    const { settings, lifecycle, documents } = this
    const parts = {
      settings,
      lifecycle,
      health,
      loadViewers: documents.extras.loadViewers,
      loadJsonWriter: this.#loadJsonWriter,
      started: this.#started,
      find: this.#find,
    }
    return (this.#opened = await start(definitions, compiled, parts))
  }

  #read(tree: ModuleTree): Definitions {
    const { settings, documents } = this
    const parts = { settings, documents, problems: this.#problems, started: this.#started }
    return attempt(() => readDefinitions(tree, parts), this.#failAt)
  }

  /** The state that documents describe. */
  readonly #documented = (): DocumentSource => ({
    ...this.compiled(),
    versioning: this.versioning(),
    modules: this.#complete().modules,
    settings: this.settings,
  })

  #complete(): Definitions {
    if (this.#definitions === undefined) throw new Error(NOT_IMPORTED)
    return this.#definitions
  }

  readonly #find: FindDefinitions = ({ code, where }) => {
    // what a setting holds was not written in a definition
    if (code === 'invalid_config') return []
    const named = this.#definitions === undefined ? [] : definitionsAt(where, this.#definitions)
    const enabled = where.startsWith('enableVersioning') ? this.#enabled : undefined
    return [...named, enabled, this.#options]
  }

  readonly #failAt = (error: unknown): never => {
    throw withPlaces(error, this.#find)
  }
}
