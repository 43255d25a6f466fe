import { isAtLeast, worst, type Severity, type VersionFinding } from '../../gate/finding.ts'
import { FOLDED, type UsageEntry } from '../../server/options/usage.ts'
import type { SnapshotCheck } from '../../gate/snapshot/check-snapshots.ts'
import { toDay } from '../../gate/changelog/create-changelog.ts'
import { askApp } from '../app-process.ts'
import { usageError, type Arguments, type Setting } from '../command.ts'
import { readUsage, sumBy } from '../usage/read-usage.ts'

/** The calls of a client that a finding reaches. */
interface ReachedClient {
  /** `null` for clients without a name, and for those whose counts were folded. */
  readonly client: string | null
  /** The number of calls. */
  readonly count: number
  /** The day of the last one, such as `2026-11-27`. */
  readonly lastSeen: string
}

/** The clients that a finding reaches, as far as counts tell. */
export interface FindingUsage {
  /** The clients, most calls first. */
  readonly clients: readonly ReachedClient[]
  /** Whether these are all: false if counts were folded, or if the route has no name that counts have. */
  readonly isComplete: boolean
}

/** A finding with the clients that it reaches. */
type UsedFinding = VersionFinding & { readonly usage: FindingUsage }

/** The counts, and what they are about. */
interface Counts {
  readonly entries: readonly UsageEntry[]
  /** The names of the routes of the application, which may have had no calls, and of those with calls. */
  readonly routes: ReadonlySet<string>
  /** The first day that is looked at. */
  readonly since: string | undefined
}

/** Finds the clients that a finding reaches: those that called its operations in its version. */
function toFindingUsage(finding: VersionFinding, { entries, routes, since = '' }: Counts): FindingUsage {
  const ids = finding.places.length === 0 ? [finding.route] : finding.places.map(({ route }) => route)
  const isApi = finding.places.length === 0 && finding.operation === ''
  const counted = entries.filter(
    ({ day, version }) =>
      day >= since && (finding.version === '' || version === finding.version || version === null),
  )
  const names = ids.map((id) => (id === undefined ? undefined : toRouteName(id, routes)))
  const own = new Set(names)
  const reached = counted.filter(({ route }) => isApi || own.has(route))
  const isFolded = counted.some(({ route, client }) => route === FOLDED || client === FOLDED)
  const clients = [...sumBy(reached, ({ client }) => (client === FOLDED ? null : client))]
    .map(([client, { count, lastSeen }]) => ({ client, count, lastSeen: lastSeen.slice(0, 10) }))
    .toSorted((one, other) => other.count - one.count)
  return { clients, isComplete: !isFolded && (isApi || !names.includes(undefined)) }
}

/** The name of a route that has an operation id. A route with several methods has an id for each. `undefined` if no count has it. */
function toRouteName(id: string, known: ReadonlySet<string>): string | undefined {
  return [id, id.slice(0, Math.max(0, id.lastIndexOf('.')))].find((name) => known.has(name))
}

/** Adds to the findings of a check the clients that they reach. With `lowers`, those that reach no client become information. */
export function addUsage<C extends Checked>(check: C, given: Counts, lowers: boolean): C {
  const counts = { ...given, routes: new Set([...given.routes, ...given.entries.map(({ route }) => route)]) }
  const findings = check.findings.map((finding): UsedFinding => {
    const usage = toFindingUsage(finding, counts)
    const isLower = lowers && isUnused(usage, counts) && isAtLeast(finding.level, 'info')
    if (!isLower) return { ...finding, usage }
    const places = finding.places.map((place) => ({ ...place, level: 'info' as const }))
    return { ...finding, level: 'info', places, usage }
  })
  return { ...check, findings, level: worst(findings.map(({ level }) => level)) }
}

interface Checked {
  readonly level: Severity
  readonly findings: readonly VersionFinding[]
}

/** Whether no client was seen in all of the time. Counts that begin later do not tell. */
function isUnused({ clients, isComplete }: FindingUsage, { entries, since }: Counts): boolean {
  const isCovered = since !== undefined && entries.some(({ day }) => day <= since)
  return isComplete && isCovered && clients.length === 0
}

/** The clients in words, such as `acme 1,204 calls, last on 2026-11-27; unknown clients 3 calls, last on 2026-11-20`. */
export function usageText({ clients, isComplete }: FindingUsage): string {
  const texts = clients.map(
    ({ client, count, lastSeen }) =>
      `${client ?? 'unknown clients'} ${count.toLocaleString('en')} ${count === 1 ? 'call' : 'calls'}, last on ${lastSeen}`,
  )
  return [...texts, ...(isComplete ? [] : ['perhaps others'])].join('; ') || 'no calls were counted'
}

/** Adds to the findings of a check the clients that they reach, if there are counts. */
type AddUsage = (check: SnapshotCheck) => SnapshotCheck

/** Reads the counts of `--usage`, if they are given. @throws `CommandError` for files and days that there are not */
export function readCounts(
  given: Arguments,
  setting: Setting,
): (app: string | undefined) => Promise<AddUsage> {
  const [file, since, unused] = ['usage', 'since', 'unused'].map((name) => given.value(name))
  if (since !== undefined && toDay(since) !== since)
    throw usageError(`--since ${since} isn't a day`, 'write 2026-01-31')
  if (file === undefined) {
    if (since === undefined && unused === undefined) return async () => unchanged
    throw usageError('--usage is missing', 'give the file with the counts')
  }
  if (unused !== undefined && since === undefined)
    throw usageError('--unused needs --since', 'say since when no client was seen')
  const entries = readUsage(file, setting.cwd)
  return async (app) => {
    const served = await askApp(app, { kind: 'routes' }, setting)
    const routes = new Set(served.versions.flatMap((version) => version.routes.map(({ name }) => name)))
    return (check) => addUsage(check, { entries, routes, since }, unused !== undefined)
  }
}

const unchanged: AddUsage = (check) => check
