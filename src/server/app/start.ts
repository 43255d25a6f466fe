import { withOthers } from '../container/connected.ts'
import { once } from '../../base/async.ts'
import { Config } from '../../define/built-in-tokens.ts'
import type { StartedApp } from '../../define/module.ts'
import type { Token } from '../../define/token.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import { readVariable } from '../../base/platform.ts'
import type { ConfigValues } from '../pipeline/built-ins.ts'
import type { Compiled } from './compile.ts'
import type { Parts } from './definitions.ts'
import type { Settings } from '../options/settings.ts'
import type { Structure } from './read-definitions.ts'

/** Reads the settings: now if the options or the definitions ask for them, otherwise once something resolves them. */
export async function openSettings(structure: Structure, settings: Settings): Promise<ConfigValues> {
  const read = once(async () => {
    const { readSettings } = await import('./read-settings.ts')
    return readSettings(structure, settings)
  })
  if (isConfigured(structure, settings)) return read()
  return { get: (schema) => read().then((values) => values.get(schema)) }
}

function isConfigured(
  { overrides, connected }: Structure,
  { config: { config, configSchema, envFile } }: Settings,
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
export async function startApp(
  { structure, container }: Parts,
  { logger }: Settings,
  build: () => Compiled,
): Promise<() => Promise<void>> {
  const viewOf = (node: ModuleNode): StartedApp => ({
    log: logger,
    // a token carries the type of what it supplies
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    resolve: <T>(token: Token<T>) => container.resolve(token, node, undefined) as Promise<T>,
    urlFor: (name, params = {}, options = {}) => build().urlFor(name, params, options),
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
  for (const node of structure.modules) {
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
