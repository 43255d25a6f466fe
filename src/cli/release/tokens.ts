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
