import { compareDocuments } from '../compare-documents.ts'
import { toNeighbours } from '../document/neighbours.ts'
import { worst, type Finding, type Severity, type FindingPlace } from '../finding.ts'
import { toPlainJson, operationsById } from '../json.ts'
import { toExamples, type ChangeExample, type ModelExample } from './change-example.ts'

/** A change, as a history tells of it. */
interface SourceChange {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly models: readonly string[]
  readonly operationIds: readonly string[]
  /** The names of the fields, parameters, headers and errors that it describes, older ones included. */
  readonly names: readonly string[]
  /** Where operations differ by what it describes as a whole. The operation itself is an empty text. */
  readonly places: readonly string[]
}

/** A version that a changelog is made from. */
export interface ChangelogSource {
  readonly version: string
  readonly document: object
  readonly changes: readonly SourceChange[]
  /** Values that its changes convert to those of the version before. @default [] */
  readonly examples?: readonly ModelExample[]
  /** Since when it is deprecated, or will be, as an ISO 8601 text. */
  readonly deprecated?: true | string | undefined
  /** The moment of its sunset, as an ISO 8601 text. */
  readonly sunset?: string | undefined
  /** Whether it does not answer after its sunset. */
  readonly isRetired?: boolean
}

/** A change in a changelog. */
interface ChangelogChange {
  readonly id: string
  readonly title: string
  readonly description: string
  /** The names of the models that it reshapes. */
  readonly models: readonly string[]
  /** The operations that it reaches, as method and path. */
  readonly operations: readonly string[]
  /** Examples of the named schemas that it changes, with the members that differ. */
  readonly examples: readonly ChangeExample[]
  /** The differences that it causes. */
  readonly findings: readonly Finding[]
}

/** A version in a changelog. */
export interface ChangelogVersion {
  readonly version: string
  /** The version before it; absent for the first one. */
  readonly before?: string
  /** The day of its release, if it is known. */
  readonly day?: string
  /** Since when it is deprecated, or will be; `true` without a day. */
  readonly deprecated?: true | string
  /** The day of its sunset. */
  readonly sunset?: string
  /** Whether it does not answer after its sunset. */
  readonly retired?: true
  /** The worst level of the findings. */
  readonly level: Severity
  readonly changes: readonly ChangelogChange[]
  /** The differences from the version before it that no change describes. */
  readonly findings: readonly Finding[]
}

/** The changelog of an API. */
export interface Changelog {
  /** The title of the API. */
  readonly title: string
  /** Newest first. */
  readonly versions: readonly ChangelogVersion[]
}

/**
 * Creates the changelog of versions, oldest first. It depends only on its arguments, not on a clock.
 *
 * @param days the days of releases that are known from elsewhere, by version
 * @throws {ReadError} if a document cannot be read
 */
export async function toChangelog(
  title: string,
  versions: readonly ChangelogSource[],
  days: ReadonlyMap<string, string> = new Map(),
): Promise<Changelog> {
  const made: ChangelogVersion[] = []
  for (const [index, source] of versions.entries()) {
    made.unshift(
      toChangelogVersion(source, versions[index - 1], toDay(source.version) ?? days.get(source.version)),
    )
    // a server that is asked for its changelog goes on answering others meanwhile
    await new Promise((resolve) => {
      setTimeout(resolve)
    })
  }
  return { title, versions: made }
}

function toChangelogVersion(
  source: ChangelogSource,
  before: ChangelogSource | undefined,
  day: string | undefined,
): ChangelogVersion {
  const { version, document, deprecated, sunset, isRetired, examples: converted = [] } = source
  const operations = operationsById(document)
  const findings = before === undefined ? [] : changelogFindings(before, source, day)
  const byChange = groupByCause(findings, source.changes)
  return {
    version,
    ...(before === undefined ? {} : { before: before.version }),
    ...(day === undefined ? {} : { day }),
    ...(deprecated === undefined ? {} : { deprecated: deprecated === true || deprecated.slice(0, 10) }),
    ...(sunset === undefined ? {} : { sunset: sunset.slice(0, 10) }),
    ...(isRetired === true && sunset !== undefined ? { retired: true } : {}),
    level: worst(findings.map(({ level }) => level)),
    changes: source.changes.map((change) => {
      const { operationIds, id, title, description, models } = change
      const own = byChange.get(change) ?? []
      return {
        id,
        title,
        description,
        models,
        operations: operationIds.flatMap((operationId) => operations.get(operationId) ?? []).toSorted(),
        examples: toExamples(own, { base: before?.document, revision: document, converted }),
        findings: own,
      }
    }),
    findings: byChange.get(undefined) ?? [],
  }
}

