import { compareDocuments } from '../compare.ts'
import type { CompareOptions } from '../compare.ts'
import { areEqual } from '../document/same.ts'
import { worst } from '../finding.ts'
import type { Level, VersionFinding } from '../finding.ts'
import { isAbout, isOver } from './allow.ts'
import type { Allowed } from './allow.ts'
import type { CurrentVersion, Snapshot } from './snapshot.ts'

/** What became of released versions. */
export interface CheckResult {
  readonly level: Level
  readonly findings: readonly VersionFinding[]
  /** How many findings `allow.json` allows. */
  readonly allowed: number
  /** Versions whose documents differ in a way that breaks nobody: keep them anew. */
  readonly stale: readonly string[]
  /** Versions that were never kept. */
  readonly missing: readonly string[]
}

/** How strictly versions are checked. */
export interface CheckOptions extends CompareOptions {
  readonly allowed?: readonly Allowed[]
}

/**
 * Compares what was kept of released versions with the application of today.
 * @throws {ReadError} if a kept document cannot be read
 */
export function checkSnapshots(
  snapshots: readonly Snapshot[],
  current: readonly CurrentVersion[],
  options: CheckOptions = {},
): CheckResult {
  const { allowed = [], now = new Date() } = options
  const stale: string[] = []
  const all: VersionFinding[] = [
    ...toOrderFindings(snapshots, current),
    ...toDefaultFindings(snapshots, current),
  ]
  for (const snapshot of snapshots) {
    const { version } = snapshot
    const today = current.find((one) => one.version === version)
    if (today === undefined) {
      all.push(toRemoved(snapshot, now))
      continue
    }
    if (areEqual(snapshot.document, today.document)) continue
    const { findings } = compareDocuments(snapshot.document, today.document, options)
    all.push(...findings.map((finding) => ({ ...finding, version })))
    stale.push(version)
  }
  const expired = allowed.filter((one) => isOver(one, now))
  const holding = allowed.filter((one) => !expired.includes(one))
  const findings = [
    ...all.filter((finding) => !holding.some((one) => isAbout(one, finding))),
    ...expired.map(toExpired),
  ]
  const kept = new Set(snapshots.map(({ version }) => version))
  return {
    level: worst(findings.map(({ level }) => level)),
    findings,
    allowed: all.length + expired.length - findings.length,
    stale,
    missing: current.map(({ version }) => version).filter((version) => !kept.has(version)),
  }
}

/** A finding of the whole API. */
function toFinding(version: string, rule: string, level: Level, message: string): VersionFinding {
  return {
    version,
    rule,
    level,
    operation: '',
    at: '',
    message,
    base: { pointer: '' },
    revision: { pointer: '' },
  }
}

function toRemoved({ version, sunset }: Snapshot, now: Date): VersionFinding {
  const isOverNow = sunset !== undefined && Date.parse(sunset) <= now.getTime()
  return isOverNow
    ? toFinding(version, 'api-version-removed', 'info', `version ${version} was removed after its sunset`)
    : toFinding(
        version,
        'api-version-removed',
        'breaking',
        `version ${version} was removed before a sunset was over`,
      )
}

function toExpired({ rule, until, reason }: Allowed): VersionFinding {
  return toFinding(
    '',
    'allow-expired',
    'breaking',
    `${rule} was allowed until ${until.slice(0, 10)}: ${reason}`,
  )
}

/** Ranges and days resolve by order, so known versions keep theirs, and new ones are newer than all of them. */
function toOrderFindings(
  snapshots: readonly Snapshot[],
  current: readonly CurrentVersion[],
): readonly VersionFinding[] {
  const places = new Map(current.map(({ version }, place) => [version, place]))
  const known = snapshots.flatMap(({ version }) => places.get(version) ?? [])
  if (known.some((place, index) => place < (known[index - 1] ?? -1)))
    return [toFinding('', 'version-order-changed', 'breaking', 'the versions are in another order')]
  const newest = Math.max(...known)
  const kept = new Set(snapshots.map(({ version }) => version))
  return current
    .filter(({ version }, place) => !kept.has(version) && place < newest)
    .map(({ version }) =>
      toFinding(
        version,
        'version-inserted',
        'breaking',
        `version ${version} stands before a version that is released`,
      ),
    )
}

function toDefaultFindings(
  snapshots: readonly Snapshot[],
  current: readonly CurrentVersion[],
): readonly VersionFinding[] {
  const was = snapshots.find(({ isDefault }) => isDefault === true)?.version
  const is = current.find(({ isDefault }) => isDefault)?.version
  if (snapshots.length === 0 || was === is) return []
  const message = `requests without a version got ${was ?? 'none'} and get ${is ?? 'none'}`
  return [toFinding('', 'version-default-changed', 'breaking', message)]
}
