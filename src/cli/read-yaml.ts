import { parseDocument, type Document, type YAMLParseError } from 'yaml'

/** The most lines that are indented. Each costs another parse. */
const MOST_MENDED = 100
/** More than any parent has. */
const INDENT = ' '.repeat(100)

/**
 * Parses a YAML text. Lines of quoted texts, lists and maps may have less indentation than YAML demands, as other readers take them.
 * @throws for texts that are not YAML
 */
export function fromYaml(text: string): unknown {
  const document = parseDocument(text)
  const [first] = document.errors
  if (first === undefined) return yamlValue(document)
  let [given, before, error]: [string, number, YAMLParseError] = [text, -1, first]
  for (let count = 0; count < MOST_MENDED && error.pos[0] > before; count++) {
    given = toIndented(given, error)
    const read = parseDocument(given)
    const [next] = read.errors
    if (next === undefined) return yamlValue(read)
    before = error.pos[0]
    error = next
  }
  throw first
}

function yamlValue(document: Document.Parsed): unknown {
  const value: unknown = document.toJS()
  return value
}

/** A text with more indentation at an error, if that may be the reason. */
function toIndented(text: string, { code, pos, message }: YAMLParseError): string {
  const [from] = pos
  const quote = /^Missing closing (["'])quote/.exec(message)?.[1]
  if (quote !== undefined) {
    const to = endOfQuoted(text, from, quote)
    return text.slice(0, from) + text.slice(from, to).replaceAll('\n', `\n${INDENT}`) + text.slice(to)
  }
  if (code !== 'BAD_INDENT') return text
  const line = text.lastIndexOf('\n', from - 1) + 1
  return text.slice(0, line) + INDENT + text.slice(line)
}

/** The place of the quote that ends a text. */
function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++
    else if (text[at] === quote) {
      if (quote === '"' || text[at + 1] !== quote) return at
      at++
    }
  }
  return text.length
}
