import { failure, say, sayStyle, type Outcome, type Setting } from '../command.ts'
import { askApp } from '../app-process.ts'
import { formatFirst, messageOf } from '../../base/values.ts'
import { reachOf } from '../../base/json-schema.ts'
import { findBreakingBothWays } from '../../gate/compare-documents.ts'
import { prepareSource, type ComparedSource } from '../../gate/document/source.ts'
import { operationsIn, type Finding } from '../../gate/finding.ts'
import { findReferences, componentNames } from '../../openapi/document/refs.ts'
import { keepVersions } from '../gate/snapshot-command.ts'
import type { ImportedApi } from './read-api.ts'
import type { ImportedProject } from './write-project.ts'
import type { ExpectedFinding } from './write-schema.ts'

/** Compares what the app serves with the imported document, if there is one, and keeps the first snapshot. */
export async function finishImport(
  project: ImportedProject,
  api: ImportedApi,
  source: ComparedSource | undefined,
  setting: Setting,
): Promise<Outcome> {
  const current = await askApp(project.app, { kind: 'current', isChecked: false }, setting)
  const served = current.versions.find(({ version }) => version === project.version)
  if (served === undefined) throw failure(`the app has no version ${project.version}`)
  const report = source && tryComparing(source, served.document, api, project.expected)
  if (report !== undefined) printReport(report)
  const snapshots = await keepVersions(current, setting)
  return {
    exitCode: report !== undefined && report.unexpected.length > 0 ? 1 : 0,
    result: { ...(report && toReportJson(report)), snapshots },
    next: project.app === undefined ? [{ text: 'serve the app', run: 'npx octavo dev' }] : [],
  }
}

/** The differences as JSON. */
function toReportJson({ expected, unexpected }: ImportReport): object {
  return {
    expected: [...expected].map(([why, { places, narrower }]) => ({
      why,
      places: [...places],
      narrower: [...narrower],
    })),
    unexpected: unexpected.map(({ schema, operation, at, rule, message, narrower }) => ({
      place: [schema ?? operation, at].filter(Boolean).join(' '),
      rule,
      message,
      narrower,
    })),
  }
}

/** @throws `CommandError` if the documents cannot be compared */
function tryComparing(...documents: Parameters<typeof compareImported>): ImportReport {
  try {
    return compareImported(...documents)
  } catch (error) {
    throw failure(`the document cannot be compared with the app: ${messageOf(error)}`)
  }
}

function printReport({ expected, unexpected }: ImportReport): void {
  const { yellow, red, green } = sayStyle()
  if (expected.size + unexpected.length === 0) {
    say(`${green('The app')} serves what the document says, in both directions`)
    return
  }
  if (expected.size > 0)
    say(yellow('The app differs from the document where zod or Octavo cannot say the same:'))
  for (const [why, { places, narrower }] of expected)
    say(`  ${why}. Narrower: ${[...narrower].join(' and ')}\n    ${formatFirst([...places], 3)}`)
  if (unexpected.length > 0) say(red('These differences are not expected:'))
  for (const { schema, operation, at, rule, message, narrower } of unexpected)
    say(
      `  ${[schema ?? operation, at].filter(Boolean).join(' ')}: ${message} (${rule}). Narrower: ${narrower}`,
    )
}

/** The side that takes or sends fewer values. */
type NarrowerSide = 'the app' | 'the document'

/** Differences with one reason. */
interface ExpectedDifferences {
  /** The named schemas and operations. */
  readonly places: Set<string>
  readonly narrower: Set<NarrowerSide>
}

/** The differences between an imported document and the one that its app serves. */
interface ImportReport {
  /** Differences that the import expected, by their reasons. */
  readonly expected: ReadonlyMap<string, ExpectedDifferences>
  /** Breaking differences that it did not expect. */
  readonly unexpected: readonly (Finding & { readonly narrower: NarrowerSide })[]
}

/** Compares an imported document with the one that its app serves, in both directions. @throws {ReadError} */
export function compareImported(
  source: ComparedSource,
  served: unknown,
  api: ImportedApi,
  notes: readonly ExpectedFinding[],
): ImportReport {
  const other = prepareSource(served)
  const { forth, back } = findBreakingBothWays(source, other)
  // what breaks clients of the document takes fewer requests, or sends more responses
  const breaking = [
    ...forth.map((finding) => ({ ...finding, narrower: narrowerSide(finding, 'the app', 'the document') })),
    ...back.map((finding) => ({ ...finding, narrower: narrowerSide(finding, 'the document', 'the app') })),
  ]
  const placesOf = createImportPlaces(api)
  const expected = new Map<string, ExpectedDifferences>()
  const unexpected: (typeof breaking)[number][] = []
  for (const finding of breaking) {
    const places = placesOf(finding)
    const note = notes.find(
      ({ place, rule }) => (place === '' || places.has(place)) && rule.test(finding.rule),
    )
    if (note === undefined) {
      unexpected.push(finding)
      continue
    }
    const known = expected.get(note.why) ?? { places: new Set(), narrower: new Set() }
    known.places.add(finding.schema ?? finding.operation)
    known.narrower.add(finding.narrower)
    expected.set(note.why, known)
  }
  return { expected, unexpected }
}

function narrowerSide({ rule }: Finding, request: NarrowerSide, response: NarrowerSide): NarrowerSide {
  return rule.startsWith('response-') ? response : request
}

/** Returns where a finding may come from: its operations or its schema, and the schemas that those refer to. */
function createImportPlaces({ operations, schemas }: ImportedApi): (finding: Finding) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>()
  const byName = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))
  const reach = (start: string): ReadonlySet<string> => {
    const before = known.get(start)
    if (before !== undefined) return before
    const operation = byName.get(start)
    const found = reachOf([start, ...componentNames(findReferences(operation), 'schemas')], schemas)
    known.set(start, found)
    return found
  }
  return (finding) => {
    const { schema } = finding
    // a schema that differs in requests and responses has a name for each
    const name = schema === undefined || schema in schemas ? schema : schema.replace(/Output$/, '')
    const starts = name === undefined ? operationsIn(finding) : [name]
    return new Set(starts.flatMap((start) => [...reach(start)]))
  }
}
