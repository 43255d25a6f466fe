import { isRecord, isString } from '../base/values.ts'

/** A text without brackets, or what brackets enclose. */
type Part = string | Group

interface Group {
  readonly open: string
  readonly close: string
  /** Whether a comma can follow the last item: not in an expression in parentheses. */
  readonly isList: boolean
  /** The members between commas. */
  readonly items: readonly (readonly Part[])[]
  /** In one line. */
  readonly flat: string
}

const WIDTH = 110
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
/** Texts and regular expressions, which may hold brackets and commas. A slash begins an expression after an opening bracket or a space. */
const TOKEN =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<=[( ])\/(?! )(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/\w*|[()[\]{}]|,\s*|[^'"()[\]{},/]+|\//gy

/** Breaks a statement of one line into lines, as formatters do. */
export function formatStatement(text: string): string {
  const tokens = text.match(TOKEN) ?? []
  let at = 0
  const readParts = (close: string | undefined): readonly (readonly Part[])[] => {
    const items: Part[][] = [[]]
    for (; at < tokens.length; at++) {
      const token = tokens[at] ?? ''
      if (token === close) break
      if (token in CLOSING) items.at(-1)?.push(readGroup(token, tokens[at - 1]))
      else if (token.startsWith(',') && close !== undefined) items.push([])
      else items.at(-1)?.push(token)
    }
    return items.filter((item) => item.length > 0).map(trimmed)
  }
  const readGroup = (open: string, before = ''): Group => {
    const close = CLOSING[open] ?? ''
    at++
    const items = readParts(close).filter((item) => item.some((part) => part !== ''))
    const inner = items.map(flatOf).join(', ')
    const space = open === '{' && inner !== '' ? ' ' : ''
    const isParameters = tokens[at + 1]?.startsWith(' =>') === true
    const isList = open !== '(' || !before.endsWith(' ') || isParameters
    return { open, close, isList, items, flat: open + space + inner + space + close }
  }
  return readParts(undefined)
    .map((parts) => print(parts, { indent: 0, before: 0, behind: 0 }))
    .join('')
}

function trimmed(parts: readonly Part[]): readonly Part[] {
  return parts.map((part, index) => {
    if (typeof part !== 'string') return part
    const start = index === 0 ? part.trimStart() : part
    return index === parts.length - 1 ? start.trimEnd() : start
  })
}

function flatOf(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.flat)).join('')
}

/** Where a text is written: the indent of its line, and how many signs stand before and behind it. */
interface Place {
  readonly indent: number
  readonly before: number
  readonly behind: number
}

/** Writes parts. The longest bracket is broken first. */
function print(parts: readonly Part[], place: Place): string {
  const groups = parts
    .filter((part): part is Group => typeof part !== 'string' && part.items.length > 0)
    .toSorted((one, other) => other.flat.length - one.flat.length)
  const broken = new Set<Part>()
  for (const group of groups) {
    if (isFitting(parts, place, broken)) break
    broken.add(group)
  }
  return layOut(parts, place, broken)
}

/** Whether what stands outside of broken brackets fits. */
function isFitting(
  parts: readonly Part[],
  { indent, before, behind }: Place,
  broken: ReadonlySet<Part>,
): boolean {
  let column = before
  for (const part of parts) {
    if (typeof part === 'string') column += part.length
    else if (broken.has(part)) {
      if (column + 1 > WIDTH) return false
      column = indent + 1
    } else column += part.flat.length
  }
  return column + behind <= WIDTH
}

function layOut(parts: readonly Part[], { indent, before }: Place, broken: ReadonlySet<Part>): string {
  let column = before
  const texts = parts.map((part) => {
    if (typeof part === 'string') column += part.length
    else if (!broken.has(part)) column += part.flat.length
    else {
      const text = layOutGroup(part, indent, column)
      const last = text.lastIndexOf('\n')
      column = last === -1 ? column + text.length : text.length - last - 1
      return text
    }
    return typeof part === 'string' ? part : part.flat
  })
  return texts.join('')
}

function layOutGroup({ open, close, isList, items }: Group, indent: number, column: number): string {
  const last = items.at(-1) ?? []
  const first = items.slice(0, -1)
  // the last argument may be broken instead of the call, or an object in parentheses instead of these
  const isOuter = open === '(' && (isList || last.length === 1)
  if (isOuter && isBreakable(last) && first.every((item) => !isBreakable(item))) {
    const start = open + first.map((item) => `${flatOf(item)}, `).join('')
    return start + print(last, { indent, before: column + start.length, behind: 1 }) + close
  }
  const inner = ' '.repeat(indent + 2)
  const end = isList && !flatOf(items[0] ?? []).startsWith('return ') ? ',' : ''
  const lines = items.map((item) => {
    const text = print(item, { indent: indent + 2, before: indent + 2, behind: 1 })
    return inner + text + end
  })
  return `${open}\n${lines.join('\n')}\n${' '.repeat(indent)}${close}`
}

function isBreakable(parts: readonly Part[]): boolean {
  return parts.some((part) => typeof part !== 'string' && part.items.length > 0)
}

/** Names, and the module that they are imported from. */
export type Import = readonly [names: readonly string[], from: string]

/** Writes a file: imports of packages, those of files, and statements. */
export function formatFile(
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
export function quoted(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}

/** The name of a member, in quotes if it needs them. */
export function keyOf(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quoted(name)
}

/** Members as an object literal. Those that are missing, empty or have nothing in them are left out. */
export function literalText(members: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(members).flatMap(([name, text]) =>
    text === undefined || ['', '{}', '[]'].includes(text)
      ? []
      : [`${/^\d+$/.test(name) ? name : keyOf(name)}: ${text}`],
  )
  return written.length === 0 ? '{}' : `{ ${written.join(', ')} }`
}

/** A value of JSON as source text, without members that are `undefined`. */
export function valueText(value: unknown): string {
  if (isString(value)) return quoted(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members.length === 0
    ? '{}'
    : `{ ${members.map(([name, member]) => `${keyOf(name)}: ${valueText(member)}`).join(', ')} }`
}
