/** The characters of properties that few ranges describe, without the flag `u`. */
const PROPERTIES: Readonly<Record<string, string>> = {
  Cc: String.raw`\x00-\x1f\x7f-\x9f`,
  Control: String.raw`\x00-\x1f\x7f-\x9f`,
  ASCII: String.raw`\x00-\x7f`,
  Zl: String.raw`\u2028`,
  Zp: String.raw`\u2029`,
}

/** Properties, other escapes, groups, the beginning of a class, and single characters. */
const TOKEN =
  /\\[pP]\{[^}]*\}|\\k<[^>]*>|\\(?:u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z])|\\[^]|\(\?<?[:=!]|\(\?<[^>]*>|\[\^?|[^]/gu

/**
 * Writes a regular expression so that it means the same without its flags, because documents have none. Properties of many characters stay,
 * as JSON Schema allows. Returns `undefined` if it would mean something else.
 */
export function toPattern({ source, flags }: RegExp): string | undefined {
  const isCaseless = flags.includes('i')
  if (/[mv]/.test(flags) || (isCaseless && /\\[cux]/.test(source))) return undefined
  const tokens: readonly string[] = source.match(TOKEN) ?? []
  const written: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    if (/^\[\^?$/.test(token)) {
      const end = tokens.indexOf(']', at + 1)
      const members = classMembersOf(tokens.slice(at + 1, end), isCaseless)
      if (members === undefined) return undefined
      written.push(token, members, ']')
      at = end
    } else if (token === '.' && flags.includes('s')) written.push(String.raw`[\s\S]`)
    else
      written.push(/^\\p\{/i.test(token) ? toClass(token) : cased(token, isCaseless, (both) => `[${both}]`))
  }
  return written.join('')
}

/** A property as a class of its own. */
function toClass(token: string): string {
  const characters = PROPERTIES[token.slice(3, -1)]
  if (characters === undefined) return token
  return token.startsWith(String.raw`\p`) ? `[${characters}]` : `[^${characters}]`
}

/** The members of a class, or `undefined` if a range has letters of one case among others. */
function classMembersOf(tokens: readonly string[], isCaseless: boolean): string | undefined {
  const written: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const [token = '', dash, end] = tokens.slice(at, at + 3)
    if (dash === '-' && end !== undefined) {
      const range = `${token}-${end}`
      const isLetters = /^(?:[a-z]-[a-z]|[A-Z]-[A-Z])$/.test(range)
      if (isCaseless && !isLetters && !/^\d-\d$/.test(range)) return undefined
      written.push(range, ...(isCaseless && isLetters ? [swapped(range)] : []))
      at += 2
    } else if (token.startsWith(String.raw`\p{`)) written.push(PROPERTIES[token.slice(3, -1)] ?? token)
    else written.push(cased(token, isCaseless, (both) => both))
  }
  return written.join('')
}

/** A letter in both cases, if case says nothing. */
function cased(token: string, isCaseless: boolean, write: (both: string) => string): string {
  return isCaseless && swapped(token) !== token && token.length === 1 ? write(token + swapped(token)) : token
}

function swapped(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()
}
