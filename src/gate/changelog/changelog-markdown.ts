import { capitalize, formatFirst, isRecord } from '../../base/values.ts'
import { markdownCode, escapeMarkdown } from '../escape.ts'
import { operationsIn, type Finding } from '../finding.ts'
import type { Changelog, ChangelogVersion } from './create-changelog.ts'
import type { ChangeExample } from './change-example.ts'
import { readLine, readProse } from './prose.ts'

/** A line whose first characters begin no heading, list or quotation. */
function toPlainStart(line: string): string {
  return line.replace(/^([-+=]|\d+(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}

/** Writes a changelog as Markdown. What changes say is escaped. */
export function changelogMarkdown({ title, versions }: Changelog): string {
  const head = `# Changelog of ${toPlainStart(markdownLine(title))}`
  return `${[head, ...versions.map(toVersionMarkdown)].join('\n\n')}\n`
}

/** Writes one version of a changelog as Markdown. */
export function toVersionMarkdown(version: ChangelogVersion): string {
  const { day } = version
  const name = escapeMarkdown(version.version)
  const head = day === undefined || day === version.version ? `## ${name}` : `## ${name} (${day})`
  return [head, ...versionLines(version)].join('\n\n')
}

/** Writes what is said of a version: its life, its changes, and the differences that no change describes. */
function versionLines(version: ChangelogVersion): readonly string[] {
  const { before = '', changes, findings } = version
  const notes = [deprecationText(version), emptyNote(version)].filter((note) => note !== '')
  const title = `${changes.length === 0 ? 'Differences' : 'Other differences'} from ${before}`
  return [
    ...notes.map((note) => toPlainStart(escapeMarkdown(note))),
    ...changes.flatMap((change) => [
      `### ${toPlainStart(markdownLine(change.title))}`,
      ...(change.description === change.title ? [] : readProse(change.description)).map(({ kind, lines }) => {
        const written = lines.map(markdownLine)
        return kind === 'list' ? markdownList(written) : written.map(toPlainStart).join('\n')
      }),
      ...toConcern('Models', change.models),
      ...toConcern('Operations', change.operations),
      ...change.examples.map(exampleText),
      ...severityTexts(change.findings, new Set(change.operations)),
    ]),
    ...(findings.length === 0 ? [] : [`### ${escapeMarkdown(title)}`]),
    ...severityTexts(version.findings),
  ]
}

function markdownList(items: readonly string[]): string {
  return items.map((item) => `- ${toPlainStart(item)}`).join('\n')
}

function markdownLine(line: string): string {
  return readLine(line.replaceAll(/\s+/g, ' ').trim())
    .map((piece) => {
      if (piece.kind === 'link') return `[${escapeMarkdown(piece.text)}](${piece.href})`
      return piece.kind === 'code' ? markdownCode(piece.text) : escapeMarkdown(piece.text)
    })
    .join('')
}

function toConcern(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${firstCodes(names)}`]
}

/**
 * The JSON of an example as the lines of a diff, of long values with the outer members. No line of it begins with backticks, because each has a
 * sign.
 */
function exampleText({ schema, before, after }: ChangeExample): string {
  const texts = [Infinity, 3, 2, 1].map((depth) => [before, after].map((value) => outerJson(value, depth)))
  const [older = '', newer = ''] = texts.find((both) => both.every(isShort)) ?? texts.at(-1) ?? []
  const lines = [toDiff('-', older), toDiff('+', newer)]
  return [`${markdownCode(schema)} before and after:`, '', '```diff', ...lines, '```'].join('\n')
}

function isShort(text: string): boolean {
  return text.split('\n').length <= MOST_LINES
}

function outerJson(value: unknown, depth: number): string {
  return JSON.stringify(toOuter(value, depth), undefined, 2)
    .replaceAll(/"(…[^"]*)"(?:: 0)?/g, '$1')
    .replaceAll(/\[\s*…\s*\]/g, '[ … ]')
}

/** JSON behind a sign, on one line if it is short. */
function toDiff(sign: string, text: string): string {
  const line = text.replaceAll(/\n */g, ' ')
  return (line.length > 72 ? text : line).replaceAll(/^/gm, `${sign} `)
}

/** How many lines an example has, and how many members of an object it shows if it would have more. */
const MOST_LINES = 16
const MOST_MEMBERS = 8

/** A value with its outer members. Dots stand for objects and lists below a depth, and for more members. */
function toOuter(value: unknown, depth: number): unknown {
  if (depth === Infinity) return value
  if (Array.isArray(value)) return value.map((item) => toOuter(item, depth))
  if (!isRecord(value)) return value
  if (depth === 0) return '…'
  const members = Object.entries(value).map(([name, member]) => [name, toOuter(member, depth - 1)] as const)
  const more = members.length - MOST_MEMBERS
  return Object.fromEntries(
    more > 0 ? [...members.slice(0, MOST_MEMBERS), [`… and ${more} more`, 0]] : members,
  )
}

/** How many names of a kind are written, before a count. */
const MOST = 3

function firstCodes(names: readonly string[]): string {
  return formatFirst(names.map(markdownCode), MOST)
}

const TITLES = [
  ['breaking', 'Breaking'],
  ['warning', 'To check'],
  ['info', 'Compatible'],
] as const

/** The findings of a version or a change by their level, the worst first. `said` are the operations that stand above them. */
function severityTexts(
  findings: readonly Finding[],
  said: ReadonlySet<string> = new Set(),
): readonly string[] {
  return TITLES.flatMap(([level, title]) => {
    const subjects = toSubjects(findings.filter((finding) => finding.level === level))
    const items = subjects.map((subject) => subjectText(subject, said))
    return items.length === 0 ? [] : [`**${title}**\n\n${items.join('\n')}`]
  })
}

/** The same difference in one or more places. */
interface Difference extends Pick<Finding, 'rule' | 'message'> {
  /** Where it is in the operations or schemas, each once. */
  readonly places: Set<string>
}

/** Operations or named schemas that differ in the same way. */
interface Subject {
  /** None for differences of operations. */
  readonly schemas: readonly string[]
  readonly operations: readonly string[]
  readonly differences: Map<string, Difference>
}

/** Groups findings of a level by the operations or schemas that have them. A difference that several share is listed once. */
function toSubjects(findings: readonly Finding[]): readonly Subject[] {
  const shared = new Map<
    string,
    Pick<Finding, 'rule' | 'message' | 'at'> & Record<'operations' | 'schemas', Set<string>>
  >()
  for (const finding of findings) {
    const { rule, message, at, schema } = finding
    const key = JSON.stringify([rule, at, message, schema === undefined])
    const one = shared.get(key) ?? { rule, message, at, operations: new Set(), schemas: new Set() }
    shared.set(key, one)
    if (schema !== undefined) one.schemas.add(schema)
    for (const operation of operationsIn(finding)) one.operations.add(operation)
  }
  const subjects = new Map<string, Subject>()
  for (const { rule, message, at, ...sets } of shared.values()) {
    const [schemas, operations] = [[...sets.schemas], [...sets.operations].toSorted()]
    const key = JSON.stringify([schemas, operations])
    const subject = subjects.get(key) ?? { schemas, operations, differences: new Map() }
    subjects.set(key, subject)
    const difference = subject.differences.get(rule + message) ?? { rule, message, places: new Set() }
    subject.differences.set(rule + message, difference)
    difference.places.add(at)
  }
  return [...subjects.values()]
}

function subjectText({ schemas, operations, differences }: Subject, said: ReadonlySet<string>): string {
  const isSaid = schemas.length > 0 && operations.every((operation) => said.has(operation))
  const owner = schemas.length > 0 ? firstCodes(schemas) : firstCodes(operations)
  const within = schemas.length === 0 || isSaid ? '' : `, in ${firstCodes(operations)}`
  const lines = [...differences.values()].map(({ rule, message, places }) => ({
    places: [...places].filter((at) => at !== ''),
    text: `${escapeMarkdown(message)} (${markdownCode(rule)})`,
  }))
  const [only] = lines
  if (only === undefined || lines.length > 1) {
    const inner = lines.map(
      ({ places, text }) => `  - ${[firstCodes(places), text].filter(Boolean).join(': ')}`,
    )
    return [`- ${owner}${within}:`, ...inner].join('\n')
  }
  return `- ${[owner, firstCodes(only.places)].filter(Boolean).join(' ')}: ${only.text}${within}`
}

/** Describes the life of a version, without saying whether that is over. */
function deprecationText({ deprecated, sunset, retired }: ChangelogVersion): string {
  const parts = [
    ...(deprecated === undefined
      ? []
      : [deprecated === true ? 'Deprecated' : `Deprecation on ${deprecated}`]),
    ...(sunset === undefined ? [] : [`${retired === true ? 'retirement' : 'sunset'} on ${sunset}`]),
  ]
  const text = parts.join(', ')
  return text === '' ? '' : `${capitalize(text)}.`
}

/** Returns the note of a version with nothing to list. */
function emptyNote({ before, changes, findings }: ChangelogVersion): string {
  if (before === undefined) return 'The first version.'
  return changes.length + findings.length === 0 ? `Clients notice no difference from version ${before}.` : ''
}
