import { toXml } from '../xml.ts'
import type { ChangelogVersion } from './changelog.ts'
import type { ChangeExample } from './example.ts'
import { differencesTitle, emptyNote, groupFindings, lifeOf, toDiff, type LevelGroup } from './groups.ts'
import { readLine, readProse, type Block, type Piece } from './prose.ts'

/** Writes what is said of a version as HTML without styles and scripts. `level` is that of its headings, and `linkRule` writes a rule. */
export function toVersionHtml(
  version: ChangelogVersion,
  level: 2 | 3,
  linkRule: (rule: string) => string = code,
): string {
  const { before, changes, findings } = version
  const heading = (text: string): string => `<h${level}>${text}</h${level}>`
  const note = emptyNote(version)
  const life = lifeOf(version)
  return [
    ...(life === '' ? [] : [`<p>${toXml(life)}</p>`]),
    ...(note === undefined ? [] : [`<p>${toXml(note)}</p>`]),
    ...changes.flatMap((change) => [
      heading(toLine(readLine(change.title))),
      ...(change.description === change.title ? [] : readProse(change.description).map(toBlock)),
      ...toConcern('Models', change.models),
      ...toConcern('Operations', change.operations),
      ...change.examples.map(toExample),
      ...groupFindings(change).map(toGroup),
    ]),
    ...(findings.length === 0 ? [] : [heading(differencesTitle(version, toXml(before ?? '')))]),
    ...groupFindings(version).map(toGroup),
  ].join('\n')

  function toGroup(group: LevelGroup): string {
    return toLevel(group, linkRule)
  }
}

function toConcern(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`<p>${what}: ${names.map(code).join(', ')}</p>`]
}

function toExample(example: ChangeExample): string {
  const [was, is] = toDiff(example).map(toXml)
  return `<p>${code(example.schema)} before and after:</p>\n<pre><del>${was}</del>\n<ins>${is}</ins></pre>`
}

/** Compatible differences are many and ask for nothing, so they are closed. */
function toLevel({ level, title, groups }: LevelGroup, linkRule: (rule: string) => string): string {
  const items = groups.map(({ operations, at, message, rule }) => {
    const place = [operations.map(code).join(', '), at === '' ? '' : code(at)].filter(Boolean).join(' ')
    return `<li>${place}: ${toXml(message)} (${linkRule(rule)})</li>`
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

/** Writes a text as code. */
export function code(text: string): string {
  return `<code>${toXml(text)}</code>`
}
