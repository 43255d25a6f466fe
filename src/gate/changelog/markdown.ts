import type { Changelog, ChangelogVersion } from './changelog.ts'
import { code, escape } from '../markdown.ts'
import type { ChangeExample } from './example.ts'
import { differencesTitle, emptyNote, groupFindings, lifeOf, toDiff, type LevelGroup } from './groups.ts'
import { readLine, readProse, type Block, type Piece } from './prose.ts'

/** Writes a changelog as Markdown. What changes say is escaped. */
export function toMarkdown({ title, versions }: Changelog): string {
  const head = `# Changelog of ${toLine(readLine(oneLine(title)))}`
  return `${[head, ...versions.map(toVersionMarkdown)].join('\n\n')}\n`
}

/** Writes one version of a changelog as Markdown. */
export function toVersionMarkdown(version: ChangelogVersion): string {
  const { before, changes, day, findings } = version
  const note = emptyNote(version)
  const life = lifeOf(version)
  const name = escape(version.version)
  return [
    day === undefined || day === version.version ? `## ${name}` : `## ${name} (${day})`,
    ...(life === '' ? [] : [life]),
    ...(note === undefined ? [] : [note]),
    ...changes.flatMap((change) => [
      `### ${toLine(readLine(oneLine(change.title)))}`,
      ...(change.description === change.title ? [] : readProse(change.description).map(toBlock)),
      ...toConcern('Models', change.models),
      ...toConcern('Operations', change.operations),
      ...change.examples.map(toExample),
      ...groupFindings(change).flatMap(toLevel),
    ]),
    ...(findings.length === 0 ? [] : [`### ${differencesTitle(version, escape(before ?? ''))}`]),
    ...groupFindings(version).flatMap(toLevel),
  ].join('\n\n')
}

function toConcern(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map(code).join(', ')}`]
}

/** No line of an example begins with backticks, because each has a sign. */
function toExample(example: ChangeExample): string {
  return [`${code(example.schema)} before and after:`, '', '```diff', ...toDiff(example), '```'].join('\n')
}

function toLevel({ title, groups }: LevelGroup): readonly string[] {
  const items = groups.map(({ operations, at, message, rule }) => {
    const place = [operations.map(code).join(', '), at === '' ? '' : code(at)].filter(Boolean).join(' ')
    return `- ${place}: ${escape(message)} (${code(rule)})`
  })
  return [`**${title}**`, items.join('\n')]
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function toBlock({ kind, lines }: Block): string {
  return lines.map((line) => (kind === 'list' ? `- ${toLine(line)}` : toLine(line))).join('\n')
}

/** A line whose first characters begin no heading, list or quotation. */
function toLine(pieces: readonly Piece[]): string {
  return pieces
    .map(toPiece)
    .join('')
    .replace(/^([-+=]|\d+(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}

function toPiece(piece: Piece): string {
  if (piece.kind === 'code') return code(piece.text)
  return piece.kind === 'link' ? `[${escape(piece.text)}](${piece.href})` : escape(piece.text)
}
