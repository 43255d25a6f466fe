import { inspect } from 'node:util'

import { CommandError } from './failure.ts'
import { styleFor } from './style.ts'
import type { Style } from './style.ts'

/** One entry of a `DefinitionError`, whichever copy of Octavo threw it. */
interface Entry {
  readonly code: string
  readonly where: string
  readonly message: string
  readonly fix: string
}

/** Writes to standard error. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Writes what a command ends with. */
export function sayError(error: unknown): void {
  say(errorText(error, styleFor(process.stderr)))
}

/** Prints what stopped this process, and ends it with 1. */
export function endFailed(error: unknown): void {
  if (!isPlaceless(error)) {
    sayError(error)
    process.exit(1)
  }
  // Node alone knows the place, and tells it of errors that nobody catches; the way there is through Node
  Reflect.set(error, 'stack', String(error))
  setImmediate(() => {
    throw error
  })
  setImmediate(() => process.exit(1))
}

/** Whether it is an error of a module that Node cannot read, whose stack does not lead there. */
function isPlaceless(error: unknown): error is SyntaxError {
  return error instanceof SyntaxError && !stackText(error).includes('\n    at ')
}

/** An error as text: what is wrong in definitions as a list, errors of commands with their hints, others with their stack. */
function errorText(error: unknown, style: Style): string {
  if (error instanceof CommandError) {
    const [first, ...rest] = [error.message, ...error.hints.map((hint) => `  ${hint}`)]
    return [`${style.red('octavo:')} ${first}`, ...rest].join('\n')
  }
  const entries = definitionEntries(error)
  return entries === undefined ? stackText(error) : entriesText(entries, style)
}

/** The entries of a `DefinitionError`; `undefined` for anything else. */
export function definitionEntries(error: unknown): readonly Entry[] | undefined {
  if (!(error instanceof Error) || error.name !== 'DefinitionError') return undefined
  const errors: unknown = Reflect.get(error, 'errors')
  return Array.isArray(errors) && errors.every(isEntry) ? errors : undefined
}

function isEntry(value: unknown): value is Entry {
  return ['code', 'where', 'message', 'fix'].every(
    (name) => typeof Reflect.get(Object(value), name) === 'string',
  )
}

function entriesText(entries: readonly Entry[], style: Style): string {
  const count = entries.length === 1 ? 'A mistake' : `${entries.length} mistakes`
  return [
    style.red(`${count} in the definitions`),
    ...entries.flatMap(({ code, where, message, fix }) => [
      '',
      `  ${style.bold(where)} ${style.dim(`[${code}]`)}`,
      `    ${message}`,
      `    ${style.green('fix:')} ${fix}`,
    ]),
  ].join('\n')
}

/** No colours. */
const PLAIN = styleFor({}, {})

/** Lines of stacks that tell nobody anything: those of Node and of what runs TypeScript. */
const FOREIGN = /^\s+at .*(?:node:[a-z]|[/\\]node_modules[/\\](?:tsx|esbuild)[/\\]|[/\\]cli[/\\]main\.[jt]s)/

function stackText(error: unknown): string {
  return [...stackLines(error, ''), ...hintsFor(error)].join('\n')
}

/** The stacks of an error, of what caused it, and of those that it holds. */
function stackLines(error: unknown, before: string): readonly string[] {
  if (!(error instanceof Error)) return [`${before === '' ? 'Thrown: ' : before}${inspect(error)}`]
  const entries = definitionEntries(error)
  const lines =
    entries === undefined
      ? (error.stack ?? String(error)).split('\n')
      : entriesText(entries, PLAIN).split('\n')
  const held: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  return [
    before + lines.filter((line) => !FOREIGN.test(line)).join('\n'),
    ...held.flatMap((each) => stackLines(each, 'Together with: ')),
    ...(error.cause === undefined ? [] : stackLines(error.cause, 'Caused by: ')),
  ]
}

/** What to do about errors of Node whose text does not say it. */
function hintsFor(error: unknown): readonly string[] {
  const code: unknown = Reflect.get(Object(error), 'code')
  const text = String(error)
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?tsx?\b/.test(text)) return [INSTALL_TSX]
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return [`Node only takes types off. ${INSTALL_TSX}`]
  return []
}

const INSTALL_TSX = 'To run this TypeScript, install tsx: npm install --save-dev tsx'
