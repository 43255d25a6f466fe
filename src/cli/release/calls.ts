/** A property of an object literal. */
export interface Property {
  readonly key: string
  /** The tokens of its value, none of a shorthand. */
  readonly value: readonly Token[]
  readonly start: number
  /** The place behind its value. */
  readonly end: number
  /** The place behind the comma that follows; the end if there is none. */
  readonly after: number
}

/** A call that is given an object literal first. */
export interface Call {
  /** The line of the function's name, counted from 1. */
  readonly line: number
  readonly properties: ReadonlyMap<string, Property>
  /** The properties of the object literals in a list: those of a property, such as `routes`. */
  readonly eachOf: (property: string) => readonly ReadonlyMap<string, Property>[]
}

const OPENING = new Set(['(', '[', '{'])
const CLOSING = new Set([')', ']', '}'])

/** The calls in a source whose first argument is an object literal. */
export function toCalls(source: string, tokens: readonly Token[]): readonly Call[] {
  return tokens.flatMap((token, index): readonly Call[] => {
    if (token.text !== '(' || tokens[index + 1]?.text !== '{') return []
    const name = tokens[beforeTypes(tokens, index - 1)]
    if (name?.kind !== 'word') return []
    const properties = toProperties(tokens, index + 1)
    const eachOf: Call['eachOf'] = (property) => {
      const [open] = properties.get(property)?.value ?? []
      if (open?.text !== '[') return []
      return toMembers(tokens, tokens.indexOf(open)).flatMap(({ members: [first] }) =>
        first?.text === '{' ? [toProperties(tokens, tokens.indexOf(first))] : [],
      )
    }
    return [{ line: lineAt(source, name.start), properties, eachOf }]
  })
}

/** The line of a place in a text, counted from 1. */
export function lineAt(source: string, at: number): number {
  return source.slice(0, at).split('\n').length
}

/** The token before type arguments, which end at a token. */
function beforeTypes(tokens: readonly Token[], end: number): number {
  if (tokens[end]?.text !== '>') return end
  let depth = 0
  for (let index = end; index >= 0; index--) {
    if (tokens[index]?.text === '>') depth++
    if (tokens[index]?.text === '<') depth--
    if (depth === 0) return index - 1
  }
  return -1
}

/** The properties of the object literal that opens at a token, without those that are spread or computed. */
function toProperties(tokens: readonly Token[], open: number): ReadonlyMap<string, Property> {
  const properties = new Map<string, Property>()
  for (const { members, comma } of toMembers(tokens, open)) {
    const [key, colon, ...value] = members
    const last = members.at(-1)
    if (key === undefined || last === undefined || (key.kind !== 'word' && key.kind !== 'string')) continue
    // a method
    if (colon !== undefined && colon.text !== ':') continue
    const name = key.kind === 'string' ? key.text.slice(1, -1) : key.text
    const { start } = key
    properties.set(name, { key: name, value, start, end: last.end, after: comma?.end ?? last.end })
  }
  return properties
}

/** The members of the list or object literal that opens at a token, each with the comma behind it. */
export function toMembers(
  tokens: readonly Token[],
  open: number,
): readonly { readonly members: readonly Token[]; readonly comma: Token | undefined }[] {
  const found: { members: Token[]; comma: Token | undefined }[] = []
  let members: Token[] = []
  let depth = 0
  for (const token of tokens.slice(open)) {
    const isSign = token.kind === 'sign'
    if (isSign && CLOSING.has(token.text)) depth--
    if (depth === 0 && token !== tokens[open]) break
    if (isSign && token.text === ',' && depth === 1) {
      found.push({ members, comma: token })
      members = []
    } else if (token !== tokens[open]) members.push(token)
    if (isSign && OPENING.has(token.text)) depth++
  }
  return members.length === 0 ? found : [...found, { members, comma: undefined }]
}

/** A piece of source text that is neither space nor comment. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'sign'
  readonly start: number
  /** The place behind its last character. */
  readonly end: number
  readonly text: string
}

/** Words after which a slash begins a regular expression. */
const BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new do else instanceof await yield'.split(' '),
)

const SKIPPED = /(?:\s+|\/\/.*|\/\*[\s\S]*?\*\/)+/y
const WORD = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy
const NUMBER = /\d[\w.]*/y
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y
const REGEX = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y

/**
 * The tokens of JavaScript or TypeScript, as far as finding calls needs them: strings, templates, regular expressions and comments are
 * told apart from code, types are not.
 */
export function toTokens(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = source.startsWith('#!') ? source.indexOf('\n') + 1 || source.length : 0
  while (at < source.length) {
    at = endOf(SKIPPED, source, at) ?? at
    if (at >= source.length) break
    const token = tokenAt(source, at, tokens.at(-1))
    tokens.push(token)
    at = token.end
  }
  return tokens
}

function tokenAt(source: string, start: number, before: Token | undefined): Token {
  const found = (kind: Token['kind'], end: number): Token => ({
    kind,
    start,
    end,
    text: source.slice(start, end),
  })
  if (source[start] === '`') return found('template', templateEnd(source, start))
  const string = endOf(STRING, source, start)
  if (string !== undefined) return found('string', string)
  const word = endOf(WORD, source, start)
  if (word !== undefined) return found('word', word)
  const number = endOf(NUMBER, source, start)
  if (number !== undefined) return found('number', number)
  const regex = isValue(before) ? undefined : endOf(REGEX, source, start)
  return regex === undefined ? found('sign', start + 1) : found('regex', regex)
}

function endOf(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : undefined
}

/** Whether a token ends a value, so that a slash behind it divides. */
function isValue(token: Token | undefined): boolean {
  if (token === undefined) return false
  if (token.kind === 'word') return !BEFORE_REGEX.has(token.text)
  return token.kind !== 'sign' || [')', ']', '}'].includes(token.text)
}

/** The end of a template, with all that is in it. */
function templateEnd(source: string, start: number): number {
  let at = start + 1
  while (at < source.length) {
    const sign = source[at]
    if (sign === '`') return at + 1
    if (sign === '\\') at += 2
    else if (source.startsWith('${', at)) at = substitutionEnd(source, at + 2)
    else at++
  }
  return source.length
}

/** The place behind the brace that ends a substitution. */
function substitutionEnd(source: string, start: number): number {
  let depth = 1
  let before: Token | undefined
  let at = start
  while (at < source.length) {
    at = endOf(SKIPPED, source, at) ?? at
    if (at >= source.length) break
    const token = tokenAt(source, at, before)
    if (token.text === '{') depth++
    if (token.text === '}') depth--
    at = token.end
    before = token
    if (depth === 0) return at
  }
  return source.length
}
