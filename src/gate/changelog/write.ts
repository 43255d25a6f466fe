import { capitalize } from '../../base/values.ts'
import { code as codeSpan, escape, toXml } from '../escape.ts'
import { operationsIn, whereOf, type Finding, type Level } from '../finding.ts'
import type { Changelog, ChangelogVersion } from './changelog.ts'
import type { ChangeExample } from './example.ts'
import { readLine, readProse } from './prose.ts'

/** How a format writes the parts of a changelog. */
interface Syntax {
  /** A text that is shown as it is. */
  readonly text: (text: string) => string
  readonly code: (text: string) => string
  readonly link: (text: string, href: string) => string
  readonly heading: (line: string) => string
  readonly paragraph: (line: string) => string
  readonly list: (items: readonly string[]) => string
  readonly example: (name: string, was: string, is: string) => string
  readonly level: (group: LevelGroup, list: string) => string
  readonly rule: (rule: string) => string
}

const MARKDOWN: Syntax = {
  text: escape,
  code: codeSpan,
  link: (text, href) => `[${escape(text)}](${href})`,
  heading: (line) => `### ${toPlainStart(line)}`,
  paragraph: toPlainStart,
  list: (items) => items.map((item) => `- ${toPlainStart(item)}`).join('\n'),
  // no line of an example begins with backticks, because each has a sign
  example: (name, was, is) => [`${name} before and after:`, '', '```diff', was, is, '```'].join('\n'),
  level: ({ title }, list) => `**${title}**\n\n${list}`,
  rule: codeSpan,
}

