import type { App } from '../../server/app/app.ts'
import { findHistoryInternals } from '../../changes/internals.ts'
import { internalsOf } from '../../server/adapters/internals.ts'
import {
  isRange,
  canonicalVersion,
  compareVersions,
  hasOrder,
  type VersionFormat,
} from '../../versioning/version.ts'
import type { HistoryReport } from '../job.ts'
import { unfinishedIn } from '../write/unfinished.ts'

/** Reads the changes of an application's history in a version that is to be released. */
export function readHistory(app: App, version: string): HistoryReport {
  const { versioning: readVersioning, routes } = internalsOf(app, 'octavo release')
  const versioning = readVersioning()
  const internals = findHistoryInternals(versioning?.history)
  if (versioning?.history === undefined || internals === undefined)
    return {
      versions: [],
      next: [],
      routes: [],
      unfinished: [],
      at: undefined,
      problem: { message: 'the app has no history', isMalformed: false },
    }
  const { parts, placeOf } = internals
  const versions = parts.versions.filter((each) => each !== parts.next)
  const next = parts.changes.filter((change) => change.version === 'next')
  return {
    versions,
    next: next.map((change) => ({ id: change.id, title: change.title, at: placeOf(change) })),
    routes: routes()
      .filter(isNext)
      .map(({ label, definitions }) => ({ label, at: placeOfNext(definitions, placeOf) })),
    unfinished: next.flatMap((change) => unfinishedIn(change, placeOf(change))),
    at: placeOf(versioning.history),
    problem: problemOf(version, versions, versioning.format),
  }
}

function isNext(definition: object): boolean {
  return [Reflect.get(definition, 'version')].flat().includes('next')
}

/** The place of what gives a route its version: a route that is written in a controller has none of its own. */
function placeOfNext(
  definitions: readonly object[],
  placeOf: (definition: object) => string | undefined,
): string | undefined {
  const [at] = definitions.slice(definitions.findIndex(isNext)).flatMap((each) => placeOf(each) ?? [])
  return at
}

function problemOf(
  version: string,
  released: readonly string[],
  format: VersionFormat,
): HistoryReport['problem'] {
  const canonical = canonicalVersion(version, format)
  if (canonical === undefined || !isWritten(version, released)) {
    const kind = format === 'string' ? `such as "${released[0] ?? '1'}"` : `of the format '${format}'`
    return { message: `"${version}" is not a version ${kind}`, isMalformed: true }
  }
  const message = placeProblem(version, canonical, released, format)
  return message === undefined ? undefined : { message, isMalformed: false }
}

/** Whether a version is written as those are that are released: `v3` is none after `2`. */
function isWritten(version: string, released: readonly string[]): boolean {
  if (isRange(version) || version === 'next') return false
  return released.every(hasOrder) ? hasOrder(version) : /^[\p{L}\p{N}][\p{L}\p{N}._+-]*$/u.test(version)
}

function placeProblem(
  version: string,
  canonical: string,
  released: readonly string[],
  format: VersionFormat,
): string | undefined {
  const same = released.find((each) => canonicalVersion(each, format) === canonical)
  if (same !== undefined) return `the version "${same}" is already released`
  const newer = released.find((each) => compareVersions(version, each) < 0)
  return newer === undefined ? undefined : `"${version}" is older than the released version "${newer}"`
}
