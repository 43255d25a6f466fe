import { capitalize } from '../../base/values.ts'
import { markdownCode, escapeMarkdown } from '../escape.ts'
import { operationsIn, whereOf, type Finding } from '../finding.ts'
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
      ...severityTexts(change),
    ]),
    ...(findings.length === 0 ? [] : [`### ${escapeMarkdown(title)}`]),
    ...severityTexts(version),
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
  return names.length === 0 ? [] : [`${what}: ${names.map(markdownCode).join(', ')}`]
}

/** The JSON of an example as the lines of a diff. No line of it begins with backticks, because each has a sign. */
function exampleText({ schema, before, after }: ChangeExample): string {
  const lines = [toDiff('-', before), toDiff('+', after)]
  return [`${markdownCode(schema)} before and after:`, '', '```diff', ...lines, '```'].join('\n')
}

/** JSON behind a sign, on one line if it is short. */
function toDiff(sign: string, value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  const line = text.replaceAll(/\n */g, ' ')
  return (line.length > 72 ? text : line).replaceAll(/^/gm, `${sign} `)
}

/** The findings of a version or a change by their level. */
function severityTexts(of: Pick<ChangelogVersion, 'findings'>): readonly string[] {
  return groupFindings(of).map(({ title, groups }) => {
    const items = groups.map(({ operations, places, message, rule }) => {
      const place = [operations, places.filter((at) => at !== '')]
        .map((all) => all.map(markdownCode).join(', '))
        .filter(Boolean)
        .join(' ')
      return `${place}: ${escapeMarkdown(message)} (${markdownCode(rule)})`
    })
    return `**${title}**\n\n${markdownList(items)}`
  })
}

/** The same difference of one or more operations, and of one or more named schemas. */
interface FindingGroup extends Pick<Finding, 'rule' | 'message'> {
  readonly operations: readonly string[]
  /** Where it is in the operations, or in which schemas. */
  readonly places: readonly string[]
}

/** The differences of one level. */
interface LevelGroup {
  readonly title: string
  readonly groups: readonly FindingGroup[]
}

const TITLES = [
  ['breaking', 'Breaking'],
  ['warning', 'To check'],
  ['info', 'Compatible'],
] as const

/** The findings of a version or a change by their level, the worst first. A difference that several operations or schemas share is listed once. */
function groupFindings({ findings }: Pick<ChangelogVersion, 'findings'>): readonly LevelGroup[] {
  return TITLES.flatMap(([level, title]): readonly LevelGroup[] => {
    const groups = new Map<
      string,
      Pick<FindingGroup, 'rule' | 'message'> & Record<'operations' | 'places', Set<string>>
    >()
    for (const finding of findings) {
      if (finding.level !== level) continue
      const { rule, message, at, schema } = finding
      const key = JSON.stringify([rule, at, message, schema === undefined])
      const group = groups.get(key) ?? { rule, message, operations: new Set(), places: new Set() }
      groups.set(key, group)
      group.places.add(whereOf(finding))
      for (const operation of operationsIn(finding)) group.operations.add(operation)
    }
    const made = [...groups.values()].map((group) => ({
      ...group,
      operations: [...group.operations],
      places: [...group.places],
    }))
    return made.length === 0 ? [] : [{ title, groups: made }]
  })
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
