import { withOthers } from '../../container/lifetime.ts'
import { DefinitionError } from '../../definition-error.ts'
import { Config } from '../../define/built-in-tokens.ts'
import type { StartedApp } from '../../define/module.ts'
import type { Token } from '../../define/token.ts'
import type { ModuleNode } from '../../flatten/modules.ts'
import type { Schema } from '../../schema/schema.ts'
import type { ConfigValues } from '../pipeline/built-ins.ts'
import { configFrom, readConfig } from './config.ts'
import type { ConfigReading } from './config.ts'
import type { Compiled } from './compile.ts'
import type { Parts } from './definitions.ts'
import type { Settings } from '../options/settings.ts'
import { builtInsOf } from './read-definitions.ts'
import type { Structure } from './read-definitions.ts'

/** Reads the settings, as every schema that something injects them with reads them. @throws `DefinitionError` */
export async function readSettings(structure: Structure, { config }: Settings): Promise<ConfigValues> {
  const { overrides, uses, ordered } = structure
  const override = overrides.find(Config)
  const source =
    override !== undefined && 'value' in override
      ? await configFrom(override.value, config.configSchema)
      : await readConfig(config)
  const values = new Map<Schema | undefined, unknown>([
    [undefined, source.values],
    [config.configSchema, source.values],
  ])
  const problems = []
  for (const { token, where } of builtInsOf(uses, ordered)) {
    const { schema } = token
    if (token.token !== Config.token || schema === undefined || values.has(schema)) continue
    const reading = await source.read(schema, where)
    if ('problems' in reading) problems.push(...reading.problems)
    else values.set(schema, reading.value)
  }
  if (problems.length > 0) throw new DefinitionError(problems)
  // what nothing injects can still be resolved
  const later = new WeakMap<Schema, Promise<unknown>>()
  const readLater = (schema: Schema): Promise<unknown> => {
    const reading = later.get(schema) ?? source.read(schema, 'resolve').then(valueOrThrow)
    later.set(schema, reading)
    return reading
  }
  return {
    get: (schema) => (schema === undefined || values.has(schema) ? values.get(schema) : readLater(schema)),
  }
}

function valueOrThrow(reading: ConfigReading): unknown {
  if ('problems' in reading) throw new DefinitionError(reading.problems)
  return reading.value
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
