import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import type { ExpandRoutes, Previewed, PreviewInfo } from '../../../routes/history.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import type { Miss } from '../lookup/miss.ts'
import type { Locate } from '../lookup/resolution.ts'
import type { AppServices } from '../../pipeline/context.ts'
import type { Settings } from '../../options/settings.ts'
import type { VersionAdapters } from '../../pipeline/migration.ts'
import type { CompiledRoute, Table, TableMode } from '../table/table.ts'
import type { ChooseLink } from '../table/url-for.ts'
import type { VersionReporter } from '../report/reporter.ts'
import type { VersionInfo } from '../report/versions.ts'

type Enabled = Versioning | undefined

/** Routes that can be found. */
export interface Routed {
  readonly table: Table
  readonly locate: Locate
  readonly miss: Miss
  readonly reporter: VersionReporter | undefined
  readonly services: AppServices
}

/** The routes as clients see them who ask for previews, for documents. */
export interface PreviewedRoutes {
  readonly names: readonly string[]
  readonly table: Table
  /** The versions that can show them. */
  readonly versions: readonly string[]
  /** The descriptions of previews, by name. */
  readonly all: ReadonlyMap<string, PreviewInfo>
}

/** Puts previews before a lookup. `route` makes the routes of some of them. */
export type CreatePreviews = (
  versioning: Versioning,
  plain: Routed,
  route: (names: readonly string[], previewed: Previewed) => Routed,
) => Pick<Routed, 'locate' | 'miss' | 'reporter'> & {
  /** @throws `RangeError` for a preview that does not exist. */
  readonly show: (names: readonly string[]) => PreviewedRoutes
}

/** How the routes of an application are compiled and found. */
export interface Routing {
  /** The routes of every version. */
  readonly writeOut: (
    routes: readonly ResolvedRoute[],
    versioning: Enabled,
    expand?: ExpandRoutes,
  ) => readonly ResolvedRoute[]
  /** Absent in applications without versions. */
  readonly createPreviews?: CreatePreviews
  /** How routes serve versions that are older than their code. */
  readonly createMigrating: (
    routes: readonly ResolvedRoute[],
    versioning: Enabled,
    previews: readonly string[],
    settings: Pick<Settings, 'telemetry' | 'usage'>,
  ) => VersionAdapters | undefined
  readonly createTable: (routes: readonly CompiledRoute[], versioning: Enabled, mode: TableMode) => Table
  readonly createLocate: (table: Table, versioning: Enabled, mode: TableMode) => Locate
  readonly createMiss: (table: Table, versioning: Enabled, mode: TableMode) => Miss
  readonly createReporter: (table: Table, versioning: Enabled, mode: TableMode) => VersionReporter | undefined
  /** Creates the function that chooses among the routes of a name for links. */
  readonly createChooseLink: (table: Table, versioning: Enabled) => ChooseLink
  /** The headers that report on versions. */
  readonly reportingHeaders: (versioning: Enabled) => readonly string[]
  readonly listVersions: (table: Table, versioning: Enabled) => readonly VersionInfo[]
}
