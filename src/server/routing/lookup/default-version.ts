import { isPromise } from '../../../base/async.ts'
import { findDefault, type Versioning } from '../../../versioning/versioning.ts'
import type { VersionChoice } from '../../../versioning/options.ts'
import { cutVersion } from '../../../versioning/cut-version.ts'
import type { Table } from '../table/table.ts'
import { livingVersions } from './version-miss.ts'
import { withoutVersion, type VersionMatch, type ResolveDefault } from './resolution.ts'

/** Creates the function that settles the version of requests that name none. */
export function createDefaultResolver(
  table: Table,
  { defaultVersion, vary, defaultVary, common }: Versioning,
): ResolveDefault {
  const none = withoutVersion(table, vary)
  if (defaultVersion === null) return () => none
  if (typeof defaultVersion === 'string') {
    const always: VersionMatch = { ...none, kind: 'known', version: table.defaultVersion }
    return () => always
  }
  const unchosen = { ...none, vary: defaultVary }
  const byVersion = new Map(
    [...table.defaults].map(([version, root]): readonly [string, VersionMatch] => [
      version,
      { ...unchosen, kind: 'known', root, version },
    ]),
  )
  const { known } = table
  const choice: VersionChoice = {
    find: (name) => (byVersion.has(name) ? name : (known.find(name) ?? findDefault(name, known))),
    supported: () => livingVersions(table, common.clock),
  }
  const toResolution = (version: unknown): VersionMatch => {
    if (version === null) return unchosen
    const isVersion = typeof version === 'string'
    const resolution = isVersion ? byVersion.get(known.find(version) ?? '') : undefined
    if (resolution !== undefined) return resolution
    const given = isVersion ? JSON.stringify(cutVersion(version)) : typeof version
    throw new Error(
      `The function defaultVersion gave ${given}, not a known version (${known.list.join(', ')}) or null`,
    )
  }
  return (context) => {
    const chosen = defaultVersion(context.request, choice, context)
    return isPromise(chosen) ? chosen.then(toResolution) : toResolution(chosen)
  }
}
