import { styleFor, type Style } from '../base/style.ts'

/** An option of a command. */
export interface OptionSpec {
  /** The name of its value in the help. A switch has none. */
  readonly value?: string
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
  /** Returns the exit code. */
  readonly run: (given: Arguments, setting: Setting) => Promise<number>
}

/** The error of a command. Its exit code is 2 for invalid arguments, and 1 otherwise. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  /** Advice, line by line. */
  readonly hints: readonly string[]

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

/** The error of an input that cannot be read. Its message needs no further advice. */
export class InputError extends CommandError {
  constructor(message: string) {
    super(2, message)
    this.name = 'InputError'
  }
}

/** Writes to standard error. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Writes to standard output. Returns the exit code of success. */
export function print(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

/** The colours of standard error. */
export function sayStyle(): Style {
  return styleFor(process.stderr)
}

/** The colours of standard output. */
export function printStyle(): Style {
  return styleFor(process.stdout)
}
