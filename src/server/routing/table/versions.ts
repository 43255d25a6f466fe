import { chooseVersion, selectorOf, staticDefault, type Versioning } from '../../../versioning/versioning.ts'
import type { Versioned } from '../../../versioning/select.ts'
import type { KnownVersions } from '../../../versioning/spec.ts'
import type { Versions } from './table.ts'

/** Returns the versions of an application for handlers. */
export function createVersions(versioning: Versioning, known: KnownVersions): Versions {
  const defaultVersion = staticDefault(versioning, known) ?? null
  const selector = selectorOf(versioning, known)
  const servedAt = (rows: readonly Versioned[]): readonly string[] => {
    const served = namedIn(rows)
    if (served.size > 0 && defaultVersion !== null && rows.some(({ spec }) => spec.unversioned)) {
      served.add(defaultVersion)
    }
    return known.list.filter((version) => served.has(version))
  }
  // a selector chooses among the versions of a path, so that the path does not end when another one gets a new version
  const defaultAt: Versions['defaultAt'] =
    selector === undefined
      ? () => defaultVersion
      : (rows) => chooseVersion(selector, servedAt(rows)) ?? defaultVersion
  return { known, defaultVersion, servedAt, defaultAt }
}

/** The versions that some of the routes name. */
function namedIn(rows: readonly Versioned[]): Set<string> {
  const named = new Set<string>()
  for (const { spec } of rows) for (const version of spec.claims.keys()) named.add(version)
  return named
}
