import { toXml } from '../xml.ts'
import type { ChangelogVersion } from './changelog.ts'
import { emptyNote, groupFindings, lifeOf } from './groups.ts'
import type { LevelGroup } from './groups.ts'
import { readLine, readProse } from './prose.ts'
import type { Block, Piece } from './prose.ts'

/** Writes what is said of a version as HTML without styles and scripts. `level` is that of its headings. */
export function toVersionHtml(version: ChangelogVersion, level: 2 | 3): string {
  const { before, changes } = version
  const heading = (text: string): string => `<h${level}>${text}</h${level}>`
  const note = emptyNote(version)
  const life = lifeOf(version)
  const groups = groupFindings(version)
  return [
    ...(life === '' ? [] : [`<p>${toXml(life)}</p>`]),
    ...(note === undefined ? [] : [`<p>${toXml(note)}</p>`]),
    ...changes.flatMap(({ title, description, models, operations }) => [
      heading(toLine(readLine(title))),
      ...(description === title ? [] : readProse(description).map(toBlock)),
      ...toConcern('Models', models),
      ...toConcern('Operations', operations),
    ]),
    ...(groups.length === 0 ? [] : [heading(`Differences from ${toXml(before ?? '')}`)]),
    ...groups.map(toLevel),
  ].join('\n')
}

function toConcern(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`<p>${what}: ${names.map(code).join(', ')}</p>`]
}

/** Compatible differences are many and ask for nothing, so they are closed. */
function toLevel({ level, title, groups }: LevelGroup): string {
  const items = groups.map(({ operations, at, message, rule }) => {
    const place = [operations.map(code).join(', '), at === '' ? '' : code(at)].filter(Boolean).join(' ')
    return `<li>${place}: ${toXml(message)} (${code(rule)})</li>`
  })
  const open = level === 'info' ? '' : ' open'
  return `<details${open}><summary>${title} (${groups.length})</summary>\n<ul>\n${items.join('\n')}\n</ul>\n</details>`
}

function toBlock({ kind, lines }: Block): string {
  if (kind === 'paragraph') return lines.map((line) => `<p>${toLine(line)}</p>`).join('\n')
  return `<ul>\n${lines.map((line) => `<li>${toLine(line)}</li>`).join('\n')}\n</ul>`
}

function toLine(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if (piece.kind === 'code') return code(piece.text)
      const text = toXml(piece.text)
      return piece.kind === 'link' ? `<a href="${toXml(piece.href)}">${text}</a>` : text
    })
    .join('')
}

function code(text: string): string {
  return `<code>${toXml(text)}</code>`
}
