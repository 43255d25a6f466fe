import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { inspectValue } from '../../base/platform.ts'
import { styleFor, type Style } from '../../base/style.ts'
import type { Level } from './outputs.ts'

/** Formats a record for a person. Returns `undefined` if the record cannot be shown, so that its JSON is. */
export type ToTerminalText = (
  level: Level,
  details: object,
  message: string | undefined,
) => string | undefined

/** Creates the function that formats records for people: a line for each request, and errors with the place in their source. */
export function createTerminalText(style: Style = styleFor({ isTTY: true })): ToTerminalText {
  return (level, details, message) => {
    try {
      const time = style.dim(new Date().toTimeString().slice(0, 8))
      const text = isRequest(details, message)
        ? requestLine(details, style)
        : recordText(level, details, message, style)
      return `${time} ${text}\n`
    } catch {
      // members that throw
      return undefined
    }
  }
}

/** The members of a request's line in the log. */
interface RequestDetails {
  readonly method: string
  readonly path: string
  readonly version: string | null
  readonly status: number
  readonly duration: number
  readonly client?: string
}

function isRequest(details: object, message: string | undefined): details is RequestDetails {
  return message === 'Request' && 'status' in details && 'duration' in details
}

function requestLine(details: RequestDetails, style: Style): string {
  const { method, path, version, status, duration, client } = details
  const parts = [
    style.bold(method.padEnd(6)),
    colourOf(status, style)(String(status)),
    visible(path),
    ...(version === null ? [] : [style.cyan(`v${visible(version)}`)]),
    style.dim(`${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`),
    ...(client === undefined ? [] : [visible(client)]),
  ]
  return parts.join(' ')
}

function colourOf(status: number, style: Style): (text: string) => string {
  if (status >= 500) return style.red
  if (status >= 400) return style.yellow
  return status >= 300 ? style.cyan : style.green
}

function recordText(level: Level, details: object, message: string | undefined, style: Style): string {
  const { err, requestId, ...others }: Readonly<Record<string, unknown>> =
    details instanceof Error ? { err: details } : { ...details }
  const error = err === undefined ? [] : ['', ...errorLines(err, style, '')]
  const known = err === undefined ? others : { ...others, requestId }
  const rest = membersText(known)
  const first = [labelOf(level, style), visible(message ?? ''), style.dim(rest)].filter(Boolean).join(' ')
  return [
    first,
    ...error.map((line) => (line === '' ? '' : `  ${line}`)),
    ...(err === undefined ? [] : ['']),
  ].join('\n')
}

function labelOf(level: Level, style: Style): string {
  if (level === 'info') return ''
  return level === 'error' ? style.red('ERROR') : style.yellow('WARN')
}

/** Members in one line: texts without quotes, other values as Node shows them. */
function membersText(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${visible(typeof value === 'string' ? value : shown(value))}`)
    .join(' ')
}

function shown(value: unknown): string {
  return inspectValue(value) ?? String(value)
}

/** An error with its message, members, the lines around its place, its stack without Octavo's frames, and its causes. */
function errorLines(error: unknown, style: Style, before: string, depth = 0): readonly string[] {
  if (!(error instanceof Error)) return [`${before}${visible(shown(error))}`]
  const { name, message, stack = '', cause } = error
  const frames = framesOf(stack)
  const members = membersText(
    Object.fromEntries(Object.entries(error).filter(([member]) => !TOLD.has(member))),
  )
  const held: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  const inner =
    depth > MAX_CAUSES
      ? []
      : [
          ...held.map((each) => ['With: ', each] as const),
          ...(cause === undefined ? [] : [['Caused by: ', cause] as const]),
        ]
  return [
    ...`${before}${style.red(visible(name))}: ${visible(message)}`.split('\n'),
    ...(members === '' ? [] : [style.dim(members)]),
    ...codeFrame(frames[0], style),
    ...frames.map(({ text }) => style.dim(text)),
    ...inner.flatMap(([word, each]) => errorLines(each, style, word, depth + 1)),
  ]
}

const MAX_CAUSES = 8

/** Members of errors that have lines of their own. */
const TOLD = new Set(['name', 'message', 'stack', 'cause', 'errors'])

/** One line of a stack. */
interface Frame {
  readonly text: string
  /** A path or URL with line and column, if it has a place. */
  readonly place: readonly [file: string, line: number, column: number] | undefined
}

/** The folders of Octavo's files. Bundles for `require` have no URL here. */
const [, ROOT = ''] = /^file:\/\/(.*\/)(?:src|dist)\//.exec(import.meta.url) ?? []

/** The frames of a stack that are not those of Octavo, Node or the loader of TypeScript; all of them if no other is left. */
function framesOf(stack: string): readonly Frame[] {
  const all = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => ({ text: visible(line.trim()), place: placeOf(line) }))
  const others = all.filter(({ text, place }) => place !== undefined && !isForeign(text))
  return others.length > 0 ? others : all
}

/** Finds the place of `at name (place)` and `at place`. */
function placeOf(line: string): Frame['place'] {
  const start = Math.max(line.lastIndexOf('('), line.indexOf('at ') + 2) + 1
  const end = line.endsWith(')') ? -1 : undefined
  const [, file = '', row, column] = PLACE.exec(line.slice(start, end)) ?? []
  return /^(?:file:|\/|[A-Z]:[\\/])/.test(file) ? [file, Number(row), Number(column)] : undefined
}

const PLACE = /^([^()]+):(\d+):(\d+)$/

function isForeign(text: string): boolean {
  const isOwn = ROOT !== '' && (text.includes(`${ROOT}src/`) || text.includes(`${ROOT}dist/`))
  return isOwn || /\(?node:|[/\\]node_modules[/\\](?:tsx|esbuild|octavo)[/\\]/.test(text)
}

/** The lines of the source around a place, with a mark below its column; none if the file cannot be read. */
function codeFrame(frame: Frame | undefined, style: Style): readonly string[] {
  const [file = '', at = 0, column = 0] = frame?.place ?? []
  const source = readSource(file)
  if (source === undefined || at > source.length) return []
  const from = Math.max(at - 2, 1)
  const width = String(at + 2).length
  const shownLines = source.slice(from - 1, at + 2).flatMap((text, index) => {
    const number = from + index
    const row = `${String(number).padStart(width)} | ${visible(text)}`
    if (number !== at) return [style.dim(`  ${row}`)]
    return [`${style.red('>')} ${row}`, `${' '.repeat(width + 4 + column)}${style.red('^')}`]
  })
  return ['', ...shownLines, '']
}

/** Lines longer than this are those of a bundle. */
const MAX_LINE = 400

function readSource(file: string): readonly string[] | undefined {
  if (file === '') return undefined
  try {
    const lines = readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8').split('\n')
    return lines.some((line) => line.length > MAX_LINE) ? undefined : lines
  } catch {
    return undefined
  }
}

/** Characters that a terminal obeys or that reorder what it shows: clients choose some of these texts. Line feeds and tabs stay. */
// eslint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

function visible(text: string): string {
  return text.replaceAll(OBEYED, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