/** Groups differences by the change that causes them, `undefined` for those that no change describes. */
function groupByCause(
  findings: readonly Finding[],
  changes: readonly SourceChange[],
): ReadonlyMap<SourceChange | undefined, readonly Finding[]> {
  const groups = new Map<SourceChange | undefined, Finding[]>()
  for (const finding of findings) {
    const cause = changeOfFinding(finding, changes)
    groups.set(cause, [...(groups.get(cause) ?? []), finding])
  }
  return groups
}

/**
 * The change that describes the place of the difference or names it, or else a member that leads to it, or the only one that reaches the
 * operation that differs.
 */
function changeOfFinding(
  { schema = '', at, route, places }: Finding,
  changes: readonly SourceChange[],
): SourceChange | undefined {
  const routes = [route, ...places.map((place) => place.route)]
  const model = schema.replace(/(?:In|Out)put$/, '')
  const isOwner = ({ models }: SourceChange): boolean => models.includes(schema) || models.includes(model)
  const near = [
    ...changes.filter(isOwner),
    ...changes.filter((change) => !isOwner(change) && change.operationIds.some((id) => routes.includes(id))),
  ]
  const ats = schema === '' ? [at] : places.map((place) => place.at)
  const isWithin = (whole: readonly string[]): boolean =>
    ats.length > 0 &&
    ats.every((one) => whole.some((place) => one === place || (place !== '' && one.startsWith(`${place}/`))))
  return (
    near.find(({ places: whole }) => schema === '' && isWithin(whole)) ??
    near.find(({ names }) => isNamed(names, at)) ??
    near.find(({ places: whole }) => isWithin(whole)) ??
    (schema === '' ? undefined : near.find(({ names }) => ats.every((way) => isNamed(names, way)))) ??
    (schema === '' && near.length === 1 ? near[0] : undefined)
  )
}

/** Whether one of the names is a step of a place. */
function isNamed(names: readonly string[], at: string): boolean {
  return at.split('/').some((step) => names.includes(step))
}

/** The differences of two versions. Operations have the names of the newer one. */
function changelogFindings(
  before: ChangelogSource,
  source: ChangelogSource,
  day: string | undefined,
): readonly Finding[] {
  const [older, newer] = toNeighbours(
    { ...before, document: toPlainJson(before.document) },
    { ...source, document: toPlainJson(source.document) },
  )
  const operations = operationsById(source.document)
  const { findings } = compareDocuments(older, newer, {
    // a day that is not known is neither before nor after a sunset
    now: new Date(day ?? Number.NaN),
  })
  const rename = <P extends FindingPlace>(place: P): P => ({
    ...place,
    operation: operations.get(place.route ?? '') ?? place.operation,
    // media types name the version where a header chooses it
    at: place.at.replaceAll(`; version=${before.version}`, '').replaceAll(`; version=${source.version}`, ''),
  })
  return findings.map((finding) => ({ ...rename(finding), places: finding.places.map(rename) }))
}

/** The day that a version is, or `undefined` for a version that is none. A month is its first day. */
export function toDay(version: string): string | undefined {
  const [, month, day = '-01'] = /^(\d{4}-\d\d)(-\d\d)?$/.exec(version) ?? []
  if (month === undefined) return undefined
  const time = new Date(`${month}${day}T00:00:00Z`)
  return Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== month + day
    ? undefined
    : month + day
}
