import { isRecord, isString } from '../base/values.ts'

const WIDTH = 110

/** A literal of text, a regular expression, or one character. A slash begins an expression after an opening bracket or a space. */
const TOKEN =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<=[( ])\/(?! )(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/\w*|[^]/g

/** Writes a statement of one line. If that is too long, its longest list or object literal has a member on each line. */
export function formatStatement(text: string, indent = ''): string {
  const members = indent.length + text.length < WIDTH ? [] : longestList(text)
  const [first, last] = [members[0], members.at(-1)]
  if (first === undefined || last === undefined) return text
  const inner = `${indent}  `
  const lines = members.map(({ start, end }) => text.slice(start, end).trim()).filter((line) => line !== '')
  return [
    formatStatement(text.slice(0, first.start), indent),
    // the body of a getter is no member
    ...lines.map((line) => `${inner}${formatStatement(line, inner)}${line.startsWith('return ') ? '' : ','}`),
    `${indent}${formatStatement(text.slice(last.end), indent)}`,
  ].join('\n')
}

interface Range {
  readonly start: number
  readonly end: number
}

/** The members of the longest list or object literal that is in no other one. */
function longestList(text: string): readonly Range[] {
  let longest: readonly Range[] = []
  let members: Range[] = []
  let start = 0
  let depth = 0
  /** The depth of the list that is being read. A text that begins inside brackets has negative ones. */
  let listDepth: number | undefined
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if ('([{'.includes(token)) depth++
    if (listDepth === undefined && '[{'.includes(token)) {
      members = []
      start = index + 1
      listDepth = depth
    } else if (depth === listDepth && ',]}'.includes(token)) {
      members.push({ start, end: index })
      start = index + 1
      if (token === ',') continue
      listDepth = undefined
      if (listLength(members) > listLength(longest)) longest = members
    }
    if (')]}'.includes(token)) depth--
  }
  return longest
}

function listLength(members: readonly Range[]): number {
  return (members.at(-1)?.end ?? 0) - (members[0]?.start ?? 0)
}

/** Names, and the module that they are imported from. */
export type Import = readonly [names: readonly string[], from: string]

/** Writes a file: imports of packages, those of files, and statements. */
export function formatSource(
  packages: readonly Import[],
  own: readonly Import[],
  code: readonly string[],
): string {
  const imports = [packages, own].flatMap((each) =>
    each.length === 0
      ? []
      : [
          each
            .map(([names, from]) => formatStatement(`import { ${names.join(', ')} } from '${from}'`))
            .join('\n'),
        ],
  )
  return `${[...imports, ...code].join('\n\n')}\n`
}

/** A text as a literal. */
export function quotedText(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}

/** The name of a member, in quotes if it needs them. */
export function memberName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quotedText(name)
}

/** Members as an object literal. Those that are missing, empty or have nothing in them are left out. */
export function literalText(members: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(members).flatMap(([name, text]) =>
    text === undefined || ['', '{}', '[]'].includes(text)
      ? []
      : [`${/^\d+$/.test(name) ? name : memberName(name)}: ${text}`],
  )
  return written.length === 0 ? '{}' : `{ ${written.join(', ')} }`
}

/** A value of JSON as source text, without members that are `undefined`. */
export function valueText(value: unknown): string {
  if (isString(value)) return quotedText(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members.length === 0
    ? '{}'
    : `{ ${members.map(([name, member]) => `${memberName(name)}: ${valueText(member)}`).join(', ')} }`
}
