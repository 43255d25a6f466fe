import { DefinitionError } from '../../base/definition-error.ts'
import { Config } from '../../define/context.ts'
import type { Schema } from '../../schema/schema.ts'
import type { ConfigValues } from '../pipeline/built-ins.ts'
import { configFrom, readConfig, type ConfigReading } from './config.ts'
import type { Settings } from '../options/settings.ts'
import type { AppDefinitions } from './read-definitions.ts'

/** Reads the settings, as every schema that something injects them with reads them. @throws `DefinitionError` */
export async function readSettings(
  definitions: AppDefinitions,
  { config }: Pick<Settings, 'config'>,
): Promise<ConfigValues> {
  const { overrides, connected } = definitions
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
  for (const { token, where } of connected.builtIns) {
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
    const reading = later.get(schema) ?? source.read(schema, 'resolve').then(atOnceOrThrow)
    later.set(schema, reading)
    return reading
  }
  return {
    get: (schema) => (schema === undefined || values.has(schema) ? values.get(schema) : readLater(schema)),
  }
}

function atOnceOrThrow(reading: ConfigReading): unknown {
  if ('problems' in reading) throw new DefinitionError(reading.problems)
  return reading.value
}
