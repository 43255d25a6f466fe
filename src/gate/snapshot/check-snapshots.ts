import { compareSources, type CompareOptions } from '../compare-documents.ts'
import { isRecord } from '../../base/values.ts'
import { documentedDeprecation, withoutLives } from '../document/neighbours.ts'
import { areEqual } from '../document/deep-equal.ts'
import { prepareSource } from '../document/source.ts'
import { worst, type Severity, type VersionFinding } from '../finding.ts'
import { compareVersionLife } from '../operation/compare-deprecation.ts'
import { isOver, withoutAllowed, withLevels, type AllowedFinding, type Levels } from './allow.ts'
import { toApiFinding } from './api-finding.ts'
import { checkChanges, type CheckedHistory } from './changes.ts'
import { checkRoutes, checkSchemes, type VersionServing } from './version-serving.ts'
import { isAfterSunset, type CurrentVersion, type VersionSnapshot } from './snapshot-index.ts'

/** The result of a check of released versions. */
export interface SnapshotCheck {
  readonly level: Severity
  readonly findings: readonly VersionFinding[]
  /** How many findings `allow.json` allows. */
  readonly allowed: number
  /** Versions whose documents differ from what was kept. */
  readonly stale: readonly string[]
  /** Those of them that differ only in texts, such as descriptions and examples. */
  readonly reworded: readonly string[]
  /** Versions that were never kept. */
  readonly missing: readonly string[]
}

/** How strictly versions are checked. */
export interface CheckOptions extends CompareOptions {
  readonly allowed?: readonly AllowedFinding[]
  /** Levels of rules that differ from those of the table. */
  readonly levels?: Levels
  /** How requests reached versions when they were kept, and how they do. */
  readonly serving?: { readonly old: VersionServing | undefined; readonly now: VersionServing }
  /** The changes of the application. */
  readonly history?: CheckedHistory | undefined
}

/**
 * Compares what was kept of released versions with the application of today.
 * @throws {ReadError} if a kept document cannot be read
 */
export function checkSnapshots(
  snapshots: readonly VersionSnapshot[],
  current: readonly CurrentVersion[],
  options: CheckOptions = {},
): SnapshotCheck {
  const { allowed = [], levels = new Map(), now = new Date() } = options
  const stale: string[] = []
  const reworded: string[] = []
  const found: VersionFinding[] = [
    ...toOrderFindings(snapshots, current),
    ...toDefaultFindings(snapshots, current),
  ]
  for (const snapshot of snapshots) {
    const { version } = snapshot
    const today = current.find((one) => one.version === version)
    if (today === undefined) {
      found.push(removedVersion(snapshot, now))
      continue
    }
    if (areEqual(snapshot.document, today.document)) continue
    const findings = compareVersion(version, snapshot.document, today.document, options)
    found.push(...findings)
    if (
      findings.length === 0 &&
      areEqual(withSortedNames(snapshot.document), withSortedNames(today.document))
    )
      continue
    stale.push(version)
    if (findings.length === 0) reworded.push(version)
  }
  const { serving, history } = options
  if (serving !== undefined)
    found.push(...checkSchemes(serving.old, serving.now), ...checkRoutes(serving.old, serving.now, found))
  if (history !== undefined)
    found.push(...checkChanges(history, current, { ...options, serving: serving?.now }))
  const all = withLevels(found, levels)
  const expired = allowed.filter((one) => isOver(one, now))
  const holding = allowed.filter((one) => !expired.includes(one))
  const findings = [
    ...all.flatMap((finding) => withoutAllowed(finding, holding) ?? []),
    ...expired.map(({ rule, until, reason }) =>
      toApiFinding('', 'allow-expired', { rule, until: until.slice(0, 10), reason }),
    ),
  ]
  const kept = new Set(snapshots.map(({ version }) => version))
  return {
    level: worst(findings.map(({ level }) => level)),
    findings,
    allowed: all.length + expired.length - findings.length,
    stale,
    reworded,
    missing: current.map(({ version }) => version).filter((version) => !kept.has(version)),
  }
}

/** Compares two documents of a version. Its life is one finding of the version, instead of some for each operation. */
function compareVersion(
  version: string,
  old: unknown,
  today: unknown,
  options: CheckOptions,
): readonly VersionFinding[] {
  const [was, is] = [documentedDeprecation(old), documentedDeprecation(today)]
  const hasNewLife = !areEqual(was, is)
  const [base, revision] = hasNewLife ? withoutLives(old, today) : [old, today]
  const { findings } = compareSources(prepareSource(base), prepareSource(revision), options)
  const { now = new Date() } = options
  const life = hasNewLife ? compareVersionLife(was, is, now.getTime()) : undefined
  return [
    ...(life === undefined ? [] : [toApiFinding(version, life, { subject: `version ${version}` })]),
    ...findings.map((finding) => ({ ...finding, version })),
  ]
}

/** A document whose lists of required members are sorted: a change that restores a field need not know its place. */
function withSortedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedNames)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'required' && Array.isArray(member)
        ? member.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
        : withSortedNames(member),
    ]),
  )
}

function removedVersion(snapshot: VersionSnapshot, now: Date): VersionFinding {
  const { version } = snapshot
  const isExpected = isAfterSunset(snapshot, now)
  const values = { version, when: isExpected ? 'after' : 'before' }
  return toApiFinding(version, 'api-version-removed', values, { isExpected })
}

/** Ranges and days resolve by order, so known versions keep theirs, and new ones are newer than all of them. */
function toOrderFindings(
  snapshots: readonly VersionSnapshot[],
  current: readonly CurrentVersion[],
): readonly VersionFinding[] {
  const places = new Map(current.map(({ version }, place) => [version, place]))
  const known = snapshots.flatMap(({ version }) => places.get(version) ?? [])
  if (known.some((place, index) => place < (known[index - 1] ?? -1)))
    return [toApiFinding('', 'version-order-changed')]
  const newest = Math.max(...known)
  const kept = new Set(snapshots.map(({ version }) => version))
  return current
    .filter(({ version }, place) => !kept.has(version) && place < newest)
    .map(({ version }) => toApiFinding(version, 'version-inserted', { version }))
}

function toDefaultFindings(
  snapshots: readonly VersionSnapshot[],
  current: readonly CurrentVersion[],
): readonly VersionFinding[] {
  const was = snapshots.find(({ isDefault }) => isDefault === true)?.version
  const is = current.find(({ isDefault }) => isDefault)?.version
  if (snapshots.length === 0 || was === is) return []
  return [toApiFinding('', 'version-default-changed', { was: was ?? 'none', now: is ?? 'none' })]
}
