import type { FlatRoute } from '../../flatten/flat-route.ts'
import type { VersioningOptions } from '../../versioning/options.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import type { Miss } from '../lookup/miss.ts'
import type { Locate } from '../lookup/resolution.ts'
import type { Migrating } from '../pipeline/migration.ts'
import type { CompiledRoute, Table, TableMode } from '../table/table.ts'
import type { VersionReporter } from '../version-report/reporter.ts'
import type { VersionInfo } from '../version-report/versions.ts'

type Enabled = Versioning | undefined

/** How the routes of an application are compiled and found. */
export interface Routing {
  /** The routes of every version. */
  readonly writeOut: (routes: readonly FlatRoute[], versioning: Enabled) => readonly FlatRoute[]
  /** How routes serve versions that are older than their code. */
  readonly migrating: Migrating | undefined
  readonly createTable: (routes: readonly CompiledRoute[], versioning: Enabled, mode: TableMode) => Table
  readonly createLocate: (table: Table, versioning: Enabled, mode: TableMode) => Locate
  readonly createMiss: (table: Table, versioning: Enabled, mode: TableMode) => Miss
  readonly createReporter: (table: Table, versioning: Enabled, mode: TableMode) => VersionReporter | undefined
  /** The headers that report on versions. */
  readonly reportingHeaders: (versioning: Enabled) => readonly string[]
  readonly listVersions: (table: Table, versioning: Enabled) => readonly VersionInfo[]
}

/** The way that knows versions. Every scheme brings it along, so that applications without versions do not load it. */
export interface VersionedRouting extends Routing {
  /** @throws `TypeError` for anything but schemes. */
  readonly readVersioning: (given: unknown, options?: VersioningOptions) => Versioning
}
