import { failure } from '../command.ts'
import { lineAt, toCalls, toMembers, toTokens, type Call, type Property, type Token } from './calls.ts'

/** A piece of a text that becomes another one. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The edits of one file. */
export interface Wanted {
  /** The lines on which changes that are not released are defined. */
  readonly changes: readonly number[]
  /** The lines on which histories are defined. */
  readonly histories: readonly number[]
  /** The lines on which routes that are not released are defined, or what holds them. */
  readonly routes: readonly number[]
}

/**
 * The edits that release the changes of a file as a version.
 *
 * @throws `CommandError` if the file does not say in literals what has to be edited.
 */
export function toEdits(label: string, source: string, wanted: Wanted, version: string): readonly Edit[] {
  const tokens = toTokens(source)
  const calls = toCalls(source, tokens)
  const callsAt = (line: number, key: string): readonly Call[] =>
    calls.filter((call) => call.line === line && call.properties.has(key))
  const changes = wanted.changes.flatMap((line) => {
    const found = callsAt(line, 'version').flatMap(({ properties }) => nextOf(properties.get('version')))
    if (found.length > 0) return found.map((token) => quoted(token, version))
    throw failure(
      `no version found in the change at ${label}:${line}`,
      "write it as version: 'next' in the call that defines the change",
    )
  })
  const histories = wanted.histories.flatMap((line) => {
    const edits = callsAt(line, 'versions').flatMap(({ properties }) =>
      toHistoryEdits(source, tokens, properties, version),
    )
    if (edits.length > 0) return edits
    throw failure(
      `no list of versions found at ${label}:${line}`,
      `write versions: ['…'] in the call of defineVersions, or use a constant of the same file`,
    )
  })
  const routes = wanted.routes.flatMap((line) => {
    const found = calls
      .filter((call) => call.line === line)
      .flatMap(({ properties, eachOf }) => [properties, ...eachOf('routes')])
      .flatMap((properties) => nextIn(properties.get('version')))
    if (found.length > 0) return found.map((token) => quoted(token, version))
    throw failure(
      `no version found in the route at ${label}:${line}`,
      "write it as version: 'next' in the call that defines the route, its controller or its module",
    )
  })
  return unique([...changes, ...histories, ...routes]).toSorted((a, b) => a.start - b.start)
}

/** The literal `'next'` of a property, none if it is anything else. */
function nextOf(property: Property | undefined): readonly Token[] {
  const [literal, ...others] = property?.value ?? []
  if (literal === undefined || !isStringToken(literal) || literal.text.slice(1, -1) !== 'next') return []
  return others.length === 0 || others[0]?.text === 'as' ? [literal] : []
}

/** The literals `'next'` of a property that is one version, or a list of some. */
function nextIn(property: Property | undefined): readonly Token[] {
  const [first] = property?.value ?? []
  return first?.text === '['
    ? (property?.value ?? []).filter((token) => isStringToken(token) && token.text.slice(1, -1) === 'next')
    : nextOf(property)
}

function isStringToken({ kind }: Token): boolean {
  return kind === 'string' || kind === 'template'
}

/** A literal with another text in the same quotes. */
function quoted({ start, end, text }: Token, version: string): Edit {
  const quote = text.at(0) ?? "'"
  return { start, end, text: quote + escaped(version, quote) + quote }
}

function escaped(version: string, quote: string): string {
  return version.replaceAll(/[\\$]/g, String.raw`\$&`).replaceAll(quote, `\\${quote}`)
}

function toHistoryEdits(
  source: string,
  tokens: readonly Token[],
  properties: Call['properties'],
  version: string,
): readonly Edit[] {
  const versions = properties.get('versions')
  const next = properties.get('next')
  const open = versions === undefined ? undefined : listOf(versions, tokens)
  if (open === undefined) return []
  return [
    versionInFront(source, tokens, open, version),
    ...(next === undefined ? [] : [without(source, next)]),
  ]
}

/** The place of the token that opens the list of a property: it is written there, or as a constant of the file. */
export function listOf({ key, value }: Property, tokens: readonly Token[]): number | undefined {
  const [first] = value
  if (first?.text === '[') return tokens.indexOf(first)
  const name = value.length === 0 ? key : first?.text
  const isDefined = (index: number): boolean =>
    ['const', 'let', 'var'].includes(tokens[index - 1]?.text ?? '') && tokens[index]?.text === name
  const definition = tokens.findIndex((_, index) => isDefined(index))
  if (definition === -1) return undefined
  const is = tokens.findIndex(
    ({ text }, index) => index > definition && text === '=' && tokens[index + 1]?.text !== '>',
  )
  return tokens[is + 1]?.text === '[' ? is + 1 : undefined
}

/** A version in front of the first member of a list. */
function versionInFront(source: string, tokens: readonly Token[], open: number, version: string): Edit {
  const [first] = toMembers(tokens, open)[0]?.members ?? []
  const quote = first !== undefined && isStringToken(first) ? first.text.charAt(0) : "'"
  return inFront(source, tokens, open, quote + escaped(version, quote) + quote)
}

/** A piece of code in front of the first member of a list or object literal, laid out as that one is. */
export function inFront(source: string, tokens: readonly Token[], open: number, literal: string): Edit {
  const [first] = toMembers(tokens, open)[0]?.members ?? []
  const bracket = tokens[open]
  const at = first?.start ?? bracket?.end ?? 0
  if (first === undefined) return { start: at, end: at, text: literal }
  const line = source.slice(source.lastIndexOf('\n', at - 1) + 1, at)
  // a member that begins a line keeps its place, and so does the new one
  const gap = line.trim() === '' ? `,${source.includes('\r\n') ? '\r' : ''}\n${line}` : ', '
  return { start: at, end: at, text: literal + gap }
}

/** Removes a property, and its line if nothing else is on it. */
function without(source: string, { start, after }: Property): Edit {
  const begin = source.lastIndexOf('\n', start - 1) + 1
  const rest = /^[ \t]*\r?\n/.exec(source.slice(after))?.[0]
  if (source.slice(begin, start).trim() === '' && rest !== undefined)
    return { start: begin, end: after + rest.length, text: '' }
  const space = /^[ \t]*/.exec(source.slice(after))?.[0] ?? ''
  return { start, end: after + space.length, text: '' }
}

function unique(edits: readonly Edit[]): readonly Edit[] {
  return [...new Map(edits.map((edit) => [`${edit.start}-${edit.end}`, edit])).values()]
}

/** A text with its edits, which are in order. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let at = 0
  let made = ''
  for (const { start, end, text } of edits) {
    made += source.slice(at, start) + text
    at = end
  }
  return made + source.slice(at)
}

/** The lines that edits change, before and after, as a diff shows them. */
export function toDiff(source: string, edits: readonly Edit[]): readonly string[] {
  return edits.flatMap((edit) => {
    const begin = source.lastIndexOf('\n', edit.start - 1) + 1
    const end = endOfLine(source, Math.max(edit.start, edit.end - 1))
    const before = source.slice(begin, end)
    const after = before.slice(0, edit.start - begin) + edit.text + before.slice(edit.end - begin)
    const line = lineAt(source, edit.start)
    const isAdded = edit.start === edit.end && edit.text.includes('\n')
    return [
      ...(isAdded ? [] : before.split('\n').map((each) => `  ${line} - ${each.trimEnd()}`)),
      ...(isAdded ? [after.split('\n')[0] ?? ''] : after.split('\n'))
        .filter((each) => each.trim() !== '')
        .map((each) => `  ${line} + ${each.trimEnd()}`),
    ]
  })
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end === -1 ? source.length : end
}
