/** A piece of a line. */
type ProsePiece =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

/** A paragraph has one line, a list one for each of its items. */
interface ProseBlock {
  readonly kind: 'paragraph' | 'list'
  readonly lines: string[]
}

/**
 * Reads the text of a change: paragraphs, lists, `code` and links to web pages. Anything else is text, also what looks like HTML or
 * other Markdown, so that no writer of a changelog has to know more.
 */
export function readProse(text: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = []
  let isNew = true
  for (const line of text.split(/\r?\n/)) {
    const words = line.trim()
    const isItem = words.startsWith('- ') || words.startsWith('* ')
    const last = blocks.at(-1)
    const lastLine = last?.lines.pop()
    if (last === undefined || lastLine === undefined) {
      if (words !== '') blocks.push(toProseBlock(words, isItem))
    } else if (words === '') last.lines.push(lastLine)
    else if (isItem && last.kind === 'list') last.lines.push(lastLine, words.slice(2))
    else if (isItem || isNew) {
      last.lines.push(lastLine)
      blocks.push(toProseBlock(words, isItem))
    } else last.lines.push(`${lastLine} ${words}`)
    isNew = words === ''
  }
  return blocks
}

function toProseBlock(words: string, isItem: boolean): ProseBlock {
  return isItem ? { kind: 'list', lines: [words.slice(2)] } : { kind: 'paragraph', lines: [words] }
}

/** Reads one line. */
export function readLine(line: string): readonly ProsePiece[] {
  const pieces: ProsePiece[] = []
  let at = 0
  for (const found of line.matchAll(/`([^`]+)`|\[([^[\]]+)\]\((https?:\/\/[^\s()<>]+)\)/g)) {
    const { 0: whole, 1: code, 2: text = '', 3: href = '', index } = found
    if (index > at) pieces.push({ kind: 'text', text: line.slice(at, index) })
    pieces.push(code === undefined ? { kind: 'link', text, href } : { kind: 'code', text: code })
    at = index + whole.length
  }
  return at < line.length ? [...pieces, { kind: 'text', text: line.slice(at) }] : pieces
}
