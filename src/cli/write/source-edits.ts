import { dirname, extname, relative } from 'node:path'

import { toCalls, toTokens, type Token } from '../release/calls.ts'
import { inFront, listOf, type Edit } from '../release/edits.ts'

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
  const tokens = toTokens(source)
  const imports = toImports(tokens)
  const call = toCalls(source, tokens).find(
    ({ line, properties }) => line === wanted.line && properties.has('versions') && properties.has('changes'),
  )
  if (call === undefined) return 'the call of defineVersions was not found'
  const lists = (['changes', 'models'] as const).flatMap((key): readonly (Edit | string)[] => {
    if (wanted[key].length === 0) return []
    const property = call.properties.get(key)
    const [first] = property?.value ?? []
    const open = first?.text === '{' ? tokens.indexOf(first) : property && listOf(property, tokens)
    if (open === undefined) return [`${key} of defineVersions is not a literal in this file`]
    return [inFront(source, tokens, open, wanted[key].join(', '))]
  })
  const [problem] = lists.filter((each) => typeof each === 'string')
  if (problem !== undefined) return problem
  const edits = lists.filter((each) => typeof each !== 'string')
  const style = styleOf(source, imports)
  const missing = wanted.imports.flatMap(([specifier, names]) => {
    const others = names.filter((name) => !isImported(name, imports))
    return others.length === 0 ? [] : [importText(others, specifier, style)]
  })
  const behind = imports.at(-1)?.end
  if (missing.length > 0)
    edits.push(
      behind === undefined
        ? { start: 0, end: 0, text: `${missing.join('\n')}\n\n` }
        : { start: behind, end: behind, text: `\n${missing.join('\n')}` },
    )
  if (wanted.code.length > 0) {
    const at = statementBefore(source, tokens, wanted.line)
    edits.push({ start: at, end: at, text: `${wanted.code.join('\n\n')}\n\n` })
  }
  return edits.toSorted((a, b) => a.start - b.start)
}

interface Import {
  readonly tokens: readonly Token[]
  /** The place behind it. */
  readonly end: number
}

/** The import declarations at the beginning of lines. */
function toImports(tokens: readonly Token[]): readonly Import[] {
  return tokens.flatMap((token, index): readonly Import[] => {
    const next = tokens[index + 1]
    if (token.text !== 'import' || next === undefined || next.text === '(' || next.text === '.') return []
    const length = tokens.slice(index).findIndex(({ kind }) => kind === 'string')
    const own = tokens.slice(index, index + length + 1)
    const last = own.at(-1)
    if (length === -1 || last === undefined) return []
    const behind = tokens[index + length + 1]
    return [{ tokens: own, end: behind?.text === ';' ? behind.end : last.end }]
  })
}

/** The relative specifiers that a source imports values from. */
export function toImported(source: string): readonly string[] {
  return toImports(toTokens(source)).flatMap(({ tokens }) => {
    const specifier = tokens.at(-1)?.text.slice(1, -1) ?? ''
    return tokens[1]?.text !== 'type' && /^\.\.?\//.test(specifier) ? [specifier] : []
  })
}

function isImported(name: string, imports: readonly Import[]): boolean {
  return imports.some(({ tokens }) => tokens[1]?.text !== 'type' && tokens.some(({ text }) => text === name))
}

interface ImportStyle {
  readonly quote: string
  readonly end: string
}

function styleOf(source: string, imports: readonly Import[]): ImportStyle {
  const last = imports.at(-1)
  return {
    quote: last?.tokens.at(-1)?.text.charAt(0) ?? "'",
    end: last !== undefined && source.charAt(last.end - 1) === ';' ? ';' : '',
  }
}

function importText(names: readonly string[], specifier: string, { quote, end }: ImportStyle): string {
  return `import { ${names.join(', ')} } from ${quote}${specifier}${quote}${end}`
}

/** The beginning of the statement that has a line, of which the first line begins at the margin. */
function statementBefore(source: string, tokens: readonly Token[], line: number): number {
  const lines = source.split('\n')
  let at = line - 1
  while (at > 0 && !/^\S/.test(lines[at] ?? '')) at--
  const start = lines.slice(0, at).join('\n').length + (at === 0 ? 0 : 1)
  // a comment above it stays with it
  const behind = tokens.findLast(({ end }) => end <= start)?.end ?? 0
  const gap = source.slice(behind, start).lastIndexOf('\n\n')
  return gap === -1 ? start : behind + gap + 2
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