/** A line whose first characters begin no heading, list or quotation. */
function toPlainStart(line: string): string {
  return line.replace(/^([-+=]|\d+(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}

const HTML: Syntax = {
  text: toXml,
  code,
  link: (text, href) => `<a href="${toXml(href)}">${toXml(text)}</a>`,
  heading: (line) => `<h2>${line}</h2>`,
  paragraph: (line) => `<p>${line}</p>`,
  list: (items) => `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`,
  example: (name, was, is) =>
    `<p>${name} before and after:</p>\n<pre><del>${toXml(was)}</del>\n<ins>${toXml(is)}</ins></pre>`,
  // compatible differences are many and ask for nothing, so they are closed
  level: ({ level, title, groups }, list) =>
    `<details${level === 'info' ? '' : ' open'}><summary>${title} (${groups.length})</summary>\n${list}\n</details>`,
  rule: code,
}

/** Writes a text as code in HTML. */
export function code(text: string): string {
  return `<code>${toXml(text)}</code>`
}

/** Writes what is said of a version as HTML without styles and scripts. `level` is that of its headings, and `linkRule` writes a rule. */
export function toVersionHtml(
  version: ChangelogVersion,
  level: 2 | 3,
  linkRule: (rule: string) => string = code,
): string {
  const heading = (line: string): string => `<h${level}>${line}</h${level}>`
  return write(version, { ...HTML, heading, rule: linkRule }).join('\n')
}

/** Writes a changelog as Markdown. What changes say is escaped. */
export function toMarkdown({ title, versions }: Changelog): string {
  const head = `# Changelog of ${toPlainStart(toLine(title, MARKDOWN))}`
  return `${[head, ...versions.map(toVersionMarkdown)].join('\n\n')}\n`
}

/** Writes one version of a changelog as Markdown. */
export function toVersionMarkdown(version: ChangelogVersion): string {
  const { day } = version
  const name = escape(version.version)
  const head = day === undefined || day === version.version ? `## ${name}` : `## ${name} (${day})`
  return [head, ...write(version, MARKDOWN)].join('\n\n')
}

/** Writes what is said of a version: its life, its changes, and the differences that no change describes. */
function write(version: ChangelogVersion, syntax: Syntax): readonly string[] {
  const { before = '', changes, findings } = version
  const { text, heading, paragraph, list } = syntax
  const notes = [lifeOf(version), emptyNote(version)].filter((note) => note !== '')
  const title = `${changes.length === 0 ? 'Differences' : 'Other differences'} from ${before}`
  return [
    ...notes.map((note) => paragraph(text(note))),
    ...changes.flatMap((change) => [
      heading(toLine(change.title, syntax)),
      ...(change.description === change.title ? [] : readProse(change.description)).map(({ kind, lines }) => {
        const written = lines.map((line) => toLine(line, syntax))
        return kind === 'list' ? list(written) : written.map(paragraph).join('\n')
      }),
      ...toConcern('Models', change.models, syntax),
      ...toConcern('Operations', change.operations, syntax),
      ...change.examples.map((each) => toExample(each, syntax)),
      ...toLevels(change, syntax),
    ]),
    ...(findings.length === 0 ? [] : [heading(text(title))]),
    ...toLevels(version, syntax),
  ]
}

function toLine(line: string, { text, code: toCode, link }: Syntax): string {
  return readLine(line.replaceAll(/\s+/g, ' ').trim())
    .map((piece) => {
      if (piece.kind === 'link') return link(piece.text, piece.href)
      return piece.kind === 'code' ? toCode(piece.text) : text(piece.text)
    })
    .join('')
}

function toConcern(what: string, names: readonly string[], syntax: Syntax): readonly string[] {
  return names.length === 0 ? [] : [syntax.paragraph(`${what}: ${names.map(syntax.code).join(', ')}`)]
}

/** The JSON of an example as the lines of a diff: what was, and what is. */
function toExample({ schema, before, after }: ChangeExample, syntax: Syntax): string {
  return syntax.example(syntax.code(schema), toDiff('-', before), toDiff('+', after))
}

/** JSON behind a sign, on one line if it is short. */
function toDiff(sign: string, value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  const line = text.replaceAll(/\n */g, ' ')
  return (line.length > 72 ? text : line).replaceAll(/^/gm, `${sign} `)
}

/** The findings of a version or a change by their level. */
function toLevels(of: Pick<ChangelogVersion, 'findings'>, syntax: Syntax): readonly string[] {
  const { text, code: toCode, list, level, rule: toRule } = syntax
  return groupFindings(of).map((group) => {
    const items = group.groups.map(({ operations, at, message, rule }) => {
      const place = [operations.map(toCode).join(', '), at === '' ? '' : toCode(at)].filter(Boolean).join(' ')
      return `${place}: ${text(message)} (${toRule(rule)})`
    })
    return level(group, list(items))
  })
}

/** The same difference of one or more operations. */
interface FindingGroup extends Pick<Finding, 'rule' | 'at' | 'message'> {
  readonly operations: readonly string[]
}

/** The differences of one level. */
interface LevelGroup {
  readonly level: Level
  readonly title: string
  readonly groups: readonly FindingGroup[]
}

const TITLES = [
  ['breaking', 'Breaking'],
  ['warning', 'To check'],
  ['info', 'Compatible'],
] as const

/** The findings of a version or a change by their level, the worst first. A difference that several operations share is listed once. */
function groupFindings({ findings }: Pick<ChangelogVersion, 'findings'>): readonly LevelGroup[] {
  return TITLES.flatMap(([level, title]): readonly LevelGroup[] => {
    const groups = new Map<string, Omit<FindingGroup, 'operations'> & { readonly operations: Set<string> }>()
    for (const finding of findings) {
      if (finding.level !== level) continue
      const { rule, message } = finding
      const at = whereOf(finding)
      const key = JSON.stringify([rule, at, message])
      const group = groups.get(key) ?? { rule, at, message, operations: new Set() }
      groups.set(key, group)
      for (const operation of operationsIn(finding)) group.operations.add(operation)
    }
    const made = [...groups.values()].map((group) => ({ ...group, operations: [...group.operations] }))
    return made.length === 0 ? [] : [{ level, title, groups: made }]
  })
}

/** Describes the life of a version, without saying whether that is over. */
function lifeOf({ deprecated, sunset, retired }: ChangelogVersion): string {
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
