import type { VersioningOptions } from '../../versioning/options.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import type { AnyVersioning } from '../options/versioning.ts'
import { routingOf } from '../versioned/brought.ts'
import { PLAIN } from '../versioned/plain.ts'
import type { Routing } from '../versioned/routing.ts'
import type { Table } from '../table/table.ts'
import type { VersionInfo } from '../version-report/versions.ts'
import type { Compiled, Materials } from './compile.ts'
import type { Parts } from './definitions.ts'

/** The versioning of an application, which may change until its first request. */
export interface EnabledVersioning {
  readonly current: () => Versioning | undefined
  /** The known versions of a table as data. */
  readonly list: (table: Table) => readonly VersionInfo[]
  /** Replaces the versioning. @throws `TypeError` for anything but schemes. */
  readonly enable: (given: unknown, options?: VersioningOptions) => Versioning
  /** Loads what previews need, and what the policies of routes need without versioning. Returns its argument. */
  readonly loadFor: (parts: Parts) => Promise<Parts>
  /** What was made, made again if the versioning has changed. */
  readonly compiled: (make: Make) => Compiled
}

/** Compiles an application for its versioning. */
export type Make = (enabled: Pick<Materials, 'versioning' | 'routing'>) => Compiled

/** Holds the versioning that the options name, if any. */
export function createEnabledVersioning(option: AnyVersioning | undefined): EnabledVersioning {
  let versioning: Versioning | undefined
  let routing: Routing = PLAIN
  let compiled: Compiled | undefined
  const enable: EnabledVersioning['enable'] = (given, options) => {
    const brought = routingOf(given)
    versioning = brought.readVersioning(given, options)
    routing = brought
    compiled = undefined
    return versioning
  }
  if (option) {
    const { scheme, schemes, ...common } = option
    enable(scheme ?? schemes, common)
  }
  return {
    current: () => versioning,
    list: (table) => routing.listVersions(table, versioning),
    enable,
    loadFor: async (parts) => {
      if (versioning?.previews !== undefined && routing.createPreviews === undefined) {
        const { createPreviewRouting } = await import('../versioned/previews.ts')
        routing = { ...routing, createPreviews: createPreviewRouting }
        compiled = undefined
      }
      const isPlain = parts.structure.routes.every(({ policies }) => policies.length === 0)
      if (routing === PLAIN && !isPlain) {
        routing = (await import('../versioned/versioned.ts')).VERSIONED
        compiled = undefined
      }
      return parts
    },
    compiled: (make) => (compiled ??= make({ versioning, routing })),
  }
}
