import { dirname, extname, relative } from 'node:path'

import { blockAt, inFront, type Edit } from '../source-edits.ts'

/** Additions to the file of a history. */
export interface Additions {
  /** The line on which the history is defined. */
  readonly line: number
  /** The changes to list. */
  readonly changes: readonly string[]
  /** The models to list. */
  readonly models: readonly string[]
  /** Names to import, by the specifier of their module. */
  readonly imports: readonly (readonly [specifier: string, names: readonly string[]])[]
  /** Definitions to put in front of the history. */
  readonly code: readonly string[]
}

/** The edits that add changes to a history, or why the file has to be edited by hand. */
export function toAdditions(source: string, wanted: Additions): readonly Edit[] | string {
  const block = blockAt(source, wanted.line)
  if (!/\bversions\b/.test(block.text)) return 'the call of defineVersions was not found'
  const edits: Edit[] = []
  for (const [key, opening] of LISTS) {
    const names = wanted[key].join(', ')
    const edit = names === '' ? undefined : inFront(source, block, opening, () => names)
    if (edit === undefined && names !== '') return `${key} of defineVersions is not a literal in this file`
    if (edit !== undefined) edits.push(edit)
  }
  edits.push(...toImportEdits(source, wanted.imports))
  if (wanted.code.length > 0) {
    const at = statementBefore(source, wanted.line)
    edits.push({ start: at, end: at, text: `${wanted.code.join('\n\n')}\n\n` })
  }
  return edits
}

/** The edit that imports the names that a source does not import yet. */
export function toImportEdits(source: string, wanted: Additions['imports']): readonly Edit[] {
  const imports = [...source.matchAll(IMPORT)]
  const imported = new Set(
    imports.flatMap(([, names = '']) =>
      /^\s*type\b/.test(names) ? [] : names.split(/[^\p{ID_Continue}$]+/u),
    ),
  )
  const last = imports.at(-1)
  const [, , quote = "'", , end = ''] = last ?? []
  const missing = wanted.flatMap(([specifier, names]) => {
    const others = names.filter((name) => !imported.has(name))
    return others.length === 0
      ? []
      : [`import { ${others.join(', ')} } from ${quote}${specifier}${quote}${end}`]
  })
  if (missing.length === 0) return []
  const behind = last === undefined ? 0 : last.index + last[0].length
  const text = missing.join('\n')
  return [{ start: behind, end: behind, text: last === undefined ? `${text}\n\n` : `\n${text}` }]
}

const LISTS = [
  ['changes', /\bchanges: ?\[/g],
  ['models', /\bmodels: ?\{/g],
] as const

/** An import declaration: its names, quote, specifier and semicolon. */
const IMPORT = /^import\b([^'"();]*?)(['"])([^'"\n]+)\2(;?)/gm

/** The relative specifiers that a source imports values from. */
export function toImported(source: string): readonly string[] {
  return [...source.matchAll(IMPORT)].flatMap(([, names = '', , specifier = '']) =>
    !/^\s*type\b/.test(names) && /^\.\.?\//.test(specifier) ? [specifier] : [],
  )
}

/** The beginning of the statement that has a line, of which the first line begins at the margin. */
function statementBefore(source: string, line: number): number {
  const lines = source.split('\n')
  let at = line - 1
  while (at > 0 && !/^\S/.test(lines[at] ?? '')) at--
  // a comment above it stays with it
  while (/^(?:\/\/|\/\*| \*)/.test(lines[at - 1] ?? '')) at--
  return lines.slice(0, at).reduce((sum, each) => sum + each.length + 1, 0)
}

/** The specifier by which one file imports another, with the extension that its other imports have. */
export function toSpecifier(from: string, to: string, source: string): string {
  const path = relative(dirname(from), to).replaceAll('\\', '/')
  const extension = extname(to)
  const stem = path.slice(0, -extension.length)
  const used = [...source.matchAll(/\bfrom\s+['"]\.{1,2}\/[^'"]*?(\.[cm]?[jt]sx?)?['"]/g)].map(
    ([, each = '']) => each,
  )
  const [first = extension] = used
  const written = /^\.[cm]?js/.test(first) ? extension.replace('ts', 'js') : extension
  const own = first === '' ? '' : written
  return `${stem.startsWith('.') ? '' : './'}${stem}${own}`
}
