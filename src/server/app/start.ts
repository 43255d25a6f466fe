import { withOthers } from '../container/connected.ts'
import { once } from '../../base/values.ts'
import { Config } from '../../define/built-in-tokens.ts'
import type { StartedApp } from '../../define/module.ts'
import type { Token } from '../../define/token.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import { readVariable } from '../../base/platform.ts'
import type { ConfigValues } from '../pipeline/built-ins.ts'
import type { Compiled } from './compile.ts'
import type { Settings } from '../options/settings.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Definitions, FindDefinitions } from './read-definitions.ts'
import type { Started } from './started.ts'
import { atDefinition, DefinitionError, invalidOption } from '../../base/definition-error.ts'
import { loadZod } from '../../schema/schema.ts'
import type { Opened } from '../dispatch.ts'
import type { DocsExtras } from '../docs/lazy-documents.ts'
import { loadValidation, type LoadJsonWriter } from '../pipeline/validation/load.ts'
import type { UrlFor } from '../routing/table/url-for.ts'
import type { Health } from '../services/health.ts'
import type { Usage } from '../services/usage/usage.ts'
import type { Sessions } from '../session/sessions.ts'

/** The parts that an application is started with. */
interface StartParts {
  readonly settings: Settings
  readonly lifecycle: Lifecycle
  /** Filled here. */
  readonly started: Started
  readonly health: Promise<Health | undefined>
  readonly find: FindDefinitions
  readonly loadViewers: DocsExtras['loadViewers']
  readonly loadJsonWriter: LoadJsonWriter | undefined
}

/** Reads the settings, opens sessions and usage, creates the singletons and calls `onStart`. Returns what answers requests. */
export async function start(
  definitions: Definitions,
  { dispatch, services, table, urlFor }: Compiled,
  { settings, lifecycle, started, health: loading, find, loadViewers, loadJsonWriter }: StartParts,
): Promise<Opened> {
  const [health] = await Promise.all([
    loading,
    loadZod(),
    loadValidation(loadJsonWriter),
    checkPage(settings, loadViewers),
    logWarnings(table, settings, find),
  ])
  started.sessions = await openSessions(settings)
  started.config = await openSettings(definitions, settings)
  const stop = await startModules(definitions, settings, urlFor)
  const usage = await openUsage(settings, table)
  lifecycle.atEnd(() => (usage?.close(stop) ?? stop()).finally(() => settings.telemetry?.flush?.()))
  const observed = usage?.wrap(dispatch) ?? dispatch
  return { dispatch: lifecycle.counted(health?.wrap(observed, services) ?? observed) }
}

async function openSessions({
  session,
  log,
}: Pick<Settings, 'session' | 'log'>): Promise<Sessions | undefined> {
  if (session === undefined) return undefined
  const { createSessions } = await import('../session/sessions.ts')
  return createSessions(session, log)
}

async function openUsage(
  { usage, log }: Pick<Settings, 'usage' | 'log'>,
  { shapes }: Compiled['table'],
): Promise<Usage | undefined> {
  return usage && (await import('../services/usage/usage.ts')).createUsage(usage, log, shapes)
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
  if (loadViewers !== undefined) return (await loadViewers()).checkViewer(docs.ui)
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
  definitions: Definitions,
  settings: Pick<Settings, 'config'>,
): Promise<ConfigValues> {
  const read = once(async () => {
    const { readSettings } = await import('./read-settings.ts')
    return readSettings(definitions, settings)
  })
  if (isConfigured(definitions, settings)) return read()
  return { get: (schema) => read().then((values) => values.get(schema)) }
}

function isConfigured(
  { overrides, connected }: Definitions,
  { config: { config, configSchema, envFile } }: Pick<Settings, 'config'>,
): boolean {
  return (
    [config, configSchema, envFile].some((value) => value !== undefined) ||
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
  { modules, container }: Definitions,
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
