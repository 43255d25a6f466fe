/** A piece of a text that becomes another one. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A text with its edits. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((one, other) => one.start - other.start)
  return ordered.reduceRight(
    (text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end),
    source,
  )
}

/** The code of a definition: its first line and those below it that are indented deeper, as formatters write them. */
export interface DefinitionBlock {
  readonly text: string
  /** Its place in the source. */
  readonly start: number
}

/** The definition that begins on a line, counted from 1. */
export function blockAt(source: string, line: number): DefinitionBlock {
  const lines = source.split(/(?<=\n)/)
  const start = lines.slice(0, line - 1).join('').length
  const own = lines.slice(line - 1)
  const depth = own[0]?.search(/\S/) ?? 0
  const end = own.findIndex((each, index) => index > 0 && each.trim() !== '' && each.search(/\S/) <= depth)
  return { text: own.slice(0, end === -1 ? undefined : end).join(''), start }
}

/** The places of a pattern in a definition. */
export function findInBlock(
  { text, start }: DefinitionBlock,
  pattern: RegExp,
): readonly Omit<Edit, 'text'>[] {
  return [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({
    start: start + index,
    end: start + index + length,
  }))
}

/**
 * Adds code in front of the first member of a list or object literal, laid out as that one is. The literal is the only one in a definition
 * whose opening a pattern finds, or else the result is `undefined`.
 */
export function inFront(
  source: string,
  block: DefinitionBlock,
  opening: RegExp,
  toCode: (quote: string) => string,
): Edit | undefined {
  const [found, ...others] = findInBlock(block, opening)
  if (found === undefined || others.length > 0) return undefined
  const gap = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*/.exec(source.slice(found.end))?.[0] ?? ''
  const at = found.end + gap.length
  const first = source.charAt(at)
  const code = toCode(first === '"' ? '"' : "'")
  if (first === ']' || first === '}') return { start: found.end, end: found.end, text: code }
  const indent = gap.slice(gap.lastIndexOf('\n') + 1)
  // a member that begins a line keeps its place, and so does the new one
  const isLine = gap.includes('\n') && indent.trim() === ''
  const newline = source.includes('\r\n') ? '\r\n' : '\n'
  return { start: at, end: at, text: code + (isLine ? `,${newline}${indent}` : ', ') }
}
