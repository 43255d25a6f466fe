import type { VersioningOptions } from '../../versioning/options.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import { isScheme } from '../../versioning/schemes/scheme.ts'
import type { SchemeUse } from '../../versioning/schemes/scheme.ts'
import { isObject } from '../../base/values.ts'
import type { AnyVersioning } from '../options/versioning.ts'
import type { FlatRoute } from '../../routes/flat-route.ts'
import { PLAIN } from '../routing/versioned/plain.ts'
import type { Routing } from '../routing/versioned/routing.ts'
import type * as Versioned from '../routing/versioned/versioned.ts'
import type { Table } from '../routing/table/table.ts'
import type { VersionInfo } from '../routing/report/versions.ts'
import type { Compiled, Materials } from './compile.ts'
import type { Parts } from './definitions.ts'
import { NOT_LOADED } from './optional-code.ts'
import type { OptionalCode } from './optional-code.ts'

/** Schemes with the options of each, and those that they have in common, as they were enabled. */
interface Enabled {
  readonly uses: readonly SchemeUse[]
  readonly options: VersioningOptions
}

/** The versioning of an application, which may change until its first request. */
export interface EnabledVersioning {
  /** `undefined` for none, and until its code is loaded. */
  readonly current: () => Versioning | undefined
  /** What was enabled, for the place of its mistakes. */
  readonly enabled: () => object | undefined
  /** The known versions of a table as data. */
  readonly list: (table: Table) => readonly VersionInfo[]
  /** Replaces the versioning. Returns what was enabled. @throws `TypeError` for anything but schemes. */
  readonly enable: (given: unknown, options?: VersioningOptions) => object
  /** Loads what versions, previews and the policies of routes need. Returns its argument. */
  readonly loadFor: (parts: Parts) => Promise<Parts>
  /** What was made, made again if the versioning has changed. @throws `Error` while code is missing. */
  readonly compiled: (make: Make) => Compiled
}

/** Compiles an application for its versioning. */
export type Make = (enabled: Pick<Materials, 'versioning' | 'routing'>) => Compiled

/** Holds the versioning that the options name, if any. */
export function createEnabledVersioning(
  option: AnyVersioning | undefined,
  { versions }: Pick<OptionalCode, 'versions'>,
): EnabledVersioning {
  let enabled: Enabled | undefined
  let versioning: Versioning | undefined
  let routing: Routing = PLAIN
  let compiled: Compiled | undefined
  const read = ({ VERSIONED }: typeof Versioned): void => {
    versioning = enabled && VERSIONED.toVersioning(enabled.uses, enabled.options)
    routing = VERSIONED
    compiled = undefined
  }
  const enable: EnabledVersioning['enable'] = (given, options = {}) => {
    enabled = { uses: toUses(given, options), options }
    const code = versions.get()
    if (code !== undefined) read(code)
    return enabled
  }
  if (option) {
    const { scheme, schemes, ...common } = option
    enable(scheme ?? schemes, common)
  }
  return {
    current: () => versioning,
    enabled: () => enabled,
    list: (table) => routing.listVersions(table, versioning),
    enable,
    loadFor: async (parts) => {
      const isPlain = enabled === undefined && parts.structure.routes.every(hasNoPolicies)
      if (routing === PLAIN && !isPlain) read(await versions.load())
      if (versioning?.previews !== undefined && routing.createPreviews === undefined) {
        const { createPreviewRouting } = await import('../routing/versioned/previews.ts')
        routing = { ...routing, createPreviews: createPreviewRouting }
        compiled = undefined
      }
      return parts
    },
    compiled: (make) => {
      if (enabled !== undefined && routing === PLAIN) throw new Error(NOT_LOADED)
      return (compiled ??= make({ versioning, routing }))
    },
  }
}

function hasNoPolicies({ policies }: FlatRoute): boolean {
  return policies.length === 0
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
