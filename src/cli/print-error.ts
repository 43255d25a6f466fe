import { inspect } from 'node:util'

import { fileURLToPath } from 'node:url'
import { relative } from 'node:path'

import { CommandError, say } from './command.ts'
import { LoadError, type LoadProblem } from './app-process.ts'
import { messageOf } from '../base/values.ts'
import { styleFor, type Style } from '../base/style.ts'

/** One entry of a `DefinitionError`, whichever copy of Octavo threw it. */
interface ErrorEntry {
  readonly code: string
  readonly where: string
  readonly message: string
  readonly fix: string
}

/** Prints the error that ended a command, unless another process has. */
export function sayError(error: unknown): void {
  if (!(error instanceof LoadError)) say(errorText(error, styleFor(process.stderr)))
}

/** Prints the error that stopped this process and exits with 1. */
export function endFailed(error: unknown): void {
  if (!isPlaceless(error)) {
    sayError(error)
    process.exit(1)
  }
  // only Node knows the place, and prints it for uncaught errors
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

/** Formats an error: definition errors as a list, errors of commands with their hints, others with their stack. */
function errorText(error: unknown, style: Style): string {
  if (error instanceof CommandError) {
    const [first, ...rest] = [error.message, ...error.hints.map((hint) => `  ${hint}`)]
    return [`${style.red('octavo:')} ${first}`, ...rest].join('\n')
  }
  const entries = definitionEntries(error)
  return entries === undefined ? stackText(error) : entriesText(entries, style)
}

/** Returns the entries of a `DefinitionError`, or `undefined` for anything else. */
export function definitionEntries(error: unknown): readonly ErrorEntry[] | undefined {
  if (!(error instanceof Error) || error.name !== 'DefinitionError') return undefined
  const errors: unknown = Reflect.get(error, 'errors')
  return Array.isArray(errors) && errors.every(isErrorEntry) ? errors : undefined
}

function isErrorEntry(value: unknown): value is ErrorEntry {
  return ['code', 'where', 'message', 'fix'].every(
    (name) => typeof Reflect.get(Object(value), name) === 'string',
  )
}

function entriesText(entries: readonly ErrorEntry[], style: Style): string {
  const count = entries.length === 1 ? '1 error' : `${entries.length} errors`
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

/** The problems that an error is about: definitions, or the error itself with its stack, which may name the file that throws. */
export function toProblems(error: unknown): readonly LoadProblem[] {
  if (error instanceof LoadError) return error.problems
  const entries = definitionEntries(error)
  if (entries !== undefined)
    return entries.map(({ code, where, message, fix }) => ({ code, where, message, fix }))
  const isCommand = error instanceof CommandError
  const hints = isCommand ? error.hints : hintsFor(error)
  const stack = error instanceof Error ? error.stack : undefined
  const where = isCommand ? error.where : placeIn(stack ?? '')
  return [
    {
      ...(where !== undefined && { where }),
      message: messageOf(error),
      ...(hints.length > 0 && { fix: hints.join('\n') }),
      ...(stack !== undefined && !isCommand && { stack }),
    },
  ]
}

/** The first place of a stack that belongs to the user, or the one that a message of the TypeScript loader begins with. */
function placeIn(stack: string): string | undefined {
  for (const line of stack.split('\n')) {
    const [, place = '', at = ''] =
      /(?<=^|[\s(])((?:file:\/\/)?(?:\/|[A-Za-z]:\\)[^()\s]*?)(:\d+(?::\d+)?)\)?(?:$|: )/.exec(line) ?? []
    if (place === '' || FOREIGN.test(line) || /[/\\]node_modules[/\\]/.test(line)) continue
    const path = place.startsWith('file:') ? fileURLToPath(place) : place
    return relative(process.cwd(), path) + at
  }
  return undefined
}

/** No colours. */
const PLAIN = styleFor({}, {})

/** Stack lines without information for the user: those of Node and of the TypeScript loader. */
const FOREIGN = /^\s+at .*(?:node:[a-z]|[/\\]node_modules[/\\](?:tsx|esbuild)[/\\]|[/\\]cli[/\\]main\.[jt]s)/

function stackText(error: unknown): string {
  return [...stackLines(error, ''), ...hintsFor(error)].join('\n')
}

/** The stacks of an error, of its causes, and of the errors in it. */
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

/** Returns advice for errors of Node that have none. */
function hintsFor(error: unknown): readonly string[] {
  const code: unknown = Reflect.get(Object(error), 'code')
  const text = String(error)
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?tsx?\b/.test(text)) return [INSTALL_TSX]
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return [`Node only removes types. ${INSTALL_TSX}`]
  const name = /^ReferenceError: Cannot access '(.+)' before initialization$/.exec(text)?.[1]
  return name === undefined ? [] : [`Two files may import each other: write lazy(() => ${name})`]
}

const INSTALL_TSX = 'To run this TypeScript, install tsx: npm install --save-dev tsx'
