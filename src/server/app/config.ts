import { DefinitionError, orFail, type DefinitionProblem } from '../../base/definition-error.ts'
import { loadZod, type Schema } from '../../schema/schema.ts'
import { createValidator, type SchemaIssue, type Validated } from '../../schema/validator.ts'
import type { ConfigOptions } from '../options/app-options.ts'
import { readVariable } from '../../base/platform.ts'
import { describeValue, isFunction, isRecord, importInTurn } from '../../base/values.ts'
import { configFailed, MEND } from './config-failed.ts'

/** The settings as a schema reads them. */
export type ConfigReading = { readonly value: unknown } | { readonly problems: readonly DefinitionProblem[] }

/** The settings of an application, and what other schemas make of them. */
export interface ConfigSource {
  /** The settings as the application's `configSchema` has read them; frozen. */
  readonly values: unknown
  /** Reads the settings, as they were before `configSchema`, with another schema. `where` begins the place of each problem. */
  read(schema: Schema, where: string): Promise<ConfigReading>
}

/** Names of a module's namespace that are no settings: the last is how newer Node versions show CommonJS. */
const NO_SETTINGS = new Set(['default', '__esModule', 'module.exports'])

/**
 * Loads the settings and validates.
 *
 * @throws {@link DefinitionError}
 */
export async function readConfig({ configSchema, config }: ConfigOptions): Promise<ConfigSource> {
  const given = config ?? readVariable('FRAMEWORK_CONFIG_MODULE') ?? ''
  if (given === '')
    return readConfigSource(
      {},
      configSchema,
      'the option config, or the module that FRAMEWORK_CONFIG_MODULE names',
    )
  const specifier = orFail(() => (given instanceof URL ? given.href : given), failConfig)
  if (typeof specifier !== 'string')
    return readConfigSource(exportedValues(await settleSettings(specifier)), configSchema, 'config')
  // what reads files is loaded by applications that name a file
  const exported = await (await importInTurn(() => import('./config-module.ts'))).loadConfigModule(specifier)
  return readConfigSource(exportedValues(exported), configSchema, `"${specifier}"`)
}

/** Settings may have getters, which may throw. */
function failConfig(cause: unknown): never {
  throw configFailed('config', cause, MEND)
}

/** Waits for settings that are a promise or the result of a function. */
async function settleSettings(given: object): Promise<object> {
  let settled: unknown
  try {
    settled = await (isFunction(given) ? Reflect.apply(given, undefined, []) : given)
  } catch (cause) {
    return failConfig(cause)
  }
  if (isRecord(settled) && !(settled instanceof URL)) return settled
  throw new DefinitionError([
    {
      code: 'config_module_failed',
      where: 'config',
      message: `config is settled with ${describeValue(settled)}`,
      fix: 'return a module or an object of settings',
    },
  ])
}

/** The named exports of a module, or the members of an object. */
function exportedValues(exported: object): object {
  const entries = orFail(() => Object.entries(exported), failConfig)
  return Object.fromEntries(entries.filter(([name]) => !NO_SETTINGS.has(name)))
}

/**
 * Settings that are given as a value: what `bind(Config, { value })` gives.
 *
 * @throws {@link DefinitionError} when the schema refuses them
 */
export function configFrom(raw: unknown, schema: Schema | undefined): Promise<ConfigSource> {
  return readConfigSource(raw, schema, 'the override of Config')
}

async function readConfigSource(
  raw: unknown,
  schema: Schema | undefined,
  origin: string,
): Promise<ConfigSource> {
  const read = async (reader: Schema, where: string): Promise<ConfigReading> => {
    const validated = await validate(reader, raw)
    if ('value' in validated) return { value: toFrozen(validated.value) }
    return { problems: validated.issues.map((issue) => toConfigProblem(issue, raw, where, origin)) }
  }
  const reading = schema === undefined ? { value: toFrozen(raw) } : await read(schema, '')
  if ('problems' in reading) throw new DefinitionError(reading.problems)
  return { values: reading.value, read }
}

/** A function of the user's that throws is reported without its message, which may hold a value. */
async function validate(schema: Schema, raw: unknown): Promise<Validated> {
  try {
    const check = createValidator(schema)
    await loadZod()
    return await check(raw)
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    const message = `a function of the schema threw (${name})`
    return { issues: [{ code: 'custom', path: [], message }] }
  }
}

/** Names what is wrong and never the value: zod's own messages name types, limits and keys. */
function toConfigProblem(issue: SchemaIssue, raw: unknown, where: string, origin: string): DefinitionProblem {
  const path = `config${issue.path.map(toPathStep).join('')}`
  return {
    code: 'invalid_config',
    where: where === '' ? path : `${where}: ${path}`,
    message: issue.message,
    fix: `${isAbsentAt(raw, issue.path) ? 'add' : 'change'} it in ${origin}`,
  }
}

function toPathStep(key: PropertyKey): string {
  if (typeof key === 'number') return `[${key}]`
  return typeof key === 'string' && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)
    ? `.${key}`
    : `[${JSON.stringify(String(key))}]`
}

function isAbsentAt(raw: unknown, path: readonly PropertyKey[]): boolean {
  let value = raw
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return false
    value = Reflect.get(value, key)
  }
  return value === undefined
}

function toFrozen(value: unknown): unknown {
  return orFail(() => frozenCopy(value, new Map()), failConfig)
}

/**
 * Plain objects and lists are copied and frozen, for all requests share the settings; anything else (dates, URLs, maps, instances)
 * is as it was. `seen` has the copies by original.
 */
function frozenCopy(value: unknown, seen: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = seen.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const list: unknown[] = []
    seen.set(value, list)
    for (const entry of value) list.push(frozenCopy(entry, seen))
    return Object.freeze(list)
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: Record<string, unknown> = {}
  seen.set(value, copy)
  for (const [key, entry] of Object.entries(value)) {
    // defined, not assigned: `__proto__` is an ordinary key
    Object.defineProperty(copy, key, { value: frozenCopy(entry, seen), enumerable: true })
  }
  return Object.freeze(copy)
}
