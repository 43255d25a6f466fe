import type { Method } from '../../../http/http.ts'
import type { ChangeInfo, VersionHistory } from '../../../versioning/options.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import { lifeAt, toVersionLinks, type VersionLife, type VersionLinks } from '../../../versioning/policy.ts'
import { byKnown } from '../table/lifetimes.ts'
import type { AnsweringRoute, Table } from '../table/table.ts'

/** One route of a version. */
export interface VersionRoute extends VersionLife {
  /** The full name, such as `car.getOne`. */
  readonly name: string
  /** Those that it answers in this version. */
  readonly methods: readonly Method[]
  /** The full pattern, without version. */
  readonly path: string
  /** Whether changes turn its requests and results, because its code is newer than the version. Absent when not. */
  readonly isConverted?: true
  /** Whether it answers requests that name no version. Absent when not. */
  readonly isDefault?: true
}

/** One version of `app.versions()`. */
export interface VersionInfo extends VersionLife {
  /** The version as it is written. */
  readonly version: string
  /**
   * Whether it is the default version; never where a function chooses. Under a name such as `'latest'`, a path that lacks it has another
   * one, which `isDefault` of the routes tells.
   */
  readonly isDefault: boolean
  /** Where its deprecation and its sunset are explained. */
  readonly links: VersionLinks
  /** The behaviour after its sunset. */
  readonly retired: 'serve' | 'gone' | 'forward'
  /**
   * The routes that answer it, in the order of their definition: those that name it and, where it is the default, those without
   * version beside routes with versions. Not those that belong to no version: neutral ones, and paths that were never versioned.
   */
  readonly routes: readonly VersionRoute[]
  /** Whether another deployment serves it. Absent when not. */
  readonly elsewhere?: true
  /** The changes of the version, as the history lists them. Absent without a history. */
  readonly changes?: readonly ChangeInfo[]
}

/** The known versions as data, oldest first, as they stand at this moment, none without versioning. */
export function toVersionList(
  { known, lifetimes, rows, shapes, defaultVersion, defaultAt }: Table,
  versioning: Versioning | undefined,
): readonly VersionInfo[] {
  if (versioning === undefined) return []
  const now = versioning.common.clock()
  const places = new Map(rows.map((row, index) => [row, index]))
  const answering = lifetimes.answering()
  const policies = byKnown(versioning.policies, known)
  const { history } = versioning
  const defaults = new Map(
    shapes.flatMap(({ routes }) => {
      const version = defaultAt(routes)
      return routes.map((row) => [row, version] as const)
    }),
  )
  const placeOf = ({ row }: AnsweringRoute): number => places.get(row) ?? rows.length
  return known.list.map((version): VersionInfo => {
    const policy = policies.get(version)
    return {
      version,
      isDefault: version === defaultVersion,
      ...lifeAt(lifetimes.ofVersion(version), now),
      links: toVersionLinks(policy?.links),
      retired: policy?.retired ?? 'serve',
      routes: (answering.get(version) ?? [])
        .toSorted((a, b) => placeOf(a) - placeOf(b))
        .map((each) => toVersionRoute(each, defaults.get(each.row) === version, now)),
      ...(known.isElsewhere(version) ? { elsewhere: true } : {}),
      ...(history === undefined ? {} : { changes: changesOf(history, version) }),
    }
  })
}

function toVersionRoute(
  { row: { route }, methods, lifetime }: AnsweringRoute,
  isDefault: boolean,
  now: number,
): VersionRoute {
  const { name, pattern, newest } = route
  return {
    name,
    methods,
    path: pattern.text,
    ...lifeAt(lifetime, now),
    ...(newest === undefined ? {} : { isConverted: true }),
    ...(isDefault ? { isDefault: true } : {}),
  }
}

function changesOf({ changes }: VersionHistory, wanted: string): readonly ChangeInfo[] {
  return changes
    .filter(({ version }) => version === wanted)
    .map(({ id, title, description }) => ({ id, title, description }))
}
