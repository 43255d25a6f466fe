import { createVersionLocate } from '../lookup/locate-version.ts'
import { createVersionMiss } from '../lookup/version-miss.ts'
import { createMigrating } from '../../pipeline/migration.ts'
import { createChooseLink } from '../table/version-links.ts'
import { createVersionTable } from '../table/version-table.ts'
import { reportingHeaders } from '../report/headers.ts'
import { createVersionReporter } from '../report/reporter.ts'
import { toVersionList } from '../report/versions.ts'
import { createPreviewRouting } from './previews.ts'
import { createSuffixOf } from './tags.ts'
import { writeOut } from './write-out.ts'
import type { Routing } from './routing.ts'

/** The way of applications with versions, or with policies alone. */
export const VERSIONED: Routing = {
  writeOut,
  createMigrating: (routes, versioning, previews, { usage, telemetry }) =>
    createMigrating(
      createSuffixOf(routes, versioning, previews),
      usage !== undefined || telemetry !== undefined,
    ),
  createTable: createVersionTable,
  createLocate: createVersionLocate,
  createMiss: createVersionMiss,
  createReporter: createVersionReporter,
  createChooseLink,
  reportingHeaders,
  listVersions: toVersionList,
  createPreviews: createPreviewRouting,
}
