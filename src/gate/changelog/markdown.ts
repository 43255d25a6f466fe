import type { Changelog, ChangelogVersion } from './changelog.ts'
import { code, escape } from '../markdown.ts'
import { emptyNote, groupFindings, lifeOf } from './groups.ts'
import { readLine, readProse } from './prose.ts'
import type { Block, Piece } from './prose.ts'

/** Writes a changelog as Markdown. What changes say is escaped. */
export function toMarkdown({ title, versions }: Changelog): string {
  const head = `# Changelog of ${toLine(readLine(oneLine(title)))}`
  return `${[head, ...versions.map(toVersionMarkdown)].join('\n\n')}\n`
}

/** Writes one version of a changelog as Markdown. */
export function toVersionMarkdown(version: ChangelogVersion): string {
  const { before, changes, day } = version
  const note = emptyNote(version)
  const life = lifeOf(version)
  const levels = groupFindings(version)
  const name = escape(version.version)
  return [
    day === undefined || day === version.version ? `## ${name}` : `## ${name} (${day})`,
    ...(life === '' ? [] : [life]),
    ...(note === undefined ? [] : [note]),
    ...changes.flatMap(({ title, description, models, operations }) => [
      `### ${toLine(readLine(oneLine(title)))}`,
      ...(description === title ? [] : readProse(description).map(toBlock)),
      ...[
        models.length === 0 ? '' : `Models: ${models.map(code).join(', ')}`,
        operations.length === 0 ? '' : `Operations: ${operations.map(code).join(', ')}`,
      ].filter(Boolean),
    ]),
    ...(levels.length === 0 ? [] : [`### Differences from ${escape(before ?? '')}`]),
    ...levels.flatMap((level) => [
      `**${level.title}**`,
      level.groups
        .map(({ operations, at, message, rule }) => {
          const place = [operations.map(code).join(', '), at === '' ? '' : code(at)].filter(Boolean).join(' ')
          return `- ${place}: ${escape(message)} (${code(rule)})`
        })
        .join('\n'),
    ]),
  ].join('\n\n')
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
