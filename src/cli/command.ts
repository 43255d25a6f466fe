import { styleFor, type Style } from '../base/style.ts'

/** An option of a command. */
export interface OptionSpec {
  /** The name of its value in the help. A switch has none. */
  readonly value?: string
  /** The values that it takes, if these are all. */
  readonly choices?: readonly string[]
  readonly short?: string
  readonly about: string
  /** Whether it may be given several times. */
  readonly multiple?: boolean
}

/** The options and arguments that a command accepts. */
export interface ArgumentSpec {
  readonly options: Readonly<Record<string, OptionSpec>>
  /** How many positional arguments there may be. */
  readonly positionals: number
  /** Whether arguments may follow `--`. */
  readonly passesOn?: boolean
}

/** The options and arguments of one call. */
export interface Arguments {
  readonly positionals: readonly string[]
  /** The arguments after `--`. */
  readonly rest: readonly string[]
  /** Whether a switch was given. */
  readonly has: (name: string) => boolean
  /** The value of an option, the last one where it was given several times. */
  readonly value: (name: string) => string | undefined
  readonly values: (name: string) => readonly string[]
  /** The arguments as they were given. */
  readonly all: readonly string[]
  /** Whether the outcome is printed as JSON, so that the command prints nothing itself. */
  readonly isJson: boolean
}

/** Where a command runs, and what it may know of this program. */
export interface Setting {
  /** The file of this program: children run it again. */
  readonly main: string
  /** The manifest of the package that this program belongs to. */
  readonly manifest: Manifest
  readonly cwd: string
}

/** The members of this package's manifest that are read. */
export interface Manifest {
  readonly version: string
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** A command of `octavo`. */
export interface Command extends ArgumentSpec {
  /** One line for the list of commands. */
  readonly summary: string
  /** The arguments after the name of the command. */
  readonly usage: string
  /** A description, line by line. */
  readonly about: readonly string[]
  readonly examples: readonly string[]
  readonly run: (given: Arguments, setting: Setting) => Promise<Outcome>
}

/** How a command ended. */
export interface Outcome {
  /** @default 0 */
  readonly exitCode?: number
  /** The output for people and pipes. A command that goes on after it prints it itself. */
  readonly text?: string
  /** The differences that a comparison found, for JSON. */
  readonly findings?: readonly object[]
  /** Other results, for JSON. */
  readonly result?: object
  /** The steps that come next, for JSON. Those that people need are in the text, too. */
  readonly next?: readonly Step[]
}

/** A command or an edit that comes next. */
export interface Step {
  /** The step in words. */
  readonly text: string
  /** The command line. An edit has none. */
  readonly run?: string
  /** The place of an edit, such as `src/changes/name.ts:12`. */
  readonly where?: string
}

/** The option of commands whose output is text or JSON. */
export const FORMAT = formatOption('text')

/** The option that chooses between formats of an output, the first of which is the default, and JSON. */
export function formatOption(...formats: readonly string[]): OptionSpec {
  const choices = [...formats.slice(0, 1), 'json', ...formats.slice(1)]
  return { choices, about: `the format of the output (${formats[0] ?? 'json'})` }
}

/** The error of a command. Its exit code is 2 for invalid arguments, and 1 otherwise. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  /** Advice, line by line. */
  readonly hints: readonly string[]
  /** The file that cannot be used. */
  readonly where?: string

  constructor(exitCode: 1 | 2, message: string, hints: readonly string[] = []) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
    this.hints = hints
  }
}

/** Creates the error of invalid arguments. */
export function usageError(message: string, ...hints: readonly string[]): CommandError {
  return new CommandError(2, message, hints)
}

/** Creates the error of a command that failed. */
export function failure(message: string, ...hints: readonly string[]): CommandError {
  return new CommandError(1, message, hints)
}

/** The error of an input that cannot be read. Help about options is no advice for it. */
export class InputError extends CommandError {
  override readonly where: string

  constructor(where: string, message: string, hints: readonly string[] = []) {
    super(2, message, hints)
    this.name = 'InputError'
    this.where = where
  }
}

/** Writes a command line of Octavo for a shell. */
export function commandLine(given: readonly string[]): string {
  return ['octavo', ...given].map(toWord).join(' ')
}

/** An argument as a shell takes it. */
export function toWord(argument: string): string {
  return /^[\w./@=:-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`
}

/** Writes to standard error. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Writes to standard output. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** The colours of standard error. */
export function sayStyle(): Style {
  return styleFor(process.stderr)
}

/** The colours of standard output. */
export function printStyle(): Style {
  return styleFor(process.stdout)
}
