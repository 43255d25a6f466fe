import { failure } from '../command.ts'
import type { App } from '../../server/app/app.ts'
import { findHistoryInternals } from '../../changes/internals.ts'
import { internalsOf } from '../../server/adapters/internals.ts'
import { isRange, canonicalVersion, compareVersions, hasOrder } from '../../versioning/version.ts'
import type { HistoryReport } from '../app-process.ts'
import { toUnfinishedText, unfinishedIn } from '../write/unfinished.ts'

/** Reads what a release of an app is about. @throws `CommandError` if a version is given that cannot be released */
export function readHistory(app: App, version: string | undefined): HistoryReport {
  const { versioning: readVersioning, routes: readRoutes } = internalsOf(app, 'octavo release')
  const versioning = readVersioning()
  const internals = findHistoryInternals(versioning?.history)
  if (versioning?.history === undefined || internals === undefined) throw failure('the app has no history')
  const { parts, placeOf } = internals
  const versions = parts.versions.filter((each) => each !== parts.next)
  const changes = parts.changes.filter((change) => change.version === 'next')
  const routes = readRoutes().filter(isNext)
  const report: HistoryReport = {
    versions,
    places: [
      ...changes.map((change) => ({ kind: 'change', title: change.title, at: placeOf(change) }) as const),
      ...routes.map(({ label, definitions }) => {
        // a route that is written in a controller has no place of its own
        const givers = definitions.slice(definitions.findIndex(isNext))
        const [at] = givers.flatMap((each) => placeOf(each) ?? [])
        return { kind: 'route', title: label, at } as const
      }),
      { kind: 'history', title: 'the history', at: placeOf(versioning.history) },
    ],
    trial: parts.next,
  }
  if (version === undefined) return report
  const { format } = versioning
  const canonical = canonicalVersion(version, format)
  if (canonical === undefined || !isWritten(version, versions)) {
    const kind = format === 'string' ? `such as "${versions[0] ?? '1'}"` : `of the format '${format}'`
    return { ...report, malformed: `"${version}" is not a version ${kind}` }
  }
  const released = `released versions: ${versions.join(', ')}`
  const same =
    parts.spellings.get(version) ?? versions.find((each) => canonicalVersion(each, format) === canonical)
  if (same !== undefined) throw failure(`the version "${same}" is already released`, released)
  const newer = versions.find((each) => compareVersions(version, each) < 0)
  if (newer !== undefined)
    throw failure(`"${version}" is older than the released version "${newer}"`, released)
  const unfinished = changes.flatMap((change) => unfinishedIn(change, placeOf(change)))
  if (unfinished.length > 0)
    throw failure(
      'some changes are incomplete: replace each fillIn(…) with a value',
      ...unfinished.map(toUnfinishedText),
    )
  if (changes.length + routes.length > 0) return report
  throw failure(
    "no change or route has the version 'next'",
    "set version: 'next' in the changes that you want to release",
  )
}

function isNext(definition: object): boolean {
  return [Reflect.get(definition, 'version')].flat().includes('next')
}

/** Whether a version is written as those are that are released: `v3` is none after `2`. */
function isWritten(version: string, released: readonly string[]): boolean {
  if (isRange(version) || version === 'next') return false
  return released.every(hasOrder) ? hasOrder(version) : /^[\p{L}\p{N}][\p{L}\p{N}._+-]*$/u.test(version)
}
